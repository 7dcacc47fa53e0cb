"""`device="cuda"`: functions of NumPy arrays whose memory is elsewhere while they run. Here that is
other memory of the host, with kernels in Triton's interpreter."""
from __future__ import annotations

import operator
from types import SimpleNamespace

import numpy as np
import pytest
from dynamo_lite.backends.triton.backend import compile_for
from dynamo_lite.backends.triton.devices.host import HostDevice
from dynamo_lite.backends.triton.devices.round_trips import CallTrip, KernelTrip
from dynamo_lite.backends.triton.plans import plan

import dynamo_lite as dl
from dynamo_lite.ir import core
from dynamo_lite.native import BAILOUT, why_no_cuda
from tests.oracle import CLOSE, check, check_anew

X = np.linspace(-2.0, 3.0, 24).reshape(4, 6)


def moved(function):
    return dl.compile(function, device="cuda", fullgraph=True, options={"interpret": True})


def pointwise(x):
    return np.exp(x) * 2 + 1


def written(x):
    x[1:] += 1
    x[0, ::2] = x[1, 1]
    return x.sum(axis=1)


def views(x):
    return x[::-1, 1:], x.T, x


def parts(x):
    y = x * 2
    return y[:3], y[2:], y[::-1, ::2], y.T


def numbers(x):
    return x.sum(), float(x.max()), x.shape[0], x * x.mean()


def layouts(x):
    return (x.T + 1, np.zeros((3, 0)), x[:0] * 2, np.transpose(x[None] * 2, (2, 0, 1)),
            np.broadcast_to(x[0] + 1, (3, 6)))


def rounds(x):
    n = 0
    while np.abs(x).max() > 0.1:
        x = x / 2
        n += 1
    return x, n


def by_numpy(x):
    return np.sort(x, axis=0), np.linalg.norm(x @ x.T), np.cumsum(x, axis=1)


@pytest.fixture(autouse=True)
def nothing_bails_out(monkeypatch):
    pytest.importorskip("triton")
    said = []
    monkeypatch.setattr(plan, "say", said.append)
    yield
    assert not said


@pytest.mark.parametrize("function", [
    pointwise, written, views, parts, numbers, layouts, rounds, by_numpy,
], ids=lambda function: function.__name__)
def test_functions_equal_numpy(function):
    check(moved(function), function, X, tolerance=CLOSE)


@pytest.mark.parametrize("function", [
    lambda x: (np.sin(x) * x).sum(), lambda x: np.exp(x @ x.T).mean(),
    lambda x: (np.exp(x - x.max(axis=1, keepdims=True)) ** 2).sum(),
])  # fmt: skip
def test_derivatives(function):
    np.testing.assert_allclose(moved(dl.grad(function))(X), dl.grad(function)(X), rtol=1e-12)


def test_random_numbers_are_drawn_on_the_host():
    def drawn(x, rng):
        np.random.shuffle(x[0])
        return x + rng.normal(size=x.shape) * np.random.random()

    def seeded(function):
        np.random.seed(7)
        return [function(X.copy(), np.random.default_rng(3)) for _ in range(2)]

    f = dl.compile(drawn, device="cuda", options={"interpret": True})
    np.testing.assert_array_equal(seeded(f), seeded(drawn))


@pytest.mark.parametrize("make", [
    lambda: X.copy().T, lambda: X.copy()[::-1, ::2], lambda: X.astype("f4"),
    lambda: np.empty((0, 6)), lambda: np.frombuffer(bytes(8) + X.tobytes(), "f8")[1:].reshape(4, 6),
])
def test_arguments_of_any_layout(make):
    check_anew(moved(lambda x: (x * 2, x[1:])), lambda x: (x * 2, x[1:]), make)


def test_arguments_that_overlap_overlap_there():
    x = X.copy().ravel()
    found, same = moved(lambda x, y: (x[1:] * y, y))(x, x[:-1])
    np.testing.assert_allclose(found, x[1:] * x[:-1])
    assert np.shares_memory(same, x)


def test_steps_of_numpy_between_those_of_the_device():
    device = HostDevice()
    x = np.asfortranarray(X)
    call = CallTrip(np.add, device)
    found = call(x, x)
    assert found.strides == x.strides and (found == 2 * X).all() and call.__name__ == "add"
    CallTrip(core.store, device)(x, (), 7.0)
    assert (x == 7).all()


class Far:
    """An array that is none of NumPy's."""

    def __init__(self, held):
        self.held = held
        self.shape, self.dtype, self.strides = held.shape, held.dtype, held.strides

    def __setitem__(self, key, value):
        self.held[key] = value


def test_kernels_of_numpy_work_on_copies():
    device = SimpleNamespace(
        fetched=lambda array: array.held.copy(), constant=lambda array: array)
    kernel = SimpleNamespace(buffers="xy", kernel=SimpleNamespace(writes="y"))

    class Kernel(SimpleNamespace):
        def __call__(self, sizes, arrays, numbers):
            arrays[1][...] = arrays[0] * sizes["n"]
            assert all(map(operator.eq, arrays[0].strides, X.T.strides))
            arrays[0][...] = 0

    x, y = Far(X.copy().T), Far(np.zeros_like(X.T))
    KernelTrip(Kernel(**vars(kernel)), device)({"n": 3}, (x, y), ())
    np.testing.assert_array_equal(y.held, X.T * 3)
    np.testing.assert_array_equal(x.held, X.T)


def test_a_call_that_bails_out_changes_nothing(monkeypatch):
    monkeypatch.setattr(plan, "say", lambda reason: None)
    made = []

    def backend(graph, inputs):
        made.append(compile_for(graph, HostDevice(), is_moved=True))
        return made[-1]

    def f(x, i):
        x += 1
        return x[i]

    dl.compile(f, backend=backend, fullgraph=True)(X.copy(), np.array([1, 2]))
    x = X.copy()
    assert made[0](x, np.array([1, 99])) is BAILOUT
    np.testing.assert_array_equal(x, X)


def test_other_devices_and_backends_are_refused():
    with pytest.raises(ValueError, match="'cpu' or 'cuda'|cpu or cuda"):
        dl.compile(pointwise, device="gpu")
    with pytest.raises(ValueError, match="device='cuda' is of the backend 'triton'"):
        dl.compile(pointwise, device="cuda", backend="llvm")
    with pytest.raises(ValueError, match="device is given twice"):
        dl.compile(pointwise, device="cuda", options={"device": "cuda"})


@pytest.mark.skipif(why_no_cuda() is None, reason="there is a GPU")
def test_without_a_gpu_the_call_says_so():
    warned = pytest.warns(dl.errors.DynamoWarning, match="no CUDA driver")
    with dl.config.patch(strict=False), warned:
        np.testing.assert_array_equal(dl.compile(pointwise, device="cuda")(X), pointwise(X))
    with pytest.raises(dl.errors.BackendError, match="cannot run here: there is no CUDA driver"):
        dl.compile(pointwise, device="cuda")(X)
