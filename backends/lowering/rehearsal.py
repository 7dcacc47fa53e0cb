"""Values that are computed twice: before the commit for what they report, after it into an input.

The elements of `x += y` have nowhere to go before the commit but into memory of their own, from
where they would be copied. Where they are cheap, memory is what takes the time, so the computation
is only rehearsed, and made again in place.
"""
from __future__ import annotations

from ...ir.types import ArrayType
from .. import costs, rewrite
from ..loops import Apply, Buffer, Convert, Expr, Gather, Load, Offset, Reduce, Store
from ..simplify import BOOL
from .context import Lowering
from .pointwise import compare
from .values import Value, load_of

BUDGET = 8
ALWAYS_SILENT = frozenset((
    "negative", "absolute", "copysign", "minimum", "maximum", "fmin", "fmax", "signbit",
    "isnan", "isfinite", "isinf", "equal", "not_equal", "less", "less_equal", "greater",
    "greater_equal", "logical_and", "logical_or", "logical_xor", "logical_not",
))  # fmt: skip
"""Of whatever numbers, these neither report anything nor give up."""
SILENT_OF_INTEGERS = frozenset((
    "add", "subtract", "multiply", "bitwise_and", "bitwise_or", "bitwise_xor", "invert", "square",
))  # fmt: skip


def can_repeat(target: Value, element: Expr, written: set[Buffer]) -> bool:
    """Whether `element` may be computed after the commit, while `target` is stored to: it reads of
    written memory only the place that is stored to next, and nothing can stop it by then."""
    place = load_of(target)
    parts = list(rewrite.walk((element,)))
    for part in parts:
        if isinstance(part, Reduce) or (isinstance(part, Gather) and part.buffer in written):
            return False
        if isinstance(part, Load) and part.buffer in written and part != place:
            return False
    if not target.axes or costs.cost_of(element) > BUDGET:
        return False
    return element.dtype.kind == "f" or all(map(is_silent, parts))


def is_silent(part: Expr) -> bool:
    """Whether an operation has nothing to say of any numbers."""
    if isinstance(part, Apply) and part.op in ALWAYS_SILENT:
        return True
    kinds = {part.dtype.kind, *(child.dtype.kind for child in rewrite.children(part))}
    if isinstance(part, (Apply, Convert)):
        silent = isinstance(part, Convert) or part.op in SILENT_OF_INTEGERS
        return silent and kinds <= set("biu")
    return True


def tried_out(low: Lowering, target: Value, element: Expr) -> bool:
    """Compute what is never stored, for what it reports; False where that is not done here."""
    if all(map(is_silent, rewrite.walk((element,)))):
        return True
    if element.dtype.kind != "f" or not target.axes or costs.cost_of(element) > BUDGET:
        return False
    rehearse(low, target, element)
    return True


def rehearse(low: Lowering, target: Value, element: Expr) -> None:
    """Compute every element and forget it, where that may report something."""
    if all(map(is_silent, rewrite.walk((element,)))):
        return
    seen = Reduce("logical_or", compare("not_equal", element, element), target.axes, BOOL)
    low.launch((), Store(low.allocate(ArrayType(BOOL)), Offset(), seen))
