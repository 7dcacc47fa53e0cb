"""Products of vectors and matrices: small or exact ones as reductions, the others through BLAS."""
from __future__ import annotations

from typing import Any

import numpy as np

from ....ir.node import Node
from ....ir.sizes import Size
from ...loop_ir import affine, simplify
from ...loop_ir.loops import Axis, Expr, Offset, Reduce
from ...loop_ir.simplify import convert
from ...passes.materialise import Access
from ..arithmetic.pointwise import operand_at, require_real
from ..arithmetic.reductions import started
from ..state.context import Lowering, lowers
from ..state.values import CannotLower, Value
from .products import LEADING, Rules, multiplied_out, strides_of, through_blas

SMALL = 4
"""Inner dimensions up to this are multiplied out in kernels; BLAS gains nothing there."""


@lowers(reads=Access.MEMORY)
def product_of(
    low: Lowering, node: Node, a: Any, b: Any, *args: Any, leading: str, ranks: int, kinds: str,
    narrow: bool = False, numbers: bool = False, one_term: bool = False, matrices: bool = True,
    **kwargs: Any,
) -> Value:
    """Floats through BLAS, as NumPy does; vectors, small and integer matrices in kernels."""
    if args or kwargs or not isinstance(a, Value) or not isinstance(b, Value):
        raise CannotLower("a product with options, or of constants")
    dims = (len(a.shape), len(b.shape))
    if 0 in dims:
        raise CannotLower("a product with a number")
    dtype = node.type.dtype
    if low.blas and dtype.kind in "fc" and not multiplied_out(a, b, one_term):
        return through_blas(low, node, a, b, Rules(
            LEADING[leading], ranks, kinds, narrow, numbers
        ))
    if max(dims) > 2:
        raise CannotLower("a product of stacks of matrices")
    if not matrices and dims != (1, 1):
        raise CannotLower("an inner product of matrices")
    require_real(low, dtype, a.dtype, b.dtype)
    if not low.blas and not is_small(dims, a.shape[-1], dtype) and not is_streamed(node, a, dims):
        raise CannotLower("BLAS does it")
    low.relations.require("==", a.shape[-1], b.shape[0])
    return contraction(low, node, a, b, dims)


def is_small(ranks: tuple[int, int], inner: Size, dtype: np.dtype) -> bool:
    """Whether a reduction is as good as BLAS."""
    if ranks == (1, 1) or dtype.kind != "f":
        return True
    return isinstance(inner, int) and inner <= SMALL


def is_streamed(node: Node, a: Value, ranks: tuple[int, int]) -> bool:
    """Whether a GPU reads a matrix once, row by row, for its product with a vector: a kernel does
    it as fast as memory allows, and what is computed with the result in the same pass."""
    is_on_gpu = node.type.library == "cupy" and ranks == (2, 1) and node.type.dtype.kind == "f"
    return is_on_gpu and strides_of(a)[-1] == a.dtype.itemsize


def contraction(low: Lowering, node: Node, a: Value, b: Value, ranks: tuple[int, int]) -> Value:
    """The sum of products over the last axis of `a` and the first of `b`."""
    dtype = node.type.dtype
    axes = low.axes(node.type.shape)
    folded = low.axis(a.shape[-1])
    left: list[Offset] = [affine.along(axes[0])] if ranks[0] == 2 else []
    right: list[Offset] = [affine.along(axes[-1])] if ranks[1] == 2 else []
    along: Offset = affine.along(folded)
    wide = np.dtype(np.float32) if dtype == np.float16 else dtype  # as libraries add up halves
    factors = (convert(a.at([*left, along]), wide), convert(b.at([along, *right]), wide))
    body = simplify.apply("multiply", factors, wide)
    return low.lazy(node.type, axes, convert(reduced(body, folded, wide), dtype))


def reduced(body: Expr, folded: Axis, dtype: np.dtype) -> Expr:
    op = "logical_or" if dtype.kind == "b" else "add"
    one = affine.is_one(folded.extent)
    return started(op, body if one else Reduce(op, body, (folded,), dtype))


@lowers(reads=Access.SAME)
def outer(low: Lowering, node: Node, a: Any, b: Any, out: Any = None) -> Value:
    """a[i] * b[j]"""
    both = isinstance(a, Value) and isinstance(b, Value)
    if out is not None or not both or len(a.shape) != 1 or len(b.shape) != 1:
        raise CannotLower("np.outer of something else than two vectors")
    dtype = node.type.dtype
    require_real(low, a.dtype, b.dtype, dtype)
    row, column = axes = low.axes(node.type.shape)
    factors = (operand_at(low, a, (row,), dtype), operand_at(low, b, (column,), dtype))
    return low.lazy(node.type, axes, simplify.apply("multiply", factors, dtype))
