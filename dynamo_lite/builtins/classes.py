"""Classes that the frame defines: a real class, made anew by each analysis, whose functions are
placeholders for the trackers of the functions that the class body made.

Such a class must not leave the trace: every call of the user's function defines another one.
"""
from __future__ import annotations

import builtins
import collections
import dataclasses
import functools
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any

from ..errors import GraphBreak
from ..variables.base import VariableTracker
from ..variables.callables import KnownVariable
from ..variables.cells import CellVariable
from ..variables.classes import ClassVariable
from ..variables.constants import observe
from ..variables.descriptors import DescriptorVariable
from ..variables.functions import NestedFunctionVariable
from ..variables.known import known_value
from ..variables.object_model import LOCAL_CLASSES
from ..variables.partials import PartialVariable
from .table import handles

if TYPE_CHECKING:
    from ..translator import Translator


@handles(builtins.__build_class__)
def build_class(
    tx: Translator,
    body: VariableTracker,
    name: VariableTracker,
    *bases: VariableTracker,
    **keywords: VariableTracker,
) -> VariableTracker:
    """What a `class` statement calls."""
    if keywords or not isinstance(body, NestedFunctionVariable):
        raise GraphBreak("defining a class with keyword arguments")
    known = tuple(base_class(tx, base) for base in bases)
    namespace = tx.class_namespace(body)
    cell = namespace.pop("__classcell__", None)
    contents = {key: class_item(tx, key, value) for key, value in namespace.items()}
    made = observe(type, name.as_constant(tx), known, contents)
    LOCAL_CLASSES.add(made)
    tracker = tx.known(made)
    if isinstance(cell, CellVariable):
        cell.contents = tracker
    return tracker


def base_class(tx: Translator, base: VariableTracker) -> type:
    """A class whose subclasses are made by `type` alone."""
    if not isinstance(base, ClassVariable):
        raise GraphBreak(f"defining a class derived from {base.describe()}")
    kind = base.value
    if type(kind) is not type:
        raise GraphBreak(f"defining a class by the metaclass {type(kind).__name__}")
    if any("__init_subclass__" in vars(each) for each in kind.__mro__[:-1]):
        raise GraphBreak(f"the __init_subclass__ of {kind.__name__}")
    return kind


def class_item(tx: Translator, name: str, value: VariableTracker) -> Any:
    """What the class's dict holds for a name of its body."""
    if isinstance(value, NestedFunctionVariable):
        return placeholder(tx, value)
    if isinstance(value, DescriptorVariable):
        parts = [class_item(tx, name, part) for part in value.parts]
        return value.kind(*parts)
    if name == "__annotations__":
        return {key.as_constant(tx): item.as_constant(tx) for key, item in tx.pairs(value)}
    if not value.is_constant():
        raise GraphBreak(f"the class attribute {name!r}, {value.describe()}")
    known = value.as_constant(tx)
    if hasattr(type(known), "__set_name__") and not isinstance(known, dataclasses.Field):
        raise GraphBreak(f"the class attribute {name!r} has a __set_name__")
    return known


# -- what makes or changes such classes: run on the real class


@handles(dataclasses.dataclass)
def make_dataclass(
    tx: Translator, *classes: VariableTracker, **options: VariableTracker
) -> VariableTracker:
    """The functions that `dataclass` writes are followed as others are."""
    if not classes:
        return PartialVariable(tx.known(dataclasses.dataclass), (), options)
    kind = classes[0].as_constant(tx)
    known = {name: value.as_constant(tx) for name, value in options.items()}
    if kind not in LOCAL_CLASSES or known.get("slots") or known.get("weakref_slot"):
        raise GraphBreak(f"making a dataclass of {kind.__name__}")
    observe(dataclasses.dataclass, kind, **known)
    return classes[0]


@handles(dataclasses.field)
def make_field(tx: Translator, **options: VariableTracker) -> VariableTracker:
    known = {name: class_item(tx, name, value) for name, value in options.items()}
    return KnownVariable(observe(dataclasses.field, **known))


@handles(functools.total_ordering)
def order_totally(tx: Translator, decorated: VariableTracker) -> VariableTracker:
    kind = decorated.as_constant(tx)
    if kind not in LOCAL_CLASSES:
        raise GraphBreak(f"changing the class {kind.__name__}")
    observe(functools.total_ordering, kind)
    return decorated


@handles(collections.namedtuple)
def make_named_tuple(
    tx: Translator, *args: VariableTracker, **options: VariableTracker
) -> VariableTracker:
    known = {name: known_value(tx, value, "namedtuple") for name, value in options.items()}
    known.setdefault("module", tx.globals.get("__name__"))
    values = [known_value(tx, arg, "namedtuple") for arg in args]
    made = observe(collections.namedtuple, *values, **known)
    LOCAL_CLASSES.add(made)
    return tx.known(made)


def placeholder(tx: Translator, function: NestedFunctionVariable) -> FunctionType:
    """A function that `tx.wrap` turns into the tracker again; it is never called."""
    code = function.code
    cells = tuple(CellType() for _ in code.co_freevars)
    made = FunctionType(code, function.globals, code.co_name, None, cells)
    tx.state.placeholders[made] = function
    return made


def _descriptor(kind: type) -> Any:
    def make(tx: Translator, *parts: VariableTracker) -> VariableTracker:
        return DescriptorVariable(kind, parts)

    return make


for _kind in (property, staticmethod, classmethod):
    handles(_kind)(_descriptor(_kind))
