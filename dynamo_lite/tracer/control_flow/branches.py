"""Branches on values that the graph computes: both arms are traced, and become one node.

Each arm is traced as a body of its own, up to the instructions where both first meet: one, or
several that conditions joined by `or`, or a `break` among them, lead to from many places. Which of
these is taken is a result like any other; a branch on it goes on from there. So every instruction
is traced once, however many arms lead to it. What the arms leave in locals and on the stack must be
alike; where it is not before all arms are one again, each is traced up to there. An arm that ends
in an exception, or that is cold and has effects, is no body: the compiled call bails out when it
would be taken, and Python raises, or runs it.
"""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.records import dataclass
from ...bytecode.flow import Loop, shape_of
from ...bytecode.meeting import meetings
from ...bytecode.raising import expected_outcome
from ...errors import EffectBreak, GraphBreak, PlanLoop
from ...ir import control, core
from ...ir.node import Node
from ...ir.types import Form
from ..object_model.constants import NONE, TRUE, ConstantVariable, constant
from ..recording.nodes import record
from ..state.trace import LoopPlan
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.numbers import NumberVariable
from ..trackers.arrays.optional_numbers import OptionalNumber
from . import side_exits
from .capture import capturing, tracker_of
from .cold_arms import Arms
from .exits import ITERATION, JOINED, PENDING, RETURNED, Arm, Exit, Key, enter, keys_of
from .growing import grow_before
from .merging import merge
from .variables import variables

if TYPE_CHECKING:
    from ...bytecode.reading import Instruction
    from ..state.tx import Tx


def is_data(value: VariableTracker) -> bool:
    """A number whose truth the graph computes, or an array that is one."""
    if isinstance(value, ArrayVariable):
        return not value.array_type.shape
    return isinstance(value, NumberVariable) and not value.is_constant()


def predicate(tx: Tx, value: VariableTracker) -> Node:
    """`bool(value)` as a node."""
    kind = value.array_type  # type: ignore[attr-defined]
    argument: Node = value.as_argument(tx)
    if kind.form is Form.ARRAY:
        number: Node = record(tx, bool, (argument,)).as_argument(tx)
        return number
    if kind.dtype == np.dtype(bool):
        return argument
    test = operator.ne if kind.form is Form.PYTHON else np.not_equal
    zero = 0.0 if kind.dtype.kind == "f" else 0
    found: Node = record(tx, test, (argument, zero)).as_argument(tx)
    return found


def truth_of(tx: Tx, value: OptionalNumber) -> VariableTracker:
    """What decides about the truth of a number that may be None."""
    number, is_there = value.number, value.is_there
    if isinstance(is_there, ConstantVariable):
        return number if is_there.value else NONE
    truth: Any = predicate(tx, number) if is_data(number) else tx.truth(number)
    if isinstance(truth, Node) and truth.type.form is Form.SCALAR:
        truth = record(tx, core.plain, (truth,)).as_argument(tx)
    return record(tx, control.choose, (is_there.as_argument(tx), truth, False))


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
    """Go both arms, and on where they come together; `at` is the instruction that decides, which
    may be the head of the loop `behind` which both begin."""
    if tx.suspends:
        raise GraphBreak("a branch of a generator that depends on data")
    options, place = tx.state.options, (tx.code, at)
    plan = options.loops.get(place)
    if plan is not None and plan.reason and at not in tx.loops:
        raise GraphBreak(plan.reason)
    grow_before(tx, at)
    shape = shape_of(tx.code)
    loop = shape.inner_loop(at) if behind is None else shape.around(behind)
    while loop is not None and loop is not tx.region and is_peeled(tx, loop):
        loop = shape.around(loop)
    both, starts = Fork(tx, at, loop), ([begin(tx, true)], [begin(tx, false)])
    exits = None if place in options.unmerged else both.merged_early(test, starts)
    if exits is None:
        options.unmerged.add(place)
        exits = both.merged_late(test, starts)
    if len(exits) > 1:
        tx.pending = exits
    else:
        enter(tx, exits[0], loop)


def begin(tx: Tx, start: Start) -> Exit:
    order = shape_of(tx.code).order(start.index)
    return Exit(JOINED, start.index, order, variables(tx), list(start.stack), tx.current)


Starts = tuple[list[Exit], list[Exit]]
"""Where the two arms of a branch begin; one that may begin at several places goes nowhere before
it is known at which."""


class Fork:
    """A branch on data at the instruction `at`, inside of `loop`."""

    def __init__(self, tx: Tx, at: int, loop: Loop | None) -> None:
        self.tx, self.at, self.loop = tx, at, loop
        self.stops = tx.stops
        if loop is not None and loop is not tx.region:  # that is unrolled is not to be left
            self.stops &= loop.members

    def merged_early(self, test: Any, starts: Starts) -> list[Exit] | None:
        """The arms are traced up to where they first meet, and what is behind each of these places
        once for both; None where what they leave there cannot be merged."""
        state = self.tx.state
        marks = state.may_alias, state.sources, state.consumed
        before = [dict(mark) for mark in marks]
        exits = self.gone_on(self.part(test, starts))
        for mark, known in zip(marks, before) if exits is None else ():
            mark.clear()
            mark.update(known)
        return exits

    def gone_on(self, exits: list[Exit] | None) -> list[Exit] | None:
        """Go on from each exit in turn, until one is left or a stop is among them."""
        seen: set[tuple[Key, ...]] = set()
        while exits is not None and len(exits) > 1 and not any(
            exit_.end == JOINED and exit_.index in self.stops for exit_ in exits
        ):
            keys = tuple(exit_.key for exit_ in exits)
            if keys in seen:  # some can be reached from others, and these from them
                return None
            seen.add(keys)
            first, *rest = exits
            exits = self.part(first.taken.as_argument(self.tx), ([first], rest))
        return exits

    def part(self, test: Any, starts: Starts) -> list[Exit] | None:
        """Where the arms lead up to where they first meet; None as for `merged_early`."""
        tx = self.tx
        places = [
            tuple(start.index for start in arm if start.end == JOINED) for arm in starts
        ]
        met = meetings(tx.code, self.at, self.loop, places[0], places[1])
        arms, exits = self.go(test, starts, self.stops | met)
        if not arms:
            return exits
        try:
            return merge(tx, test, arms, self.loop, self.at)
        except GraphBreak:
            if len(keys_of(arms)) == 1 and len(starts[1]) == 1:
                raise
            return None

    def merged_late(self, test: Any, starts: Starts) -> list[Exit]:
        """Each arm is traced up to where all arms are one again."""
        join = shape_of(self.tx.code).join(self.at, self.loop)
        for stops in (frozenset() if join is None else frozenset({join}), frozenset[int]()):
            arms, exits = self.go(test, starts, stops)
            if not arms:
                return exits
            if len(keys_of(arms)) == 1:
                return merge(self.tx, test, arms, self.loop, self.at)
        raise GraphBreak("only one arm of a branch on data returns")

    def go(
        self, test: Any, starts: Starts, stops: frozenset[int]
    ) -> tuple[list[Arm], list[Exit]]:
        """Trace both arms; where one raises there are none, but the exits of the other one, and
        the graph checks that it is taken. The one that has been seen to raise comes first."""
        tx, raising = self.tx, self.tx.state.options.raising
        places = [(tx.code, self.at, arm[0].index) for arm in starts]
        is_plain = all(arm[0].end == JOINED for arm in starts)
        may_be_cold = is_plain and not side_exits.is_preferred(tx, self.loop)
        both = Arms(tx, self.at, (places[0][2], places[1][2]) if may_be_cold else None)
        if (cold := both.cold(test)) is not None:
            return [], self.without(cold, test, starts)
        left = side_exits.planned_side(tx, places, self.loop) if is_plain else None
        arms: dict[int, Arm] = {}
        for side in sorted((0, 1), key=lambda side: places[side] not in raising):
            try:
                arms[side] = go(tx, starts[side], stops, self.loop, side == left)
            except GraphBreak as stop:
                if isinstance(stop, EffectBreak):
                    both.plan(side, test, stop)
                if is_plain and left is None:
                    start = starts[side][0]
                    side_exits.plan_side_exit(tx, places[side], self.loop, start.stack, stop)
                raise
            if not arms[side].exits:
                raising.add(places[side])
                return [], self.without(side, test, starts)
        return [arms[0], arms[1]], []

    def without(self, side: int, test: Any, starts: Starts) -> list[Exit]:
        """Go the other arm, and have the graph check that it is taken."""
        wanted = tracker_of(test) if side else record(self.tx, operator.not_, (test,))
        record(self.tx, core.expect, (wanted.as_argument(self.tx),))
        return starts[1 - side]


def is_peeled(tx: Tx, loop: Loop) -> bool:
    """Whether this is one of the iterations before the loop becomes a node."""
    plan = tx.state.options.loops.get((tx.code, loop.head))
    return plan is not None and not plan.reason and plan.peeled > 0


def go(
    tx: Tx, starts: list[Exit], stops: frozenset[int], loop: Loop | None, is_left: bool
) -> Arm:
    """Trace one arm, up to a stop or its end, and put everything back; `is_left`: the loop is left
    where the arm begins, by a side exit."""
    before = tx.index, list(tx.stack), dict(tx.locals), tx.region, tx.current, tx.proceed, tx.stops
    arrivals = dict(tx.arrivals)
    outer = tx.region
    try:
        with capturing(tx, "a branch on data") as graph:
            since, exits = tx.side_effects.since, starts
            if len(starts) == 1 and starts[0].end == JOINED:
                enter(tx, starts[0], loop)
                tx.stops = stops
                if is_left:
                    side_exits.leave(tx)
                exits = exits_of(tx, run(tx, loop, captured=outer is loop))
            return Arm(graph, since, exits)
    except ObservedException:
        return Arm(graph, since, [])
    finally:
        (tx.index, tx.stack, tx.locals, tx.region, tx.current, tx.proceed, tx.stops) = before
        tx.returned, tx.pending, tx.arrivals = None, [], arrivals


def exits_of(tx: Tx, end: str) -> list[Exit]:
    """Where an arm has come to its end."""
    if end == PENDING:
        return tx.pending
    result = tx.returned if end == RETURNED else tx.proceed
    order = shape_of(tx.code).order(tx.index)
    return [Exit(end, tx.index, order, variables(tx), list(tx.stack), tx.current, result)]


def run(tx: Tx, loop: Loop | None, captured: bool) -> str:
    """Interpret until a stop, the end of the iteration of the loop, or of the frame."""
    while True:
        if tx.returned is not None:
            if loop is not None:
                raise GraphBreak("a return inside of a loop, which depends on data")
            return RETURNED
        if tx.proceed is not None:
            return ITERATION
        if tx.pending:
            return PENDING
        if tx.index in tx.stops:
            return JOINED
        if loop is not None and is_over(tx, loop, captured):
            return ITERATION
        tx.interpret()


def is_over(tx: Tx, loop: Loop, captured: bool) -> bool:
    """Whether the iteration is over; the loop is left where it is not at its head then."""
    if tx.index == loop.head:
        tx.proceed = TRUE
        return True
    if tx.index in loop.members:
        return False
    if not captured:
        plan_for(tx, loop)
    if has_left(tx, loop):
        leave(tx, loop)
        return True
    return False


def plan_for(tx: Tx, loop: Loop) -> None:
    """A loop that is left depending on data cannot be unrolled."""
    plan = tx.state.options.loops.get((tx.code, loop.head))
    if plan is None:
        raise PlanLoop((tx.code, loop.head), LoopPlan())
    reason = plan.reason or "the types of its variables change"
    raise GraphBreak(f"a loop whose end depends on data: {reason}")


def has_left(tx: Tx, loop: Loop) -> bool:
    """Whether control is where all arms out of the loop come together."""
    outlet = shape_of(tx.code).outlet(loop)
    return outlet is None or tx.index not in outlet.before


def leave(tx: Tx, loop: Loop) -> None:
    """The loop being captured is left in the middle of an iteration."""
    outlet = shape_of(tx.code).outlet(loop)
    if outlet is not None and tx.index in outlet.places:
        tx.index = outlet.places[0]
    index, stack = settle(tx, tx.index, tuple(tx.stack))
    found = tx.index, len(tx.stack), (outside(tx, loop, index), len(stack))
    if tx.exits.setdefault(loop.head, found)[2] != found[2]:
        raise GraphBreak("the loop has several exits")
    tx.proceed = constant(False)


def outside(tx: Tx, loop: Loop, index: int) -> int:
    """Where control goes on: there may be several jumps back to the head of a loop around this."""
    inst = tx.instructions[index]
    if inst.opname == "JUMP" and inst.target is not None and inst.target not in loop.members:
        return inst.target
    return index


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
