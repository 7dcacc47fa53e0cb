"""On a GPU: CuPy arrays through `dl.compile`, against NumPy. Skipped without one."""
from __future__ import annotations

import threading

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.native import why_no_cuda

if (why := why_no_cuda()) is not None:
    pytest.skip(why, allow_module_level=True)
cp = pytest.importorskip("cupy")
pytest.importorskip("triton")

from tests.triton.portable import FUNCTIONS, WRITES  # noqa: E402
from tests.triton.programs import PROGRAMS  # noqa: E402
from tests.triton.rows import ROW_PROGRAMS  # noqa: E402


def same(found, expected, rtol):
    expected = expected if isinstance(expected, tuple) else (expected,)
    found = found if isinstance(found, tuple) else (found,)
    for got, want in zip(found, expected, strict=True):
        if type(want) in (bool, int, float):
            assert type(got) is type(want) and got == pytest.approx(want, rel=rtol)
            continue
        assert type(got) is cp.ndarray and got.shape == want.shape
        np.testing.assert_allclose(got.get(), want, rtol=rtol, atol=0 if rtol < 1e-9 else 1e-6)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_functions(function, dtype):
    compiled = dl.compile(function, fullgraph=True)
    rtol = 2e-5 if dtype == "f4" else 1e-12
    for shape in ((4, 6), (5, 7), (300, 2000), (2, 9000)):
        x = np.random.default_rng(1).normal(size=shape).astype(dtype)
        same(compiled(cp, cp.asarray(x)), function(np, x), rtol)


@pytest.mark.parametrize("name", {**PROGRAMS, **ROW_PROGRAMS})
def test_programs(name):
    program = {**PROGRAMS, **ROW_PROGRAMS}[name]
    compiled = dl.compile(program.function)
    values = program.right or program.values
    arrays = [cp.asarray(v) if isinstance(v, np.ndarray) else v for v in values]
    with np.errstate(all="ignore"):
        same(compiled(*arrays), program.function(*values), 1e-3)


@pytest.mark.parametrize("function", WRITES, ids=lambda function: function.__name__)
def test_writes_and_flow(function):
    compiled = dl.compile(function, fullgraph=True)
    for shape in ((4, 6), (5, 7), (6, 300)):
        x = np.random.default_rng(1).normal(size=shape)
        there = cp.asarray(x)
        found = compiled(cp, there)
        same(found, function(np, x), 1e-10)
        np.testing.assert_allclose(there.get(), x, rtol=1e-10)


def test_calls_as_graphs():
    f = dl.compile(lambda x: (cp.exp(x) * 2, x.sum(axis=0)), backend="triton", fullgraph=True,
                   mode="reduce-overhead")
    x = cp.random.normal(size=(300, 200))
    for _ in range(20):
        y, total = f(x)
        kept = f(x)
        same((y, total, *kept), 2 * (np.exp(x.get()) * 2, x.get().sum(axis=0)), 1e-10)
        x *= 0.9
    other = cp.asarray(x.get())
    same(f(other), (np.exp(x.get()) * 2, x.get().sum(axis=0)), 1e-10)


def test_many_kernels_compiled_by_other_processes(tmp_path):
    with dl.config.patch(cache_dir=str(tmp_path)):
        f = dl.compile(lambda x: tuple(cp.cumsum(x * k, axis=k % 2) for k in range(8)))
        x = cp.arange(60.0).reshape(5, 12)
        same(f(x), tuple(np.cumsum(x.get() * k, axis=k % 2) for k in range(8)), 1e-12)


def test_other_streams_threads_and_unaligned_memory():
    f = dl.compile(lambda x: cp.exp(x) * 2 + 1, fullgraph=True)
    x = cp.arange(10_000.0) / 10_000
    expected = np.exp(x.get()) * 2 + 1
    np.testing.assert_allclose(f(x).get(), expected, rtol=1e-12)
    np.testing.assert_allclose(f(x[1:]).get(), expected[1:], rtol=1e-12)
    with cp.cuda.Stream() as stream:
        result = f(x)
        stream.synchronize()
    np.testing.assert_allclose(result.get(), expected, rtol=1e-12)
    found = []
    thread = threading.Thread(target=lambda: found.append(f(x)))
    thread.start()
    thread.join()
    np.testing.assert_allclose(found[0].get(), expected, rtol=1e-12)


def test_functions_of_numpy_arrays_go_there_and_back():
    @dl.compile(device="cuda", fullgraph=True)
    def f(x):
        x[1:] += 1
        return np.exp(x) @ x.T, x[::-1], x.sum()

    x = np.random.default_rng(1).normal(size=(300, 200))
    expected = x.copy()
    expected[1:] += 1
    product, turned, total = f(x)
    np.testing.assert_array_equal(x, expected)
    np.testing.assert_allclose(product, np.exp(x) @ x.T, rtol=1e-11)
    np.testing.assert_allclose(total, x.sum(), rtol=1e-12)
    assert np.shares_memory(turned, x) and type(total) is np.float64
