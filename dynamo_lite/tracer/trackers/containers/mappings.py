"""`types.MappingProxyType`: a mapping seen through a read-only view."""
from __future__ import annotations

import types
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....errors import GraphBreak
from ...object_model.attributes import python_method
from ...object_model.methods import BuiltinMethodVariable
from ...state.tracker import Args, Kwargs, VariableTracker
from .dicts import DictVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

READING = (
    "__getitem__", "__contains__", "__len__", "__iter__", "__reversed__", "get", "keys", "values",
    "items", "copy", "__or__",
)  # fmt: skip


class MappingProxyVariable(VariableTracker):
    """A view of a dict; whatever it is asked the dict answers."""

    def __init__(self, mapping: DictVariable) -> None:
        self.mapping = mapping

    def python_type(self) -> type:
        return types.MappingProxyType

    def truth(self, tx: Tx) -> bool:
        return self.mapping.truth(tx)

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        return self.mapping.iterate(tx)

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name in READING:
            return BuiltinMethodVariable(self.mapping, name)
        return python_method(tx, self, name)

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        if name in READING:
            return self.mapping.call_method(tx, name, args, kwargs)
        return super().call_method(tx, name, args, kwargs)

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(types.MappingProxyType)
        code.build(self.mapping)
        code.call(1)


def unwrapped(
    lhs: VariableTracker, rhs: VariableTracker
) -> tuple[VariableTracker, VariableTracker]:
    """The operands of `|` or of a comparison as a proxy hands them on: its mapping in its place."""
    for side in (lhs, rhs):
        is_opaque = not isinstance(side, MappingProxyVariable)
        if side.python_type() is types.MappingProxyType and is_opaque:
            raise GraphBreak(f"an operator on {side.describe()}")
    if isinstance(lhs, MappingProxyVariable):
        lhs = lhs.mapping
    if isinstance(rhs, MappingProxyVariable) and isinstance(lhs.contents or lhs, DictVariable):
        rhs = rhs.mapping
    return lhs, rhs
