"""Side exits: a loop of the graph is left in the middle of an iteration, and Python goes on there.

What only Python can do, on an arm of a branch, need not keep the whole loop out of the graph. The
arm becomes a way out, as `break` is one: the loop ends with the variables as they are there, and
says at which exit. The trace ends with the loop, too: the frame has a continuation behind it, and
one at each exit. That one gets an iterator that has what is left, so that the loop in it is a node
again.
"""
from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import CodeType
from typing import TYPE_CHECKING, Any, Protocol

from ...base.records import dataclass, field
from ...bytecode.liveness import live_locals
from ...errors import EffectBreak, GraphBreak, PlanSideExit
from ...ir.node import Location
from ..object_model.constants import FALSE, constant
from ..recording.nodes import record
from ..state.trace import ColdArm, Ran, Stopped
from ..state.tracker import VariableTracker
from ..trackers.arrays.array_iterators import ArrayIterator, behind, over_arrays
from ..trackers.containers.iterators import StepVariable
from ..trackers.containers.outside_iterators import RangeIterator
from ..trackers.containers.slices import DataRangeVariable, RangeVariable
from .iterations import Iterations

if TYPE_CHECKING:
    from ...bytecode.flow import Loop
    from ..state.tx import Tx

MANY_ITERATIONS = 40
"""A loop of at least so many iterations becomes a node; shorter ones are unrolled."""
LONG = 1000
"""Iterations of which so much would be lost that no call bails out in the middle of them."""
EXIT, COUNT, PROCEED, LAST = ".exit", ".count", ".proceed", ".last"
"""What a loop tells of its end: at which side exit it was left, from 1 on (a variable of the body,
0: at none), after how many iterations, False where it ended early, and the last item of a range."""


RANGES = (RangeVariable, DataRangeVariable)
GONE_ON = (RangeIterator, ArrayIterator)
"""Iterators from outside that a loop of the graph goes through."""


@dataclass(slots=True)
class SideExits:
    """Those of the loop of which an iteration is being traced: the instructions `at` which Python
    goes on and why, in the order of their numbers, and the `stack` that it finds there. A loop that
    `may_be_unrolled` is left for effects only; one that `is_long` by a side exit rather than by
    abandoning the call."""

    head: int
    stack: tuple[VariableTracker, ...]
    may_be_unrolled: bool
    is_long: bool
    at: dict[int, ColdArm] = field(default_factory=dict)

    def names(self, code: CodeType) -> frozenset[str]:
        """The variables that may be read from one of them on."""
        return frozenset[str]().union(*(live_locals(code, index) for index in self.at))

    def number(self, index: int, arm: ColdArm) -> int:
        self.at.setdefault(index, arm)
        return [*self.at].index(index) + 1


class Place(Protocol):
    """Where control goes on."""

    @property
    def index(self) -> int: ...

    @property
    def stack(self) -> tuple[VariableTracker, ...]: ...


class LoopLeft(Exception):
    """The trace ends with a loop, which leads to several places."""

    def __init__(self, end: Stopped) -> None:
        super().__init__()
        self.end = end


def side_exits_of(
    tx: Tx, loop: Loop, stack: tuple[VariableTracker, ...], iterations: Iterations | None
) -> SideExits | None:
    """Of a loop that control has come to; None where it cannot be left this way."""
    if not tx.state.options.leaves_loops or tx.parent is not None or tx.graph.is_body:
        return None
    if iterations is not None and not can_go_on(stack[-1]):
        return None
    many = None if iterations is None else iterations.count()
    hint = LONG if many is None else tx.shapes.hint(many)
    is_short = isinstance(many, int) and many < MANY_ITERATIONS
    may_be_unrolled = is_short and not isinstance(stack[-1], GONE_ON)
    return SideExits(loop.head, stack, may_be_unrolled, many is not None and hint >= LONG)


def can_go_on(iterator: VariableTracker) -> bool:
    """Whether another iterator can be made that has what is left of one in an iteration."""
    if isinstance(iterator, StepVariable) and isinstance(iterator.owner, RANGES):
        return isinstance(iterator.owner, RangeVariable) or iterator.owner.has_known_step
    return isinstance(iterator, GONE_ON) or over_arrays(iterator) is not None


def plan_side_exit(
    tx: Tx, place: Any, loop: Loop | None, stack: list[VariableTracker], stop: GraphBreak
) -> None:
    """Begin again with a side exit in place of an arm that cannot be traced, if there may be."""
    exits = tx.side_exits
    if exits is None or loop is not tx.region or tuple(stack) != exits.stack:
        return
    if isinstance(stop, EffectBreak) or not exits.may_be_unrolled:
        raise PlanSideExit(place, str(stop), stop.location) from None


def is_preferred(tx: Tx, loop: Loop | None) -> bool:
    """Whether arms that are hardly ever taken are side exits, too."""
    if tx.side_exits is None or loop is None or loop is not tx.region:
        return False
    return tx.side_exits.is_long or has_side_exits(tx, loop)


def planned_side(tx: Tx, places: list[Any], loop: Loop | None) -> int | None:
    """Which of the arms that begin at `places` is a way out."""
    planned = tx.state.options.side_exits
    if tx.side_exits is None or loop is not tx.region or planned.keys().isdisjoint(places):
        return None
    return int(places[1] in planned)


def leave(tx: Tx) -> None:
    """The loop being captured is left here by a side exit."""
    planned = tx.state.options.side_exits.items()
    arm = next(arm for (code, _, at), arm in planned if code is tx.code and at == tx.index)
    tx.locals[EXIT] = constant(tx.side_exits.number(tx.index, arm))
    tx.proceed = FALSE


def has_side_exits(tx: Tx, loop: Loop) -> bool:
    """Whether an arm in the loop is to be a way out of it, if it can be a node."""
    options, members = tx.state.options, loop.members
    plan = options.loops.get((tx.code, loop.head))
    if plan is not None and plan.reason:
        return False
    return any(code is tx.code and at in members for code, at, _ in options.side_exits)


def names_at_side_exits(tx: Tx) -> frozenset[str]:
    """The variables that may be read from a side exit on, or say at which one control is."""
    exits = tx.side_exits
    return exits.names(tx.code) | {EXIT} if exits is not None and exits.at else frozenset()


def end_of(
    tx: Tx, exits: SideExits, told: Mapping[str, VariableTracker], ends: Sequence[Place],
    saves: float,
) -> Stopped:
    """The end of the trace behind a loop that was left by a side exit, or led to one of its `ends`:
    the second if it did not proceed."""
    number, stack = told[EXIT], exits.stack
    if LAST in told:
        stack = (*stack[:-1], going_on(tx, stack[-1], told[LAST]))
    ran, others = Ran(told[COUNT], saves, exits.head), []
    for count, index in enumerate(exits.at, 1):
        is_taken = record(tx, operator.eq, (number.as_argument(tx), count))
        others.append((is_taken, replace(stopped(tx, index, stack), ran=ran)))
    over = replace(ran, is_over=True)
    found = [replace(stopped(tx, end.index, end.stack), ran=over) for end in ends]
    if len(found) > 1:
        others.append((told[PROCEED], found[0]))
    arm = next(iter(exits.at.values()))
    return replace(
        found[-1], others=tuple(others), reason=arm.reason, location=arm.location or tx.location()
    )


def stopped(tx: Tx, index: int, stack: tuple[VariableTracker, ...]) -> Stopped:
    """The frame goes on before an instruction."""
    line = tx.instructions[index].line or tx.code.co_firstlineno
    location = Location(tx.code.co_filename, line, tx.code.co_qualname)
    return Stopped(index, "", location, stack, dict(tx.locals), is_sound=True)


def going_on(tx: Tx, iterator: VariableTracker, last: VariableTracker) -> VariableTracker:
    """The iterator of a loop that was left in the iteration of the item, or place, `last`."""
    if isinstance(iterator, GONE_ON):
        return iterator.behind(tx, last)
    if not isinstance(iterator, StepVariable) or not isinstance(iterator.owner, RANGES):
        return behind(tx, iterator, last)
    ranged = iterator.owner
    if isinstance(ranged, RangeVariable):
        stop, step = constant(ranged.value.stop), constant(ranged.value.step)
    else:
        assert isinstance(ranged, DataRangeVariable)
        _, stop, step = ranged.ends
    start = record(tx, operator.add, (last.as_argument(tx), step.as_argument(tx)))
    return StepVariable(tx, DataRangeVariable((start, stop, step)), iterator.kind)
