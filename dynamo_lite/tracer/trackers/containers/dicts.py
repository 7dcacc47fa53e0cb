"""Dicts and their views."""
from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ....errors import GraphBreak
from ....guards.kinds import KEYS
from ....guards.sources import ItemSource, Source
from ...object_model.attributes import python_method
from ...object_model.class_attributes import overridden
from ...object_model.constants import (
    FALSE,
    NONE,
    NOT_IMPLEMENTED,
    TRUE,
    ConstantVariable,
    builds,
    constant,
    observe,
    observed,
)
from ...object_model.known_keys import is_known_key, is_named_key, look_for_ids
from ...object_model.lazy import LazyVariable, realise
from ...object_model.refusals import name_in_c
from ...state.tracker import VariableTracker
from .keys_read import KeysRead, is_plain
from .sequences import TupleVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

Entry = tuple[VariableTracker, VariableTracker]


class DictVariable(VariableTracker):
    """A dict; `kind` may be a subclass that keeps dict's behaviour (OrderedDict, defaultdict).

    `unread` is the outside dict until its keys are looked at; `removed` has the keys that were
    taken out or moved, all of them where `was_cleared`.
    """

    def __init__(
        self,
        source: Source | None = None,
        unread: dict[Any, Any] | None = None,
        kind: type = dict,
        factory: VariableTracker = NONE,
    ) -> None:
        self._entries: dict[Hashable, Entry] = {}
        self.source = source
        self.unread = unread
        self.looked_up = KeysRead()
        self.kind = kind
        self.factory = factory
        self.whole: VariableTracker | None = None
        self.removed: list[Hashable] = []
        self.was_cleared = False

    @classmethod
    def of(cls, tx: Tx, pairs: Iterable[Entry]) -> DictVariable:
        made = cls()
        for key, value in pairs:
            made.store(tx, key, value)
        return made

    def python_type(self) -> type:
        return self.kind

    def entries(self, tx: Tx) -> dict[Hashable, Entry]:
        """Hash key → (key, value); the keys and their order are guarded."""
        if self.unread is not None:
            outside, self.unread = self.unread, None
            assert self.source is not None
            if not all(map(is_known_key, dict.keys(outside))):
                raise GraphBreak(f"{self.describe()} has keys that cannot be guarded")
            if not tx.shapes.policy.may_fix_contents(self.source, tuple(outside)):
                raise GraphBreak(f"Python needs the keys of {self.source}, which keep changing")
            tx.guards.install(self.source, KEYS, outside, tx.location())
            look_for_ids(tx, outside)
            for key, value in outside.items():
                lazy = LazyVariable(value, ItemSource(self.source, key, container_of(self)))
                known = tx.known(key) if is_named_key(key) else constant(key)
                hashed = known.hash_key(tx)
                looked_up = self.looked_up.values.get(hashed)
                self._entries[hashed] = (known, lazy if looked_up is None else looked_up)
        return self._entries

    def built_entries(self) -> list[Entry]:
        """The entries of a dict that has been read or was made by the frame."""
        return list(self._entries.values())

    def built_keys(self) -> list[str]:
        """The keys of such a dict as text that tells them apart, types included."""
        return [repr(hashed) for hashed in self._entries]

    def with_values(self, values: Iterable[VariableTracker]) -> DictVariable:
        """A new dict with the same keys."""
        made = DictVariable(kind=self.kind, factory=self.factory)
        for (hashed, (key, _)), value in zip(self._entries.items(), values):
            made._entries[hashed] = key, value
        return made

    def snapshot(self) -> dict[Hashable, Entry]:
        return dict(self._entries)

    def known_entries(self) -> dict[Hashable, Entry]:
        """Hash key → (key, value) of a dict that has been read or was made by the frame."""
        return self._entries

    def change(self, tx: Tx) -> dict[Hashable, Entry]:
        entries = self.entries(tx)
        tx.side_effects.mutates(self)
        return entries

    def has(self, tx: Tx, key: VariableTracker) -> bool:
        if (place := self.looks_up(tx, key)) is not None:
            return self.looked_up.has(tx, *place, key)
        entries = self.entries(tx)
        return key.hash_key(tx) in entries

    def looks_up(
        self, tx: Tx, key: VariableTracker
    ) -> tuple[dict[Any, Any], Source] | None:
        """The dict from outside, and where it is, when only this key of it is looked at."""
        if self.unread is None or self.source is None or self.whole is not None:
            return None
        if not is_plain(key):
            return None
        look_for_ids(tx, [key.as_constant(tx)])
        return self.unread, self.source

    def load(self, tx: Tx, key: VariableTracker) -> VariableTracker | None:
        """The value of a key, or None where it is missing."""
        if (place := self.looks_up(tx, key)) is not None:
            return self.looked_up.load(tx, *place, key, container_of(self))
        self.entries(tx)
        return self.load_hashed(tx, key.hash_key(tx))

    def load_hashed(self, tx: Tx, hashed: Hashable) -> VariableTracker | None:
        entries = self.entries(tx)
        if (entry := entries.get(hashed)) is None:
            return None
        value = realise(tx, entry[1])
        if value is not entry[1]:
            entries[hashed] = (entry[0], value)
        return value

    def store(self, tx: Tx, key: VariableTracker, value: VariableTracker) -> None:
        self.store_hashed(tx, key.hash_key(tx), key, value)

    def store_hashed(
        self, tx: Tx, hashed: Hashable, key: VariableTracker, value: VariableTracker
    ) -> None:
        """An equal key that is there already stays; no `__hash__` is called."""
        entries = self.change(tx)
        known = entries.get(hashed)
        entries[hashed] = (key if known is None else known[0], value)

    def as_argument(self, tx: Tx) -> Any:
        if self.kind is not dict:
            raise GraphBreak(f"{self.describe()} as an argument of NumPy")
        return {
            key.as_constant(tx): value.as_argument(tx) for key, value in self.pairs(tx)
        }

    def pairs(self, tx: Tx) -> Iterator[Entry]:
        return (self.entry(tx, hashed) for hashed in self.live_keys(tx))

    def entry(self, tx: Tx, hashed: Hashable) -> Entry:
        """The entry of a key that is there, its value looked at."""
        key, value = self._entries[hashed]
        self._entries[hashed] = (key, realise(tx, value))
        return self._entries[hashed]

    def live_keys(self, tx: Tx) -> Iterator[Hashable]:
        """Keys one by one; a change of size from now on is the error that Python makes of it."""
        return self._unchanged(list(self.entries(tx)))

    def _unchanged(self, before: list[Hashable]) -> Iterator[Hashable]:
        removals = len(self.removed)
        for hashed in before:
            if len(self._entries) != len(before):
                raise observed(RuntimeError("dictionary changed size during iteration"))
            if len(self.removed) != removals:  # the order may be another one
                raise GraphBreak("the keys of a dict change while it is iterated over")
            if hashed not in self._entries:
                raise observed(RuntimeError("dictionary keys changed during iteration"))
            yield hashed
        if len(self._entries) != len(before):
            raise observed(RuntimeError("dictionary changed size during iteration"))
        if len(self.removed) != removals:
            raise GraphBreak("the keys of a dict change while it is iterated over")

    def truth(self, tx: Tx) -> bool:
        return bool(self.entries(tx))

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        return (self._entries[hashed][0] for hashed in self.live_keys(tx))

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name == "default_factory" and self.kind is defaultdict:
            return self.factory
        return python_method(tx, self, name)

    def method___len__(self, tx: Tx) -> VariableTracker:
        return ConstantVariable(len(self.entries(tx)))

    def method___iter__(self, tx: Tx) -> VariableTracker:
        return tx.iterator(self)

    def method___contains__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        return constant(self.has(tx, key))

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
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
        self.store(tx, key, value)
        return NONE

    def method___delitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        self.method_pop(tx, key)
        return NONE

    def method_get(
        self, tx: Tx, key: VariableTracker, default: VariableTracker = NONE
    ) -> VariableTracker:
        value = self.load(tx, key)
        return default if value is None else value

    def method_setdefault(
        self, tx: Tx, key: VariableTracker, default: VariableTracker = NONE
    ) -> VariableTracker:
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

    def hash_key(self, tx: Tx) -> Hashable:
        raise observed(TypeError(f"unhashable type: {name_in_c(self.kind)!r}"))

    def reconstruct(self, code: Emitter) -> None:
        check_hashing(key for key, _ in self._entries.values())
        if self.kind is not dict:
            code.load_callable(self.kind)
            if self.kind is defaultdict:
                code.build(self.factory)
        for key, value in self._entries.values():
            code.build(key)
            code.build(value)
        code.emit("BUILD_MAP", len(self._entries))
        if self.kind is not dict:
            code.call(2 if self.kind is defaultdict else 1)


def check_hashing(keys: Iterable[VariableTracker]) -> None:
    """A new container of these keys would hash them again, by methods of their classes."""
    for key in keys:
        if overridden(key.python_type(), "__hash__"):
            raise GraphBreak(f"{key.describe()}, whose class has its own __hash__, is a key")


def container_of(value: DictVariable) -> type:
    """The class of the real object: contents of an object have the kind that they are alone."""
    return value.kind if value.whole is None else value.whole.python_type()


KINDS_OF_DICT = (dict, OrderedDict, defaultdict)

VIEW_TYPES = {"keys": type({}.keys()), "values": type({}.values()), "items": type({}.items())}


class DictViewVariable(VariableTracker):
    """`keys()`, `values()` or `items()` of a dict: sees later changes."""

    def __init__(self, owner: DictVariable, which: str) -> None:
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
        return self.owner.method___len__(tx)

    def method___iter__(self, tx: Tx) -> VariableTracker:
        return tx.iterator(self)

    def method___contains__(self, tx: Tx, value: VariableTracker) -> VariableTracker:
        if self.which == "keys":
            return self.owner.method___contains__(tx, value)
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
        code.load_callable(getattr(self.owner.kind, self.which))
        code.build(self.owner)
        code.call(1)


@builds(dict)
def _dict(value: dict[Any, Any]) -> VariableTracker:
    made = DictVariable()
    for key, item in value.items():
        made._entries[key] = (constant(key), constant(item))
    return made
