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
from typing import TYPE_CHECKING, Any

from ...bytecode.flow import Loop
from ...errors import GraphBreak, PlanLoop, Replan, Unsupported
from ...ir import control
from ...ir.control import all_nodes
from ...ir.node import Node
from ...ir.savings import saved_by
from ...ir.sizes import product
from ...ir.types import ArrayType, Form
from ..object_model.constants import NONE
from ..state.trace import STEPS, LoopPlan, Progress
from ..state.tracker import ObservedException, VariableTracker
from ..state.unrolling import too_long
from ..trackers.array_backed.growing import GrowingVariable
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.outside_iterators import OutsideIterator
from .appended import make_room
from .bodies import Unsettled, trace_iteration
from .branches import Start, fork, predicate, settle
from .growing import LARGEST, PEELED, growing_lists, make_tables, waiting_plans
from .iterations import (
    Iterations,
    built_items_left,
    check_nameless,
    goes_through_elements,
    iterations_of,
    owner_of,
    take_elements,
)
from .joined_arrays import end_joined
from .loop_nodes import LoopNode
from .side_exits import LAST, MANY_ITERATIONS, PROCEED, LoopLeft, end_of, has_side_exits
from .variables import assign
from .worth import hint_of

if TYPE_CHECKING:
    from ..state.tx import Tx

SEEN_ENOUGH = 6
"""Iterations after which unrolling stops where the others do not fit the budget."""
MANY_NUMBERS = 100
"""Operations on numbers that a loop may add before it becomes a node."""
MANY_LIGHT, SMALL, WEIGHT = 100, 1000, 5
"""Iterations from which, and elements of arrays up to which, an operation counts so often in a loop
that cannot be a node: it is compiled for as long as one on a large array, and saves less."""
MANY_LOOKED_AT = 120
"""Parts of the arguments that a loop may look at one by one before it becomes a node."""
MOST_UNROLLED = 400
"""Operations that a loop may add from then on; more of them take the backend longer than a node
for the loop does, and are hardly faster."""
MOST_COPIES = 2
"""How often a loop within a loop may be compiled for it."""
UNROLLED_ITERATIONS = 4
"""A `while` loop with so many iterations traced becomes a node."""
KNOWN_STEPS = 8000
"""Instructions of a `while` loop after which it becomes a node although all is known in it: to go
on would take longer than to make code of it."""
OVER = "a loop over"


def arrive(tx: Tx) -> bool:
    """Control has come to the head of a loop: whether all of it has been traced at once."""
    loop = tx.loops[tx.index]
    if tx.region is loop or tx.suspends:
        return False
    iterator = tx.stack[-1] if tx.instructions[loop.head].opname == "FOR_ITER" else None
    count, tx.depths[loop.head] = count_arrival(tx, loop, iterator), len(tx.stack)
    if count < 2:
        tx.sizes[loop.head] = Progress(
            len(tx.graph.nodes), tx.state.steps, tx.state.dependents, tx.guards.sources)
    plan = tx.state.options.loops.get((tx.code, loop.head))
    is_other = isinstance(owner_of(iterator), GrowingVariable)
    if plan is None or (plan.reason.startswith(OVER) and is_other):
        plan = first_plan(tx, loop, iterator, count)
    if plan is not None and not plan.reason and plan.peeled > count:
        take_elements(tx, iterator)
        make_tables(tx, plan)
        make_room(tx, plan, LARGEST)
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


def count_arrival(tx: Tx, loop: Loop, iterator: VariableTracker | None) -> int:
    """The iterations of a loop that have been traced one by one. An iterator from outside says
    itself where it stands: the loop may have begun before the frame did."""
    again = tx.current.target == loop.head and tx.current.index >= loop.head
    is_first = isinstance(iterator, OutsideIterator) and loop.head not in tx.arrivals
    count = tx.arrivals.get(loop.head, 0) + 1 if again and not is_first else 0
    tx.arrivals[loop.head] = count
    return count


def first_plan(
    tx: Tx, loop: Loop, iterator: VariableTracker | None, count: int
) -> LoopPlan | None:
    """What to do with a loop that nothing is known about, or None to unroll this iteration of
    it."""
    if iterator is None:
        before = tx.sizes[loop.head]
        if tx.state.steps - before.steps > KNOWN_STEPS:
            raise PlanLoop((tx.code, loop.head), LoopPlan())
        made = len(tx.graph.nodes) - before.nodes, tx.state.dependents - before.dependents
        works = max(made) >= count - 1
        return LoopPlan("", count) if count == UNROLLED_ITERATIONS and works else None
    if count:
        return None
    try:
        iterations = iterations_of(tx, iterator)
    except GraphBreak as stop:
        return LoopPlan(str(stop))
    if iterations is None:
        return None
    if isinstance(iterator, OutsideIterator):  # which is not unrolled
        return LoopPlan()
    many = iterations.count()
    return LoopPlan() if not isinstance(many, int) or many >= MANY_ITERATIONS else None


def check_length(tx: Tx, loop: Loop, iterator: VariableTracker | None, count: int) -> None:
    """Stop unrolling a loop early that is going to take more than its budget, or that works on
    numbers: such a loop gains nothing from being unrolled."""
    if count not in (1, 2, SEEN_ENOUGH) or iterator is None:
        return
    before = tx.sizes[loop.head]
    made = list(all_nodes(tx.graph.nodes[before.nodes :]))
    if (iterations := iterations_of(tx, iterator)) is None:
        return check_built(tx, iterator, before, made, count)
    many = iterations.count()
    if count < SEEN_ENOUGH:
        if (tx.code, loop.head) not in tx.state.options.loops and has_loops(made, many, count):
            raise PlanLoop((tx.code, loop.head), LoopPlan())
        return
    is_looked_at = goes_through_elements(tx, iterator)
    work = len(made) if is_looked_at else max(len(made), (tx.state.steps - before.steps) / STEPS)
    place = tx.code, loop.head
    looked_at = (tx.guards.sources - before.sources) / (count - 1)
    if place not in tx.state.options.loops and isinstance(many, int) and (
        looked_at * many > MANY_LOOKED_AT
    ):
        raise PlanLoop(place, LoopPlan())
    if place not in tx.state.options.loops and is_long(made, many, count - 1):
        raise PlanLoop(place, LoopPlan())
    if not is_looked_at and place not in tx.state.options.loops and (
        is_large(tx, made, many, count - 1)
    ):
        raise PlanLoop(place, LoopPlan())
    if isinstance(many, int):
        check_work(tx, work / (count - 1), made, many, count - 1)


def check_built(
    tx: Tx, iterator: VariableTracker, before: Progress, made: Sequence[Node], count: int
) -> None:
    """The same of a loop over items that are there already, none of which comes from outside: of
    those the budget grows with each one."""
    many = built_items_left(iterator)
    if many is None or count < SEEN_ENOUGH or tx.guards.sources > before.sources:
        return
    work = max(len(made), (tx.state.steps - before.steps) / STEPS)
    check_limit(tx, work / (count - 1) * many, tx.state.budget)


def check_work(tx: Tx, each: float, made: Sequence[Node], many: int, iterations: int) -> None:
    """Stop unrolling a loop of so `many` iterations, each of which adds so much."""
    limits = [(each * many, 1, tx.state.budget)]
    if many >= MANY_LIGHT and is_light(tx, made):
        computed = sum(map(computes, made)) / iterations * many
        limits.append((computed, WEIGHT, tx.state.options.unroll_budget // WEIGHT))
    for work, weight, budget in limits:
        check_limit(tx, work, budget, weight)


def check_limit(tx: Tx, work: float, budget: int, weight: int = 1) -> None:
    if work > budget:
        enough = math.ceil(1.25 * weight * work / 1000) * 1000
        reason = f"more than {budget} operations (config.unroll_budget = {enough}"
        raise too_long(tx, f"the loop would add {reason} is enough)")


def computes(node: Node) -> bool:
    """Whether a node is more than a part of an array, or a number that counts."""
    kind = node.type
    counts = isinstance(kind, ArrayType) and kind.form is Form.PYTHON and kind.dtype.kind in "bi"
    return node.target is not operator.getitem and not counts


def has_loops(made: Sequence[Node], left: Any, iterations: int) -> bool:
    """Whether iterations have loops in them, each of which would be compiled a few times."""
    return isinstance(left, int) and left + iterations > MOST_COPIES and any(
        node.target in (control.for_loop, control.while_loop) for node in made)


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


def is_light(tx: Tx, made: Sequence[Node]) -> bool:
    """Whether iterations work on numbers and small arrays only."""
    hint = hint_of(tx)
    sizes = [product(node.type.shape) for node in made if isinstance(node.type, ArrayType)]
    return bool(sizes) and all(hint(size) <= SMALL for size in sizes)


def is_large(tx: Tx, made: Sequence[Node], many: Any, iterations: int) -> bool:
    """Whether the other iterations would add more nodes than is worth it, or than the graph may
    have."""
    if not isinstance(many, int):
        return False
    left = len(made) / iterations * many
    room = tx.state.options.most_operations - len(tx.state.root_graph.nodes)
    return left > min(room, MOST_UNROLLED)


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
    tx.exits.pop(loop.head, None)
    try:
        with growing_lists(tx, loop, iterator, iterations, plan), waiting_plans(tx):
            stack = tuple(tx.stack)
            saved = dict(tx.locals)
            body = trace_iteration(tx, loop, stack, iterations, plan)
        tx.locals = saved
        breaks = loop.head in tx.exits
        end = tx.instructions[loop.head].target or 0
        tx.exits.setdefault(loop.head, (end, len(stack), (end, len(stack))))
        node = LoopNode(tx, loop, body, iterations, plan.peeled, breaks)
        node.record()
    except Unsettled as stop:
        place = tx.code, loop.head
        if stop.replaced and stop.replaced not in plan.replaced:
            replaced = plan.replaced | {stop.replaced}
            raise PlanLoop(place, replace(plan, replaced=replaced)) from None
        if stop.word and stop.word not in plan.words:
            raise PlanLoop(place, replace(plan, words=plan.words | {stop.word})) from None
        if stop.bound and stop.bound[0] not in dict(plan.bound) and (
            tx.state.options.binds or stop.bound[0] in tx.locals
        ):
            raise PlanLoop(place, replace(plan, bound=plan.bound | {stop.bound})) from None
        if stop.again and plan.peeled < PEELED and may_be_peeled(
            tx, loop, iterator, iterations, stop
        ):
            raise PlanLoop(place, replace(plan, peeled=plan.peeled + 1)) from None
        if stop.unions:
            unions = plan.unions | {*stop.unions.items()}
            raise PlanLoop(place, replace(plan, unions=unions)) from None
        plan_around(tx, stop)
        raise GraphBreak(str(stop)) from None
    go_on(tx, loop, stack, node)


def plan_around(tx: Tx, stop: Unsettled) -> None:
    """Have a variable be of one of two types in the loop around as well, where it may begin with a
    number that is known."""
    if stop.around is None or tx.region is None:
        return
    place, (name, kinds) = (tx.code, tx.region.head), stop.around
    plan = tx.state.options.loops.get(place, LoopPlan())
    if name not in dict(plan.unions):
        raise PlanLoop(place, replace(plan, unions=plan.unions | {(name, kinds)}))


def may_be_peeled(
    tx: Tx, loop: Loop, iterator: VariableTracker | None, iterations: Iterations | None,
    stop: Unsettled,
) -> bool:
    """Whether there is a first iteration that can be traced by itself, and is better than numbers
    of two types: of an iterator from outside, branches cannot take different numbers of items, and
    what Python has to do is often due in the first iteration."""
    if stop.unions and (isinstance(iterator, OutsideIterator) or has_side_exits(tx, loop)):
        return False
    return iterations is None or iterations.certain(tx)


def go_on(tx: Tx, loop: Loop, stack: tuple[VariableTracker, ...], node: LoopNode) -> None:
    """The frame behind the loop."""
    assign(tx, node.body.joined(node.variables_after))
    end_joined(tx, (tx.code, loop.head))
    told, exits = node.ending, node.body.side_exits
    if node.iterations is not None and node.iterations.is_outside:
        stack[-1].moved(tx, told.get(LAST, NONE))  # type: ignore[attr-defined]
    ends = ends_of(tx, loop, stack, node)
    if exits is not None and exits.at:
        saves = saved_by(node.body.graph.calls, hint_of(tx))
        raise LoopLeft(end_of(tx, exits, told, ends, saves))
    if len(ends) == 1:
        tx.index, tx.stack = ends[0].index, list(ends[0].stack)
    else:
        fork(tx, predicate(tx, told[PROCEED]), ends[0], ends[1], loop.head, loop)


def ends_of(
    tx: Tx, loop: Loop, stack: tuple[VariableTracker, ...], node: LoopNode
) -> list[Start]:
    """Where the loop leads: at its end, and where it breaks if that is another place."""
    over = tx.instructions[loop.head].target
    left, depth, _ = tx.exits.pop(loop.head)
    if depth > len(stack):
        raise GraphBreak("the loop is left in the middle of an expression")
    if node.iterations is None:
        return [Start(left, stack)]
    assert over is not None
    ended, broken = Start(over, stack[:-1]), Start(left, stack[:depth])
    if not node.endings.breaks:
        return [ended]
    arms = settle(tx, broken.index, broken.stack), settle(tx, ended.index, ended.stack)
    return [Start(*arms[0])] if arms[0] == arms[1] else [ended, broken]


__all__ = ["arrive"]
