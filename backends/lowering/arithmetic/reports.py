"""What an expression may report of its numbers, and computing one for nothing but that."""
from __future__ import annotations

from collections.abc import Sequence

from ....ir.row import by_name
from ....ir.types import ArrayType
from ...loop_ir import simplify
from ...loop_ir.loops import Apply, Axis, Const, Convert, Expr, Offset, Reduce, Store, walk
from ...loop_ir.simplify import BOOL, const
from ..state.context import Lowering

ALL_KINDS = frozenset("biufc")


def says_nothing(part: Expr) -> bool:
    """Whether an operation has nothing to say of any numbers, and does not bail out."""
    kinds = {part.dtype.kind, *(child.dtype.kind for child in part.operands)}
    if isinstance(part, Convert):
        return kinds <= set("biu")
    if not isinstance(part, Apply):
        return True
    row = by_name(part.op)
    silent = frozenset(row.silent if row is not None else "")
    return silent == ALL_KINDS or (bool(silent) and kinds <= silent)


def is_silent(element: Expr) -> bool:
    return all(map(says_nothing, walk((element,))))


def rehearse(low: Lowering, axes: tuple[Axis, ...], element: Expr) -> None:
    """Compute every element and forget it, where that may report something."""
    if is_silent(element):
        return
    seen = element
    if element.dtype != BOOL:
        other = element if element.dtype.kind in "fc" else const(0, element.dtype)
        seen = simplify.apply("not_equal", (element, other), BOOL)
    seen = Reduce("logical_or", seen, axes, BOOL) if axes else seen
    low.launch((), Store(low.allocate(ArrayType(BOOL)), Offset(), seen))


def report_left_out(
    low: Lowering, axes: tuple[Axis, ...], operands: Sequence[Expr], result: Expr
) -> None:
    """Rehearse the operands that simplification left out of `result`."""
    if isinstance(result, Const) or any(operand is result for operand in operands):
        for operand in operands:
            if operand is not result:
                rehearse(low, axes, operand)
