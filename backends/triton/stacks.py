"""Stacks of products of matrices of halves, by cuBLAS.

CuPy converts such stacks to single precision and multiplies them without tensor cores; here the
products of halves are summed in single precision, and each sum is rounded once, as in CuPy's
product of two matrices.
"""
from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...base.records import dataclass

HALF = np.dtype(np.float16)
MOST_CALLS = 16
"""More calls of cuBLAS for one product take longer than a copy that makes one stack of them."""


class StackedProducts:
    """`matmul` of CuPy for what is no stack of halves."""

    def __init__(self, cupy: Any, matmul: Callable[..., Any]) -> None:
        self.cupy = cupy
        self.matmul = matmul

    def __call__(self, a: Any, b: Any, **kwargs: Any) -> Any:
        if kwargs or not self._are_stacks(a, b):
            return self.matmul(a, b, **kwargs)
        if b.ndim == 2:
            found = self.matmul(a.reshape(-1, a.shape[-1]), b)
            return found.reshape(*a.shape[:-1], b.shape[-1])
        out = self.cupy.empty((*a.shape[:-1], b.shape[-1]), HALF)
        self._multiply(self._few_calls(a), self._few_calls(b), out)
        return out

    def _are_stacks(self, a: Any, b: Any) -> bool:
        if not all(isinstance(one, self.cupy.ndarray) and one.dtype == HALF for one in (a, b)):
            return False
        if a.ndim < 3 or not a.size or not b.size or a.shape[-1] != b.shape[-2:][0]:
            return False
        return b.ndim == 2 or (b.ndim == a.ndim and b.shape[:-2] == a.shape[:-2])

    def _few_calls(self, array: Any) -> Any:
        """The array or a copy, whose matrices cuBLAS can read."""
        fits = Matrix.of(array) is not None and np.prod(array.shape[:-3]) <= MOST_CALLS
        return array if fits else self.cupy.ascontiguousarray(array)

    def _multiply(self, a: Any, b: Any, out: Any) -> None:
        """Row by row in memory, `out` is the product of `b` and `a` as cuBLAS reads them."""
        cublas = importlib.import_module("cupy_backends.cuda.libs.cublas")
        half = self.cupy.cuda.runtime.CUDA_R_16F
        handle = self.cupy.cuda.device.get_cublas_handle()
        one, zero = np.ones(1, np.float32), np.zeros(1, np.float32)
        right, left, result = map(Matrix.of, (b, a, out))
        assert right is not None and left is not None and result is not None
        modes = [cublas.CUBLAS_OP_T if side.transposed else cublas.CUBLAS_OP_N
                 for side in (right, left)]
        (rows, terms), columns = a.shape[-2:], b.shape[-1]
        places = zip(starts(b), starts(a), starts(out))
        for from_b, from_a, into in places:
            cublas.gemmStridedBatchedEx(
                handle, *modes, columns, rows, terms,
                one.ctypes.data, from_b, half, right.leading, right.step,
                from_a, half, left.leading, left.step,
                zero.ctypes.data, into, half, result.leading, result.step,
                a.shape[-3], cublas.CUBLAS_COMPUTE_32F, cublas.CUBLAS_GEMM_DEFAULT)


@dataclass(frozen=True, slots=True)
class Matrix:
    """How a matrix of a stack lies in memory, in elements; `step` leads to the next one."""

    transposed: bool
    leading: int
    step: int

    @staticmethod
    def of(array: Any) -> Matrix | None:
        """None where no stride between elements is 1, or where rows overlap."""
        unit = array.itemsize
        step, row, element = (stride // unit for stride in array.strides[-3:])
        rows, columns = array.shape[-2:]
        if any(stride < 0 or stride % unit for stride in array.strides):
            return None
        for transposed, leading, inner, length in ((False, row, element, columns),
                                                   (True, element, row, rows)):
            if inner == 1 and leading >= length:
                return Matrix(transposed, leading, step)
        return None


def starts(array: Any) -> Iterator[int]:
    """The addresses of the stacks of matrices in an array."""
    for index in np.ndindex(*array.shape[:-3]):
        yield array.data.ptr + sum(i * stride for i, stride in zip(index, array.strides))
