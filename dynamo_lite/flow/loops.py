"""Loops as nodes of the graph: the body is traced once, as a graph of its own.

A loop becomes a node where one round of it leaves every variable with the type that it had before.
What is known about a loop only after tracing it (that types settle in the second round, that it
must be unrolled) makes the analysis start again with a `LoopPlan`.
"""
from __future__ import annotations

from dataclasses import replace
from inspect import CO_GENERATOR
from typing import TYPE_CHECKING, Any

from ..bytecode.flow import Loop
from ..bytecode.liveness import live_locals
from ..errors import GraphBreak, PlanLoop, Unsupported
from ..ir import control
from ..ir.graph import Graph
from ..ir.node import Node
from ..ir.tree import map_leaves
from ..ir.types import ArrayType, python_number
from ..records import dataclass, field
from ..trace import LoopPlan, Twin
from ..variables.base import ObservedException, VariableTracker
from ..variables.constants import TRUE, ConstantVariable
from ..variables.iterators import StepVariable
from ..variables.lazy import realise
from ..variables.slices import DataRangeVariable, RangeVariable
from .branches import (
    ROUND,
    STEP,
    Start,
    fork,
    is_data,
    predicate,
    run,
    same_constant,
    settle,
    settled,
)
from .capture import (
    capturing,
    checked_close,
    is_array,
    is_fresh,
    owner,
    results,
    tracker_of,
    type_of,
    written,
)

if TYPE_CHECKING:
    from ..frames import Translator

MANY_ROUNDS = 40
"""A loop of at least so many rounds becomes a node; shorter ones are unrolled."""
UNROLLED_ROUNDS = 4
"""A `while` loop that has gone round so often while tracing becomes a node."""
PEELED = 2
"""Rounds that are unrolled for the types of variables to settle."""


def arrive(tx: Translator) -> bool:
    """Control has come to the head of a loop: whether all of it has been traced at once."""
    loop = tx.loops[tx.index]
    if tx.region is loop or tx.code.co_flags & CO_GENERATOR:
        return False
    iterator = None
    if tx.instructions[loop.head].opname == "FOR_ITER":
        iterator = tx.stack[-1]
        count = iterator.position if isinstance(iterator, StepVariable) else 0
    else:
        again = tx.current.target == loop.head and tx.current.index >= loop.head
        count = tx.arrivals[loop.head] = tx.arrivals.get(loop.head, 0) + 1 if again else 0
        if count < 2:
            tx.sizes[loop.head] = len(tx.graph.nodes)
    plan = tx.state.options.loops.get((tx.code, loop.head))
    if plan is None:
        plan = first_plan(tx, loop, iterator, count)
    if plan is None or plan.reason or plan.peeled != count:
        return False
    try:
        capture(tx, loop, iterator, count)
        return True
    except PlanLoop:
        raise
    except (Unsupported, ObservedException) as stop:
        location = getattr(stop, "location", None)
        reason = str(stop) if location is None else f"{stop} at {location}"
        raise PlanLoop((tx.code, loop.head), reason) from None


def first_plan(
    tx: Translator, loop: Loop, iterator: VariableTracker | None, count: int
) -> LoopPlan | None:
    """What to do with a loop that nothing is known about, or None to unroll this round of it."""
    if iterator is None:
        works = len(tx.graph.nodes) - tx.sizes.get(loop.head, 0) >= count - 1
        return LoopPlan("", count) if count == UNROLLED_ROUNDS and works else None
    owner_ = getattr(iterator, "owner", None)
    if count or not isinstance(iterator, StepVariable):
        return None
    if isinstance(owner_, DataRangeVariable):
        return LoopPlan()
    if isinstance(owner_, RangeVariable) and len(owner_.value) >= MANY_ROUNDS:
        return LoopPlan()
    return None


class Unsettled(GraphBreak):
    """A round changes the type of a variable."""


@dataclass(slots=True)
class Body:
    """One round of a loop, traced; `carried` are the placeholders of the variables it changes."""

    graph: Graph
    index: Node | None = None
    carried: dict[str, Node] = field(default_factory=dict)
    before: dict[str, VariableTracker] = field(default_factory=dict)
    after: dict[str, VariableTracker] = field(default_factory=dict)
    going: VariableTracker = TRUE


def capture(
    tx: Translator, loop: Loop, iterator: VariableTracker | None, count: int
) -> None:
    """Record the whole loop, and go on behind it."""
    ends = None
    if iterator is not None:
        assert isinstance(iterator, StepVariable)
        ends = range_ends(tx, iterator)
    certain = ends is None or (
        all(isinstance(end, int) for end in ends) and len(range(*ends)) > 0
    )
    saved = dict(tx.locals)
    stack = tuple(tx.stack)
    try:
        body = trace_round(tx, loop, stack, iterator is not None)
        tx.locals = saved
        tx.exits.setdefault(loop.head, (tx.instructions[loop.head].target or 0,) * 2)
        node = Recording(tx, loop, body, certain, ends, count)
        node.record()
    except Unsettled as stop:
        if count < PEELED and (ends is None or certain):
            raise PlanLoop((tx.code, loop.head), "", count + 1) from None
        raise GraphBreak(str(stop)) from None
    go_on(tx, loop, stack, node)


def range_ends(tx: Translator, iterator: StepVariable) -> tuple[Any, Any, Any]:
    """Start, stop and step of what is left of a range, as arguments of the graph."""
    ranged = iterator.owner
    if isinstance(ranged, RangeVariable):
        left = ranged.value[iterator.position :]
        return left.start, left.stop, left.step
    if not isinstance(ranged, DataRangeVariable) or iterator.position:
        raise GraphBreak(f"a loop over {ranged.describe()}")
    return ranged.arguments(tx)


def trace_round(
    tx: Translator, loop: Loop, stack: tuple[VariableTracker, ...], is_for: bool
) -> Body:
    """Trace one round from variables of known types."""
    region, tx.region, tx.round = tx.region, loop, None
    first = loop.head + 1 if is_for else loop.head
    stored = {
        inst.argval for at in loop.members
        if (inst := tx.instructions[at]).opname in ("STORE_FAST", "DELETE_FAST")
    }
    needed = live_locals(tx.code, loop.head)
    line = tx.instructions[loop.head].line
    try:
        with capturing(tx, f"the loop in line {line}") as graph:
            body = Body(graph)
            if is_for:
                body.index = graph.placeholder("index", python_number(int))
            for name in sorted(stored & needed & {*tx.locals}):
                value = tx.locals[name] = realise(tx, tx.locals[name])
                if (kind := type_of(value)) is None or not fits(value):
                    continue
                if kind.library != "numpy":
                    raise GraphBreak(f"a loop over arrays of {kind.library}")
                placeholder = graph.placeholder(name, kind)
                body.before[name], body.carried[name] = value, placeholder
                tx.locals[name] = tracker_of(placeholder)
            entering = {name: tx.locals[name] for name in stored & {*tx.locals}}
            tx.stack, tx.index = list(stack), first
            if body.index is not None:
                tx.stack.append(tracker_of(body.index))
            if not is_for:  # the head itself is no end yet
                STEP[0](tx)
            if run(tx, None, loop, captured=True) != ROUND:
                raise GraphBreak("the loop raises an exception")
            assert tx.round is not None
            body.going, body.after = tx.round, dict(tx.locals)
            for name, value in entering.items():
                if name not in body.carried and name in needed:
                    check_fixed(name, value, body.after.get(name))
            return body
    finally:
        tx.region, tx.round = region, None


def fits(value: VariableTracker) -> bool:
    """Whether an int has at most 64 bits."""
    if not isinstance(value, ConstantVariable) or value.python_type() is not int:
        return True
    return bool(-(2**62) < value.value < 2**62)


def check_fixed(name: str, before: VariableTracker, after: VariableTracker | None) -> None:
    """A variable that the graph cannot hold has to stay what it is."""
    before, after = settled(before), settled(after)
    if before is not after and not (after is not None and same_constant(before, after)):
        raise Unsettled(f"{name!r} changes, {before.describe()}")


class Recording:
    """Makes the node of a loop: which variables it carries, and what it gives back."""

    def __init__(
        self, tx: Translator, loop: Loop, body: Body, certain: bool, ends: Any, count: int
    ) -> None:
        self.tx, self.loop, self.body, self.count = tx, loop, body, count
        self.certain, self.ends = certain, ends
        self.leaves = is_data(body.going)
        self.initial: list[Any] = []
        self.outputs: list[Any] = []
        self.kinds: list[ArrayType] = []
        self.names: list[str] = []
        self.kept: dict[str, VariableTracker] = {}
        self.broke: VariableTracker | None = None

    def record(self) -> None:
        tx, graph = self.tx, self.body.graph
        if not self.leaves and self.ends is None:
            raise GraphBreak("the loop has no end that depends on data")
        entangled = self.carry()
        lasts = self.last_values()
        going: Any = True
        if self.leaves:
            going = self.going()
        outputs = [going, *self.outputs, *lasts]
        if self.leaves and self.ends is not None:
            outputs.insert(1 + len(self.initial), going)
            self.kinds.insert(len(self.initial), python_number(bool))
            self.initial.append(True)
            graph.placeholder("going", python_number(bool))
        graph.output(tuple(outputs))
        operands = checked_close(tx, [graph])
        self.check_memory(operands)
        args: tuple[Any, ...] = (graph, tuple(self.initial), operands)
        if self.ends is not None:
            made = results(tx, control.for_loop, (*self.ends, *args), self.kinds)
        else:
            made = results(tx, control.while_loop, (True, *args), self.kinds)
        if self.leaves and self.ends is not None:
            self.broke = tracker_of(made.pop(len(self.initial) - 1))
        for name, node in zip(self.names, made):
            self.kept[name] = tracker_of(node)
            if name in entangled:
                tx.state.entangled[node] = entangled[name]

    def going(self) -> Any:
        """Whether another round follows, as a Python bool."""
        state = self.tx.state
        outer, state.graph = state.graph, self.body.graph
        try:
            return predicate(self.tx, self.body.going)
        finally:
            state.graph = outer

    def carry(self) -> dict[str, Twin]:
        """Which variables a round changes; those that stay what they are, are operands."""
        tx, body = self.tx, self.body
        entangled: dict[str, Twin] = {}
        moved: set[str] = set()
        for name, placeholder in list(body.carried.items()):
            value = settled(body.after.get(name))
            if value is None:
                raise GraphBreak(f"{name!r} is deleted in the loop")
            if getattr(value, "node", None) is placeholder:
                self.keep(name, placeholder)
                continue
            kind = type_of(value)
            if kind != placeholder.type:
                raise Unsettled(
                    f"{name!r} is {placeholder.type} before a round of the loop, and "
                    f"{kind or value.describe()} after it"
                )
            moved.add(name)
            self.names.append(name)
            self.initial.append(body.before[name].as_argument(tx))
            self.outputs.append(value.as_argument(tx))
            self.kinds.append(placeholder.type)
            if is_array(placeholder) and not is_fresh(tx, self.outputs[-1], body.graph):
                what = f"{name!r}, which may be an array from before the loop"
                entangled[name] = Twin(what, (tx.code, self.loop.head))
        if entangled:
            self.untangle(entangled)
        return entangled

    def untangle(self, entangled: dict[str, Twin]) -> None:
        """Arrays that are passed on from round to round, as when two take turns.

        Where all of them were made in the graph and nothing else needs them any more, nobody can
        tell which of them a result is: the loop has consumed them.
        """
        tx = self.tx
        starts = {
            name: owner(tx, value) for name, value in zip(self.names, self.initial)
            if isinstance(value, Node) and is_array(value)
        }
        state = tx.state
        made = all(node.op == "call_function" and node not in state.entangled
                   for node in starts.values())
        whole = all(
            not isinstance(out, Node) or not is_array(out) or out in self.body.carried.values()
            or is_fresh(tx, out, self.body.graph) for out in self.outputs
        )
        if made and whole and len(set(starts.values())) == len(starts):
            for name, node in starts.items():
                state.consumed[node] = self.taken(name)
            entangled.clear()
            return
        if self.leaves and not self.count and not made:
            raise Unsettled("a variable may be an array from before the loop")
        for name in entangled:
            entangled[name] = replace(entangled[name], sources=tuple(starts.values()))
        for node in starts.values():
            state.sources.setdefault(node, self.taken("an array"))

    def taken(self, name: str) -> Twin:
        what = f"an array that was {name!r} before a loop which took its memory over"
        return Twin(what, (self.tx.code, self.loop.head))

    def keep(self, name: str, placeholder: Node) -> None:
        """A variable that has the same value in every round is read from around the loop."""
        body = self.body
        del body.carried[name]
        initial = body.before[name].as_argument(self.tx)
        body.graph.nodes.remove(placeholder)
        for node in body.graph.nodes:
            node.args, node.kwargs = map_leaves(
                lambda leaf: initial if leaf is placeholder else leaf, (node.args, node.kwargs)
            )
        for name_, value in body.after.items():
            if getattr(settled(value), "node", None) is placeholder:
                body.after[name_] = body.before[name]
        self.kept[name] = body.before[name]

    def last_values(self) -> list[Any]:
        """Variables that the rest of the frame reads, with their values of the last round."""
        tx, body = self.tx, self.body
        after = live_locals(tx.code, tx.exits[self.loop.head][0])
        if self.ends is not None:
            after |= live_locals(tx.code, tx.instructions[self.loop.head].target or 0)
        found: list[Any] = []
        stored = {
            inst.argval for at in self.loop.members
            if (inst := tx.instructions[at]).opname == "STORE_FAST"
        }
        for name in sorted(stored & after - {*self.names} - {*self.kept}):
            value = settled(body.after.get(name))
            if value is None or not self.certain:
                raise GraphBreak(f"{name!r} may have no value after the loop")
            kind = type_of(value)
            if kind is None or isinstance(value, ConstantVariable):
                self.kept[name] = value
                continue
            found.append(value.as_argument(tx))
            if is_array(found[-1]) if isinstance(found[-1], Node) else False:
                if not is_fresh(tx, found[-1], body.graph):
                    raise GraphBreak(f"{name!r} may be an array from outside of the loop")
            self.names.append(name)
            self.kinds.append(kind)
        for name in stored - {*self.names} - {*self.kept}:
            tx.locals.pop(name, None)
        return found

    def check_memory(self, operands: tuple[Node, ...]) -> None:
        """Arrays that a round writes into must be known by one name only."""
        tx, graph = self.tx, self.body.graph
        from_carried = {
            node for name, node in self.body.carried.items() if node in written(graph, tx.shapes)
        }
        if not from_carried:
            return
        owners = [owner(tx, node) for node in operands if is_array(node)]
        starts = [owner(tx, v) for v in self.initial if isinstance(v, Node) and is_array(v)]
        if len(set(starts)) != len(starts) or set(starts) & set(owners):
            raise GraphBreak("the loop writes into an array that has two names")
        for name, start in zip(self.body.carried, starts):
            if start.op != "call_function" or start in tx.state.entangled:
                raise GraphBreak(f"the loop writes into {name!r}, and gives it another array")
            tx.state.consumed[start] = self.taken(name)


def go_on(
    tx: Translator, loop: Loop, stack: tuple[VariableTracker, ...], node: Recording
) -> None:
    """The frame behind the loop."""
    tx.locals.update(node.kept)
    over = tx.instructions[loop.head].target
    left, _ = tx.exits.pop(loop.head)
    if node.ends is None:
        tx.index, tx.stack = left, list(stack)
        return
    assert over is not None
    ended = Start(over, stack[:-1])
    if node.broke is None:
        tx.index, tx.stack = ended.index, list(ended.stack)
        return
    broken = Start(left, stack)
    ways = settle(tx, broken.index, broken.stack), settle(tx, ended.index, ended.stack)
    if ways[0] == ways[1]:
        tx.index, tx.stack = ways[0][0], list(ways[0][1])
        return
    fork(tx, predicate(tx, node.broke), ended, broken, loop.head)


__all__ = ["arrive"]
