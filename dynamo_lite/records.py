"""`dataclass` as in the standard library, made in a tenth of the time.

The standard decorator compiles half a dozen methods for every class, which for the classes of this
package is most of what importing it takes. Here all classes share their methods, and `__init__` is
compiled when a class is first instantiated. What the package uses is supported: `frozen`, `slots`,
`eq`, `weakref_slot`, inheritance, `field(default=, default_factory=, init=)`, `__post_init__`,
and `replace` and `fields` of the standard library. `kept` is the `cached_property` of classes with
slots: no field, so it counts neither for equality nor for the text.
"""
from __future__ import annotations

import inspect
import reprlib
from dataclasses import _FIELD, MISSING, Field, FrozenInstanceError, field  # type: ignore
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from .native import filler

if TYPE_CHECKING:
    from dataclasses import dataclass
    from functools import cached_property as kept
else:

    class kept:
        """What is computed of an instance when it is first asked for, and lives as long as it: in a
        slot, which is empty until then."""

        def __init__(self, compute):
            self.func = compute

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, weakref_slot=False):
        """The class with the methods of a dataclass; with `slots` it is a new class."""

        def make(cls):
            own = own_fields(cls)
            known = {**inherited_fields(cls), **own}
            if slots:
                cls = with_slots(cls, own, weakref_slot)
            cls.__dataclass_fields__ = known
            cls.__match_args__ = tuple(name for name, item in known.items() if item.init)
            cls.__init__ = first_init(cls, frozen)
            define(cls, __repr__=show)
            if eq:
                add_equality(cls, tuple(known), frozen)
            if frozen:
                define(cls, __setattr__=refuse_set, __delattr__=refuse_delete)
            if frozen and slots:
                define(cls, __getstate__=get_state, __setstate__=set_state)
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


def with_slots(cls: Any, own: dict[str, Field[Any]], weakref_slot: bool) -> Any:
    """The same class with slots; slots cannot be added to a class that exists."""
    present = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    names = [name for name in own if name not in present]
    computed = {name: v.func for name, v in cls.__dict__.items() if isinstance(v, kept)}
    names += computed
    body = {
        name: value for name, value in cls.__dict__.items()
        if name not in own and name not in ("__dict__", "__weakref__", *computed)
    }
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


def define(cls: Any, **methods: Any) -> None:
    """Add methods that the class body does not define itself."""
    for name, method in methods.items():
        if name not in cls.__dict__:
            setattr(cls, name, method)


# -- making an instance


def first_init(cls: Any, frozen: bool) -> Any:
    """An `__init__` that puts the real one in its place."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        real = cls.__init__ = compiled_init(cls, frozen)
        real(self, *args, **kwargs)

    return __init__


def compiled_init(cls: Any, frozen: bool) -> Any:
    scope: dict[str, Any] = {"UNSET": object()}
    parameters: list[str] = []
    values: dict[str, str] = {}
    for name, item in cls.__dataclass_fields__.items():
        value = name
        if item.default is not MISSING:
            scope[f"default_{name}"] = item.default
            parameters.append(f"{name}=default_{name}" if item.init else "")
            value = name if item.init else f"default_{name}"
        elif item.default_factory is not MISSING:
            scope[f"make_{name}"] = item.default_factory
            parameters.append(f"{name}=UNSET" if item.init else "")
            value = f"make_{name}() if {name} is UNSET else {name}" if item.init else (
                f"make_{name}()"
            )
        elif item.init:
            parameters.append(name)
        else:
            continue
        values[name] = value
    body = stores(cls, values, frozen, scope)
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    head = ", ".join(["self", *filter(None, parameters)])
    exec(f"def __init__({head}):\n " + "\n ".join(body or ["pass"]), scope)
    return scope["__init__"]


def stores(
    cls: Any, values: dict[str, str], frozen: bool, scope: dict[str, Any]
) -> list[str]:
    """The statements that set the fields, past the refusal of a frozen class."""
    if not frozen:
        return [f"self.{name} = {value}" for name, value in values.items()]
    members = tuple([getattr(cls, name, None) for name in values])
    if all(map(inspect.ismemberdescriptor, members)):
        scope["fill"] = filler(members)
        return [f"fill({', '.join(('self', *values.values()))})"]
    scope["set"] = object.__setattr__
    return [f"set(self, {name!r}, {value})" for name, value in values.items()]


# -- the methods that all classes share


def add_equality(cls: Any, names: tuple[str, ...], frozen: bool) -> None:
    """Instances of one class are equal when their fields are; those of frozen ones have a hash."""
    key = fields_of(names)

    def __eq__(self: Any, other: Any) -> Any:
        if other is self:
            return True
        if other.__class__ is self.__class__:
            return key(self) == key(other)
        return NotImplemented

    def __hash__(self: Any) -> int:
        return hash(key(self))

    implied = "__eq__" in cls.__dict__ and cls.__dict__.get("__hash__") is None
    define(cls, __eq__=__eq__)
    if "__hash__" not in cls.__dict__ or implied:
        cls.__hash__ = __hash__ if frozen else None


def fields_of(names: tuple[str, ...]) -> Any:
    """The fields of an instance as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple([getattr(self, name) for name in names])


@reprlib.recursive_repr()
def show(self: Any) -> str:
    parts = (f"{name}={getattr(self, name)!r}" for name in self.__dataclass_fields__)
    return f"{type(self).__qualname__}({', '.join(parts)})"


def refuse_set(self: Any, name: str, value: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def refuse_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def get_state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__dataclass_fields__]


def set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__dataclass_fields__, state):
        object.__setattr__(self, name, value)


__all__ = ["dataclass", "field", "kept"]
