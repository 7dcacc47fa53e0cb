"""`keys()`, `values()` and `items()` of dicts."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...object_model.attributes import python_method
from ...object_model.constants import FALSE, ConstantVariable, constant, observed
from ...state.tracker import VariableTracker
from .dict_entries import DictEntries
from .sequences import TupleVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

VIEW_TYPES = {"keys": type({}.keys()), "values": type({}.values()), "items": type({}.items())}


class DictViewVariable(VariableTracker):
    """`keys()`, `values()` or `items()` of a dict: sees later changes."""

    def __init__(self, owner: DictEntries, which: str) -> None:
        self.owner = owner
        self.which = which

    def python_type(self) -> type:
        return VIEW_TYPES[self.which]

    def truth(self, tx: Tx) -> bool:
        return self.owner.truth(tx)

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        if self.which == "keys":
            return self.owner.iterate(tx)
        part = (lambda pair: pair[1]) if self.which == "values" else TupleVariable
        return (part(pair) for pair in self.owner.pairs(tx))

    def method___len__(self, tx: Tx) -> VariableTracker:
        return ConstantVariable(len(self.owner.entries(tx)))

    def method___iter__(self, tx: Tx) -> VariableTracker:
        return tx.iterator(self)

    def method___contains__(self, tx: Tx, value: VariableTracker) -> VariableTracker:
        if self.which == "keys":
            return constant(self.owner.has(tx, value))
        if self.which == "values":
            return constant(any(tx.is_equal(item, value) for item in self.iterate(tx)))
        pair = value.contents or value
        if not issubclass(pair.python_type(), tuple) or len(parts := list(pair.iterate(tx))) != 2:
            return FALSE
        found = self.owner.load(tx, parts[0])
        return FALSE if found is None else constant(tx.is_equal(found, parts[1]))

    def method_isdisjoint(self, tx: Tx, other: VariableTracker) -> VariableTracker:
        if self.which == "values":
            raise observed(AttributeError("'dict_values' object has no attribute 'isdisjoint'"))
        shared = (tx.truth(self.method___contains__(tx, item)) for item in tx.iterate(other))
        return constant(not any(shared))

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        return python_method(tx, self, name)

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(getattr(self.owner.kind, self.which))
        code.build(self.owner)
        code.call(1)
