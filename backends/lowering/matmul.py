"""Products of vectors and matrices: small or exact ones as reductions, the others through BLAS."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...ir.node import Node
from ...ir.sizes import Size, floordiv
from ...ir.types import contiguous_strides
from .. import affine, simplify
from ..fusion import Access
from ..loops import Axis, Expr, Offset, Reduce
from ..program import Gemm, Gemv, Operand
from ..simplify import convert
from .context import Lowering, lowers
from .pointwise import operand_at, require_native
from .reductions import started
from .values import CannotLower, Value, load_of

SMALL = 4
"""Inner dimensions up to this are multiplied out in kernels; BLAS gains nothing there."""


@lowers(np.matmul, np.dot, np.inner, np.vdot, reads=Access.MEMORY)
def product_of(low: Lowering, node: Node, a: Any, b: Any, *args: Any, **kwargs: Any) -> Value:
    """Vector times vector, and small or integer matrices; the rest is a call of BLAS."""
    if args or kwargs or not isinstance(a, Value) or not isinstance(b, Value):
        raise CannotLower("a product with options, or of constants")
    ranks = (len(a.shape), len(b.shape))
    if 0 in ranks or max(ranks) > 2:
        raise CannotLower("a product of stacks of matrices")
    if node.target in (np.inner, np.vdot) and ranks != (1, 1):
        raise CannotLower("an inner product of matrices")
    dtype = node.type.dtype
    require_native(dtype, a.dtype, b.dtype)
    inner = a.shape[-1]
    if why := why_not_in_kernels(ranks, inner, dtype):
        if not low.blas:
            raise CannotLower(why)
        return through_blas(low, node, a, b, ranks)
    low.require("==", inner, b.shape[0])
    return contraction(low, node, a, b, ranks)


def why_not_in_kernels(ranks: tuple[int, int], inner: Size, dtype: np.dtype) -> str | None:
    """Why a product goes to BLAS, or None when a reduction is as good."""
    if ranks == (1, 1) or dtype.kind != "f":
        return None
    if isinstance(inner, int) and inner <= SMALL:
        return None
    return "BLAS does it"


def contraction(low: Lowering, node: Node, a: Value, b: Value, ranks: tuple[int, int]) -> Value:
    """The sum of products over the last axis of `a` and the first of `b`."""
    dtype = node.type.dtype
    axes = low.axes(node.type.shape)
    folded = low.axis(a.shape[-1])
    left: list[Offset] = [affine.along(axes[0])] if ranks[0] == 2 else []
    right: list[Offset] = [affine.along(axes[-1])] if ranks[1] == 2 else []
    along: Offset = affine.along(folded)
    factors = (
        convert(a.at([*left, along]), dtype),
        convert(b.at([along, *right]), dtype),
    )
    body = simplify.apply("multiply", factors, dtype)
    return low.lazy(node.type, axes, reduced(body, folded, dtype))


def through_blas(
    low: Lowering, node: Node, a: Value, b: Value, ranks: tuple[int, int]
) -> Value:
    """A product as a step of its own; operands that BLAS cannot read are copied first."""
    dtype, sizes = node.type.dtype, (*a.shape, *b.shape)
    if not node.type.is_c_contiguous or any(affine.is_zero(n) for n in sizes):
        raise CannotLower("a product of nothing, or in another memory order")
    low.require("==", a.shape[-1], b.shape[0])
    for size in sizes:
        low.require("<", 0, size)
    left, right = blas_operand(low, node, a), blas_operand(low, node, b)
    made = low.owned(low.memory_value(node.type, low.allocate(node.type)))
    out = load_of(made).buffer
    if ranks == (2, 2):
        low.steps.append(Gemm(out, left, right, a.shape[0], b.shape[1], a.shape[1]))
        return made
    matrix, vector = (left, right) if ranks[0] == 2 else (flipped(right), left)
    shape = a.shape if ranks[0] == 2 else b.shape
    stored = shape[::-1] if _is_turned(matrix, ranks) else shape
    low.steps.append(Gemv(out, matrix, vector, stored[0], stored[1]))
    assert dtype == out.dtype
    return made


def flipped(matrix: Operand) -> Operand:
    """The transpose of a matrix, in the same memory."""
    return replace(matrix, transposed=not matrix.transposed)


def _is_turned(matrix: Operand, ranks: tuple[int, int]) -> bool:
    """Whether the shape in memory is the transpose of the operand's own shape."""
    return matrix.transposed == (ranks[0] == 2)


def blas_operand(low: Lowering, node: Node, value: Value) -> Operand:
    """The operand as BLAS reads it, of the result's dtype."""
    dtype = node.type.dtype
    ready = value
    if value.dtype == dtype and value.is_loaded and value.type.aligned:
        if (found := readable(value)) is not None:
            return found
    axes = value.axes
    ready = Value(value.type, axes, convert(value.expr, dtype))
    strides = contiguous_strides(value.shape, dtype.itemsize)
    layout = replace(value.type.with_layout(value.shape, strides), dtype=dtype)
    copy = low.materialise(ready, f"{node.name} reads it through BLAS", layout=layout)
    found = readable(copy)
    assert found is not None
    return found


def readable(value: Value) -> Operand | None:
    """How BLAS can read memory with these strides, or None when it cannot."""
    load, unit = load_of(value), value.dtype.itemsize
    place = load.buffer, load.offset.constant
    strides = list(value.strides())
    if len(strides) == 1:
        step = strides[0] if not affine.is_one(value.shape[0]) else unit
        if isinstance(step, int) and step > 0 and step % unit == 0:
            return Operand(*place, step // unit)
        return None
    rows, columns = value.shape
    if affine.is_one(columns):
        strides[1] = unit
    if affine.is_one(rows):
        strides[0] = columns * unit
    for outer, inner, size, turned in (
        (strides[0], strides[1], columns, False), (strides[1], strides[0], rows, True),
    ):
        if inner == unit and _holds_row(outer, size * unit, unit):
            return Operand(*place, floordiv(outer, unit), turned)
    return None


def _holds_row(stride: Size, row: Size, unit: int) -> bool:
    if isinstance(stride, int) and isinstance(row, int):
        return stride >= row and stride % unit == 0
    return stride == row


def reduced(body: Expr, folded: Axis, dtype: np.dtype) -> Expr:
    op = "logical_or" if dtype.kind == "b" else "add"
    one = affine.is_one(folded.extent)
    return started(op, body if one else Reduce(op, body, (folded,), dtype))


@lowers(np.outer, reads=Access.SAME)
def outer(low: Lowering, node: Node, a: Any, b: Any, out: Any = None) -> Value:
    """a[i] * b[j]"""
    both = isinstance(a, Value) and isinstance(b, Value)
    if out is not None or not both or len(a.shape) != 1 or len(b.shape) != 1:
        raise CannotLower("np.outer of something else than two vectors")
    dtype = node.type.dtype
    require_native(a.dtype, b.dtype, dtype)
    row, column = axes = low.axes(node.type.shape)
    factors = (operand_at(low, a, (row,), dtype), operand_at(low, b, (column,), dtype))
    return low.lazy(node.type, axes, simplify.apply("multiply", factors, dtype))
