"""Objects of classes that the user derived from Python's own containers and values.

Such an object has attributes as any other, and *contents*: what it is as a dict, list, str, … The
contents are the tracker of that type, so C's methods are answered by it, while the methods of the
user's class are followed.
"""
from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any

from ....base.classes import is_python_class
from ....errors import GraphBreak
from ....guards.kinds import CALL, equal_exactly
from ....guards.sources import AttrSource, Source
from ...object_model.attributes import own_dict_of
from ...object_model.class_attributes import overridden
from ...object_model.constants import ConstantVariable, constant
from ...object_model.known_keys import is_known_key
from ...rules.mro import lookup
from ...state.tracker import VariableTracker
from ..containers.dicts import DictVariable
from ..containers.lists import ListVariable
from ..containers.sequences import TupleVariable
from ..containers.sets import SetVariable
from .objects import ObjectKey, ObjectVariable, own_dict, why_not_object
from .opaque import OpaqueVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


class DerivedVariable(ObjectVariable):
    """An object whose class is derived from `base`, a type of Python's own."""

    contents: VariableTracker

    def __init__(
        self,
        kind: type,
        contents: VariableTracker,
        value: Any = None,
        source: Source | None = None,
    ) -> None:
        super().__init__(kind, value, source)
        self.contents = contents
        if hasattr(contents, "whole"):
            contents.whole = self

    @property
    def base(self) -> type:
        return base_of(self.kind)

    def own(self, tx: Tx, name: str) -> VariableTracker | None:
        if name == "default_factory" and isinstance(self.contents, DictVariable):
            return self.contents.factory
        return super().own(tx, name)

    def store(self, tx: Tx, name: str, value: VariableTracker) -> None:
        if name == "default_factory":
            raise GraphBreak(f"setting {name!r} of {self.describe()}")
        super().store(tx, name, value)

    def hash_key(self, tx: Tx) -> Hashable:
        if overridden(self.kind, "__hash__") or lookup(self.kind, "__hash__") is None:
            return super().hash_key(tx)
        return ObjectKey(tx, self, hash(self.contents.hash_key(tx)))

    def reconstruct(self, code: Emitter) -> None:
        """`base.__new__(kind)`, its contents and attributes, past any method of the class."""
        code.load_const(self.base.__new__)
        code.load_const(self.kind)
        if (fill := FILL.get(self.base)) is None:
            code.build_again(self.contents)
            code.call(2)
            return self.set_attributes(code)
        code.call(1)
        code.keep(self)
        code.load_const(fill)
        code.emit("COPY", 2)
        if isinstance(self.contents, DictVariable):
            code.build(self.contents.factory)
        code.build_again(self.contents)
        code.call(3 if isinstance(self.contents, DictVariable) else 2)
        code.emit("POP_TOP")
        return self.set_attributes(code)


def fill_dict(made: Any, factory: Any, items: dict[Any, Any]) -> None:
    """Give a new dict its items, past the methods of its class."""
    base: Any = base_of(type(made))
    if base is defaultdict:
        defaultdict.__init__(made, factory)
    for key, value in items.items():
        base.__setitem__(made, key, value)


class OwnDictVariable(DerivedVariable):
    """A dict that is its own `__dict__`: its items are its attributes."""

    contents: DictVariable

    def own(self, tx: Tx, name: str) -> VariableTracker | None:
        return self.contents.load(tx, constant(name))

    def store(self, tx: Tx, name: str, value: VariableTracker) -> None:
        self.contents.store(tx, constant(name), value)

    def remove(self, tx: Tx, name: str) -> None:
        self.contents.method___delitem__(tx, constant(name))

    def plain_getattr(self, tx: Tx, name: str) -> VariableTracker:
        return self if name == "__dict__" else super().plain_getattr(tx, name)


FILL: Mapping[type, Callable[..., Any]] = {
    list: list.extend, set: set.update,
    **dict.fromkeys((dict, OrderedDict, defaultdict), fill_dict),
}  # fmt: skip
"""Mutable type → what gives a new object its contents."""

EXTRACT: Mapping[type, Callable[[Any], Any]] = {
    str: str.__str__, int: int.__pos__, float: float.__pos__, complex: complex.__pos__,
}  # fmt: skip
"""Immutable type → what gives an object's value, whatever its class defines."""

BASES = (*FILL, *EXTRACT, tuple)


def base_of(kind: type) -> type:
    """The first type of Python's own among the bases of a class."""
    return next(base for base in kind.__mro__ if base in BASES)


def is_derived(kind: type) -> bool:
    return is_python_class(kind) and any(base in BASES for base in kind.__mro__)


def new_contents(base: type) -> VariableTracker:
    """What a new object of a mutable type holds."""
    if base is list:
        return ListVariable()
    return SetVariable(set()) if base is set else DictVariable(kind=base)


class SameValue:
    """A guard: a value of a derived class is still the same as one of Python's own type."""

    __name__ = "holds"

    def __init__(self, base: type, value: Any) -> None:
        self.extract = EXTRACT[base]
        self.value = value

    def __call__(self, value: Any) -> bool:
        return equal_exactly(self.extract(value), self.value)


def wrap_derived(tx: Tx, value: Any, source: Source) -> VariableTracker:
    """An outside object; guards on its contents must not run code of its class."""
    kind = type(value)
    base = base_of(kind)
    own = [name for name in ("__iter__", "__len__") if overridden(kind, name)]
    reason = f"its class has its own {own[0]}" if own and base not in EXTRACT else None
    if reason := reason or why_not_object(value):
        return OpaqueVariable(value, source, reason)
    contents = outside_contents(tx, base, value, source)
    if own_dict_of(value) is value:
        return OwnDictVariable(kind, contents, value, source)
    return own_dict(tx, DerivedVariable(kind, contents, value, source))


def outside_contents(tx: Tx, base: type, value: Any, source: Source) -> VariableTracker:
    if base in EXTRACT:
        known = EXTRACT[base](value)
        tx.guards.install(source, CALL, SameValue(base, known), tx.location())
        return ConstantVariable(known)
    if base is tuple:
        return TupleVariable(source=source, unread=value)
    if base is list:
        return ListVariable(source=source, unread=value)
    if base is set:
        return SetVariable(value, source=source)
    if not all(map(is_known_key, dict.keys(value))):
        return OpaqueVariable(value, source, "has keys that cannot be guarded")
    factory = constant(None)
    if base is defaultdict:
        factory = tx.wrap(value.default_factory, AttrSource(source, "default_factory"))
    return DictVariable(source, value, base, factory)
