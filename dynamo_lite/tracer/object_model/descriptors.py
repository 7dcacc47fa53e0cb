"""`property`, `staticmethod` and `classmethod` objects that a class body makes."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...errors import GraphBreak
from ..state.tracker import VariableTracker
from .constants import NONE
from .methods import BuiltinMethodVariable

if TYPE_CHECKING:
    from ..state.emitter import Emitter
    from ..state.tx import Tx


class DescriptorVariable(VariableTracker):
    """`kind(*parts)`, where the parts are functions or None."""

    def __init__(self, kind: type, parts: Sequence[VariableTracker]) -> None:
        self.kind = kind
        self.parts = tuple(parts)

    def python_type(self) -> type:
        return self.kind

    def truth(self, tx: Tx) -> bool:
        return True

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if self.kind is property and name in ("setter", "deleter", "getter"):
            return BuiltinMethodVariable(self, name)
        return super().getattr(tx, name)

    def with_part(self, index: int, function: VariableTracker) -> VariableTracker:
        if len(self.parts) > 3:
            raise GraphBreak("a copy of a property with a docstring of its own")
        parts = [*self.parts, NONE, NONE, NONE][:3]
        parts[index] = function
        return DescriptorVariable(property, parts)

    def method_getter(self, tx: Tx, function: VariableTracker) -> VariableTracker:
        return self.with_part(0, function)

    def method_setter(self, tx: Tx, function: VariableTracker) -> VariableTracker:
        return self.with_part(1, function)

    def method_deleter(self, tx: Tx, function: VariableTracker) -> VariableTracker:
        return self.with_part(2, function)

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(self.kind)
        for part in self.parts:
            code.build(part)
        code.call(len(self.parts))
