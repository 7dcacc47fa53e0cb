"""What makes or changes classes that the frame defines: run on the real class."""
from __future__ import annotations

import collections
import dataclasses
import functools
import typing
from typing import TYPE_CHECKING, Any

from ...errors import GraphBreak
from ..object_model.callables import KnownVariable
from ..object_model.constants import observe
from ..object_model.descriptors import DescriptorVariable
from ..rules.local_classes import LOCAL_CLASSES, Placeholder
from ..state.tracker import VariableTracker
from ..trackers.containers.known import known_value
from ..trackers.containers.partials import PartialVariable
from ..trackers.objects.class_items import class_item
from .table import handles

if TYPE_CHECKING:
    from ..state.tx import Tx


@handles(dataclasses.dataclass)
def make_dataclass(
    tx: Tx, *classes: VariableTracker, **options: VariableTracker
) -> VariableTracker:
    """The functions that `dataclass` writes are followed as others are."""
    if not classes:
        return PartialVariable(tx.known(dataclasses.dataclass), (), options)
    kind = classes[0].as_constant(tx)
    known = {name: value.as_constant(tx) for name, value in options.items()}
    if not isinstance(kind, type) or kind not in LOCAL_CLASSES or _has_fake_arrays(kind):
        raise GraphBreak(f"making a dataclass of {classes[0].describe()}")
    made = observe(dataclasses.dataclass, kind, **known)
    LOCAL_CLASSES.add(made)  # with slots it is another class
    return tx.known(made)


def _has_fake_arrays(kind: type) -> bool:
    return any(isinstance(value, Placeholder) for value in vars(kind).values())


@handles(dataclasses.field)
def make_field(tx: Tx, **options: VariableTracker) -> VariableTracker:
    known = {name: class_item(tx, name, value) for name, value in options.items()}
    return KnownVariable(observe(dataclasses.field, **known))


@handles(functools.total_ordering)
def order_totally(tx: Tx, decorated: VariableTracker) -> VariableTracker:
    kind = decorated.as_constant(tx)
    if not isinstance(kind, type) or kind not in LOCAL_CLASSES:
        raise GraphBreak(f"changing {decorated.describe()}")
    observe(functools.total_ordering, kind)
    return decorated


@handles(collections.namedtuple)
def make_named_tuple(
    tx: Tx, *args: VariableTracker, **options: VariableTracker
) -> VariableTracker:
    known = {name: known_value(tx, value, "namedtuple") for name, value in options.items()}
    known.setdefault("module", tx.globals.get("__name__"))
    values = [known_value(tx, arg, "namedtuple", exhausts=True) for arg in args]
    made = observe(collections.namedtuple, *values, **known)
    LOCAL_CLASSES.add(made)
    return tx.known(made)


@handles(typing.NamedTuple)
def make_typed_tuple(
    tx: Tx, name: VariableTracker, *fields: VariableTracker
) -> VariableTracker:
    known = [known_value(tx, value, "NamedTuple") for value in (name, *fields)]
    made: Any = observe(typing.NamedTuple, *known)
    made.__module__ = tx.globals.get("__name__")
    LOCAL_CLASSES.add(made)
    return tx.known(made)


def _descriptor(kind: type) -> Any:
    def make(tx: Tx, *parts: VariableTracker) -> VariableTracker:
        return DescriptorVariable(kind, parts)

    return make


for _kind in (property, staticmethod, classmethod, functools.cached_property):
    handles(_kind)(_descriptor(_kind))
