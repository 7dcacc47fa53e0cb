"""Values that are computed twice: before the commit for what they report, after it into an input.

The elements of `x += y` have nowhere to go before the commit but into memory of their own, from
where they would be copied. Where they are cheap, memory is what takes the time, so the computation
is only rehearsed, and made again in place.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator

from ... import costs
from ...loop_ir import affine, rewrite
from ...loop_ir.loops import Apply, Buffer, Convert, Expr, Gather, Load, Reduce, walk
from ...loop_ir.program import Launch
from ..arithmetic.reports import is_silent, rehearse, says_nothing
from ..state.context import Lowering
from ..state.values import Value, load_of

BUDGET = 8


def can_repeat(low: Lowering, target: Value, element: Expr, written: set[Buffer]) -> bool:
    """Whether `element` may be computed after the commit, while `target` is stored to: it reads of
    written memory only the place that is stored to next, and nothing can stop it by then."""
    place, root = load_of(target), low.ownership.root
    parts = list(walk((element,)))
    for part in parts:
        if isinstance(part, Reduce):
            return False
        if isinstance(part, (Load, Gather)) and root(part.buffer) in written and part != place:
            return False
    if not target.axes or costs.weight_of(element) > BUDGET:
        return False
    return element.dtype.kind == "f" or all(map(says_nothing, parts))


def tried_out(low: Lowering, target: Value, element: Expr) -> bool:
    """Compute what is never stored, for what it reports; False where that is not done here."""
    if is_silent(element):
        return True
    if element.dtype.kind != "f" or not target.axes or costs.weight_of(element) > BUDGET:
        return False
    rehearse(low, target.axes, element)
    return True


def is_computed(low: Lowering, target: Value, element: Expr) -> bool:
    """Whether a kernel has computed every element already, from what is there now."""
    read = {low.ownership.root(p.buffer) for p in walk((element,)) if isinstance(p, (Load, Gather))}
    for step in reversed(low.steps):
        if not read.isdisjoint(map(low.ownership.root, step.writes)):
            return False
        if isinstance(step, Launch) and step.kernel.errstate == low.errstate and (
            [axis.extent for axis in step.kernel.axes] == list(target.shape)
        ):
            moved = zip(target.axes, map(affine.along, step.kernel.axes))
            same = rewrite.substitute(element, dict(moved))
            if any(part is same for part in evaluated(step.kernel.roots)):
                return True
    return False


def evaluated(roots: Iterable[Expr]) -> Iterator[Expr]:
    """The parts of expressions that are computed whatever the data are, once for each element."""
    pending = list(roots)
    while pending:
        yield (expr := pending.pop())
        if isinstance(expr, (Apply, Convert)):
            pending += expr.operands
