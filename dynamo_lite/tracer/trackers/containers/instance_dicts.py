"""`object.__dict__` as a dict: a live view of an object's attributes."""
from __future__ import annotations

from collections.abc import Hashable
from types import GetSetDescriptorType, MemberDescriptorType
from typing import TYPE_CHECKING, Any, Protocol

from ....errors import GraphBreak
from ....guards.sources import AttrSource, Source
from ....native import present_dict
from ...object_model.constants import NONE, ConstantVariable
from ...rules.mro import lookup
from ...state.tracker import VariableTracker
from .dict_entries import Entry
from .dicts import DictVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


class Owner(Protocol):
    """An object with attributes."""

    source: Source | None
    namespace: InstanceDictVariable | None

    def describe(self) -> str: ...
    def python_type(self) -> type: ...
    def all_attributes(self, tx: Tx) -> dict[str, VariableTracker]: ...
    def store(self, tx: Tx, name: str, value: VariableTracker) -> None: ...
    def remove(self, tx: Tx, name: str) -> None: ...


class InstanceDictVariable(DictVariable):
    """What `vars(owner)` gives; stores go to the owner, other changes are left to Python."""

    def __init__(self, owner: Owner) -> None:
        super().__init__()
        self.owner = owner

    @property
    def place(self) -> Source:
        """Where the dict of an outside object is found."""
        assert self.owner.source is not None
        return AttrSource(self.owner.source, "__dict__")

    def let_go(self) -> None:
        """The trace ends: the object lives no longer because its dict is known."""
        self.owner.namespace = None

    def entries(self, tx: Tx) -> dict[Hashable, Entry]:
        self._entries = {
            name: (ConstantVariable(name), value)
            for name, value in self.owner.all_attributes(tx).items()
        }
        return self._entries

    def method_pop(
        self, tx: Tx, key: VariableTracker, default: VariableTracker | None = None
    ) -> VariableTracker:
        if (value := self.load(tx, key)) is None:
            return super().method_pop(tx, key, default)
        self.owner.remove(tx, key.as_constant(tx))
        return value

    def method_clear(self, tx: Tx) -> VariableTracker:
        for name in list(self.entries(tx)):
            self.owner.remove(tx, str(name))
        return NONE

    def change(self, tx: Tx) -> dict[Hashable, Entry]:
        raise GraphBreak("changing the __dict__ of an object as a dict")

    def store_hashed(
        self, tx: Tx, hashed: Hashable, key: VariableTracker, value: VariableTracker
    ) -> None:
        name = key.as_constant(tx)
        if not isinstance(name, str):
            raise GraphBreak(f"an attribute named {name!r}")
        refuse_slot(self.owner.python_type(), name)
        self.owner.store(tx, name, value)

    def reconstruct(self, code: Emitter) -> None:
        assert isinstance(self.owner, VariableTracker)
        code.build(self.owner)
        code.emit("LOAD_ATTR", "__dict__")


def refuse_slot(kind: type, name: str) -> None:
    """Objects have one value under a name here: in a slot or in the dict."""
    if type(lookup(kind, name)) in (MemberDescriptorType, GetSetDescriptorType):
        raise GraphBreak(f"a slot and an item of the __dict__ have the name {name!r}")


def outside_dict(tx: Tx, owner: Owner, value: Any) -> InstanceDictVariable:
    """The dict of the outside object `value`: from here on known however it is reached. One that
    was never asked for its dict has none, so that nothing else leads there in this call."""
    held = present_dict(value)
    place = ~id(value) if held is None else id(held)
    if place in tx.state.tracked:
        raise GraphBreak(f"{owner.describe()}, whose __dict__ is also reached in another way")
    made = tx.state.tracked[place] = InstanceDictVariable(owner)
    tx.state.keep_alive.append(held)
    return made
