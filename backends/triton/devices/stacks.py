"""Products of matrices of halves, and of stacks of them, by cuBLAS.

CuPy converts stacks to single precision and multiplies them without tensor cores; here the products
of halves are summed in single precision, and each sum is rounded once, as in CuPy's product of two
matrices. What cuBLAS is asked for is worked out once for operands that lie in memory alike: it
takes the host longer than many a product takes the GPU.
"""
from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ....base.records import dataclass

HALF = np.dtype(np.float16)
MOST_CALLS = 16
"""More calls of cuBLAS for one product take longer than a copy that makes one stack of them."""
ONE, ZERO = np.ones(1, np.float32), np.zeros(1, np.float32)
AT_ONE, AT_ZERO = ONE.ctypes.data, ZERO.ctypes.data


class StackedProducts:
    """`matmul` of CuPy for what is no product of halves."""

    def __init__(self, cupy: Any, matmul: Callable[..., Any]) -> None:
        self.cupy = cupy
        self.matmul = matmul
        self.latest: tuple[tuple[Any, ...], Callable[[Any, Any], Any]] = ((), matmul)
        """How the operands of the last call lay, and the product that was worked out for them:
        together, as other threads multiply too."""

    def __call__(self, a: Any, b: Any, **kwargs: Any) -> Any:
        if kwargs or type(a) is not self.cupy.ndarray or type(b) is not self.cupy.ndarray:
            return self.matmul(a, b, **kwargs)
        layouts = a.dtype, a.shape, a.strides, b.dtype, b.shape, b.strides
        known, product = self.latest
        if layouts != known:
            product = CublasProduct(self.cupy, a, b) if are_halves(a, b) else self.matmul
            self.latest = layouts, product
        return product(a, b)


def are_halves(a: Any, b: Any) -> bool:
    """Whether these are matrices of halves, or stacks of as many of them."""
    if a.dtype != HALF or b.dtype != HALF or a.ndim < 2 or not a.size or not b.size:
        return False
    if b.ndim == 2:
        return bool(a.shape[-1] == b.shape[0])
    return bool(b.ndim == a.ndim and b.shape[:-2] == a.shape[:-2] and a.shape[-1] == b.shape[-2])


class CublasProduct:
    """Of all operands that lie in memory as these do. A stack times one matrix is one product."""

    def __init__(self, cupy: Any, a: Any, b: Any) -> None:
        self.cupy = cupy
        self.cublas = importlib.import_module("cupy_backends.cuda.libs.cublas")
        self.shape = (*a.shape[:-1], b.shape[-1])
        form = form_of(a, b)
        self.left, self.right = (Part.of(Layout.of(side), form) for side in (a, b))
        self.out = Part.of(Layout.packed(self.shape), form)
        self.count, self.rows = self.out.layout.shape[-3:-1]
        self.terms, self.columns = b.shape[-2:]
        self.places = list(zip(self.right.starts, self.left.starts, self.out.starts))
        self.multiply = self._one if self.count == 1 else self._stack

    def __call__(self, a: Any, b: Any) -> Any:
        if self.left.is_copied:
            a = self.cupy.ascontiguousarray(a)
        if self.right.is_copied:
            b = self.cupy.ascontiguousarray(b)
        out = self.cupy.empty(self.shape, HALF)
        handle = self.cupy.cuda.device.get_cublas_handle()
        at_a, at_b, at_out = a.data.ptr, b.data.ptr, out.data.ptr
        for from_b, from_a, into in self.places:
            self.multiply(handle, at_b + from_b, at_a + from_a, at_out + into)
        return out

    # Row by row in memory, the result is the product of `b` and `a` as cuBLAS reads them.

    def _one(self, handle: int, b: int, a: int, out: int) -> None:
        cublas, half = self.cublas, self.cupy.cuda.runtime.CUDA_R_16F
        right, left, result = self.right.matrix, self.left.matrix, self.out.matrix
        cublas.gemmEx(
            handle, self._mode(right), self._mode(left), self.columns, self.rows, self.terms,
            AT_ONE, b, half, right.leading, a, half, left.leading,
            AT_ZERO, out, half, result.leading,
            cublas.CUBLAS_COMPUTE_32F, cublas.CUBLAS_GEMM_DEFAULT)

    def _stack(self, handle: int, b: int, a: int, out: int) -> None:
        cublas, half = self.cublas, self.cupy.cuda.runtime.CUDA_R_16F
        right, left, result = self.right.matrix, self.left.matrix, self.out.matrix
        cublas.gemmStridedBatchedEx(
            handle, self._mode(right), self._mode(left), self.columns, self.rows, self.terms,
            AT_ONE, b, half, right.leading, right.step, a, half, left.leading, left.step,
            AT_ZERO, out, half, result.leading, result.step, self.count,
            cublas.CUBLAS_COMPUTE_32F, cublas.CUBLAS_GEMM_DEFAULT)

    def _mode(self, matrix: Matrix) -> int:
        mode: int = self.cublas.CUBLAS_OP_T if matrix.transposed else self.cublas.CUBLAS_OP_N
        return mode


@dataclass(frozen=True, slots=True)
class Layout:
    """Sizes, and strides in bytes, of an array of halves."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @staticmethod
    def of(array: Any) -> Layout:
        return Layout(array.shape, array.strides)

    @staticmethod
    def packed(shape: tuple[int, ...]) -> Layout:
        """In C order."""
        sizes = (math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
        return Layout(shape, tuple(HALF.itemsize * size for size in sizes))

    def as_it_is(self) -> Layout | None:
        return self

    def one_matrix(self) -> Layout | None:
        """A stack of the one matrix that the rows of all matrices make."""
        rows = self._merged(1)
        return rows and Layout((1, *rows.shape), (0, *rows.strides))

    def one_stack(self) -> Layout | None:
        return self._merged(2)

    def _merged(self, kept: int) -> Layout | None:
        """With all axes but the last ones as one, where their elements are evenly spaced."""
        count, step = 1, 0
        for size, stride in zip(self.shape[-kept - 1 :: -1], self.strides[-kept - 1 :: -1]):
            if size == 1:
                continue
            if count == 1:
                step = stride
            elif stride != count * step:
                return None
            count *= size
        if count == 1:
            step = self.shape[-1] * HALF.itemsize  # any would do that is no shorter than a row
        return Layout((count, *self.shape[-kept:]), (step, *self.strides[-kept:]))


Form = Callable[[Layout], "Layout | None"]


def form_of(a: Any, b: Any) -> Form:
    """What both operands and the result are taken for, if need be in copies."""
    if b.ndim == 2:
        return Layout.one_matrix
    layouts = Layout.of(a), Layout.of(b)
    has_few = math.prod(a.shape[:-3]) <= MOST_CALLS
    is_one = all(one.one_stack() is not None for one in layouts)
    return Layout.as_it_is if has_few and not is_one else Layout.one_stack


@dataclass(frozen=True, slots=True)
class Matrix:
    """How a matrix of a stack lies in memory, in elements; `step` leads to the next one."""

    transposed: bool
    leading: int
    step: int

    @staticmethod
    def of(layout: Layout) -> Matrix | None:
        """None where no stride between elements is 1, or where rows overlap."""
        unit = HALF.itemsize
        step, row, element = (stride // unit for stride in layout.strides[-3:])
        rows, columns = layout.shape[-2:]
        if any(stride < 0 or stride % unit for stride in layout.strides):
            return None
        for transposed, leading, inner, length in ((False, row, element, columns),
                                                   (True, element, row, rows)):
            if inner == 1 and leading >= length:
                return Matrix(transposed, leading, step)
        return None


@dataclass(frozen=True, slots=True)
class Part:
    """An operand as stacks of matrices, which begin so many bytes after its first element.
    `is_copied`: after that of a copy in C order."""

    layout: Layout
    matrix: Matrix
    is_copied: bool

    @staticmethod
    def of(layout: Layout, form: Form) -> Part:
        for is_copied, lies in ((False, layout), (True, Layout.packed(layout.shape))):
            stacked = form(lies)
            if stacked is not None and (matrix := Matrix.of(stacked)) is not None:
                return Part(stacked, matrix, is_copied)
        raise AssertionError("what lies in C order are matrices")

    @property
    def starts(self) -> Iterator[int]:
        """Of the stacks, in bytes."""
        for index in np.ndindex(*self.layout.shape[:-3]):
            yield sum(i * stride for i, stride in zip(index, self.layout.strides))
