"""Values that are computed twice: before the commit for what they report, after it into an input.

The elements of `x += y` have nowhere to go before the commit but into memory of their own, from
where they would be copied. Where they are cheap, memory is what takes the time, so the computation
is only rehearsed, and made again in place.
"""
from __future__ import annotations

from ...ir.types import ArrayType
from .. import costs, rewrite
from ..loops import Apply, Buffer, Expr, Gather, Load, Offset, Reduce, Store
from ..simplify import BOOL
from .context import Lowering
from .pointwise import compare
from .values import Value, load_of

BUDGET = 8
SILENT = frozenset((
    "add", "subtract", "multiply", "negative", "minimum", "maximum", "bitwise_and", "bitwise_or",
    "bitwise_xor", "logical_and", "logical_or", "logical_xor", "logical_not", "invert", "absolute",
    "square", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
))  # fmt: skip
"""Of integers these neither report anything nor give up."""


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
    return element.dtype.kind == "f" or all(map(_is_silent, parts))


def _is_silent(part: Expr) -> bool:
    return part.dtype.kind in "biu" and (not isinstance(part, Apply) or part.op in SILENT)


def rehearse(low: Lowering, target: Value, element: Expr) -> None:
    """Compute every element and forget it; of floats only, others have nothing to report."""
    if element.dtype.kind != "f":
        return
    seen = Reduce("logical_or", compare("not_equal", element, element), target.axes, BOOL)
    low.launch((), Store(low.allocate(ArrayType(BOOL)), Offset(), seen))
