"""What an expression may report of its numbers, and computing one for nothing but that."""
from __future__ import annotations

from collections.abc import Sequence

from ...ir.types import ArrayType
from ..loop_ir import simplify
from ..loop_ir.loops import Apply, Axis, Const, Convert, Expr, Offset, Reduce, Store, walk
from ..loop_ir.simplify import BOOL, const
from .context import Lowering

ALWAYS_SILENT = frozenset((
    "negative", "absolute", "copysign", "minimum", "maximum", "fmin", "fmax", "signbit",
    "isnan", "isfinite", "isinf", "equal", "not_equal", "less", "less_equal", "greater",
    "greater_equal", "logical_and", "logical_or", "logical_xor", "logical_not",
))  # fmt: skip
"""Of whatever numbers, these neither report anything nor bail out."""
SILENT_OF_INTEGERS = frozenset((
    "add", "subtract", "multiply", "bitwise_and", "bitwise_or", "bitwise_xor", "invert", "square",
))  # fmt: skip


def says_nothing(part: Expr) -> bool:
    """Whether an operation has nothing to say of any numbers."""
    if isinstance(part, Apply) and part.op in ALWAYS_SILENT:
        return True
    kinds = {part.dtype.kind, *(child.dtype.kind for child in part.operands)}
    if isinstance(part, (Apply, Convert)):
        silent = isinstance(part, Convert) or part.op in SILENT_OF_INTEGERS
        return silent and kinds <= set("biu")
    return True


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
