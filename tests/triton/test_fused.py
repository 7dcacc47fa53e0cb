"""Products of halves with what is made of them, as one kernel: in the interpreter and as PTX."""
from __future__ import annotations

import hashlib

import numpy as np
import pytest

cp = pytest.importorskip("cupy")
pytest.importorskip("triton")
from dynamo_lite.backends.triton.backend import compile_for  # noqa: E402

import dynamo_lite as dl  # noqa: E402
from dynamo_lite.base.config import config  # noqa: E402
from dynamo_lite.native import why_no_cuda  # noqa: E402
from tests.triton.cupy_on_host import CuPyOnHost, host, on_host  # noqa: E402
from tests.triton.fused_programs import FUSED, W, X, halves  # noqa: E402

pytestmark = pytest.mark.skipif(why_no_cuda() is None, reason="its own arrays are in its memory")


class TimedHost(CuPyOnHost):
    """For which the way of a number is the fastest."""

    times = True

    def __init__(self, best):
        super().__init__()
        self.best = best
        self.timed = []

    def place(self, kernel, aligned):
        return f"triton/tests/{hashlib.sha256(kernel.source.encode()).hexdigest()}.cubin"

    def seconds(self, run):
        run()
        name = getattr(run, "__name__", "")
        self.timed.append(name)
        return 1.0 if name.endswith(self.best) else 2.0


@pytest.fixture(autouse=True)
def on_disk(tmp_path):
    with config.patch(cache_dir=str(tmp_path), autotune=True):
        yield


def check(function, *arrays, best="fused", device=None):
    """The device and the plan of a function whose results are NumPy's in single precision."""
    device, made = device or TimedHost(best), []

    def backend(graph, inputs):
        made.append(compile_for(graph, device))
        return made[-1]

    compiled = dl.compile(function, backend=backend, fullgraph=True)
    for _ in range(2):
        found = host(compiled(*map(on_host, arrays)))
    assert found.dtype == np.float16
    wide = [array.astype("f4") for array in arrays]
    np.testing.assert_allclose(found, function(*wide), rtol=1e-2, atol=2e-2)
    return device, made[0]


@pytest.mark.parametrize("best", ["fused", "apart"])
@pytest.mark.parametrize("name", FUSED)
def test_both_ways_give_the_same(name, best):
    function, arrays = FUSED[name]
    device, plan = check(function, *arrays, best=best)
    (_, fused) = plan.kernels
    assert "tl.dot" in fused.source
    assert [way for way in device.timed if way] == [f"{fused.name}_apart", f"{fused.name}_fused"]


def test_the_choice_is_kept_on_disk():
    function, arrays = FUSED["bias"]
    check(function, *arrays)
    device, _ = check(function, *arrays)
    assert not [way for way in device.timed if way]


@pytest.mark.parametrize(("function", "arrays"), [
    (lambda x, w: np.exp(x @ w), (X[:, :100], W)),
    (lambda x, w: np.exp(x @ w), (X[..., :180], W[:180])),
    (lambda x, w: (x @ w).T * 2, (X[0], W)),
    (lambda x, w: np.exp(x @ w), (X[:, ::-1], W)),
    (lambda x, w: np.exp(x @ w), (X, halves(2, 192, 256))),
    (lambda x, w: np.exp(x @ w).sum(axis=-1), (X, W)),
    (lambda x, w: np.exp(p := x @ w) + p[..., ::-1], (X, W)),
])  # fmt: skip
def test_what_stays_apart(function, arrays):
    _, plan = check(function, *arrays)
    assert not any("tl.dot" in kernel.source for kernel in plan.kernels)


def test_nothing_is_chosen_without_timing():
    function, arrays = FUSED["bias"]
    with config.patch(autotune=False):
        device, plan = check(function, *arrays)
    assert len(plan.kernels) == 1 and not device.timed


@pytest.mark.parametrize("name", ["bias", "transposed"])
def test_tensor_cores_multiply(name):
    from dynamo_lite.backends.triton.binaries.compiler import compile_kernel

    from .test_triton import stack_bytes

    _, plan = check(*[FUSED[name][0], *FUSED[name][1]])
    binary, ptx = compile_kernel(plan.kernels[-1])
    assert "wgmma.mma_async" in ptx and "cp.async" in ptx
    assert stack_bytes(binary.cubin) == 0 and binary.shared <= 227 * 1024
