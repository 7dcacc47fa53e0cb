"""`dataclass` and `NamedTuple` as in the standard library, made in a part of the time.

The standard decorator compiles half a dozen methods for every class, which for the classes of this
package is most of what importing it takes. Here nothing is compiled: the core has the methods that
depend on the fields. What the package uses is supported: `frozen`, `slots`,
`eq`, `weakref_slot`, inheritance, `field(default=, default_factory=, init=)`, `__post_init__`,
and `replace` and `fields` of the standard library. `cached_property` is for classes with
slots: no field, so it counts neither for equality nor for the text.
"""
from __future__ import annotations

import collections
import inspect
import reprlib
import sys
from dataclasses import _FIELD, MISSING, Field, FrozenInstanceError, field  # type: ignore
from typing import TYPE_CHECKING, Any

if sys.version_info < (3, 14):  # those that the core knows
    from ..native import record_methods

if TYPE_CHECKING or sys.version_info >= (3, 14):
    from dataclasses import dataclass
    from functools import cached_property
    from typing import NamedTuple
else:

    class TupleClass(type):
        """Makes a class statement with the base `NamedTuple` a named tuple of the annotated names.
        The annotations stay the texts that they are, which `typing` compiles."""

        def __new__(cls, name, bases, body) -> Any:
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body["__annotations__"]
            made = collections.namedtuple(
                name, fields, defaults=[body[each] for each in fields if each in body])
            for each, value in body.items():
                if each not in fields:
                    setattr(made, each, value)
            return made

    class NamedTuple(metaclass=TupleClass):
        pass

    class cached_property:
        """What is computed of an instance when it is first asked for, and lives as long as it: in a
        slot, which is empty until then."""

        def __init__(self, compute) -> None:
            self.func = compute

    def dataclass(
        cls=None, /, *, frozen=False, slots=False, eq=True, weakref_slot=False,
    ) -> Any:
        """The class with the methods of a dataclass; with `slots` it is a new class."""

        def make(cls) -> type:
            own = own_fields(cls)
            known = {**inherited_fields(cls), **own}
            shared = {name: value for name, value in SHARED[frozen, frozen and slots].items()
                      if name not in cls.__dict__}
            shared["__dataclass_fields__"] = known
            shared["__match_args__"] = tuple([name for name, item in known.items() if item.init])
            if slots:
                cls = with_slots(cls, own, weakref_slot, shared)
            else:
                for name, value in shared.items():
                    setattr(cls, name, value)
            add_methods(cls, eq, frozen)
            return cls

        return make if cls is None else make(cls)


def inherited_fields(cls: type) -> dict[str, Field[Any]]:
    found: dict[str, Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        found.update(base.__dict__.get("__dataclass_fields__", {}))
    return found


def own_fields(cls: Any) -> dict[str, Field[Any]]:
    """The annotated names of the class body; its attributes become their defaults."""
    found = {}
    for name, annotation in inspect.get_annotations(cls).items():
        default = cls.__dict__.get(name, MISSING)
        item = default if isinstance(default, Field) else field(default=default)
        item.name, item.type, item._field_type = name, annotation, _FIELD  # type: ignore
        found[name] = item
        if item.default is not MISSING:
            setattr(cls, name, item.default)
        elif isinstance(default, Field):
            delattr(cls, name)
    return found


def with_slots(
    cls: Any, own: dict[str, Field[Any]], weakref_slot: bool, more: dict[str, Any]
) -> Any:
    """The same class with slots and `more` in its body; slots cannot be added to a class that
    exists, and adding methods takes longer then."""
    present = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    names = [name for name in own if name not in present]
    computed = {name: v.func for name, v in cls.__dict__.items() if isinstance(v, cached_property)}
    names += computed
    replaced = {*own, *computed, "__dict__", "__weakref__"}
    body = {name: value for name, value in cls.__dict__.items() if name not in replaced}
    body.update(more)
    if computed:
        body["__getattr__"] = keeping(computed)
    body["__slots__"] = (*names, "__weakref__") if weakref_slot else tuple(names)
    made = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    return made


def keeping(computed: dict[str, Any]) -> Any:
    """The `__getattr__` of a class with slots that are filled when they are first read."""

    def __getattr__(self: Any, name: str) -> Any:
        if (compute := computed.get(name)) is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = compute(self)
        object.__setattr__(self, name, value)
        return value

    return __getattr__


# -- the methods that depend on the fields


def add_methods(cls: Any, eq: bool, frozen: bool) -> None:
    """Instances of one class are equal when their fields are; those of frozen ones have a hash."""
    rows = tuple(map(row, cls.__dataclass_fields__.values()))
    then = "__post_init__" if hasattr(cls, "__post_init__") else None
    cls.__init__, equal, hash_ = record_methods(cls, rows, then)
    if not eq:
        return
    implied = "__eq__" in cls.__dict__ and cls.__dict__.get("__hash__") is None
    if "__eq__" not in cls.__dict__:
        cls.__eq__ = equal
    if "__hash__" not in cls.__dict__ or implied:
        cls.__hash__ = hash_ if frozen else None


def row(item: Any) -> tuple[Any, ...]:
    """A field as the core takes it: name, is it a parameter, is it made by what follows."""
    if item.default is not MISSING:
        return item.name, item.init, False, item.default
    if item.default_factory is not MISSING:
        return item.name, item.init, True, item.default_factory
    return item.name, item.init, False


# -- the methods that all classes share


@reprlib.recursive_repr()
def show(self: Any) -> str:
    parts = (f"{name}={getattr(self, name)!r}" for name in self.__dataclass_fields__)
    return f"{type(self).__qualname__}({', '.join(parts)})"


def refuse_set(self: Any, name: str, value: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def refuse_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def get_state(self: Any) -> tuple[Any, ...]:
    return tuple([getattr(self, name) for name in self.__dataclass_fields__])


def set_state(self: Any, state: tuple[Any, ...]) -> None:
    for name, value in zip(self.__dataclass_fields__, state):
        object.__setattr__(self, name, value)


_ALL = {"__repr__": show}
_FROZEN = {**_ALL, "__setattr__": refuse_set, "__delattr__": refuse_delete}
_FROZEN_SLOTS = {**_FROZEN, "__getstate__": get_state, "__setstate__": set_state}
SHARED = {(False, False): _ALL, (True, False): _FROZEN, (True, True): _FROZEN_SLOTS}
"""They, unless the class body has them itself: for all, for frozen ones, for those with slots."""

__all__ = ["NamedTuple", "cached_property", "dataclass", "field"]
