"""Analysing the frame of the function itself: speculate, and stop before what cannot be traced."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from ...base import logs
from ...base.records import dataclass
from ...bytecode.flow import Loop
from ...bytecode.reading import Instruction, read
from ...errors import GraphBreak, LoopBreak, OutOfTime, PlanLoop, Unsupported
from ...guards.guard_set import GuardSet
from ...guards.shapes.relations import Relation
from ...guards.shapes.shape_env import ShapeEnv
from ...guards.sources import CellSource, LocalSource
from ...ir.graph import Graph
from ...ir.node import Location
from ...ir.sizes import substitute
from ..control_flow.escapes import check_escapes, shows_layout_of_nothing
from ..control_flow.growing import settle_lists
from ..control_flow.worth import CROSSING, Estimate, estimate, outermost, saved
from ..object_model.callables import CallableVariable
from ..object_model.cells import outside_cell
from ..object_model.lazy import LazyVariable
from ..object_model.methods import BuiltinMethodVariable
from ..rules.frame_inspection import why_seen
from ..rules.trace_rules import rule_for
from ..state.side_effects import SideEffects
from ..state.trace import LoopPlan, Returned, Stopped, Trace, TraceOptions, TraceState
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.arrays.sizes import SizeVariable
from ..trackers.objects.classes import ClassVariable
from .expected_changes import Learnt, came_true, will_change
from .no_alias import guard_no_alias
from .translator import Translator

DYNAMO = logs.logger("dynamo")


class StopHere(Exception):
    """The root frame has reached the instruction before which it is to stop."""


class NotExpected(Exception):
    """An int that was expected to change does not."""


class RootTranslator(Translator):
    """Counts the instructions it takes: a point that a second analysis finds again."""

    def __init__(self, state: TraceState, stop_at: int | None) -> None:
        function = state.function
        code = function.__code__
        locals_: dict[str, VariableTracker] = {
            name: LazyVariable(value, LocalSource(index, name))
            for index, (name, value) in enumerate(zip(code.co_varnames, state.flat_args))
        }
        super().__init__(state, code, function.__globals__, locals_, ())
        self.closure = [
            self.outside(cell, CellSource(index, name), partial(outside_cell, self))
            for index, (name, cell) in enumerate(
                zip(code.co_freevars, function.__closure__ or ())
            )
        ]
        self.stop_at = stop_at
        self.loop_starts: dict[int, int] = {}
        self.first_jumps: dict[int, int] = {}
        self.entered: int | None = None
        self.raised_at: list[int] = []

    def step(self) -> None:
        state = self.state
        if state.root_steps == self.stop_at:
            raise StopHere
        self.loop_starts.setdefault(self.index, state.root_steps)
        if self.entered is None and self.index >= state.options.prefix:
            self.entered = state.root_steps
        known = state.shapes.relations[-1:]
        try:
            self.interpret()
        except GraphBreak as stop:
            stop.root_steps = self.stop_before(stop)
            if stop.refused:
                stop.asked = state.shapes.asked_after(known)
            raise
        except RecursionError:
            raise self.broken("calls are nested too deep to be followed") from None
        except ObservedException as raised:
            raised.__traceback__ = None
            asked = state.shapes.asked_after(known)
            raise self.broken(f"{raised.value.describe()} is raised", asked) from None
        state.root_steps += 1
        del self.raised_at[len(self.handled) :]

    def broken(self, reason: str, asked: Sequence[Relation] = ()) -> GraphBreak:
        """A break at the current instruction of the root frame."""
        stop = GraphBreak(reason)
        stop.asked = asked
        stop.location, stop.root_steps = self.location(), self.stop_before(stop)
        return stop

    def unwind(self, inst: Any, raised: ObservedException) -> bool:
        if is_caught := super().unwind(inst, raised):
            self.raised_at.append(self.state.root_steps)
        return is_caught

    def stop_before(self, stop: GraphBreak) -> int:
        """Loops are stopped before they begin, handlers before the exception that led to them."""
        if self.raised_at:
            return self.raised_at[0]
        target = self.current.target
        if isinstance(stop, LoopBreak) and target is not None and target <= self.current.index:
            return self.stop_loop(stop, target)
        return self.state.root_steps

    def stop_loop(self, stop: LoopBreak, target: int) -> int:
        """A loop stops before it begins; one that the frame begins with, after one run of its body.

        That body is then all of a graph, which leads back to where the frame began.
        """
        start = self.loop_starts.get(target, self.state.root_steps)
        if self.instructions[target].opname == "FOR_ITER":
            return start
        if start != self.entered:
            stop.before_loop = True
            return start
        return self.first_jumps[target]

    def jump(self, target: int | None) -> None:
        captured = self.state.graph.is_body
        if target is not None and target <= self.current.index and not captured:
            self.first_jumps.setdefault(target, self.state.root_steps)
        super().jump(target)

    def finish(self) -> Returned | Stopped:
        try:
            end: Returned | Stopped = Returned(self.run())
        except StopHere:
            self.current = self.instructions[self.index]
            end = Stopped(
                self.index, "", self.location(), tuple(self.stack), dict(self.locals),
                operations_of(self.current, self.stack),
            )  # fmt: skip
        for generator in self.state.suspended:
            if not generator.finished and not generator.closes_silently():
                raise Unsupported(f"the generator {generator.name} is left before its end")
        return end


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
        raise Unsupported(seen)
    if (policy := options.policy) is None:
        return analyse(function, flat_args, options, stop_at)
    learnt = Learnt.by(options, policy)
    try:
        return analyse(function, flat_args, options, stop_at)
    except (Unsupported, NotExpected):
        if not policy.expected:
            raise
    finally:
        policy.settle(is_right=False)
    learnt.restore()
    DYNAMO.info("the analysis begins anew, with ints that do not change as expected")
    return analyse(function, flat_args, options, stop_at)


def analyse(
    function: FunctionType, flat_args: Sequence[Any], options: TraceOptions, stop_at: int | None
) -> Trace:
    """What is not done in time is left to Python as a whole."""
    try:
        return speculate(function, flat_args, options, stop_at)
    except OutOfTime as stop:
        raise Unsupported(str(stop)) from None


def speculate(
    function: FunctionType, flat_args: Sequence[Any], options: TraceOptions, stop_at: int | None
) -> Trace:
    """The analysis is speculative: what cannot be traced makes it start again and stop before the
    root frame's instruction that asked for it."""
    reason, location, restarts, before_loop = "asked to stop", None, 0, False
    left: Left | None = None
    asked: Sequence[Relation] = ()
    stands: Sequence[Any] = ()
    while True:
        state = new_state(function, flat_args, options)
        try:
            root = RootTranslator(state, stop_at)
            end = root.finish()
            state.shapes.ask_again(asked)
            for guard in stands:
                state.guards.install(*guard)
            settle_lists(root, end)
            check_escapes(root, end)
        except PlanLoop as found:
            options.loops[found.place] = LoopPlan(
                found.reason, found.peeled, found.unions, found.lists
            )
            code, index = found.place
            where = f"{code.co_filename}:{read(code)[index].line}"
            restarts = start_again(restarts, f"for the loop at {where}: {found}")
            continue
        except GraphBreak as stop:
            if stop.root_steps is None or (stop_at is not None and stop.root_steps >= stop_at):
                raise left_to_python(str(stop), state) from stop
            stop_at, reason, location = stop.root_steps, str(stop), stop.location
            asked, stands = stop.asked, stop.stands
            before_loop = isinstance(stop, LoopBreak) and stop.before_loop
            if (left := short_loop(root, options)) is not None:
                stop_at, reason = left.start, f"{reason}; {left.reason}"
            restarts = start_again(restarts, f"to stop at {location}: {reason}")
            continue
        except Unsupported as stop:
            raise left_to_python(str(stop), state) from stop
        else:
            if (change := second_thought(root, end)) is not None:
                restarts = start_again(restarts, change)
                continue
            if isinstance(end, Stopped):
                end = replace(
                    end, reason=reason, location=location or end.location,
                    before_loop=before_loop, operations=0 if before_loop else end.operations,
                )  # fmt: skip
            if isinstance(end, Stopped) and left is not None:
                end = replace(end, in_python=True, operations=left.operations)
                if sum(saved(root, node) for node in state.graph.calls) < CROSSING:
                    raise left_to_python(reason, state, left.operations, location)
            guard_no_alias(state)
            return finished(state, end, restarts)
        finally:
            state.close()


def start_again(restarts: int, why: str) -> int:
    """Say that the analysis starts once more; how often it has by then."""
    logs.restarted(restarts + 1)
    DYNAMO.info("the analysis starts again, %s", why)
    return restarts + 1


def second_thought(root: RootTranslator, end: Returned | Stopped) -> str | None:
    """What an analysis that came to its end would better take otherwise, or None."""
    if (policy := root.state.options.policy) is None:
        return None
    if policy.expected:
        match came_true(policy, root.side_effects.records, root.state.shapes):
            case None:
                return "with what the program leaves in ints"
            case False:
                raise NotExpected
        policy.settle(is_right=True)
    if will_change(policy, root.side_effects.records):
        return "with ints that the program changes"
    if shows_layout_of_nothing(root, end):
        return "with sizes of 0 as numbers"
    return None


@dataclass(frozen=True, slots=True)
class Left:
    """A loop that Python had better run: the root step at which it begins, and why."""

    start: int
    reason: str
    operations: int


def short_loop(root: RootTranslator, options: TraceOptions) -> Left | None:
    """The loop that could not be traced, where its iterations do too little to be compiled."""
    loop = outermost(root, root.current.index)
    if options.short_loops is None or loop is None or loop.head not in root.loop_starts:
        return None
    head, start = loop.head - options.prefix, root.loop_starts[loop.head]
    if head in options.short_loops:
        return None
    state = new_state(root.state.function, root.state.flat_args, options)
    try:
        found = estimate_from(RootTranslator(state, start), loop, root.current.index)
    finally:
        state.close()
    options.short_loops[head] = why = found.why_not() or ""
    line = root.instructions[loop.head].line
    reason = f"Python runs the loop in line {line}: {why}"
    return Left(start, reason, found.operations) if why else None


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


def operations_of(inst: Instruction, stack: Sequence[VariableTracker]) -> int:
    """How many operations on arrays an instruction is itself: one or none."""
    if inst.opname == "CALL":
        called = stack[-inst.arg - 2 :][:2]
        return int(any(map(is_array_function, called)))
    operands = stack[-OPERANDS[inst.opname] :] if inst.opname in OPERANDS else ()
    return int(any(value.in_graph and not isinstance(value, SizeVariable) for value in operands))


OPERANDS = {
    "BINARY_OP": 2, "COMPARE_OP": 2, "UNARY_NEGATIVE": 1, "UNARY_POSITIVE": 1, "UNARY_INVERT": 1,
    "BINARY_SUBSCR": 2, "BINARY_SLICE": 3, "STORE_SUBSCR": 3, "STORE_SLICE": 4, "CONTAINS_OP": 2,
}  # fmt: skip
"""Opname → how many values it takes, where it may be an operation on arrays."""


def is_array_function(value: VariableTracker) -> bool:
    """A function of NumPy's or CuPy's own, or a method of an array."""
    if isinstance(value, BuiltinMethodVariable):
        return value.owner.in_graph
    if isinstance(value, ClassVariable) and not issubclass(value.value, np.generic):
        return False
    if not isinstance(value, CallableVariable | ClassVariable):
        return False
    return rule_for(value.value).id in ("numpy", "cupy")


def new_state(
    function: FunctionType, flat_args: Sequence[Any], options: TraceOptions
) -> TraceState:
    state = TraceState(function, flat_args, options, Graph(), GuardSet(), ShapeEnv(), SideEffects())
    state.root_graph = state.graph
    state.shapes = ShapeEnv(options.policy, lambda: state.locate())
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


def finished(state: TraceState, end: Returned | Stopped, restarts: int) -> Trace:
    state.shapes.end_trace()
    settle_sizes(state)
    reasons = (end.reason,) if isinstance(end, Stopped) else ()
    return Trace(
        state.function, state.graph, [source for source, _ in state.inputs], state.guards,
        state.shapes, state.side_effects, end, state.steps, restarts, reasons, state.root_steps,
    )  # fmt: skip


__all__ = ["RootTranslator", "Translator", "translate"]
