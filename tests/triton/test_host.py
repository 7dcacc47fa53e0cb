"""Whole functions on the host device: plans as for a GPU, kernels in Triton's interpreter."""
from __future__ import annotations

import functools

import numpy as np
import pytest
from dynamo_lite.backends.triton import plan
from dynamo_lite.backends.triton.backend import compile_for
from dynamo_lite.backends.triton.host import HostDevice

import dynamo_lite as dl
from benchmarks import gpu

pytest.importorskip("triton")
compiled = functools.partial(
    dl.compile, backend="triton", fullgraph=True, options={"interpret": True})
X = np.linspace(-2.0, 3.0, 12).reshape(3, 4)


@pytest.fixture(autouse=True)
def bail_outs(monkeypatch):
    """What was said when a graph bailed out: nothing, unless a test asks for it."""
    said = []
    monkeypatch.setattr(plan, "say", said.append)
    yield said
    assert not said


def rounds(x, n):
    for i in range(n):
        x = np.sin(x) + i
    return x


def until_small(x):
    n = 0
    while np.abs(x).max() > 0.1:
        x = x / 2
        n += 1
    return x, n


def on_data(x):
    if x.sum() > 0:
        return x * 2
    return x - 1


def written(x):
    x[1:] += 1
    x[0, ::2] = x[1, 1]
    return x.T


def masked(x):
    x[x < 0] = 0
    return x[x > 1], np.nonzero(x), np.where(x > 0, np.sqrt(np.abs(x)), -x)


def scans(x):
    return np.cumsum(x, axis=1), np.cumprod(x), np.maximum.accumulate(x, axis=0)


def positions(x):
    order = np.argsort(x[0])
    x[1, [0, 2, 0]] = [5.0, 6.0, 7.0]
    return x[:, order], np.take(x, [2, 0], axis=1)


def complex_numbers(x):
    z = x + 1j * x[::-1]
    return np.abs(z), z.conj() @ z.T, z.real.sum()


def complex_parts(x):
    z = x[0] + 1j * x[1]
    z[1:] = z[:-1] * 2
    z[0] = 1j
    for _ in range(3):
        z[::2] += z[-1]
    return z


def sizes_of_a_loop(x):
    """An array in a loop has another size in each round."""
    total = 0.0
    for i in range(1, x.shape[1]):
        total += np.sort(x[0, :i] * 2)[-1]
    return total


def products(x):
    return x @ x.T + 1, np.sort(x, axis=0), np.concatenate([x, x], axis=1)


def numbers(x):
    total = x.sum()
    return total, float(total) * 2, x.shape[0] + 1, x * total


def sorted_in_rounds(x):
    """A counter and an element of an array are changed side by side, and the counter is read."""
    for _ in range(7):
        x = np.sort(x)
        x[0, 0] += 1
    return x


def windows(x):
    """Parts at computed places are written, and sums are added in NumPy's order."""
    x = x.reshape(-1)
    out = np.zeros_like(x)
    for i in range(len(x) - 5):
        out[i] = x[i:i + 5].mean()
        x[i:i + 3] = x[i + 1:i + 4] * 0.5
    return out, x


FUNCTIONS = (
    sorted_in_rounds, windows, until_small, on_data, written, masked, scans, positions,
    complex_numbers, complex_parts, sizes_of_a_loop, products, numbers,
    functools.partial(rounds, n=4),
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: getattr(f, "__name__", "rounds"))
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_functions_equal_numpy(function, dtype):
    f = compiled(function)
    for x in (X, X - 1, np.vstack([X, X])):
        ours, theirs = x.astype(dtype), x.astype(dtype)
        found, expected = f(ours), function(theirs)
        np.testing.assert_array_equal(ours, theirs)
        for got, want in zip(*map(listed, (found, expected)), strict=True):
            assert type(got) is type(want)
            np.testing.assert_allclose(got, want, rtol=2e-6 if dtype == "f4" else 1e-14)


def listed(tree):
    if not isinstance(tree, tuple):
        return [tree]
    return [leaf for item in tree for leaf in listed(item)]


def test_counters_and_conditions_on_numbers_need_no_kernel():
    seen = []

    def backend(graph, inputs):
        seen.append(compile_for(graph, HostDevice()))
        return seen[-1]

    dl.compile(rounds, backend=backend, dynamic=True)(X, 40)
    (made,) = seen
    inside = made.text.split("while ")[1].split("b_t0, b_t1")[0]
    assert inside.count("(stream, ") == 1


def test_what_numpy_reports_is_reported(bail_outs):
    f = compiled(lambda x: 1 / x)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert f(np.zeros(2)).tolist() == [np.inf] * 2
    assert [type(reason).__name__ for reason in bail_outs] == ["FloatingPointError"]
    bail_outs.clear()
    f(np.ones(300))


def test_the_benchmark_of_gpus_checks_its_programs():
    found = gpu.main(["--host"])
    assert [row["name"] for row in found["results"]] == [one.name for one in gpu.PROGRAMS]
