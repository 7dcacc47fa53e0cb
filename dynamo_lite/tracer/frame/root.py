"""The frame of the function itself, which may stop before any of its instructions."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...bytecode.interrupts import interrupt_handlers
from ...bytecode.reading import Handler, Instruction
from ...errors import GraphBreak, InterruptBreak, LoopBreak, Unsupported
from ...guards.shapes.relations import Relation
from ...guards.sources import CellSource, LocalSource
from ..control_flow.side_exits import LoopLeft
from ..object_model.callables import CallableVariable
from ..object_model.cells import outside_cell
from ..object_model.lazy import LazyVariable
from ..object_model.methods import BuiltinMethodVariable
from ..opcodes import HANDLERS
from ..rules.trace_rules import rule_for
from ..state.trace import Returned, Stopped, TraceState
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.arrays.sizes import SizeVariable
from ..trackers.objects.classes import ClassVariable
from ..trackers.objects.objects import ObjectVariable
from .translator import Translator


class StopHere(Exception):
    """The root frame has reached the instruction before which it is to stop."""


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
        self.interrupt_handlers = {} if state.options.whole else interrupt_handlers(code)

    def step(self) -> None:
        state = self.state
        if state.root_steps == self.stop_at:
            raise StopHere
        if self.interrupt_handlers and self.crosses_try():
            raise self.stop_at_try()
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

    def crosses_try(self) -> bool:
        """Whether the frame enters or leaves a `try` that handles interrupts."""
        before, now = self.handlers_around(self.index)
        return before != now and self.entered is not None

    def handlers_around(self, index: int) -> tuple[Sequence[Handler], Sequence[Handler]]:
        """The handlers of interrupts that were in force, and those at an instruction."""
        handlers = self.interrupt_handlers
        return handlers.get(self.current.index, ()), handlers.get(index, ())

    def handler_left(self, index: int) -> Handler | None:
        """The one that control leaves behind where it goes to an instruction."""
        before, now = self.handlers_around(index)
        return next((each for each in before if each not in now), None)

    def stop_at_try(self) -> GraphBreak:
        stop = self.broken("interrupts are raised in their try", kind=InterruptBreak)
        self.current = self.instructions[self.index]
        return stop

    def broken(
        self, reason: str, asked: Sequence[Relation] = (), kind: type[GraphBreak] = GraphBreak
    ) -> GraphBreak:
        """A break at the current instruction of the root frame."""
        stop = kind(reason)
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
            stop.is_sound = True
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
        except LoopLeft as left:
            others = [(truth, replace(other, handler=self.handler_left(other.index)))
                      for truth, other in left.end.others]
            handler = self.handler_left(left.end.index)
            end = replace(left.end, others=tuple(others), handler=handler)
        except StopHere:
            end = self.stopped(self.index)
        return end

    def stopped(self, index: int) -> Stopped:
        """The analysis ends before that instruction."""
        handler = self.handler_left(index)
        self.current = self.instructions[index]
        return Stopped(
            index, "", self.location(), tuple(self.stack), dict(self.locals),
            operations_of(self.current, self.stack), handler=handler,
        )  # fmt: skip

    def check_generators(self) -> None:
        """Those that the frame leaves before their end have to close without a word."""
        for generator in self.state.suspended:
            if not generator.finished and not generator.closes_silently():
                raise Unsupported(f"the generator {generator.name} is left before its end")

    def settle_hints(self) -> None:
        """Sizes are likely to be what they are in this call."""


def operations_of(inst: Instruction, stack: Sequence[VariableTracker]) -> int:
    """How many operations on arrays an instruction is itself: one or none."""
    if inst.opname == "CALL":
        called, given = (values := stack[-inst.arg - 2 :])[:2], values[1:]
        works = any(map(is_array, given)) and not any(map(has_effects, called))
        return int(works or any(map(is_array_function, called)))
    handler = HANDLERS.get(inst.opname)
    if handler is None or not handler.on_arrays:
        return 0
    return int(any(map(is_array, stack[-handler.taken(inst) :])))


def is_array(value: VariableTracker) -> bool:
    """Whether it is one of the graph's values, or of a subclass of arrays, which is none."""
    if isinstance(value, ObjectVariable):
        return issubclass(value.kind, np.ndarray)
    return value.in_graph and not isinstance(value, SizeVariable)


def has_effects(value: VariableTracker) -> bool:
    """Whether it is called for what it does outside the program, like `print`."""
    return isinstance(value, CallableVariable) and rule_for(value.value).id == "effect-builtin"


def is_array_function(value: VariableTracker) -> bool:
    """A function of NumPy's or CuPy's own, or a method of an array."""
    if isinstance(value, BuiltinMethodVariable):
        return value.owner.in_graph
    if isinstance(value, ClassVariable) and not issubclass(value.value, np.generic):
        return False
    if not isinstance(value, CallableVariable | ClassVariable):
        return False
    return rule_for(value.value).id in ("numpy", "cupy")
