"""Dicts: the methods that Python code calls."""
from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ....errors import GraphBreak
from ...object_model.attributes import python_method
from ...object_model.class_attributes import overridden
from ...object_model.constants import (
    NONE,
    NOT_IMPLEMENTED,
    TRUE,
    ConstantVariable,
    builds,
    constant,
    observe,
    observed,
)
from ...state.tracker import VariableTracker
from .dict_entries import DictEntries, Entry
from .dict_views import DictViewVariable
from .sequences import TupleVariable

if TYPE_CHECKING:
    from ...state.tx import Tx

NUMBERS = (bool, int, float)
"""Classes that make a number of nothing."""
KINDS_OF_DICT = (dict, OrderedDict, defaultdict)


class DictVariable(DictEntries):
    """A dict, or one of a subclass that keeps dict's behaviour (OrderedDict, defaultdict)."""

    @classmethod
    def of(cls, tx: Tx, pairs: Iterable[Entry]) -> DictVariable:
        made = cls()
        for key, value in pairs:
            made.store(tx, key, value)
        return made

    def with_values(self, values: Iterable[VariableTracker]) -> DictVariable:
        """A new dict with the same keys."""
        made = DictVariable(kind=self.kind, factory=self.factory)
        for (hashed, (key, _)), value in zip(self._entries.items(), values):
            made._entries[hashed] = key, value
        return made

    def as_argument(self, tx: Tx) -> Any:
        if self.kind is not dict:
            raise GraphBreak(f"{self.describe()} as an argument of NumPy")
        return {
            key.as_constant(tx): value.as_argument(tx) for key, value in self.pairs(tx)
        }

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name == "default_factory" and self.kind is defaultdict:
            return self.factory
        return python_method(tx, self, name)

    def method___len__(self, tx: Tx) -> VariableTracker:
        return ConstantVariable(len(self.entries(tx)))

    def method___iter__(self, tx: Tx) -> VariableTracker:
        return tx.iterator(self)

    def method___contains__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        if (computed := tx.look_up(self, key)) is not None:
            return computed.found
        return constant(self.has(tx, key))

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        if getattr(self.factory, "value", None) in NUMBERS:
            tx.plan_table(self, key, tx.call(self.factory))
        if (computed := tx.look_up(self, key)) is not None:
            return computed.expected(tx)
        if (value := self.load(tx, key)) is not None:
            return value
        if self.factory is not NONE:
            value = tx.call(self.factory)
            self.store(tx, key, value)
            return value
        raise observed(KeyError(key.as_constant(tx)))

    def method___setitem__(
        self, tx: Tx, key: VariableTracker, value: VariableTracker
    ) -> VariableTracker:
        tx.plan_table(self, key, value)
        self.store(tx, key, value)
        return NONE

    def method___delitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        self.method_pop(tx, key)
        return NONE

    def method_get(
        self, tx: Tx, key: VariableTracker, default: VariableTracker = NONE
    ) -> VariableTracker:
        if (computed := tx.look_up(self, key)) is not None:
            return computed.otherwise(tx, default)
        value = self.load(tx, key)
        return default if value is None else value

    def method_setdefault(
        self, tx: Tx, key: VariableTracker, default: VariableTracker = NONE
    ) -> VariableTracker:
        tx.plan_table(self, key, default)
        self.entries(tx)
        hashed = key.hash_key(tx)
        if (value := self.load_hashed(tx, hashed)) is not None:
            return value
        self.store_hashed(tx, hashed, key, default)
        return default

    def method_pop(
        self, tx: Tx, key: VariableTracker, default: VariableTracker | None = None
    ) -> VariableTracker:
        self.entries(tx)
        hashed = key.hash_key(tx)
        if (value := self.load_hashed(tx, hashed)) is not None:
            del self.change(tx)[hashed]
            self.removed.append(hashed)
            return value
        if default is None:
            raise observed(KeyError(key.as_constant(tx)))
        return default

    def method_popitem(
        self, tx: Tx, last: VariableTracker = TRUE
    ) -> VariableTracker:
        entries = self.entries(tx)
        if not entries:
            observe(({} if self.kind is not OrderedDict else OrderedDict()).popitem)
        key = entries[list(entries)[-1 if last.truth(tx) else 0]][0]
        return TupleVariable([key, self.method_pop(tx, key)])

    def method_move_to_end(
        self, tx: Tx, key: VariableTracker, last: VariableTracker = TRUE
    ) -> VariableTracker:
        to_end = tx.truth(last)
        self.entries(tx)
        hashed, order = key.hash_key(tx), list(self._entries)
        if hashed not in self._entries:
            known = key.as_constant(tx)
            raise observed(KeyError(*known) if type(known) is tuple else KeyError(known))
        if order[-1 if to_end else 0] == hashed:
            return NONE
        entries = self.change(tx)
        self.removed.append(hashed)
        moved = {hashed: entries.pop(hashed)}
        rest = dict(entries)
        entries.clear()
        entries.update({**rest, **moved} if to_end else {**moved, **rest})
        return NONE

    def method_update(
        self, tx: Tx, *others: VariableTracker, **named: VariableTracker
    ) -> VariableTracker:
        if len(others) > 1 and self.whole is not None:  # C says which method it was
            raise GraphBreak(f"updating {self.whole.describe()} with {len(others)} arguments")
        if len(others) > 1:
            raise observed(TypeError(f"update expected at most 1 argument, got {len(others)}"))
        for other in others:
            if (table := self.merged(other)) is not None:
                for hashed in [*table.live_keys(tx)]:
                    self.store_hashed(tx, hashed, *table.entry(tx, hashed))
                continue
            pairs = tx.pairs(other, self.kind)
            for key, value in list(pairs) if isinstance(other, DictVariable) else pairs:
                self.store(tx, key, value)
        for name, value in named.items():
            self.store(tx, ConstantVariable(name), value)
        return NONE

    def merged(self, other: VariableTracker) -> DictVariable | None:
        """A dict from which C takes over the hashes as well, if it is one."""
        table = other if other.contents is None else other.contents
        if not isinstance(table, DictVariable) or OrderedDict in (self.kind, table.kind):
            return None
        return None if overridden(other.python_type(), "__iter__") else table

    def method_clear(self, tx: Tx) -> VariableTracker:
        entries = self.change(tx)
        self.removed.extend(entries)
        self.was_cleared = True
        entries.clear()
        return NONE

    def method_copy(self, tx: Tx) -> VariableTracker:
        if self.whole is not None and self.kind is not dict:  # asks the class for another object
            raise GraphBreak(f"copying {self.whole.describe()}")
        made = DictVariable(kind=self.kind, factory=self.factory)
        made._entries.update(self.entries(tx))
        return made

    method___copy__ = method_copy

    def method_keys(self, tx: Tx) -> VariableTracker:
        return DictViewVariable(self, "keys")

    def method_values(self, tx: Tx) -> VariableTracker:
        return DictViewVariable(self, "values")

    def method_items(self, tx: Tx) -> VariableTracker:
        return DictViewVariable(self, "items")

    def method___or__(self, tx: Tx, other: VariableTracker) -> VariableTracker:
        if not isinstance(other.contents or other, DictVariable):
            return NOT_IMPLEMENTED
        made = self.method_copy(tx)
        made.call_method(tx, "update", (other,), {})
        return made

    def method___ior__(self, tx: Tx, other: VariableTracker) -> VariableTracker:
        self.method_update(tx, other)
        return self


@builds(dict)
def _dict(value: dict[Any, Any]) -> VariableTracker:
    made = DictVariable()
    for key, item in value.items():
        made._entries[key] = (constant(key), constant(item))
    return made
