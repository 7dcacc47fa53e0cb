"""Branches on values that the graph computes: both arms are traced, and become one node.

Each arm is traced as a body of its own, up to the instruction where both come together. What they
leave in locals and on the stack must be alike. An arm that ends in an exception is no body: the
compiled call bails out when it would be taken, and Python raises.
"""
from __future__ import annotations

import operator
from inspect import CO_GENERATOR
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.records import dataclass
from ...bytecode.flow import Loop, shape_of
from ...bytecode.raising import expected_outcome
from ...errors import GraphBreak, PlanLoop
from ...ir import core
from ...ir.node import Node
from ...ir.types import Form
from ..object_model.constants import TRUE, constant
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.arrays.graph_values import record
from ..trackers.arrays.numbers import NumberVariable
from .capture import capturing, tracker_of
from .growing import grow_before
from .merging import ITERATION, JOINED, RAISED, RETURNED, Arm, merge

if TYPE_CHECKING:
    from ...bytecode.reading import Instruction
    from ..state.tx import Tx


def is_data(value: VariableTracker) -> bool:
    """A number whose truth the graph computes."""
    return isinstance(value, NumberVariable) and not value.is_constant()


def predicate(tx: Tx, value: VariableTracker) -> Node:
    """`bool(value)` as a node."""
    kind = value.array_type  # type: ignore[attr-defined]
    argument: Node = value.as_argument(tx)
    if kind.dtype == np.dtype(bool):
        return argument
    test = operator.ne if kind.form is Form.PYTHON else np.not_equal
    zero = 0.0 if kind.dtype.kind == "f" else 0
    found: Node = record(tx, test, (argument, zero)).as_argument(tx)
    return found


@dataclass(frozen=True, slots=True)
class Start:
    """Where an arm begins."""

    index: int
    stack: tuple[VariableTracker, ...]


def branch(
    tx: Tx, inst: Instruction, value: VariableTracker, jumps_if: bool, keeps: bool = False
) -> None:
    """A conditional jump; `keeps`: the value, topmost, stays on the stack where it jumps."""
    assert inst.target is not None
    outcome = expected_outcome(tx.instructions, inst)
    if outcome is not None:  # the other arm only raises
        value.expect(tx, outcome)
        if outcome is jumps_if:
            tx.jump(inst.target)
        return
    kept = tuple(tx.stack)
    arms = {
        jumps_if: Start(inst.target, kept),
        not jumps_if: Start(inst.index + 1, kept[:-1] if keeps else kept),
    }
    fork(tx, predicate(tx, value), arms[True], arms[False], inst.index)


def fork(
    tx: Tx, test: Any, true: Start, false: Start, at: int, behind: Loop | None = None
) -> None:
    """Trace both arms, and go on where they join; `at` is the instruction that decides, which
    may be the head of the loop `behind` which both begin."""
    if tx.code.co_flags & CO_GENERATOR:
        raise GraphBreak("a branch of a generator that depends on data")
    plan = tx.state.options.loops.get((tx.code, at))
    if plan is not None and plan.reason and at not in tx.loops:
        raise GraphBreak(plan.reason)
    grow_before(tx, at)
    shape = shape_of(tx.code)
    loop = shape.inner_loop(at) if behind is None else shape.around(behind)
    while loop is not None and loop is not tx.region and is_peeled(tx, loop):
        loop = shape.around(loop)
    join = shape.join(at, loop)
    arms: list[Arm] = []
    for start in (true, false):
        arm = go(tx, start, join, loop)
        if arm.end == RAISED:
            other = false if start is true else true
            wanted = record(tx, operator.not_, (test,)) if start is true else tracker_of(test)
            record(tx, core.expect, (wanted.as_argument(tx),))
            tx.index, tx.stack = other.index, list(other.stack)
            return
        arms.append(arm)
    if arms[0].end != arms[1].end and {arms[0].end, arms[1].end} == {JOINED, ITERATION}:
        arms = [
            arm if arm.end == ITERATION else go(tx, start, None, loop)
            for arm, start in zip(arms, (true, false))
        ]
    if arms[0].end != arms[1].end:
        raise GraphBreak("only one arm of a branch on data returns")
    merge(tx, test, arms, loop, at)


def is_peeled(tx: Tx, loop: Loop) -> bool:
    """Whether this is one of the iterations before the loop becomes a node."""
    plan = tx.state.options.loops.get((tx.code, loop.head))
    return plan is not None and not plan.reason and plan.peeled > 0


def go(tx: Tx, start: Start, join: int | None, loop: Loop | None) -> Arm:
    """Trace one arm and restore the state of the frame."""
    before = tx.index, list(tx.stack), dict(tx.locals), tx.region, tx.current, tx.proceed
    outer = tx.region
    try:
        with capturing(tx, "a branch on data") as graph:
            tx.index, tx.stack = start.index, list(start.stack)
            end = run(tx, join, loop, captured=outer is loop)
            result = tx.returned if end == RETURNED else tx.proceed
            since, left = tx.side_effects.since, tx.locals | tx.state.list_lengths
            return Arm(graph, end, tx.index, left, list(tx.stack), since, result)
    finally:
        tx.index, tx.stack, tx.locals, tx.region, tx.current, tx.proceed = before
        tx.returned = None


def run(tx: Tx, join: int | None, loop: Loop | None, captured: bool) -> str:
    """Interpret until the arms join, the iteration of the loop ends, or the frame does."""
    while True:
        if tx.returned is not None:
            if loop is not None:
                raise GraphBreak("a return inside of a loop, which depends on data")
            return RETURNED
        if tx.proceed is not None:
            return ITERATION
        if tx.index == join:
            return JOINED
        if loop is not None:
            if tx.index == loop.head:
                tx.proceed = TRUE
                return ITERATION
            if tx.index not in loop.members and not captured:
                plan_for(tx, loop)
            if tx.index not in loop.members and has_left(tx, loop):
                leave(tx, loop)
                return ITERATION
        try:
            tx.interpret()
        except ObservedException:
            return RAISED


def plan_for(tx: Tx, loop: Loop) -> None:
    """A loop that is left depending on data cannot be unrolled."""
    plan = tx.state.options.loops.get((tx.code, loop.head))
    if plan is None:
        raise PlanLoop((tx.code, loop.head))
    reason = plan.reason or "the types of its variables change"
    raise GraphBreak(f"a loop whose end depends on data: {reason}")


def has_left(tx: Tx, loop: Loop) -> bool:
    """Whether control is where all exits of the loop come together."""
    outlet = shape_of(tx.code).outlet(loop)
    return outlet is None or tx.index not in outlet.before


def leave(tx: Tx, loop: Loop) -> None:
    """The loop being captured is left in the middle of an iteration."""
    outlet = shape_of(tx.code).outlet(loop)
    if outlet is not None and tx.index in outlet.places:
        tx.index = outlet.places[0]
    index, stack = settle(tx, tx.index, tuple(tx.stack))
    found = tx.index, len(tx.stack), (index, len(stack))
    if tx.exits.setdefault(loop.head, found)[2] != found[2]:
        raise GraphBreak("the loop has several exits")
    tx.proceed = constant(False)


def settle(
    tx: Tx, index: int, stack: tuple[VariableTracker, ...]
) -> tuple[int, tuple[VariableTracker, ...]]:
    """Where control really goes on: behind jumps, and values that are only dropped."""
    while True:
        inst = tx.instructions[index]
        if inst.opname == "JUMP" and inst.target is not None and inst.target > index:
            index = inst.target
        elif inst.opname == "POP_TOP":
            index, stack = index + 1, stack[:-1]
        elif inst.opname == "NOP":
            index += 1
        else:
            return index, stack
