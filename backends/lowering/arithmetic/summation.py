"""Sums and products of floating-point numbers: in which order NumPy visits them.

NumPy's iterator sorts the dimensions by their strides and joins those that are one in memory. Where
the innermost is folded, its numbers are a row, which `add` sums pairwise; everything else follows
one another. What has to be cast or aligned goes through a buffer, and so do several folded
dimensions that are not one in memory (`npyiter_find_buffering_setup`): rows end where the buffer
does. A size that is not known is taken to be more than 1.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ....base.records import dataclass
from ....errors import Unsupported
from ....ir.facts import TypicalFacts
from ....ir.rules.layout import axis_order, packed_in_order
from ....ir.sizes import Size, depends_on_data, floordiv, product
from ....ir.types import ArrayType, contiguous_strides
from ... import costs
from ...loop_ir import affine, reshaping, rewrite
from ...loop_ir.loops import Axis, Expr, Offset, Reduce, walk
from ...loop_ir.simplify import apply
from ..state.context import Lowering
from ..state.values import CannotLower, Value

BUFFER = 8192
"""Numbers in a buffer of NumPy's iterator."""
NARROW, EXPENSIVE = 16, 8
"""Rows so short are computed separately, where that costs something."""


@dataclass(frozen=True, slots=True)
class Visits:
    """The folded dimensions, slowest first: those that follow one another, and those of a row.
    `order`: all dimensions, fastest first."""

    outer: tuple[int, ...]
    row: tuple[int, ...]
    order: tuple[int, ...]


def visits(low: Lowering, kind: ArrayType, dims: set[int]) -> Visits:
    """How NumPy visits an array that is folded over `dims`."""
    moves = tuple(0 if affine.is_one(n) else s for n, s in zip(kind.shape, kind.strides))
    symbols = low.graph.symbols
    least = {name: max(2, one.least) for name, one in symbols.items() if one.fact == "size"}
    least |= dict.fromkeys(low.graph.unbacked, 2)
    try:
        order = axis_order([moves], kind.ndim, TypicalFacts(least, {}))
    except Unsupported as reason:
        raise CannotLower(f"the order of a sum: {reason}") from None
    moving = [dim for dim in order if not affine.is_one(kind.shape[dim])]
    count = next((k for k, dim in enumerate(moving) if dim not in dims), len(moving))
    outer = tuple(dim for dim in reversed(moving[count:]) if dim in dims)
    return Visits(outer, tuple(reversed(moving[:count])), tuple(order))


def ordered(
    low: Lowering, op: str, value: Value, dims: set[int], reader: str
) -> tuple[Value, Visits]:
    """What is to be folded over `dims`, and how: in memory where it can't be read in that order."""
    kind = value.type
    if kind.shape != value.shape or len(kind.strides) != kind.ndim:
        strides = contiguous_strides(value.shape, value.dtype.itemsize)
        kind = ArrayType(value.dtype, value.shape, strides)
    found = visits(low, kind, dims)
    strides = packed_in_order(kind.shape, found.order, value.dtype.itemsize)
    layout = replace(kind, dtype=value.dtype, strides=strides)
    if found.outer and not found.row and _is_narrow(low, kind, found, dims):
        if costs.weight_of(value.expr) >= EXPENSIVE:
            value = low.materialise(value, f"{reader} adds it in narrow rows", layout=layout)
        return value, found
    if op != "add":
        return value, Visits((*found.outer, *found.row), (), found.order)
    regular = all(
        kind.strides[a] == kind.strides[b] * kind.shape[b] for a, b in pairwise(found.row)
    )
    count = product(kind.shape[dim] for dim in found.row)
    if not regular and not fits_buffer(low, count):
        raise CannotLower("a sum over axes that are not one in memory")
    axes = [value.axes[dim] for dim in found.row]
    if not all(reshaping.can_merge(walk([value.expr]), a, [b]) for a, b in pairwise(axes)):
        value = low.materialise(value, f"{reader} adds it as one row", layout=layout)
    return value, found


def fits_buffer(low: Lowering, count: Size) -> bool:
    """Whether so many numbers are in NumPy's buffer at once; calls bail out where many more than
    expected are not, of parts whose length data decides."""
    if isinstance(count, int):
        return count <= BUFFER
    if not depends_on_data(count) or low.relations.hint(count) > BUFFER // 4:
        return False
    low.relations.require("<=", count, BUFFER)
    return True


def _is_narrow(low: Lowering, kind: ArrayType, found: Visits, dims: set[int]) -> bool:
    """Whether the rows that are added to each other do not fill vectors."""
    width: Size = 1
    for dim in found.order:
        if dim in dims and not affine.is_one(kind.shape[dim]):
            break
        width = width * kind.shape[dim]
    return low.relations.hint(width) < NARROW


def fold_in_order(
    op: str, body: Expr, outer: Sequence[Axis], row: Sequence[Axis], buffered: bool
) -> Expr:
    """The fold of `body`: `row` acts as one axis. `buffered`: NumPy copies it, a buffer at a time,
    to cast or to align it."""
    if not row:
        return Reduce(op, body, tuple(outer), body.dtype, row=0) if outer else body
    inner = Axis(row[-1].name, product(axis.extent for axis in row))
    gone = dict.fromkeys(row, affine.ZERO)
    body = rewrite.substitute(body, gone | {row[-1]: affine.along(inner)})
    if not buffered or (isinstance(inner.extent, int) and inner.extent <= BUFFER):
        return Reduce(op, body, (*outer, inner), body.dtype, row=1)
    if outer:
        raise CannotLower("a sum of long rows that NumPy casts or aligns")
    number = Axis(f"{inner.name}_buffer", floordiv(inner.extent, BUFFER))
    inside = Axis(f"{inner.name}_inside", BUFFER)
    rest = Axis(f"{inner.name}_rest", inner.extent - number.extent * BUFFER)
    whole = Offset(0, ((number, BUFFER), (inside, 1)))
    last = Offset(number.extent * BUFFER, ((rest, 1),))
    parts = [
        Reduce(op, rewrite.substitute(body, {inner: place}), axes, body.dtype, row=1)
        for place, axes in ((whole, (number, inside)), (last, (rest,)))
    ]
    return apply(op, tuple(parts), body.dtype)
