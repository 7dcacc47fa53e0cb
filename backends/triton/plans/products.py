"""Products of matrices as calls of the array library, of operands as they lie in memory."""
from __future__ import annotations

from typing import Any

import numpy as np

from ....ir.sizes import Size
from ...loop_ir.products import Operand, Product

Layout = tuple[tuple[Size, ...], tuple[Size, ...]]


def multiply(a: Any, b: Any, out: Any) -> None:
    """`np.matmul` makes the very call of BLAS that the step names."""
    np.matmul(a, b, out=out)


def multiply_silently(a: Any, b: Any, out: Any) -> None:
    """The same where NumPy does not look at the floating-point flags."""
    with np.errstate(all="ignore"):
        multiply(a, b, out)


def layouts(step: Product) -> tuple[Layout, Layout, Layout]:
    """Shapes and strides of both operands and the result, with stacks in front."""
    m, k, n = _extents(step)
    unit = step.out.dtype.itemsize
    a = (n * unit, step.a.leading * unit) if step.routine == "dot" else _strides(step.a, unit)
    b = _strides(step.b, unit)
    stacked = tuple(stack.extent for stack in step.stacks)
    return (
        ((*stacked, m, k), (*(stack.a for stack in step.stacks), *a)),
        ((*stacked, k, n), (*(stack.b for stack in step.stacks), *b)),
        ((*stacked, m, n), (*(stack.out for stack in step.stacks), n * unit, unit)),
    )


def _extents(step: Product) -> tuple[Size, Size, Size]:
    """Rows, terms and columns."""
    match step.routine, step.sizes:
        case "gemm", (m, n, k):
            return m, k, n
        case "gemv", (rows, columns):
            return (columns, rows, 1) if step.a.transposed else (rows, columns, 1)
        case _, (terms,):
            return 1, terms, 1
    raise AssertionError(step.routine)


def _strides(operand: Operand, unit: int) -> tuple[Size, Size]:
    """Of a matrix; a vector is one column."""
    strides = operand.leading * unit, unit
    return strides[::-1] if operand.transposed else strides
