"""Loops as nodes of the graph: the body is traced once, as a graph of its own.

A loop becomes a node where one iteration of it leaves every variable with the type that it had
before. What is known about a loop only after tracing it (that types settle in the second iteration,
that it must be unrolled) makes the analysis start again with a `LoopPlan`.
"""
from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import replace
from inspect import CO_GENERATOR
from typing import TYPE_CHECKING, Any

from ...bytecode.flow import Loop
from ...errors import GraphBreak, PlanLoop, Replan, Unsupported
from ...ir import control
from ...ir.control import all_nodes
from ...ir.node import Node
from ...ir.types import ArrayType, Form
from ..state.trace import STEPS, LoopPlan
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.arrays.growing import GrowingVariable
from ..trackers.containers.lists import ListVariable
from .bodies import Unsettled, trace_iteration
from .branches import Start, fork, predicate, settle
from .growing import PEELED, growing_lists
from .iterations import (
    check_nameless,
    goes_through_elements,
    iterations_of,
    owner_of,
    take_elements,
)
from .recording import Recording
from .variables import assign

if TYPE_CHECKING:
    from ..state.tx import Tx

MANY_ITERATIONS = 40
"""A loop of at least so many iterations becomes a node; shorter ones are unrolled."""
SEEN_ENOUGH = 6
"""Iterations after which unrolling stops where the others do not fit the budget."""
MANY_NUMBERS = 100
"""Operations on numbers that a loop may add before it becomes a node."""
UNROLLED_ITERATIONS = 4
"""A `while` loop with so many iterations traced becomes a node."""
OVER = "a loop over"


def arrive(tx: Tx) -> bool:
    """Control has come to the head of a loop: whether all of it has been traced at once."""
    loop = tx.loops[tx.index]
    if tx.region is loop or tx.code.co_flags & CO_GENERATOR:
        return False
    iterator = tx.stack[-1] if tx.instructions[loop.head].opname == "FOR_ITER" else None
    again = tx.current.target == loop.head and tx.current.index >= loop.head
    count = tx.arrivals[loop.head] = tx.arrivals.get(loop.head, 0) + 1 if again else 0
    if count < 2:
        tx.sizes[loop.head] = len(tx.graph.nodes), tx.state.steps
    plan = tx.state.options.loops.get((tx.code, loop.head))
    is_other = isinstance(owner_of(iterator), GrowingVariable)
    if plan is None or (plan.reason.startswith(OVER) and is_other):
        plan = first_plan(tx, loop, iterator, count)
    if plan is not None and not plan.reason and plan.peeled > count:
        take_elements(tx, iterator)
    if plan is None or plan.reason or plan.peeled != count:
        check_length(tx, loop, iterator, count)
        return False
    try:
        capture(tx, loop, iterator, plan)
        return True
    except Replan:
        raise
    except ObservedException:
        raise PlanLoop((tx.code, loop.head), LoopPlan("the loop raises an exception")) from None
    except Unsupported as stop:
        location = getattr(stop, "location", None)
        reason = str(stop) if location is None else f"{stop} at {location}"
        raise PlanLoop((tx.code, loop.head), LoopPlan(reason)) from None


def first_plan(
    tx: Tx, loop: Loop, iterator: VariableTracker | None, count: int
) -> LoopPlan | None:
    """What to do with a loop that nothing is known about, or None to unroll this iteration of
    it."""
    if iterator is None:
        works = len(tx.graph.nodes) - tx.sizes[loop.head][0] >= count - 1
        return LoopPlan("", count) if count == UNROLLED_ITERATIONS and works else None
    if count:
        return None
    try:
        iterations = iterations_of(tx, iterator)
    except GraphBreak as stop:
        return LoopPlan(str(stop))
    if iterations is None:
        return None
    many = iterations.count()
    return LoopPlan() if not isinstance(many, int) or many >= MANY_ITERATIONS else None


def check_length(tx: Tx, loop: Loop, iterator: VariableTracker | None, count: int) -> None:
    """Stop unrolling a loop early that is going to take more than its budget, or that works on
    numbers: such a loop gains nothing from being unrolled."""
    if count != SEEN_ENOUGH or iterator is None:
        return
    if (iterations := iterations_of(tx, iterator)) is None:
        return
    many = iterations.count()
    nodes, steps = tx.sizes[loop.head]
    made = list(all_nodes(tx.graph.nodes[nodes:]))
    each = max(len(made), (tx.state.steps - steps) / STEPS) / (count - 1)
    place = tx.code, loop.head
    if place not in tx.state.options.loops and is_long(made, many, count - 1):
        raise PlanLoop(place, LoopPlan())
    if goes_through_elements(tx, iterator):
        return
    if isinstance(many, int) and each * many > tx.state.budget:
        enough = math.ceil(1.25 * each * many / 1000) * 1000
        reason = f"more than {tx.state.budget} operations (config.unroll_budget = {enough}"
        raise tx.too_long(f"the loop would add {reason} is enough)")


def is_long(made: Sequence[Node], many: Any, iterations: int) -> bool:
    """Whether all iterations would add many nodes, of which those of the first ones are about
    numbers only or have loops in them."""
    if not isinstance(many, int) or len(made) / iterations * many < MANY_NUMBERS:
        return False
    if any(node.target in (control.for_loop, control.while_loop) for node in made):
        return True
    return not any(
        node.op == "call_function" and isinstance(node.type, ArrayType)
        and node.type.form is Form.ARRAY and node.target is not operator.getitem for node in made
    )


def capture(
    tx: Tx, loop: Loop, iterator: VariableTracker | None, plan: LoopPlan
) -> None:
    """Record the whole loop, and go on behind it."""
    iterations = None
    if iterator is not None and (iterations := iterations_of(tx, iterator)) is None:
        if isinstance(owner := owner_of(iterator), ListVariable) and tx.graph.is_body:
            tx.plan_list(owner, None)
        raise GraphBreak(f"{OVER} {iterator.describe()}")
    if iterator is not None:
        check_nameless(tx, iterator)
    stack = tuple(tx.stack)
    try:
        with growing_lists(tx, loop, iterator, iterations, plan):
            saved = dict(tx.locals)
            body = trace_iteration(tx, loop, stack, iterations, plan)
        tx.locals = saved
        end = tx.instructions[loop.head].target or 0
        tx.exits.setdefault(loop.head, (end, len(stack), (end, len(stack))))
        node = Recording(tx, loop, body, iterations, plan.peeled)
        node.record()
    except Unsettled as stop:
        place = tx.code, loop.head
        if stop.replaced and stop.replaced not in plan.replaced:
            replaced = plan.replaced | {stop.replaced}
            raise PlanLoop(place, replace(plan, replaced=replaced)) from None
        if stop.again and plan.peeled < PEELED and (iterations is None or iterations.certain(tx)):
            raise PlanLoop(place, replace(plan, peeled=plan.peeled + 1)) from None
        if stop.unions:
            unions = plan.unions | {*stop.unions.items()}
            raise PlanLoop(place, replace(plan, unions=unions)) from None
        raise GraphBreak(str(stop)) from None
    go_on(tx, loop, stack, node)


def go_on(
    tx: Tx, loop: Loop, stack: tuple[VariableTracker, ...], node: Recording
) -> None:
    """The frame behind the loop."""
    assign(tx, node.body.joined(node.variables_after))
    over = tx.instructions[loop.head].target
    left, depth, _ = tx.exits.pop(loop.head)
    if depth > len(stack):
        raise GraphBreak("the loop is left in the middle of an expression")
    if node.ends is None:
        tx.index, tx.stack = left, list(stack)
        return
    assert over is not None
    ended = Start(over, stack[:-1])
    if node.broke is None:
        tx.index, tx.stack = ended.index, list(ended.stack)
        return
    broken = Start(left, stack[:depth])
    arms = settle(tx, broken.index, broken.stack), settle(tx, ended.index, ended.stack)
    if arms[0] == arms[1]:
        tx.index, tx.stack = arms[0][0], list(arms[0][1])
        return
    fork(tx, predicate(tx, node.broke), ended, broken, loop.head, loop)


__all__ = ["arrive"]
