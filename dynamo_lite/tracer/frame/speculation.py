"""The analysis of a frame: runs over it until one comes to its end, each knowing more than before.

A run that cannot go on says why the next one starts (`Restart`), and what that does otherwise: it
stops before an instruction (`Stop`), makes a loop a node of the graph (`TraceOptions.loops`), or
takes sizes and ints for what they are.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from types import FunctionType
from typing import Any

from ...base import logs, work
from ...base.records import dataclass
from ...bytecode.flow import Loop
from ...bytecode.liveness import live_locals
from ...bytecode.reading import read
from ...errors import (
    GraphBreak,
    OutOfTime,
    PlanColdArm,
    PlanLoop,
    PlanRecursion,
    PlanSideExit,
    Unsupported,
    UntouchedBreak,
)
from ...guards.guard_set import GuardSet
from ...guards.shapes.relations import Relation
from ...guards.shapes.shape_env import ShapeEnv
from ...ir.graph import Graph
from ...ir.node import Location
from ...ir.savings import saved_by
from ...ir.sizes import substitute
from ..control_flow.escapes import check_escapes, shows_layout_of_nothing
from ..control_flow.growing import settle_lists
from ..control_flow.side_exits import has_side_exits
from ..control_flow.worth import CROSSING, Estimate, estimate, hint_of, outermost
from ..rules.frame_inspection import where_seen, why_seen
from ..state.side_effects import SideEffects
from ..state.trace import ColdArm, Returned, Stopped, Trace, TraceOptions, TraceState
from ..trackers.arrays.perhaps_bound import PerhapsBound
from ..trackers.containers.lists import ListVariable
from .expected_changes import Learnt, came_true, will_change
from .no_alias import guard_no_alias
from .printed_graphs import NotRecorded, PrintedGraph, printed_graph
from .root import RootTranslator, StopHere
from .traced_lines import traced_lines

DYNAMO = logs.logger("dynamo")


class Restart(Enum):
    """Why a run over the frame is not the last one, and what the log says of it."""

    LOOP_PLANNED = "for the loop at {}: {}"
    RECURSION = "for the calls of a function inside itself: {}"
    SIDE_EXIT = "with a way out of the loop for what is done at {}: {}"
    COLD_ARM = "without what is done at {}: {}"
    STOP_BEFORE = "to stop at {}: {}"
    INTS_LEFT = "with what the program leaves in ints"
    INTS_CHANGED = "with ints that the program changes"
    EMPTY_ARRAY_SHOWN = "with sizes of 0 as numbers"
    BOUND = "with variables that have a value in any case, as {} must behind it"
    LISTS_CHANGED = "with each list from outside on its own, since some change"
    PRINTED_GRAPH = "with the text of the graph, for {}"


class NotExpected(Exception):
    """An int that was expected to change does not."""


@dataclass(frozen=True, slots=True)
class LeftLoop:
    """A loop that Python had better run: the root step at which it begins, and why."""

    start: int
    reason: str
    operations: int


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a run ends before the frame does, in root steps, and what is known of that place:
    `asked`, `stands` and `error` are those of the `GraphBreak`."""

    at: int | None
    reason: str = "asked to stop"
    location: Location | None = None
    is_sound: bool = False
    asked: Sequence[Relation] = ()
    stands: Sequence[Any] = ()
    left: LeftLoop | None = None
    error: Exception | None = None


class Speculation:
    """The runs over a frame; `stop` is where the next one ends."""

    def __init__(
        self, function: FunctionType, flat_args: Sequence[Any], options: TraceOptions, stop: Stop
    ) -> None:
        self.function, self.flat_args, self.options = function, flat_args, options
        self.stop = stop
        self.restarts = 0
        self.printed = printed_graph(function) if stop.at is None else None

    def trace(self) -> Trace:
        """What is not done in time is left to Python as a whole."""
        try:
            while (trace := self.run()) is None:
                pass
        except OutOfTime as late:
            raise Unsupported(str(late)) from None
        return trace

    def run(self) -> Trace | None:
        """One run over the frame; None where another one is to follow."""
        state = new_state(self.function, self.flat_args, self.options)
        try:
            root = self.root(state)
            if (end := self.interpreted(root)) is None:
                return None
            if (name := perhaps_unbound(root, end)) is not None:
                self.options = replace(self.options, binds=False)
                self.again(Restart.BOUND, name)
                return None
            if state.reads_lists and changes_lists(state):
                self.options = replace(self.options, reads_rows=False)
                self.again(Restart.LISTS_CHANGED)
                return None
        except PlanLoop as found:
            self.plan(found)
        except PlanRecursion as found:
            self.options.recursions[found.code] = ""
            self.again(Restart.RECURSION, found)
        except PlanSideExit as found:
            self.options.side_exits[found.place] = ColdArm(str(found), found.location)
            self.again(Restart.SIDE_EXIT, found.location, found)
        except PlanColdArm as found:
            self.options.cold_arms[found.place] = ColdArm(str(found), found.location)
            self.again(Restart.COLD_ARM, found.location, found)
        except GraphBreak as found:
            self.stop_before(root, found)
        except NotRecorded as found:
            self.printed = None
            self.again(Restart.PRINTED_GRAPH, found)
        except Unsupported as found:
            raise left_to_python(str(found), state, location=found.location) from found
        else:
            if (change := second_thought(root, end)) is None:
                return self.finished(root, end)
            self.again(change)
        finally:
            state.close()
        return None

    def root(self, state: TraceState) -> RootTranslator:
        if self.printed is not None:
            return PrintedGraph(state, self.printed)
        work.done.traced += 1
        return RootTranslator(state, self.stop.at)

    def again(self, why: Restart, *told: Any) -> None:
        self.restarts += 1
        logs.restarted(self.restarts)
        DYNAMO.info("the analysis starts again, %s", why.value.format(*told))

    def interpreted(self, root: RootTranslator) -> Returned | Stopped | None:
        try:
            end = root.finish()
        except UntouchedBreak as found:
            self.stop_before(root, found)
            if self.printed is not None or root.state.root_steps != self.stop.at:
                return None
            end = root.stopped(root.current.index)
        root.check_generators()
        root.state.shapes.ask_again(self.stop.asked)
        for guard in self.stop.stands:
            root.state.guards.install(*guard)
        settle_lists(root, end)
        check_escapes(root, end)
        return end

    def plan(self, found: PlanLoop) -> None:
        """The next run knows what becomes of a loop."""
        code, index = found.place
        self.options.loops[found.place] = found.plan
        where = f"{code.co_filename}:{read(code)[index].line}"
        self.again(Restart.LOOP_PLANNED, where, found)

    def stop_before(self, root: RootTranslator, found: GraphBreak) -> None:
        """The next run stops before the root frame's instruction that cannot be traced."""
        at, last = found.root_steps, self.stop.at
        if at is None or (last is not None and at >= last):
            raise left_to_python(str(found), root.state, location=found.location) from found
        reason = str(found)
        if (left := short_loop(root, self.options)) is not None:
            at, reason = left.start, f"{reason}; {left.reason}"
        self.stop = Stop(
            at, reason, found.location, found.is_sound, found.asked, found.stands, left, found.error
        )
        if not isinstance(found, UntouchedBreak) or at != root.state.root_steps:
            self.again(Restart.STOP_BEFORE, found.location, reason)

    def finished(self, root: RootTranslator, end: Returned | Stopped) -> Trace:
        state, stop = root.state, self.stop
        if isinstance(end, Stopped) and not end.others:
            end = replace(
                end, reason=stop.reason, location=stop.location or end.location,
                is_sound=stop.is_sound, operations=0 if stop.is_sound else end.operations,
                error=stop.error,
            )  # fmt: skip
        if isinstance(end, Stopped) and not end.others and (left := stop.left) is not None:
            end = replace(end, in_python=True, operations=left.operations)
            if saved_by(state.graph.calls, hint_of(root)) < CROSSING:
                raise left_to_python(stop.reason, state, left.operations, stop.location)
        guard_no_alias(state)
        state.shapes.end_trace()
        settle_sizes(state)
        root.settle_hints()
        reasons = (end.reason,) if isinstance(end, Stopped) else ()
        return Trace(
            state.function, state.graph, [source for source, _ in state.inputs], state.guards,
            state.shapes, state.side_effects, end, state.steps, self.restarts, reasons,
            state.root_steps, tuple(state.left_arms.values()),
        )  # fmt: skip


def translate(
    function: FunctionType,
    flat_args: Sequence[Any],
    options: TraceOptions | None = None,
    stop_at: int | None = None,
) -> Trace:
    """Analyse one call of `function`. `stop_at` asks for an earlier stop, in root steps.

    What is found out while ints are expected to change that do not is as if it had not been.
    """
    options = options or TraceOptions()
    if seen := why_seen(function):
        unsupported = Unsupported(seen)
        unsupported.location = where_seen(function)
        raise unsupported
    if (policy := options.policy) is None:
        return Speculation(function, flat_args, options, Stop(stop_at)).trace()
    learnt = Learnt.by(options, policy)
    try:
        return Speculation(function, flat_args, options, Stop(stop_at)).trace()
    except (Unsupported, NotExpected):
        if not policy.expected:
            raise
    finally:
        policy.settle(is_right=False)
    learnt.restore()
    DYNAMO.info("the analysis begins anew, with ints that do not change as expected")
    return Speculation(function, flat_args, options, Stop(stop_at)).trace()


def second_thought(root: RootTranslator, end: Returned | Stopped) -> Restart | None:
    """What an analysis that came to its end would better take otherwise, or None."""
    if (policy := root.state.options.policy) is None:
        return None
    if policy.expected:
        match came_true(policy, root.side_effects.records, root.state.shapes):
            case None:
                return Restart.INTS_LEFT
            case False:
                raise NotExpected
        policy.settle(is_right=True)
    if will_change(policy, root.side_effects.records):
        return Restart.INTS_CHANGED
    if shows_layout_of_nothing(root, end):
        return Restart.EMPTY_ARRAY_SHOWN
    return None


def short_loop(root: RootTranslator, options: TraceOptions) -> LeftLoop | None:
    """The loop that could not be traced, where its iterations do too little to be compiled."""
    loop = outermost(root, root.current.index)
    if options.short_loops is None or loop is None or loop.head not in root.loop_starts:
        return None
    if has_side_exits(root, loop):
        return None
    head, start = loop.head - options.prefix, root.loop_starts[loop.head]
    if head in options.short_loops:
        return None
    aside = replace(options, leaves_loops=False)
    state = new_state(root.state.function, root.state.flat_args, aside)
    try:
        found = estimate_from(RootTranslator(state, start), loop, root.current.index)
    finally:
        state.close()
    options.short_loops[head] = why = found.why_not() or ""
    line = root.instructions[loop.head].line
    reason = f"Python runs the loop in line {line}: {why}"
    return LeftLoop(start, reason, found.operations) if why else None


def estimate_from(root: RootTranslator, loop: Loop, stopped: int) -> Estimate:
    """Go to where the frame is to stop, and through one iteration of the loop that begins there."""
    try:
        root.run()
    except StopHere:
        root.stop_at = None
    return estimate(root, loop, stopped)


def left_to_python(
    reason: str, state: TraceState, more: int = 0, location: Location | None = None
) -> Unsupported:
    """The frame runs in Python, and what was traced of it as well."""
    unsupported = Unsupported(reason)
    unsupported.operations, unsupported.location = len(state.graph.calls) + more, location
    return unsupported


def new_state(
    function: FunctionType, flat_args: Sequence[Any], options: TraceOptions
) -> TraceState:
    state = TraceState(function, flat_args, options, Graph(), GuardSet(), ShapeEnv(), SideEffects())
    state.root_graph, state.lines = state.graph, traced_lines()
    state.shapes = ShapeEnv(options.policy, lambda: state.locate())
    state.shapes.known.until = options.earliest
    state.graph.facts = state.shapes
    state.shapes.origins = state.graph.symbols
    state.graph.unbacked, state.graph.assertions = state.shapes.data, state.shapes.assertions
    return state


def settle_sizes(state: TraceState) -> None:
    """Put into the graph what the trace has found out about its symbols."""
    graph, shapes = state.graph, state.shapes
    for name, origin in graph.symbols.items():
        graph.symbols[name] = shapes.settled_origin(name, origin)
    if fixed := shapes.fixed():
        graph.resize(lambda size: substitute(size, fixed))


def changes_lists(state: TraceState) -> bool:
    """Whether the program changes a list from outside."""
    return any(isinstance(one, ListVariable) for one in state.side_effects.changed())


def perhaps_unbound(root: RootTranslator, end: Returned | Stopped) -> str | None:
    """A variable that the frame goes on to read, and that may have no value."""
    if isinstance(end, Returned):
        return None
    for place in (end, *(other for _, other in end.others)):
        live = live_locals(root.code, place.index)
        for name in [n for n, value in place.locals.items() if isinstance(value, PerhapsBound)]:
            if name in live:
                return name
            del place.locals[name]
    return None
