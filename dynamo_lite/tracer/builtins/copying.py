"""`copy.copy` and `copy.deepcopy`, as the `copy` module does them.

Objects are copied as `object.__reduce_ex__` describes them: made without `__init__`, with the same
attributes and items. A class that has its own say about this, or of C, is left to Python.
"""
from __future__ import annotations

import copy
import struct
from types import FunctionType, GenericAlias, MemberDescriptorType, ModuleType, UnionType
from typing import TYPE_CHECKING

import numpy as np

from ...base.classes import is_python_class
from ...errors import GraphBreak
from ..object_model.class_attributes import overridden
from ..object_model.constants import NONE, ConstantVariable
from ..object_model.lazy import realise
from ..rules.mro import lookup
from ..state.tracker import VariableTracker
from ..trackers.containers.deques import DequeVariable
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.sequences import TupleVariable
from ..trackers.containers.sets import SetVariable
from ..trackers.objects.derived import FILL, DerivedVariable, new_contents
from ..trackers.objects.functions import FunctionVariable
from ..trackers.objects.objects import ObjectVariable, new_object
from .table import handles

if TYPE_CHECKING:
    from ..state.tx import Tx

Copies = dict[VariableTracker, VariableTracker]

PROTOCOL = (
    "__copy__", "__deepcopy__", "__reduce_ex__", "__reduce__", "__getstate__", "__setstate__",
    "__getnewargs__", "__getnewargs_ex__", "__new__",
)  # fmt: skip
"""Methods by which a class says how its objects are copied."""
POINTER = struct.calcsize("P")


@handles(copy.copy)
def shallow_copy(tx: Tx, value: VariableTracker) -> VariableTracker:
    if isinstance(value, ListVariable | DictVariable | SetVariable):
        return value.call_method(tx, "copy", (), {})
    if isinstance(value, TupleVariable) and value.kind is not tuple:
        own = any(lookup(value.kind, name) is not lookup(tuple, name) for name in COPIES)
        if own or value.kind.__mro__[1] is not tuple:
            raise GraphBreak(f"copying {value.describe()}")
        return TupleVariable(value.items(tx), kind=value.kind)
    if _is_its_copy(value) or isinstance(value, TupleVariable):
        return value
    if isinstance(value, ObjectVariable):
        if overridden(value.kind, "__copy__"):
            return value.call_method(tx, "__copy__", (), {})
        return _copied_object(tx, value, None)
    if value.python_type() is np.ndarray:
        return value.call_method(tx, "copy", (KEEP_ORDER,), {})
    raise GraphBreak(f"copying {value.describe()}")


COPIES = ("__copy__", "__reduce_ex__", "__reduce__")
MADE_ANEW = (np.dtype, GenericAlias, UnionType, np.finfo, np.iinfo)
"""Types of constants whose copies are other objects."""
KEEP_ORDER = ConstantVariable("K")


def _is_its_copy(value: VariableTracker) -> bool:
    """A constant or a function; a module cannot be copied."""
    is_not = issubclass(value.python_type(), (ModuleType, *MADE_ANEW))
    return (value.is_constant() and not is_not) or isinstance(value, FunctionVariable)


@handles(copy.deepcopy)
def deep_copy(
    tx: Tx, value: VariableTracker, memo: VariableTracker = NONE
) -> VariableTracker:
    """Containers of Python's own, arrays and constants; an object met twice is copied once."""
    if memo is NONE:
        return _deep_copy(tx, realise(tx, value), {})
    if not isinstance(memo, Memo):
        raise GraphBreak("a deep copy with a memo of the program's own")
    return _deep_copy(tx, realise(tx, value), memo.copies)


class Memo(VariableTracker):
    """The second argument of `__deepcopy__`, to be passed on."""

    def __init__(self, copies: Copies) -> None:
        self.copies = copies

    def python_type(self) -> type:
        return dict


def _deep_copy(tx: Tx, value: VariableTracker, copies: Copies) -> VariableTracker:
    if value in copies:
        return copies[value]
    kind = value.python_type()
    if (isinstance(value, ListVariable) and kind is list) or isinstance(value, DequeVariable):
        made: VariableTracker = value.made(())
        copies[value] = made
        for item in value.iterate(tx):
            made.call_method(tx, "append", (_deep_copy(tx, item, copies),), {})
        return made
    if isinstance(value, DictVariable):
        table = copies[value] = DictVariable(kind=kind)
        table.factory = _deep_copy(tx, value.factory, copies)
        for key, item in value.pairs(tx):
            table.store(tx, _deep_copy(tx, key, copies), _deep_copy(tx, item, copies))
        return table
    if kind is np.ndarray:
        copies[value] = value.call_method(tx, "copy", (KEEP_ORDER,), {})
        return copies[value]
    if kind is tuple:
        return _deep_tuple(tx, value, copies)
    if _is_its_copy(value) and kind not in (frozenset, slice):
        return value
    if isinstance(value, ObjectVariable):
        return _deep_object(tx, value, copies)
    raise GraphBreak(f"a deep copy of {value.describe()}")


def _deep_tuple(tx: Tx, value: VariableTracker, copies: Copies) -> VariableTracker:
    """A tuple of what is its own copy is its own copy, too."""
    before = list(value.iterate(tx))
    items = [_deep_copy(tx, item, copies) for item in before]
    if value in copies:  # copied meanwhile, by way of one of its items
        return copies[value]
    same = all(item is old for item, old in zip(items, before))
    copies[value] = value if same else TupleVariable(items)
    return copies[value]


def _deep_object(tx: Tx, value: ObjectVariable, copies: Copies) -> VariableTracker:
    if not overridden(value.kind, "__deepcopy__"):
        return _copied_object(tx, value, copies)
    copies[value] = value.call_method(tx, "__deepcopy__", (Memo(copies),), {})
    return copies[value]


def _copied_object(
    tx: Tx, value: ObjectVariable, copies: Copies | None
) -> VariableTracker:
    """What `copyreg.__newobj__` and `copy._reconstruct` make of an object."""
    kind = value.kind
    if (own := _own_protocol(value)) is not None:
        raise GraphBreak(f"copying {value.describe()} by its {own}")

    def part(item: VariableTracker) -> VariableTracker:
        return item if copies is None else _deep_copy(tx, item, copies)

    made = _new(tx, value, kind)
    if copies is not None:
        copies[value] = made
    held = {**value.all_attributes(tx), **{name: value.own(tx, name) for name in _slots(kind)}}
    for name, item in held.items():
        if item is not None:
            made.store(tx, name, part(realise(tx, item)))
    if isinstance(value.contents, ListVariable):
        for item in value.iterate(tx):
            made.call_method(tx, "append", (part(item),), {})
    elif isinstance(value.contents, DictVariable):
        for pair in tx.iterate(value.call_method(tx, "items", (), {})):
            key, item = (part(each) for each in pair.iterate(tx))
            made.call_method(tx, "__setitem__", (key, item), {})
    return made


def _own_protocol(value: ObjectVariable) -> str | None:
    """What a class has of its own that says how its objects are copied; its type where its objects
    hold more than the slots, dict and weak references of Python's classes."""
    kind = value.kind
    base = value.base if isinstance(value, DerivedVariable) else object
    if overridden(kind, "__getattr__") or overridden(type(kind), "__setattr__"):
        return "__getattr__"
    for name in _slots(kind):  # which are set as the class says
        if overridden(kind, "__setattr__") or type(lookup(kind, name)) is not MemberDescriptorType:
            return name
    handled = ("__copy__", "__deepcopy__")  # by the callers, where it is written in Python
    for name in PROTOCOL:
        raw = lookup(kind, name)
        if raw is not lookup(base, name) and not (
            name in handled and (raw is None or isinstance(raw, FunctionType))
        ):
            return name
    parts = (kind.__dictoffset__ > 0, kind.__weakrefoffset__ > 0, *_slots(kind))
    plain = base.__basicsize__ + POINTER * sum(map(bool, parts))
    is_of_c = kind.__basicsize__ > plain or (kind.__module__ == "builtins" and kind is not object)
    return "type" if is_of_c else None


def _slots(kind: type) -> list[str]:
    return [
        name for base in kind.__mro__ for name, raw in vars(base).items()
        if type(raw) is MemberDescriptorType and is_python_class(base)
    ]  # fmt: skip


def _new(tx: Tx, value: ObjectVariable, kind: type) -> ObjectVariable:
    if not isinstance(value, DerivedVariable):
        return new_object(tx, kind)
    if isinstance(value.contents, TupleVariable) and value.contents.is_constant():
        return DerivedVariable(kind, TupleVariable(value.contents.items(tx)))
    if value.base not in FILL and value.contents.is_constant():
        return DerivedVariable(kind, value.contents)
    if value.base in (list, dict):
        return DerivedVariable(kind, new_contents(value.base))
    raise GraphBreak(f"copying {value.describe()}")
