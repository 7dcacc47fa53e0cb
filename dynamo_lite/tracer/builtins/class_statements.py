"""Classes that the frame defines: a real class, made anew by each analysis, whose functions are
placeholders for the trackers of the functions that the class body made.

Such a class must not leave the trace: every call of the user's function defines another one. No
code of the user's runs when it is made: `__set_name__` and `__init_subclass__` are followed after.
"""
from __future__ import annotations

import builtins
import contextlib
import enum
import types
import typing
from abc import ABCMeta
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...base.origins import is_stdlib, module_of
from ...base.suppressed import warnings_as
from ...errors import GraphBreak
from ..object_model.attributes import KnownInstance, bind
from ..object_model.callables import KnownVariable
from ..object_model.cells import CellVariable
from ..object_model.constants import NONE, ConstantVariable, constant, observe
from ..rules.local_classes import LOCAL_CLASSES
from ..rules.mro import MISSING, lookup, lookup_in
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.sequences import TupleVariable
from ..trackers.objects.class_items import class_item, is_late
from ..trackers.objects.functions import FunctionVariable, NestedFunctionVariable
from .table import handles

if TYPE_CHECKING:
    from ..state.tx import Tx

NAMED_TUPLE_META: Any = getattr(typing, "NamedTupleMeta")  # noqa: B009
PROTOCOL_META: Any = type(typing.Protocol)
MAKERS: dict[type, Any] = {
    meta: meta.__new__ for meta in (NAMED_TUPLE_META, PROTOCOL_META, enum.EnumMeta, ABCMeta, type)
}
"""Metaclasses of Python's own, and what makes their classes."""

HOOKS_OF_ENUM = (
    "__new__", "__init__", "_missing_", "_generate_next_value_", "__init_subclass__",
    "__set_name__",
)  # fmt: skip
"""What making the members of an enumeration, or looking for one, would call."""


@handles(builtins.__build_class__)
def build_class(
    tx: Tx,
    body: VariableTracker,
    name: VariableTracker,
    /,
    *bases: VariableTracker,
    metaclass: VariableTracker | None = None,
    **keywords: VariableTracker,
) -> VariableTracker:
    """What a `class` statement calls."""
    if not isinstance(body, NestedFunctionVariable):
        raise GraphBreak("defining a class")
    given = tuple(base_class(tx, base) for base in bases)
    resolved = types.resolve_bases(given)
    meta = observe(metaclass_of, metaclass.as_constant(tx) if metaclass else type, resolved)
    if not isinstance(meta, type):
        raise GraphBreak("a metaclass that is not a class")
    prepared = prepare(tx, meta, name.as_constant(tx), resolved)
    namespace = tx.class_namespace(body, prepared)
    if resolved is not given:
        namespace["__orig_bases__"] = TupleVariable(bases)
    made: VariableTracker
    if is_followed(meta):
        parts = (name, TupleVariable([tx.known(base) for base in resolved]))
        items = DictVariable.of(tx, [(ConstantVariable(k), v) for k, v in namespace.items()])
        made = tx.apply(tx.known(meta), (*parts, items), keywords)
    else:
        made = make_class(tx, meta, name.as_constant(tx), resolved, namespace, keywords)
    return made


def base_class(tx: Tx, base: VariableTracker) -> Any:
    """A class, or what stands for one (`Generic[T]`, `NamedTuple`)."""
    if isinstance(base, FunctionVariable) and base.as_constant(tx) is typing.NamedTuple:
        return typing.NamedTuple
    if not isinstance(base, KnownVariable):
        raise GraphBreak(f"defining a class derived from {base.describe()}")
    return base.as_constant(tx)


def metaclass_of(given: type, bases: tuple[type, ...]) -> type:
    """The metaclass of a class with these bases; a TypeError where they do not fit together."""
    if not isinstance(given, type):
        return given
    for meta in map(type, bases):
        if issubclass(meta, given):
            given = meta
        elif not issubclass(given, meta):
            raise TypeError(
                "metaclass conflict: the metaclass of a derived class must be a (non-strict) "
                "subclass of the metaclasses of all its bases"
            )
    return given


def is_followed(meta: type) -> bool:
    """Whether a metaclass has code of the user's."""
    return any(k not in MAKERS and k is not object for k in meta.__mro__)


def prepare(
    tx: Tx, meta: type, name: str, bases: tuple[type, ...]
) -> Callable[[str, VariableTracker], VariableTracker] | None:
    """What to do with the names that the body binds, where the metaclass has a say in that."""
    hook = lookup(meta, "__prepare__")
    if hook is not MISSING and lookup_in(meta.__mro__, "__prepare__")[1] not in MAKERS:
        raise GraphBreak(f"the __prepare__ of the metaclass {meta.__name__}")
    if not issubclass(meta, enum.EnumMeta):
        return None
    members: Any = observe(enum.EnumMeta.__prepare__, name, bases)

    def stored(key: str, value: VariableTracker) -> VariableTracker:
        """`auto()` becomes a value as soon as it is bound to a name."""
        known = len(members._member_names)
        with warnings_as("ignore"):  # making the class says it again
            observe(members.__setitem__, key, class_item(tx, key, value))
        return constant(members[key]) if len(members._member_names) > known else value

    return stored


def make_class(
    tx: Tx,
    meta: type,
    name: str,
    bases: tuple[type, ...],
    namespace: Mapping[str, VariableTracker],
    keywords: Mapping[str, VariableTracker],
) -> VariableTracker:
    """`type.__new__(meta, name, bases, namespace, **keywords)`."""
    if lookup(meta, "mro") is not type.__dict__["mro"]:
        raise GraphBreak(f"the metaclass {meta.__name__} has a method `mro`")
    cell = namespace.get("__classcell__")
    named = {key: value for key, value in namespace.items() if key != "__classcell__"}
    items = {key: class_item(tx, key, value) for key, value in named.items()}
    late = {key: item for key, item in items.items() if is_late(named[key], item)}
    contents = {key: None if key in late else item for key, item in items.items()}
    maker = next(maker for kind, maker in MAKERS.items() if issubclass(meta, kind))
    with warnings_as("always") as caught:
        if issubclass(meta, enum.EnumMeta):
            contents = enumeration(name, bases, contents, late)
        if any(is_users(base, "__init_subclass__") for base in bases):
            made = made_silently(maker, meta, name, bases, contents)
        else:
            known = {key: value.as_constant(tx) for key, value in keywords.items()}
            made = observe(maker, meta, name, bases, contents, **known)
    if caught:
        raise GraphBreak(f"making {name} warns: {caught[0].message}")
    LOCAL_CLASSES.add(made)
    for key, item in late.items():
        type.__setattr__(made, key, item)
    tracker = tx.known(made)
    if isinstance(cell, CellVariable):
        cell.bound = tracker
    for key, value in named.items():
        hook = lookup(value.python_type(), "__set_name__")
        if is_late(value, items[key]) and hook is not MISSING:
            try:
                value.call_method(tx, "__set_name__", (tracker, ConstantVariable(key)), {})
            except ObservedException:  # CPython says more of it
                raise GraphBreak(f"the __set_name__ of {key!r} raises an exception") from None
    tell_bases(tx, tracker, made, keywords)
    return tracker


class Silent:
    """A first base for a moment: classes are made without telling the bases."""

    def __init_subclass__(cls) -> None:
        """Nothing, in place of what the bases would do."""


class SilentWithoutDict:
    __slots__ = ()
    __init_subclass__ = classmethod(Silent.__init_subclass__.__func__)  # type: ignore


def made_silently(
    maker: Any, meta: type, name: str, bases: tuple[type, ...], contents: Mapping[str, Any]
) -> Any:
    """The class, of which the bases have not been told."""
    for silent in (Silent, SilentWithoutDict):
        made = observe(maker, meta, name, (silent, *bases), dict(contents))
        with contextlib.suppress(TypeError):  # of different layouts
            made.__bases__ = bases
            return made
    raise GraphBreak(f"the __init_subclass__ of a base of {name}")


def tell_bases(
    tx: Tx, tracker: VariableTracker, made: type, keywords: Mapping[str, VariableTracker]
) -> None:
    """`super(made, made).__init_subclass__(**keywords)`, where it is the user's."""
    hook, base = lookup_in(made.__mro__[1:], "__init_subclass__")
    if isinstance(hook, classmethod) and is_users(base, "__init_subclass__"):
        method = bind(tx, hook, base, tracker, KnownInstance(made), "__init_subclass__")
        tx.apply(method, (), keywords)


def is_users(kind: type, name: str) -> bool:
    """Whether a special method of a class is written in Python, and not by the library."""
    raw = lookup(kind, name)
    raw = getattr(raw, "__func__", raw)
    return isinstance(raw, FunctionType) and not is_stdlib(raw, module_of(raw))


def enumeration(
    name: str, bases: tuple[type, ...], contents: Mapping[str, Any], late: Mapping[str, Any]
) -> Any:
    """The namespace of an enumeration whose members can be made without the user's code."""
    for hook in HOOKS_OF_ENUM:
        if hook in contents or any(is_users(base, hook) for base in bases):
            raise GraphBreak(f"the enumeration {name} has {hook}")
    if late:
        raise GraphBreak(f"the member {min(late)!r} of the enumeration {name}")
    made: Any = observe(enum.EnumMeta.__prepare__, name, bases)
    for key, value in contents.items():
        observe(made.__setitem__, key, value)
    return made


# -- what the code of metaclasses and of `__init_subclass__` calls


@handles(type.__new__, ABCMeta.__new__)
def new_class(
    tx: Tx,
    meta: VariableTracker,
    name: VariableTracker,
    bases: VariableTracker,
    namespace: VariableTracker,
    /,
    **keywords: VariableTracker,
) -> VariableTracker:
    """`super().__new__(meta, name, bases, namespace)` in a metaclass."""
    kind = meta.as_constant(tx)
    if issubclass(kind, enum.EnumMeta):
        raise GraphBreak(f"the metaclass {kind.__name__} makes enumerations")
    known = tuple(base_class(tx, base) for base in tx.iterate(bases))
    items = {key.as_constant(tx): value for key, value in tx.pairs(namespace)}
    items.setdefault("__module__", constant(tx.globals.get("__name__")))
    return make_class(tx, kind, name.as_constant(tx), known, items, keywords)


@handles(type.__init__)
def initialise_class(
    tx: Tx, made: VariableTracker, /, *args: VariableTracker, **keywords: VariableTracker
) -> VariableTracker:
    return NONE


@handles(object.__init_subclass__)
def end_of_telling(tx: Tx) -> VariableTracker:
    """`super().__init_subclass__()`."""
    return NONE


@handles(enum.auto)
def automatic_value(tx: Tx) -> VariableTracker:
    return KnownVariable(enum.auto())


def type_of_three(
    tx: Tx,
    name: VariableTracker,
    bases: VariableTracker,
    namespace: VariableTracker,
    /,
    **keywords: VariableTracker,
) -> VariableTracker:
    """`type(name, bases, namespace)`."""
    known = tuple(base_class(tx, base) for base in tx.iterate(bases))
    meta = observe(metaclass_of, type, known)
    parts = (name, bases, namespace)
    if is_followed(meta):
        return tx.apply(tx.known(meta), parts, keywords)
    return new_class(tx, tx.known(meta), *parts, **keywords)
