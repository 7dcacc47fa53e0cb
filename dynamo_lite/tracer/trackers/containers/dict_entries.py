"""What dicts hold: entries that are guarded when they are looked at, changed, gone through."""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ....errors import GraphBreak
from ....guards.kinds import KEYS
from ....guards.sources import ItemSource, Source
from ...object_model.class_attributes import overridden
from ...object_model.constants import NONE, constant, observed
from ...object_model.known_keys import is_known_key, is_named_key, look_for_ids
from ...object_model.lazy import LazyVariable, realise
from ...object_model.refusals import name_in_c
from ...state.tracker import VariableTracker
from .keys_read import KeysRead, is_plain

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

Entry = tuple[VariableTracker, VariableTracker]


class DictEntries(VariableTracker):
    """What a dict holds; `kind` may be a subclass that keeps dict's behaviour (OrderedDict,
    defaultdict).

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

    def python_type(self) -> type:
        return self.kind

    def entries(self, tx: Tx) -> dict[Hashable, Entry]:
        """Hash key → (key, value); the keys and their order are guarded."""
        if self.unread is not None:
            outside = self.unread
            assert self.source is not None
            if not all(map(is_known_key, dict.keys(outside))):
                raise GraphBreak(f"{self.describe()} has keys that cannot be guarded")
            if not tx.shapes.policy.may_fix_contents(self.source, tuple(outside)):
                raise GraphBreak(f"Python needs the keys of {self.source}, which keep changing")
            self.unread = None  # not before: who goes on after a break asks again
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

    def hash_key(self, tx: Tx) -> Hashable:
        raise observed(TypeError(f"unhashable type: {name_in_c(self.kind)!r}"))

    def reconstruct(self, code: Emitter) -> None:
        check_hashing(key for key, _ in self._entries.values())
        if self.kind is not dict:
            code.load_const(self.kind)
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


def container_of(value: DictEntries) -> type:
    """The class of the real object: contents of an object have the kind that they are alone."""
    return value.kind if value.whole is None else value.whole.python_type()
