"""Objects of user classes, from outside or made by the frame."""
from __future__ import annotations

import types
from collections.abc import Hashable, Iterable, Iterator
from types import FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any

import numpy as np

from ....base.classes import is_python_class
from ....base.records import dataclass
from ....errors import GraphBreak
from ....guards.kinds import CALL, KEYS, NO_OWN
from ....guards.sources import AttrSource, ConstSource, Source
from ...object_model import attributes as object_model
from ...object_model.attributes import has_dict
from ...object_model.class_attributes import class_attribute, meet_class, overridden
from ...object_model.constants import constant, observed
from ...object_model.lazy import LazyVariable, realise
from ...object_model.refusals import length, name_in_c, returned
from ...rules.mro import MISSING, lookup, lookup_in
from ...rules.trace_rules import is_polyfill
from ...state.fields import Field, Fields
from ...state.tracker import Args, Kwargs, ObservedException, VariableTracker
from ..containers.instance_dicts import InstanceDictVariable, outside_dict, refuse_slot

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


@dataclass(frozen=True, slots=True)
class Unset:
    """A guard: whether a slot of an object is empty."""

    slot: MemberDescriptorType

    @property
    def __name__(self) -> str:
        return f"slot {self.slot.__name__!r} is empty in"

    def __call__(self, owner: object) -> bool:
        try:
            self.slot.__get__(owner)
        except AttributeError:
            return True
        return False


class ObjectVariable(VariableTracker):
    """An object. `attributes` holds what was read or stored; None stands for deleted.

    `value` is the real object when it existed before the frame; `moved` are the names it had
    that were deleted and may have been stored again, hence come last.
    """

    def __init__(self, kind: type, value: Any = None, source: Source | None = None) -> None:
        self.kind = kind
        self.value = value
        self.source = source
        self.attributes: dict[str, VariableTracker | None] = {}
        self.moved: set[str] = set()
        self.namespace: InstanceDictVariable | None = None
        self.made_in: Fields | None = None

    def with_values(self, values: Iterable[VariableTracker]) -> ObjectVariable:
        """A new object with the same attributes."""
        return made_in(self.made_in, self.kind, zip(self.attributes, values))

    def python_type(self) -> type:
        return self.kind

    # -- attributes

    def own(self, tx: Tx, name: str) -> VariableTracker | None:
        """The attribute that the object itself holds."""
        if name in self.attributes:
            value = self.attributes[name]
        elif self.source is None:
            return None
        else:
            value = object_model.outside_attribute(self.value, self.source, name)
            if value is None:
                self.guard_absence(tx, name)
                return None
        if value is not None:
            value = self.attributes[name] = realise(tx, value)
        return value

    def all_attributes(self, tx: Tx) -> dict[str, VariableTracker]:
        """What the object's dict holds, in order; the names are guarded."""
        values: dict[str, VariableTracker] = {}
        if self.source is not None and has_dict(self.kind):
            source, outside = AttrSource(self.source, "__dict__"), vars(self.value)
            tx.guards.install(source, KEYS, outside, tx.location())
            for name, value in outside.items():
                refuse_slot(self.kind, name)
                place = object_model.own_source(self.kind, self.source, name)
                values[name] = LazyVariable(value, place)
        for name in self.moved:
            values.pop(name, None)
        for name, value in self.attributes.items():
            if value is not None and type(lookup(self.kind, name)) is not MemberDescriptorType:
                values[name] = value
            else:
                values.pop(name, None)
        return values

    def guard_absence(self, tx: Tx, name: str) -> None:
        assert self.source is not None
        if type(raw := lookup(self.kind, name)) is MemberDescriptorType:
            tx.guards.install(self.source, CALL, Unset(raw), tx.location())
        elif has_dict(self.kind) and not isinstance(self.source, ConstSource):
            tx.guards.install(self.source, NO_OWN, name, tx.location())

    def held(self, name: str) -> VariableTracker | None:
        return self.attributes[name]

    def hold(self, name: str, value: VariableTracker) -> None:
        self.attributes[name] = value

    def store_held(self, tx: Tx, name: str, value: VariableTracker) -> None:
        self.store(tx, name, value)

    def store(self, tx: Tx, name: str, value: VariableTracker) -> None:
        fields = tx.side_effects.fields
        if fields.is_in_older(self):
            fields.change(Field(self, name), self.own(tx, name))
        else:
            tx.side_effects.store_attr(self, name, value)
        if self.attributes.get(name, value) is None:
            del self.attributes[name]
        self.attributes[name] = value

    def remove(self, tx: Tx, name: str) -> None:
        existed = self.source is not None and (
            object_model.outside_attribute(self.value, self.source, name) is not None
        )
        if existed and has_dict(self.kind) and lookup(self.kind, name) is not MISSING:
            self.all_attributes(tx)  # a later object may have it from its class alone
        tx.side_effects.delete_attr(self, name, existed)
        self.moved.add(name)
        self.attributes[name] = None

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        """`__getattribute__`, the class's own or object's; then `__getattr__`."""
        own = lookup(self.kind, "__getattribute__")
        try:
            if not isinstance(own, FunctionType):
                return self.plain_getattr(tx, name)
            method = class_attribute(tx, self.kind, "__getattribute__", own)
            return tx.call(method, self, constant(name))
        except ObservedException as raised:
            if not issubclass(raised.value.python_type(), AttributeError):
                raise
            if (fallback := lookup(self.kind, "__getattr__")) is MISSING:
                raise
            method = class_attribute(tx, self.kind, "__getattr__", fallback)
            return tx.call(method, self, constant(name))

    def plain_getattr(self, tx: Tx, name: str) -> VariableTracker:
        """`object.__getattribute__(self, name)`."""
        if name == "__dict__" and has_dict(self.kind) and not overridden(self.kind, name):
            if self.namespace is None:
                self.namespace = InstanceDictVariable(self)
            return self.namespace
        return object_model.load(tx, self, self, name)

    def setattr(self, tx: Tx, name: str, value: VariableTracker) -> None:
        object_model.store(tx, self, self, name, value)

    def delattr(self, tx: Tx, name: str) -> None:
        object_model.delete(tx, self, self, name)

    # -- special methods, which Python looks up on the class

    def special(self, tx: Tx, name: str) -> VariableTracker | None:
        """The method that the class defines in Python; None where it is C's or missing."""
        if (raw := lookup(self.kind, name)) is MISSING:
            return None
        if raw is None:
            raise GraphBreak(f"{self.kind.__name__} has None for its {name}")
        return object_model.bind(tx, raw, self.kind, self, self, name)

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        if name.startswith("__") and name.endswith("__"):
            return self.special_method(tx, name).call(tx, args, kwargs)
        return self.getattr(tx, name).call(tx, args, kwargs)

    def special_method(self, tx: Tx, name: str) -> VariableTracker:
        if (method := self.special(tx, name)) is None:
            raise observed(TypeError(f"{name_in_c(self.kind)!r} object has no {name}"))
        return method

    def call(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        if (method := self.special(tx, "__call__")) is None:
            raise observed(TypeError(f"{name_in_c(self.kind)!r} object is not callable"))
        return method.call(tx, args, kwargs)

    def truth(self, tx: Tx) -> bool:
        if (method := self.special(tx, "__bool__")) is not None:
            text = "__bool__ should return bool, returned {kind}"
            return returned(method.call(tx, (), {}), bool, text).truth(tx)
        if (method := self.special(tx, "__len__")) is not None:
            return length(tx, method.call(tx, (), {})).truth(tx)
        return True

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        return tx.iterate(self)

    def hash_key(self, tx: Tx) -> Hashable:
        method = lookup(self.kind, "__hash__")
        if method is object.__hash__:
            return identity_key(tx, self)
        if method is None:
            raise observed(TypeError(f"unhashable type: {name_in_c(self.kind)!r}"))
        if not isinstance(method, FunctionType):
            raise GraphBreak(f"the hash of {self.describe()}")
        text = "__hash__ method should return an integer"
        hashed = returned(self.call_method(tx, "__hash__", (), {}), int, text)
        return ObjectKey(tx, self, hashed.as_constant(tx))

    def reconstruct(self, code: Emitter) -> None:
        """`object.__new__(kind)` and its attributes, past any hook of the class."""
        if is_polyfill(self.kind.__module__):
            raise GraphBreak(f"a {self.kind.__name__} object outlives the compiled part")
        code.load_const(python_new(self.kind))
        code.load_const(self.kind)
        code.call(1)
        code.keep(self)
        self.set_attributes(code)

    def set_attributes(self, code: Emitter) -> None:
        """Give the topmost value, which stays, the object's attributes.

        What a descriptor of the class hides is in the object's dict all the same.
        """
        for name, value in self.attributes.items():
            if value is not None:
                hidden = object_model.is_shadowed(self.kind, name)
                code.load_const(dict.__setitem__ if hidden else object.__setattr__)
                code.emit("COPY", 2)
                if hidden:
                    code.emit("LOAD_ATTR", "__dict__")
                code.load_const(name)
                code.build(value)
                code.call(3)
                code.emit("POP_TOP")


def new_object(tx: Tx, kind: type) -> ObjectVariable:
    """An object that the frame makes, without attributes."""
    return made_in(tx.side_effects.fields, kind, ())


def made_in(
    fields: Fields | None, kind: type, attributes: Iterable[tuple[str, VariableTracker]]
) -> ObjectVariable:
    made = ObjectVariable(kind)
    made.attributes.update(attributes)
    if fields is not None:
        made.made_in = fields
        fields.makes(made)
    return made


PLAIN_NEW = (object, types.SimpleNamespace)


def python_new(kind: type) -> Any:
    """The `__new__` of C that makes objects of the class, past any in Python."""
    base = next(base for base in kind.__mro__ if type(vars(base).get("__new__")) is BUILTIN)
    if base not in PLAIN_NEW:
        raise GraphBreak(f"rebuilding a {kind.__name__} after the compiled part")
    return base.__new__


BUILTIN = types.BuiltinFunctionType


class ObjectKey:
    """Stands for an object in a dict or set by its class's own `__hash__` and `__eq__`.

    An instruction may look twice at the tables here where Python looks once: `answered` is what
    the last `__eq__` said, and how many steps had been traced then.
    """

    def __init__(self, tx: Tx, tracker: ObjectVariable, hashed: int) -> None:
        self.tx = tx
        self.tracker = tracker
        self.hashed = hashed
        self.answered: tuple[int, object, bool] | None = None

    def __hash__(self) -> int:
        return self.hashed

    def __eq__(self, other: object) -> bool:
        last = self.answered
        if last is None or last[0] != self.tx.state.steps or last[1] is not other:
            answer = self.is_equal(other)
            self.answered = last = self.tx.state.steps, other, answer
        return last[2]

    def is_equal(self, other: object) -> bool:
        if isinstance(other, ObjectKey):
            theirs: VariableTracker = other.tracker
        else:
            theirs = other if isinstance(other, VariableTracker) else constant(other)
        return bool(self.tx.is_equal(self.tracker, theirs))


def identity_key(tx: Tx, value: VariableTracker) -> VariableTracker:
    """The tracker as a key: in later calls too, the outside objects among the keys differ."""
    if value.source is not None:
        tx.state.keys[value] = None
    return value


def own_dict(tx: Tx, made: ObjectVariable) -> ObjectVariable:
    """An outside object whose `__dict__`, however it is reached, is what `vars` gives of it."""
    meet_class(tx, made.kind)
    if has_dict(made.kind):
        made.namespace = outside_dict(tx, made, made.value)
    return made


def why_not_generic(kind: type) -> str:
    if issubclass(kind, np.ndarray):
        return "a subclass of ndarray with its own __getattribute__"
    if is_python_class(lookup_in(kind.__mro__, "__getattribute__")[1]):
        return "its class has its own __getattribute__"
    return "its class is not written in Python"


def why_not_object(value: Any) -> str | None:
    """Why attributes of an outside object cannot be followed, or None when they can."""
    kind = type(value)
    if not object_model.has_generic_access(kind):  # which guards would run
        return why_not_generic(kind)
    own = next((name for name in ("__dict__", "__class__") if overridden(kind, name)), None)
    return own and f"its class has its own {own}"
