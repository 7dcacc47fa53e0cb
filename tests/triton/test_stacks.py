"""Stacks of products of halves: what cuBLAS is asked for, computed by NumPy as its manual says."""
from __future__ import annotations

import ctypes
from types import SimpleNamespace

import numpy as np
import pytest

cp = pytest.importorskip("cupy")

from dynamo_lite.backends.triton.devices import stacks  # noqa: E402

from tests.triton.cupy_on_host import CuPyOnHost, host, on_host  # noqa: E402


def columns_first(address, rows, columns, leading, transposed):
    """A matrix that is stored by columns."""
    shape = (columns, rows) if transposed else (rows, columns)
    memory = np.ctypeslib.as_array(
        (ctypes.c_uint16 * (leading * (shape[1] - 1) + shape[0])).from_address(address))
    found = np.lib.stride_tricks.as_strided(memory.view(np.float16), shape, (2, 2 * leading))
    return found.T if transposed else found


class Cublas:
    CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT = 0, 1, 68, -1
    calls = 0

    def gemmEx(
        self, handle, opa, opb, m, n, k, alpha, a, ka, lda, b, kb, ldb, beta, c, kc, ldc, compute,
        algorithm,
    ):
        self.gemmStridedBatchedEx(
            handle, opa, opb, m, n, k, alpha, a, ka, lda, 0, b, kb, ldb, 0, beta, c, kc, ldc, 0, 1,
            compute, algorithm)

    def gemmStridedBatchedEx(
        self, handle, opa, opb, m, n, k, alpha, a, ka, lda, da, b, kb, ldb, db, beta, c, kc, ldc,
        dc, count, compute, algorithm,
    ):
        self.calls += 1
        assert (ka, kb, kc, compute, algorithm, handle) == (2, 2, 2, 68, -1, "handle")
        for i in range(count):
            left = columns_first(a + 2 * i * da, m, k, lda, opa)
            right = columns_first(b + 2 * i * db, k, n, ldb, opb)
            out = columns_first(c + 2 * i * dc, m, n, ldc, False)
            out[...] = left.astype("f4") @ right.astype("f4")


@pytest.fixture
def cublas(monkeypatch):
    made = Cublas()
    monkeypatch.setattr(stacks.importlib, "import_module", lambda name: made)
    return made


@pytest.fixture
def product(cublas):
    device = CuPyOnHost()
    cupy = SimpleNamespace(
        ndarray=cp.ndarray, empty=lambda shape, dtype: device.empty(shape, np.dtype(dtype)),
        ascontiguousarray=lambda x: on_host(host(x).copy("C")),
        cuda=SimpleNamespace(runtime=SimpleNamespace(CUDA_R_16F=2),
                             device=SimpleNamespace(get_cublas_handle=lambda: "handle")))
    return stacks.StackedProducts(cupy, lambda a, b: on_host(host(a) @ host(b)))


X = np.random.default_rng(1).normal(size=(2, 3, 4, 5)).astype("f2")
MANY = np.random.default_rng(3).normal(size=(17, 3, 2, 4)).astype("f2")
Q = np.random.default_rng(2).normal(size=(2, 4, 3, 3, 5)).astype("f2")


@pytest.mark.parametrize(("a", "b", "calls"), [
    (X, X.swapaxes(2, 3), 1),
    (X[:, :2], X[:, :2].swapaxes(2, 3), 2),
    (X[0], X[0].swapaxes(1, 2), 1),
    (X.swapaxes(2, 3), X, 1),
    (Q[:, :, 0].swapaxes(1, 2), Q[:, :, 1].swapaxes(1, 2).swapaxes(2, 3), 2),
    (X[:, :, ::2, ::2], X[:, :, ::2, ::2].swapaxes(2, 3), 1),
    (X[:, ::-1], X.swapaxes(2, 3), 2),
    (np.broadcast_to(X[0, 0], (3, 4, 5)), X[0].swapaxes(1, 2), 1),
    (X[0, 0], X[0, 0].T, 1),
    (X[0, 0].T, X[0, 0], 1),
    (X[0, 0, ::-1], X[0, 1].T[:, ::2], 1),
    (X[0], X[0, 0].T, 1),
    (X, X[0, 0].T, 1),
    (X.swapaxes(1, 2), X[0, 0].T[:, 1:], 1),
    (X[:, :, :, 1:], X[0, 0].T[1:], 1),
    (X[:1, :1], X[:1, :1].swapaxes(2, 3), 1),
    (MANY[:, :2], MANY[:, 1:].swapaxes(2, 3), 1),
    (MANY[:16, :2], MANY[:16, 1:].swapaxes(2, 3), 16),
], ids=lambda value: "x".join(map(str, np.shape(value))) or str(value))  # fmt: skip
def test_equals_numpy(product, cublas, a, b, calls):
    found = host(product(on_host(a), on_host(b)))
    expected = a.astype("f4") @ b.astype("f4")
    assert found.dtype == np.float16 and found.flags.c_contiguous
    np.testing.assert_allclose(found, expected, rtol=2e-3, atol=2e-3)
    assert cublas.calls == calls


def test_operands_may_lie_otherwise_in_the_next_call(product, cublas):
    for a in (X, X[:, ::-1], X, X[:, :2], X.astype("f4"), X):
        b = a.swapaxes(2, 3)
        found = host(product(on_host(a), on_host(b)))
        np.testing.assert_allclose(found, a.astype("f4") @ b.astype("f4"), rtol=2e-3, atol=2e-3)
    assert cublas.calls == 7


@pytest.mark.parametrize(("a", "b"), [
    (X.astype("f4"), X.astype("f4").swapaxes(2, 3)), (X[0, 0], X[0, 0, 0]),
    (X[:1], X.swapaxes(2, 3)), (X[:, :0], X[:, :0].swapaxes(2, 3)),
])  # fmt: skip
def test_the_rest_is_cupys(product, cublas, a, b):
    given = []
    product.matmul = lambda *operands: given.append(operands)
    product(on_host(a), on_host(b))
    assert given and not cublas.calls
