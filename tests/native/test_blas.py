"""Products through NumPy's own BLAS equal NumPy's, to the last bit where NumPy calls the same."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dynamo_lite.native import _core

from .machine_code import entry


def call(index: int, operands: str) -> str:
    """An entry `f(out, a, b, numbers)` that calls one BLAS function of the runtime table."""
    loads = "\n".join(
        f"""
        %np{i} = getelementptr i64, ptr %n, i64 {i}
        %n{i} = load i64, ptr %np{i}"""
        for i in range(8)
    )
    return f"""
    define i32 @entry(ptr %f) {{
      %outa = call ptr @input(ptr %f, i64 0)
      %aa = call ptr @input(ptr %f, i64 1)
      %ba = call ptr @input(ptr %f, i64 2)
      %na = call ptr @input(ptr %f, i64 3)
      %out = call ptr @data(ptr %outa)
      %a = call ptr @data(ptr %aa)
      %b = call ptr @data(ptr %ba)
      %n = call ptr @data(ptr %na)
      {loads}
      %hold = call ptr @runtime(ptr %f, i64 15)
      call void %hold(ptr %f, i64 0, ptr %outa)
      %t0 = trunc i64 %n0 to i32
      %t1 = trunc i64 %n1 to i32
      %t2 = trunc i64 %n2 to i32
      %fn = call ptr @runtime(ptr %f, i64 {index})
      %code = call i32 %fn(ptr %f, i32 %t0, {operands})
      ret i32 %code
    }}
    """


GEMM = ("i32 %t1, i32 %t2, i64 %n3, i64 %n4, i64 %n5, ptr %a, i64 %n6, ptr %b, i64 %n7, "
        "ptr %out, i64 %n4")
GEMV = "i32 %t1, i64 %n3, i64 %n4, ptr %a, i64 %n5, ptr %b, i64 %n6, ptr %out, i64 %n7"
DOT = "i64 %n3, ptr %a, i64 %n4, ptr %b, i64 %n5, ptr %out"


@pytest.fixture(scope="module")
def gemm() -> Any:
    return entry(call(10, GEMM), 4)


@pytest.fixture(scope="module")
def gemv() -> Any:
    return entry(call(11, GEMV), 4)


@pytest.fixture(scope="module")
def dot() -> Any:
    return entry(call(12, DOT), 4)


def numbers(dtype: Any, *values: int) -> Any:
    return np.array((np.dtype(dtype).num, *values) + (0,) * (7 - len(values)))


def matrix(dtype: str, *shape: int) -> Any:
    rng = np.random.default_rng(len(shape) + shape[0])
    values = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    return values.astype(dtype) if dtype in "FD" else values.real.astype(dtype)


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize(("trans_a", "trans_b"), [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize(("m", "n", "k"), [(3, 4, 5), (64, 33, 70), (2, 2, 0), (0, 3, 2)])
def test_gemm(
    gemm: Any, dtype: str, trans_a: int, trans_b: int, m: int, n: int, k: int
) -> None:
    a = matrix(dtype, *((k, m) if trans_a else (m, k)))
    b = matrix(dtype, *((n, k) if trans_b else (k, n)))
    out = np.full((m, n), np.nan, dtype)
    sizes = (trans_a, trans_b, m, n, k, max(a.shape[1], 1), max(b.shape[1], 1))
    assert gemm(out, a, b, numbers(dtype, *sizes)) is out
    expected = (a.T if trans_a else a) @ (b.T if trans_b else b)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("trans", [0, 1])
def test_a_product_with_its_own_transpose_is_symmetric(gemm: Any, dtype: str, trans: int) -> None:
    a = matrix(dtype, 37, 37)
    out = np.full((37, 37), np.nan, dtype)
    gemm(out, a, a, numbers(dtype, trans, 1 - trans, 37, 37, 37, 37, 37))
    np.testing.assert_array_equal(out, a.T @ a if trans else a @ a.T)
    np.testing.assert_array_equal(out, out.T)


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize(("m", "n"), [(5, 7), (200, 300), (4, 0), (0, 4)])
@pytest.mark.parametrize("trans", [0, 1])
def test_gemv(gemv: Any, dtype: str, m: int, n: int, trans: int) -> None:
    a = matrix(dtype, m, n)
    x = matrix(dtype, 2 * (m if trans else n) + 1)[: 2 * (m if trans else n) : 2]
    out = np.full(n if trans else m, np.nan, dtype)
    assert gemv(out, a, x, numbers(dtype, trans, 0, m, n, max(n, 1), 2, 1)) is out
    np.testing.assert_array_equal(out, (a.T if trans else a) @ x)


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("n", [0, 1, 7, 100_000])
def test_dot(dot: Any, dtype: str, n: int) -> None:
    x, y = matrix(dtype, 2 * n + 1)[: 2 * n : 2], matrix(dtype, n + 1)[:n]
    out = np.full(1, np.nan, dtype)
    assert dot(out, x, y, numbers(dtype, 0, 0, n, 2, 1)) is out
    assert out[0] == np.dot(x, y)


def test_what_blas_cannot_do_is_refused(gemm: Any, gemv: Any, dot: Any) -> None:
    a, out = np.ones((3, 3)), np.ones((3, 3))
    assert gemm(out, a, a, numbers("d", 0, 0, 3, 3, 3, 2, 3)) is _core.BAILOUT
    assert gemm(out, a, a, numbers("l", 0, 0, 3, 3, 3, 3, 3)) is _core.BAILOUT
    assert gemm(out, a, a, numbers("d", 0, 0, -3, 3, 3, 3, 3)) is _core.BAILOUT
    assert gemv(out, a, a, numbers("d", 0, 0, 3, 3, 3, -1, 1)) is _core.BAILOUT
    assert dot(out, a, a, numbers("d", 0, 0, 3, 0, 1)) is _core.BAILOUT


def test_the_blas_of_numpy_is_found() -> None:
    config = np.show_config(mode="dicts")
    name = config["Build Dependencies"]["blas"]["name"]  # type: ignore[index]
    assert _core.NativeEntry.has_blas or "openblas" not in name
