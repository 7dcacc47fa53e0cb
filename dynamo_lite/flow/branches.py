"""Branches on values that the graph computes: both ways are traced, and become one node.

Each way is traced as a body of its own, up to the instruction where both come together. What they
leave in locals and on the stack must be alike. A way that ends in an exception is no body: the
compiled call is abandoned when it would be taken, and Python raises.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from inspect import CO_GENERATOR
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bytecode.flow import Loop, shape_of
from ..bytecode.liveness import live_locals
from ..bytecode.raising import expected_outcome
from ..errors import GraphBreak, PlanLoop
from ..ir import control, core
from ..ir.graph import Graph
from ..ir.node import Node
from ..ir.types import ArrayType, Form
from ..records import dataclass
from ..trace import Twin
from ..variables.arrays import ArrayVariable, EitherVariable
from ..variables.base import ObservedException, VariableTracker
from ..variables.constants import NONE, TRUE, ConstantVariable, constant
from ..variables.graph_values import record
from ..variables.lazy import LazyVariable
from ..variables.numbers import NumberVariable
from ..variables.sequences import TupleVariable
from .capture import capturing, checked_close, is_fresh, owner, results, tracker_of, type_of

if TYPE_CHECKING:
    from ..bytecode.reading import Instruction
    from ..frames import Translator

JOINED, ROUND, RETURNED, RAISED = "joined", "round", "returned", "raised"


def is_data(value: VariableTracker) -> bool:
    """A number whose truth the graph computes."""
    return isinstance(value, NumberVariable) and not value.is_constant()


def predicate(tx: Translator, value: VariableTracker) -> Node:
    """`bool(value)` as a node."""
    kind = value.array_type  # type: ignore[attr-defined]
    argument: Node = value.as_argument(tx)
    if kind.dtype == np.dtype(bool):
        return argument
    test = operator.ne if kind.form is Form.PYTHON else np.not_equal
    zero = 0.0 if kind.dtype.kind == "f" else 0
    found: Node = record(tx, test, (argument, zero)).as_argument(tx)
    return found


@dataclass(slots=True)
class Way:
    """One way of a branch: the body that was traced, how it ended, and what it left."""

    graph: Graph
    end: str
    index: int
    locals: dict[str, VariableTracker]
    stack: list[VariableTracker]
    result: VariableTracker | None = None
    """What is returned (RETURNED), or whether the loop goes on (ROUND)."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where a way begins."""

    index: int
    stack: tuple[VariableTracker, ...]


def branch(
    tx: Translator, inst: Instruction, value: VariableTracker, jumps_if: bool, keeps: bool = False
) -> None:
    """A conditional jump; `keeps`: the value, topmost, stays on the stack where it jumps."""
    assert inst.target is not None
    outcome = expected_outcome(tx.instructions, inst)
    if outcome is not None:  # the other way only raises
        value.expect(tx, outcome)
        if outcome is jumps_if:
            tx.jump(inst.target)
        return
    kept = tuple(tx.stack)
    ways = {
        jumps_if: Start(inst.target, kept),
        not jumps_if: Start(inst.index + 1, kept[:-1] if keeps else kept),
    }
    fork(tx, predicate(tx, value), ways[True], ways[False], inst.index)


def fork(tx: Translator, test: Any, true: Start, false: Start, at: int) -> None:
    """Go both ways, and on where they come together; `at` is the instruction that decides."""
    if tx.code.co_flags & CO_GENERATOR:
        raise GraphBreak("a branch of a generator that depends on data")
    plan = tx.state.options.loops.get((tx.code, at))
    if plan is not None and plan.reason and at not in tx.loops:
        raise GraphBreak(plan.reason)
    shape = shape_of(tx.code)
    loop = shape.inner_loop(at)
    while loop is not None and loop is not tx.region and is_peeled(tx, loop):
        loop = shape.around(loop)
    join = shape.join(at, loop)
    ways: list[Way] = []
    for start in (true, false):
        way = go(tx, start, join, loop)
        if way.end == RAISED:
            other = false if start is true else true
            wanted = record(tx, operator.not_, (test,)) if start is true else tracker_of(test)
            record(tx, core.expect, (wanted.as_argument(tx),))
            tx.index, tx.stack = other.index, list(other.stack)
            return
        ways.append(way)
    if ways[0].end != ways[1].end and {ways[0].end, ways[1].end} == {JOINED, ROUND}:
        ways = [
            way if way.end == ROUND else go(tx, start, None, loop)
            for way, start in zip(ways, (true, false))
        ]
    if ways[0].end != ways[1].end:
        raise GraphBreak("only one way of a branch on data returns")
    merge(tx, test, ways, loop, at)


def is_peeled(tx: Translator, loop: Loop) -> bool:
    """Whether this is one of the rounds before the loop becomes a node."""
    plan = tx.state.options.loops.get((tx.code, loop.head))
    return plan is not None and not plan.reason and plan.peeled > 0


def go(tx: Translator, start: Start, join: int | None, loop: Loop | None) -> Way:
    """Trace one way and put everything back."""
    before = tx.index, list(tx.stack), dict(tx.locals), tx.region, tx.current, tx.round
    outer = tx.region
    try:
        with capturing(tx, "a branch on data") as graph:
            tx.index, tx.stack = start.index, list(start.stack)
            end = run(tx, join, loop, captured=outer is loop)
            result = tx.returned if end == RETURNED else tx.round
            return Way(graph, end, tx.index, dict(tx.locals), list(tx.stack), result)
    finally:
        tx.index, tx.stack, tx.locals, tx.region, tx.current, tx.round = before
        tx.returned = None


def run(tx: Translator, join: int | None, loop: Loop | None, captured: bool) -> str:
    """Interpret until the ways join, the round of the loop ends, or the frame does."""
    step = STEP[0]
    while True:
        if tx.returned is not None:
            if loop is not None:
                raise GraphBreak("a return inside of a loop, which depends on data")
            return RETURNED
        if tx.round is not None:
            return ROUND
        if tx.index == join:
            return JOINED
        if loop is not None:
            if tx.index == loop.head:
                tx.round = TRUE
                return ROUND
            if tx.index not in loop.members:
                if not captured:
                    plan_for(tx, loop)
                leave(tx, loop)
                return ROUND
        try:
            step(tx)
        except ObservedException:
            return RAISED


def plan_for(tx: Translator, loop: Loop) -> None:
    """A loop that is left depending on data cannot be unrolled."""
    plan = tx.state.options.loops.get((tx.code, loop.head))
    if plan is None:
        raise PlanLoop((tx.code, loop.head))
    reason = plan.reason or "the types of its variables change"
    raise GraphBreak(f"a loop whose end depends on data: {reason}")


STEP: list[Callable[[Translator], None]] = []
"""`Translator.step`, which counts nothing; put here by `frames`."""


def leave(tx: Translator, loop: Loop) -> None:
    """The loop being captured is left in the middle of a round."""
    index, _ = settle(tx, tx.index, tuple(tx.stack))
    exits = tx.exits.setdefault(loop.head, (tx.index, index))
    if exits[1] != index:
        raise GraphBreak("the loop is left in more than one way")
    tx.round = constant(False)


def settle(
    tx: Translator, index: int, stack: tuple[VariableTracker, ...]
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


# -- merging


def merge(tx: Translator, test: Any, ways: list[Way], loop: Loop | None, at: int) -> None:
    """The state after both ways."""
    merging = Merging(tx, test, ways, at)
    end = ways[0].end
    if end == RETURNED:
        value = merging.merged("the result", ways[0].result, ways[1].result)
        merging.record()
        tx.returned = merging.tracker(value)
        return
    live = live_locals(tx.code, ways[0].index)
    if end == ROUND:
        assert loop is not None
        live = live_locals(tx.code, loop.head) | (
            live_locals(tx.code, tx.exits[loop.head][0]) if loop.head in tx.exits else frozenset()
        )
    found = {name: merging.local(name) for name in sorted(live & merging.names())}
    going: Any = None
    if end == ROUND:
        going = decided(tx, test, ways) or merging.merged("", ways[0].result, ways[1].result)
    stack: list[Any] = []
    if len(ways[0].stack) == len(ways[1].stack):
        stack = [merging.merged("a value", *pair) for pair in zip(ways[0].stack, ways[1].stack)]
    elif end == JOINED:
        raise GraphBreak("the ways of a branch leave different stacks")
    merging.record()
    tx.locals = {
        name: value for name, value in tx.locals.items() if name not in live or name in found
    }
    tx.locals |= {name: merging.tracker(value) for name, value in found.items()}
    tx.stack = [merging.tracker(value) for value in stack]
    if going is not None:
        tx.round = merging.tracker(going)
        tx.region = loop if tx.region is loop else tx.region
        if tx.region is not loop:  # the loop is unrolled, and both ways go round again
            assert loop is not None
            tx.round = None
    tx.index = ways[0].index


@dataclass(frozen=True, slots=True)
class Slot:
    """A result of the node that the branch becomes; `choices` are arrays that it may be, or NONE
    for one that cannot be named."""

    place: int
    choices: tuple[VariableTracker | None, ...]


class Merging:
    """Collects what differs between the two ways, as results of a `control.cond`."""

    def __init__(self, tx: Translator, test: Any, ways: list[Way], at: int) -> None:
        self.tx, self.test, self.ways = tx, test, ways
        self.twin = Twin(
            "an array that is another one, or not, after a branch on data", (tx.code, at)
        )
        self.kinds: list[ArrayType] = []
        self.outputs: tuple[list[Any], list[Any]] = ([], [])
        self.made: list[Node] = []
        self.entangled: dict[int, tuple[Node, ...]] = {}
        self.slots: dict[Any, Slot] = {}

    def names(self) -> set[str]:
        return {*self.ways[0].locals, *self.ways[1].locals}

    def local(self, name: str) -> Any:
        first, second = (way.locals.get(name) for way in self.ways)
        if first is None or second is None:
            raise GraphBreak(f"{name!r} has a value after only one way of a branch on data")
        return self.merged(repr(name), first, second)

    def merged(self, name: str, first: Any, second: Any) -> Any:
        """A tracker, a Slot, or a list of these for a tuple."""
        first, second = settled(first), settled(second)
        if first is second or same_constant(first, second):
            return first
        if is_plain_tuple(first) and is_plain_tuple(second):
            items = first.built_items(), second.built_items()
            if len(items[0]) == len(items[1]):
                return [self.merged(name, *pair) for pair in zip(*items)]
        kinds = type_of(first), type_of(second)
        if kinds[0] is None or kinds[0] != kinds[1]:
            told = [
                value.describe() if kind is None else str(kind)
                for kind, value in zip(kinds, (first, second))
            ]
            raise GraphBreak(
                f"{name or 'a value'} is {told[0]} after one way of a branch on data, and "
                f"{told[1]} after the other"
            )
        pair = first.as_argument(self.tx), second.as_argument(self.tx)
        if isinstance(first, ArrayVariable) and pair in self.slots:
            return self.slots[pair]
        place = len(self.kinds)
        self.kinds.append(kinds[0])
        choices: list[VariableTracker | None] = []
        for outputs, value, way in zip(self.outputs, (first, second), self.ways):
            outputs.append(value.as_argument(self.tx))
            choices.append(None)
            if isinstance(value, ArrayVariable):
                twin = self.tx.state.entangled.get(owner(self.tx, value.node))
                if twin is not None and twin.sources:
                    self.entangled[place] = self.entangled.get(place, ()) + twin.sources
            if isinstance(value, ArrayVariable) and not is_fresh(self.tx, value.node, way.graph):
                self.entangle(place, value.node)
                inside = value.node in way.graph.nodes
                choices[-1] = NONE if inside else value
        if isinstance(first, ArrayVariable):
            self.slots[pair] = Slot(place, tuple(choices))
            self.check_apart()
            return self.slots[pair]
        return Slot(place, tuple(choices))

    def check_apart(self) -> None:
        """Two variables that are one array after one way only cannot be told."""
        for side in (0, 1):
            owners = [owner(self.tx, pair[side]) for pair in self.slots]
            if len(set(owners)) < len(owners):
                raise GraphBreak("two variables are one array after one way of a branch on data")

    def entangle(self, place: int, node: Node) -> None:
        self.entangled.setdefault(place, ())
        self.tx.state.sources.setdefault(owner(self.tx, node), self.twin)

    def record(self) -> None:
        """Add the node, unless the ways do nothing."""
        for way, outputs in zip(self.ways, self.outputs):
            way.graph.output(tuple(outputs))
        if not self.kinds and not any(way.graph.calls for way in self.ways):
            return
        operands = checked_close(self.tx, [way.graph for way in self.ways])
        bodies = tuple(way.graph for way in self.ways)
        self.made = results(
            self.tx, control.cond, (self.test, *bodies, operands), self.kinds
        )
        for place, sources in self.entangled.items():
            self.tx.state.entangled[self.made[place]] = replace(self.twin, sources=sources)

    def tracker(self, value: Any) -> VariableTracker:
        if isinstance(value, Slot):
            made = self.made[value.place]
            if any(choice is not None for choice in value.choices):
                return EitherVariable(made, self.test, value.choices)
            return tracker_of(made)
        if isinstance(value, list):
            return TupleVariable([self.tracker(item) for item in value])
        found: VariableTracker = value
        return found


def decided(tx: Translator, test: Any, ways: list[Way]) -> VariableTracker | None:
    """Whether the loop goes on, where that is just which way was taken."""
    goes_on = [
        way.result.value if isinstance(way.result, ConstantVariable) else None for way in ways
    ]
    if goes_on == [True, False]:
        return tracker_of(test)
    return record(tx, operator.not_, (test,)) if goes_on == [False, True] else None


def settled(value: Any) -> Any:
    return value.realised or value if isinstance(value, LazyVariable) else value


def is_plain_tuple(value: Any) -> bool:
    return type(value) is TupleVariable and value.kind is tuple and value.source is None


def same_constant(first: VariableTracker, second: VariableTracker) -> bool:
    """Two constants that no one can tell apart."""
    if not isinstance(first, ConstantVariable) or not isinstance(second, ConstantVariable):
        return False
    values = first.value, second.value
    return type(values[0]) is type(values[1]) and repr(values[0]) == repr(values[1]) and (
        first.source == second.source
    )
