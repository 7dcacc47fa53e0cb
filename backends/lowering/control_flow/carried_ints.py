"""Between what the ints lie that a loop carries, noted before its body is lowered."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....base.records import dataclass
from ....ir.graph import Graph
from ...loop_ir import simplify
from ...loop_ir.loops import Check, Expr, Load, Offset
from ...loop_ir.simplify import INT64, const
from ..arithmetic.pointwise import compare, operand_at
from ..calls.externs import own_number
from ..scalars.intervals import limits_of
from ..state.context import Lowering
from ..state.values import Value, load_of
from .counters import counted
from .signs import LONGEST, carried_signs, is_natural, is_of_numbers, shrinking


@dataclass(frozen=True, slots=True)
class Found:
    """How many iterations there are at most, if that is known, and what must hold behind them."""

    most: int | None = None
    behind: tuple[Expr, ...] = ()


def note_carried(
    low: Lowering, states: Sequence[Value], index: Sequence[Value], carried: Sequence[Any],
    operands: Sequence[Any], body: Graph,
) -> Found:
    """Note it of the variables of a loop."""
    given = [is_natural(low, value) for value in (*index, *carried, *operands)]
    found = ending(low, given, states, carried, body) if not index else Found()
    places = range(len(index), len(index) + len(carried))
    signs = carried_signs(body, given, places) if any(given) else [False] * len(carried)
    for state, known in zip(states, counted(low, carried, body, len(index))):
        if known is not None:
            low.intervals[load_of(state).buffer] = known
    for state, never_negative in zip(states, signs):
        if never_negative:
            least, most = low.intervals.get(load_of(state).buffer, limits_of(state.dtype))
            low.intervals[load_of(state).buffer] = max(least, 0), most
    return found


def ending(
    low: Lowering, given: list[bool], states: Sequence[Value], carried: Sequence[Any], body: Graph
) -> Found:
    """What is known of a loop that takes digits from an int until nothing is left. Of a negative
    one Python would not come to an end, and bails out to do so: where a loop only computes, and
    ends, that is looked at behind it, so that LLVM sees that it counts bits."""
    if (found := shrinking(body, range(len(carried)))) is None:
        return Found()
    if given[found.place]:
        return Found(LONGEST)
    given[found.place] = True
    start = carried[found.place]
    expr = operand_at(low, start, (), INT64)
    if isinstance(start, Value):
        expr = Load(own_number(low, start), Offset())
    if found.ends_anyway and is_of_numbers(body):
        left = states[found.place].expr  # 0, which nobody knows before the loop
        either = simplify.apply("bitwise_or", (expr, left), INT64)
        return Found(LONGEST, (compare("greater_equal", either, const(0, INT64)),))
    low.launch((), Check(compare("greater_equal", expr, const(0, INT64))))
    return Found(LONGEST)
