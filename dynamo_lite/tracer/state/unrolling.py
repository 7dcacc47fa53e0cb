"""What unrolling loops may add to a trace, and may take."""
from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ...bytecode.flow import shape_of
from ...errors import LoopBreak, PlanLoop
from .trace import STEPS, LoopPlan

if TYPE_CHECKING:
    from .tx import Tx


def check_budget(tx: Tx) -> None:
    """A loop iterates again: it may only add so much to the graph."""
    state, options = tx.state, tx.state.options
    if max(state.steps / STEPS, len(state.graph.nodes)) > state.budget:
        many = f"{state.budget} operations (config.unroll_budget)"
        raise too_long(tx, f"the loop adds more than {many}")
    if time.monotonic() - state.started > options.seconds / 2:
        longer = f"half of {options.seconds:g} seconds (config.trace_seconds)"
        raise too_long(tx, f"tracing takes longer than {longer}")


def too_long(tx: Tx, reason: str) -> LoopBreak:
    """The loop that iterates again cannot be unrolled; nor be a node, for a known reason."""
    place = tx.code, tx.current.target or 0
    plans, loop = tx.state.options.loops, tx.loops.get(place[1])
    plan = plans.get(place)
    while loop is not None and not tx.suspends:
        if (tx.code, loop.head) not in plans:
            raise PlanLoop((tx.code, loop.head), LoopPlan())
        loop = shape_of(tx.code).around(loop)
    why = plan.reason if plan is not None else ""
    found = LoopBreak(f"{reason}; it is not compiled as a loop: {why}" if why else reason)
    found.location = tx.location()
    return found
