"""The call at which a graph breaks: what is compiled of it, and what it is called with."""
from __future__ import annotations

from collections.abc import Sequence
from types import MethodDescriptorType, MethodType
from typing import Any

from ..bytecode.reading import CALLABLE_FIRST, Instruction
from ..bytecode.splitting import STACK_EFFECTS
from ..tracer.object_model.constants import NO_SELF, NullVariable
from ..tracer.object_model.methods import MethodVariable
from ..tracer.rules.mro import lookup
from ..tracer.state.emitter import Push
from ..tracer.state.tracker import VariableTracker
from ..tracer.trackers.objects.functions import (
    FunctionVariable,
    UserFunctionVariable,
    is_known_by_code,
)
from .closures import ClosureCall, closure_call
from .frames import Frames
from .reconstruct import Reconstructor


class CallAtBreak:
    """The instruction of a break, of which `values` are on the stack, pushed by `stack`."""

    def __init__(
        self, code: Reconstructor, frames: Frames, instruction: Instruction,
        values: Sequence[VariableTracker], stack: Sequence[Push],
    ) -> None:
        self.code, self.frames, self.instruction = code, frames, instruction
        self.values, self.stack = values, stack

    def place(self) -> int | None:
        """Where the callable lies on the stack; None where the instruction is no call."""
        if self.instruction.opname not in ("CALL", "CALL_FUNCTION_EX"):
            return None
        first = len(self.stack) - STACK_EFFECTS[self.instruction.opname](self.instruction)[0]
        return first + isinstance(self.values[first], NullVariable)

    def operands(self) -> list[Push]:
        """What pushes the stack, with functions in compiled form."""
        pushes = [*self.stack]
        if (at := self.place()) is not None:
            pushes[at] = self._callee(self.values[at]) or pushes[at]
            self._put_method(pushes, at)
        return pushes

    def of_closure(self) -> ClosureCall | None:
        """Hold what the call of a closure in compiled form takes; the result emits the call."""
        if self.instruction.opname != "CALL" or (at := self.place()) is None:
            return None
        first = len(self.stack) - self.instruction.arg - 2
        pushes, called = list(self.stack[first + 2 :]), self.values[at]
        if not any(isinstance(value, NullVariable) for value in self.values[first : first + 2]):
            pushes = list(self.stack[first + 1 :])
        if isinstance(called, MethodVariable) and called.source is None:
            pushes, called = [self.code.hold(called.self_), *pushes], called.function
        if not isinstance(called, FunctionVariable):
            return None
        return closure_call(
            self.code, called, pushes, self.instruction.kwnames, self.frames.lifted
        )

    def _callee(self, called: VariableTracker) -> Push | None:
        """What pushes the compiled form of a function that is guarded by identity."""
        method = called if isinstance(called, MethodVariable) and called.source is None else None
        function = method.function if method is not None else called
        if not isinstance(function, UserFunctionVariable) or is_known_by_code(function.value):
            return None
        code, frames = self.code, self.frames
        receiver = code.hold(method.self_) if method is not None else None

        def push() -> None:
            if receiver is not None:
                code.load_const(MethodType)
            code.load_const(frames.callee(function.value))
            if receiver is not None:
                receiver()
                code.call(2)

        return push

    def _put_method(self, pushes: list[Push], at: int) -> None:
        """A method of C that is called where it is looked up: messages name its class then."""
        called: Any = self.values[at]
        null = at + 1 if CALLABLE_FIRST else at - 1
        if self.values[null] is not NO_SELF:
            return
        function = lookup(called.owner.python_type(), called.name)
        if isinstance(function, MethodDescriptorType):
            receiver = self.code.hold(called.owner)
            pushes[min(at, null)] = self.code.constant(function)
            pushes[max(at, null)] = receiver
