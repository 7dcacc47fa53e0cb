"""value → tracker, by exact type; what no row knows may be passed along but not looked into."""
from __future__ import annotations

import enum
import functools
import random
import re
import sys
import types
from abc import ABCMeta
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.classes import is_python_class
from ...base.records import dataclass
from ...errors import GraphBreak
from ...guards.kinds import EQUALS, IS, TYPE
from ...guards.sources import AttrSource, ConstSource, Source
from ...ir.ops.libraries import library_of
from ...ir.types import why_not_dtype
from ..numpy.cupy import is_cupy_ufunc
from ..object_model.attributes import is_cython_function
from ..object_model.callables import CallableVariable, KnownVariable, ModuleVariable, is_typing
from ..object_model.cells import outside_cell
from ..object_model.class_attributes import overridden
from ..object_model.constants import (
    ELLIPSIS,
    NONE,
    NOT_IMPLEMENTED,
    ConstantVariable,
    DtypeVariable,
    TypedConstant,
)
from ..object_model.known_keys import is_known_key
from ..rules.mro import lookup_in
from ..state.tracker import VariableTracker
from ..trackers.arrays.array_inputs import wrap_array
from ..trackers.arrays.array_iterators import Numbered, SideBySide, wrap_array_iterator
from ..trackers.arrays.numbers import SCALARS, wrap_number
from ..trackers.arrays.randomness import wrap_random
from ..trackers.arrays.sizes import wrap_int
from ..trackers.containers.deques import wrap_deque
from ..trackers.containers.dicts import KINDS_OF_DICT, DictVariable
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.outside_iterators import wrap_iterator
from ..trackers.containers.partials import wrap_partial
from ..trackers.containers.sequences import KnownTuple, TupleVariable, is_named_tuple
from ..trackers.containers.sets import wrap_set
from ..trackers.containers.slices import wrap_range, wrap_slice
from ..trackers.objects.classes import ClassVariable
from ..trackers.objects.derived import is_derived, wrap_derived
from ..trackers.objects.errstates import wrap_context_variable
from ..trackers.objects.functions import UserFunctionVariable, is_known_by_code
from ..trackers.objects.library_values import PatternVariable
from ..trackers.objects.objects import ObjectVariable, own_dict, why_not_object
from ..trackers.objects.opaque import OpaqueVariable
from .bound_methods import wrap_builtin_method, wrap_method

if TYPE_CHECKING:
    from ..state.tx import Tx

Make = Callable[["Tx", Any, Source], VariableTracker]


@dataclass(frozen=True, slots=True)
class Wrapper:
    """`shared` kinds have an identity: one tracker stands for one object, however it is reached."""

    make: Make
    guard: Any = TYPE
    shared: bool = False


def _fixed(tracker: Callable[[Any, Source], VariableTracker]) -> Wrapper:
    """Kinds found by identity: nothing but the object itself will do."""
    return Wrapper(lambda tx, value, source: tracker(value, source), IS)


def wrap_dtype(tx: Tx, value: np.dtype, source: Source) -> VariableTracker:
    """Of the dtypes of numbers there is one object each; of others there are equal ones."""
    if value.isbuiltin == 1:
        tx.guards.install(source, IS, value, tx.location())
        return TypedConstant(value, source)
    if value.metadata is not None:
        return OpaqueVariable(value, source, "it has metadata")
    tx.guards.install(source, EQUALS, value, tx.location())
    return DtypeVariable(value, source)


def _single(tracker: VariableTracker) -> Wrapper:
    return Wrapper(lambda tx, value, source: tracker)


def _wrap_list(tx: Tx, value: list[Any], source: Source) -> VariableTracker:
    tx.shapes.policy.observe_items(source, value)
    return ListVariable(source=source, unread=value)


def _wrap_tuple(tx: Tx, value: tuple[Any, ...], source: Source) -> VariableTracker:
    tx.shapes.policy.observe_items(source, value)
    return TupleVariable(source=source, unread=value, kind=type(value))


def _wrap_named_tuple(tx: Tx, value: Any, source: Source) -> VariableTracker:
    """Guards ask for its length and its items."""
    own = [name for name in NOT_BY_GUARDS if overridden(type(value), name)]
    reason = f"its class has its own {own[0]}" if own else why_not_object(value)
    if reason is not None:
        return OpaqueVariable(value, source, reason)
    return _wrap_tuple(tx, value, source)


NOT_BY_GUARDS = (
    "__len__", "__iter__", "__getitem__", "__getattr__", "__array__", "__array_ufunc__",
    "__array_priority__",
)  # fmt: skip


def _wrap_dict(tx: Tx, value: dict[Any, Any], source: Source) -> VariableTracker:
    factory: VariableTracker = NONE
    if hasattr(value, "default_factory"):
        factory = tx.wrap(value.default_factory, AttrSource(source, "default_factory"))
    if not all(map(is_known_key, dict.keys(value))):
        return OpaqueVariable(value, source, "has keys that cannot be guarded")
    if is_namespace(value):
        return OpaqueVariable(value, source, "is the namespace of a module")
    tx.shapes.policy.observe_items(source, value.values())
    return DictVariable(source, value, type(value), factory)


def is_namespace(value: dict[Any, Any]) -> bool:
    """Whether the items are the globals of code, which are also reached by their names."""
    of_module = {"__name__", "__doc__", "__package__", "__loader__", "__spec__"} <= value.keys()
    return of_module or "__builtins__" in value


def _wrap_function(tx: Tx, value: types.FunctionType, source: Source) -> VariableTracker:
    """A function made at every call is known by its code; any other by itself."""
    if is_known_by_code(value):
        tx.guards.install(source, TYPE, value, tx.location())
        tx.guards.install(AttrSource(source, "__code__"), IS, value.__code__, tx.location())
    else:
        tx.guards.install(source, IS, value, tx.location())
    return UserFunctionVariable(value, source)


def _wrap_other_scalar(tx: Tx, value: Any, source: Source) -> VariableTracker:
    return OpaqueVariable(value, source, f"a NumPy scalar of {why_not_dtype(value.dtype)}")


def _wrap_object(tx: Tx, value: Any, source: Source) -> VariableTracker:
    if (reason := why_not_object(value)) is not None:
        return OpaqueVariable(value, source, reason)
    return own_dict(tx, ObjectVariable(type(value), value, source))


CONSTANT = Wrapper(lambda tx, value, source: ConstantVariable(value, source))
FIXED_CALLABLE = _fixed(CallableVariable)
FIXED_VALUE = _fixed(TypedConstant)
OBJECT = Wrapper(_wrap_object, shared=True)

def _wrap_iterator(tx: Tx, value: Any, source: Source) -> VariableTracker:
    return wrap_array_iterator(value, source) or wrap_iterator(value, source)


OUTSIDE_ITERATOR = Wrapper(_wrap_iterator, shared=True)

WRAPPERS: dict[type, Wrapper] = {
    **dict.fromkeys((bool, str, bytes), CONSTANT),
    int: Wrapper(wrap_int),
    **dict.fromkeys((float, complex, *SCALARS), Wrapper(wrap_number)),
    type(None): _single(NONE),
    type(Ellipsis): _single(ELLIPSIS),
    type(NotImplemented): _single(NOT_IMPLEMENTED),
    list: Wrapper(_wrap_list, shared=True),
    tuple: Wrapper(_wrap_tuple, shared=True),
    **dict.fromkeys(KINDS_OF_DICT, Wrapper(_wrap_dict, shared=True)),
    deque: Wrapper(wrap_deque, shared=True),
    **dict.fromkeys((set, frozenset), Wrapper(wrap_set, shared=True)),
    slice: Wrapper(wrap_slice),
    range: Wrapper(wrap_range),
    np.ndarray: Wrapper(wrap_array, None, shared=True),
    types.FunctionType: Wrapper(_wrap_function, None),
    types.MethodType: Wrapper(wrap_method, None, shared=True),
    **dict.fromkeys((types.BuiltinFunctionType, types.MethodWrapperType),
                    Wrapper(wrap_builtin_method, None, shared=True)),
    types.ModuleType: _fixed(ModuleVariable),
    **dict.fromkeys((np.random.Generator, np.random.RandomState, random.Random),
                    Wrapper(wrap_random, shared=True)),
    ContextVar: Wrapper(wrap_context_variable, IS),
    functools.partial: Wrapper(wrap_partial, shared=True),
    types.CellType: Wrapper(outside_cell, shared=True),
    **dict.fromkeys((Numbered, SideBySide), OUTSIDE_ITERATOR),
    **dict.fromkeys(
        (
            types.MethodDescriptorType, types.WrapperDescriptorType,
            types.ClassMethodDescriptorType, np.ufunc, type(np.sum), type(np.random.seed),
            functools._lru_cache_wrapper,
        ),
        FIXED_CALLABLE,
    ),
    re.Pattern: _fixed(PatternVariable),
    type(sys.version_info): _fixed(KnownTuple),
    property: _fixed(KnownVariable),
    **dict.fromkeys(
        (types.GenericAlias, types.UnionType, types.CodeType, type(np.iinfo(int)),
         type(np.finfo(float))),
        _fixed(KnownVariable),
    ),
}


def is_a(kind: type) -> Callable[[Any], bool]:
    """By the type alone: an instance check could run code of the value's class."""
    return lambda value: issubclass(type(value), kind)


def is_compiled(value: Any) -> bool:
    """A function that `compile` gave back."""
    return type(value).__module__.startswith("dynamo_lite") and hasattr(value, "__wrapped__")


def is_iterator_of_c(kind: type) -> bool:
    return not is_python_class(kind) and hasattr(kind, "__next__")


KINDS: tuple[tuple[Callable[[Any], bool], Wrapper], ...] = (
    (lambda value: library_of(type(value)) is not None, Wrapper(wrap_array, None, shared=True)),
    (is_cupy_ufunc, FIXED_CALLABLE),
    (is_cython_function, FIXED_CALLABLE),
    (is_a(np.generic), Wrapper(_wrap_other_scalar)),
    (is_a(type), _fixed(ClassVariable)),
    (lambda value: is_iterator_of_c(type(value)), OUTSIDE_ITERATOR),
    (is_a(np.dtype), Wrapper(wrap_dtype)),
    (is_a(enum.Enum), FIXED_VALUE),
    (is_a(types.ModuleType), _fixed(ModuleVariable)),
    (lambda value: issubclass(type(value), tuple) and is_named_tuple(type(value)),
     Wrapper(_wrap_named_tuple, shared=True)),
    (lambda value: is_derived(type(value)), Wrapper(wrap_derived, shared=True)),
    (is_compiled, FIXED_CALLABLE),
    (is_typing, _fixed(KnownVariable)),
)  # fmt: skip
"""Rows for families of types, asked in order when the exact type is unknown."""


def asked_metaclass(value: Any) -> str | None:
    """The code of its metaclass that looking at a class, or at an object of it, would run."""
    kind = value if issubclass(type(value), type) else type(value)
    meta = type(kind)
    if meta is type or meta is ABCMeta:
        return None
    for name in ("__eq__", "__hash__", "__getattribute__", "__getattr__"):
        if overridden(meta, name) and lookup_in(meta.__mro__, name)[1].__module__ != "enum":
            return name
    return None


def _wrap_of_metaclass(tx: Tx, value: Any, source: Source) -> VariableTracker:
    """Guards can tell its class; nothing else about it is looked at."""
    asked = asked_metaclass(value)
    return OpaqueVariable(value, source, f"the metaclass of its class has its own {asked}")


OF_METACLASS = Wrapper(_wrap_of_metaclass, shared=True)


def row_of(value: Any) -> Wrapper:
    """Break where not even the class can be compared without running code of its metaclass."""
    if (asked := asked_metaclass(value)) in ("__eq__", "__hash__"):
        raise GraphBreak(f"the metaclass of {type(value).__qualname__} has its own {asked}")
    if asked is not None:
        return OF_METACLASS
    if (row := WRAPPERS.get(type(value))) is not None:
        return row
    return next((row for is_kind, row in KINDS if is_kind(value)), OBJECT)


def wrap(tx: Tx, value: Any, source: Source) -> VariableTracker:
    """Track a value that came from outside the frame, or is held by a class of the frame."""
    row = row_of(value)
    if (made := tx.state.placeholders.get(id(value))) is not None:
        return made
    if row.guard is not None and not _is_known(source):
        tx.guards.install(source, row.guard, value, tx.location())
    if row.shared:
        return tx.outside(value, source, lambda value, source: row.make(tx, value, source))
    return row.make(tx, value, source)


def _is_known(source: Source) -> bool:
    return isinstance(source, ConstSource)
