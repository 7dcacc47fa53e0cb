"""Instructions that work on the stack, whatever the values on it are."""
from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from types import FunctionType
from typing import Any

from ..base.records import dataclass
from ..bytecode.assembling import Assembler
from ..errors import Unsupported
from ..tracer.rules.local_classes import is_local
from ..tracer.state.emitter import Push

STORED_ONCE = ".output", ".built", ".held"
"""Temporaries that keep their values."""


@dataclass(frozen=True, slots=True)
class Held:
    """Pushes a value that is kept in a temporary."""

    assembler: Assembler
    slot: str

    def __call__(self) -> None:
        self.assembler.emit("LOAD_FAST", self.slot)


class StackCode:
    """Emits into an `Assembler`, in front of the text of a function."""

    def __init__(self, assembler: Assembler, function: FunctionType) -> None:
        self.assembler = assembler
        self.function = function

    def emit(self, opname: str, operand: Any = 0) -> None:
        self.assembler.emit(opname, operand)

    def load_const(self, value: Any) -> None:
        if is_local(value):
            name = getattr(value, "__qualname__", None) or type(value).__name__
            raise Unsupported(f"{name} outlives the call that defines it")
        self.assembler.emit("LOAD_CONST", value)

    def constant(self, value: Any) -> Push:
        """What pushes `value` later."""
        return partial(self.load_const, value)

    def call(self, n: int) -> None:
        """Call what lies under `n` positional arguments."""
        self.assembler.call(n)

    def binary(self, symbol: str) -> None:
        """Apply a binary operator to the two topmost values."""
        self.emit("BINARY_OP", symbol)

    def store_attribute(self, target: Push, name: str, value: Push) -> None:
        value()
        target()
        self.emit("STORE_ATTR", name)

    def store_item(self, target: Push, key: Push, value: Push) -> None:
        value()
        target()
        key()
        self.emit("STORE_SUBSCR")

    def call_for_effect(self, function: Any, *arguments: Push) -> None:
        self.load_const(function)
        for push in arguments:
            push()
        self.call(len(arguments))
        self.emit("POP_TOP")

    def hold_top(self) -> Push:
        """Take the topmost value; the result pushes it again."""
        if (slot := self.assembler.take_back_load(STORED_ONCE)) is None:
            slot = self.assembler.add_local("held")
            self.emit("STORE_FAST", slot)
        return Held(self.assembler, slot)

    def drop_temporaries(self, later: Iterable[Push] = ()) -> None:
        """Nothing refers to values any more that were kept, except those that are pushed `later`.

        All that remains to be built is built."""
        needed = {push.slot for push in later if isinstance(push, Held)}
        for slot in self.assembler.locals[len(self.function.__code__.co_varnames) :]:
            if slot not in needed:
                self.emit("DELETE_FAST", slot)
