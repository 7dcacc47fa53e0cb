"""Bound methods from outside. Reading one makes a new object each time, so they are known by their
parts: the function, or the name, and the owner."""
from __future__ import annotations

import random
from types import BuiltinFunctionType, MethodDescriptorType, MethodType, WrapperDescriptorType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...guards.kinds import CALL, EQUALS, IS, TYPE
from ...guards.sources import AttrSource, ConstSource, Pinned, Source
from ..object_model.callables import CallableVariable, KnownVariable
from ..object_model.methods import BoundDescriptorVariable, MethodVariable
from ..rules.mro import lookup
from ..state.tracker import VariableTracker
from ..trackers.arrays.randomness import RandomVariable
from ..trackers.objects.objects import ObjectVariable
from ..trackers.objects.opaque import OpaqueVariable

if TYPE_CHECKING:
    from ..state.tx import Tx


def wrap_method(tx: Tx, value: MethodType, source: Source) -> VariableTracker:
    if is_function_of_module(value):
        return _known_by_itself(tx, value, source)
    tx.guards.install(source, TYPE, value, tx.location())
    function = tx.wrap(value.__func__, AttrSource(source, "__func__"))
    owner = tx.wrap(value.__self__, AttrSource(source, "__self__"))
    if isinstance(owner, RandomVariable):
        return _from(source, owner.getattr(tx, value.__name__))
    return MethodVariable(function, owner, source)


def wrap_builtin_method(
    tx: Tx, value: BuiltinFunctionType, source: Source
) -> VariableTracker:
    """A method of a C type, as far as it is the one that its owner's class has under the name."""
    raw = lookup(type(value.__self__), value.__name__)
    is_own = OwnMethod(raw)
    if type(raw) not in C_METHODS or is_function_of_module(value) or not is_own(value):
        return _known_by_itself(tx, value, source)
    name, owner_source = AttrSource(source, "__name__"), AttrSource(source, "__self__")
    tx.guards.install(source, TYPE, value, tx.location())
    tx.guards.install(name, EQUALS, value.__name__, tx.location())
    owner = tx.wrap(value.__self__, owner_source)
    kinds = type(value.__self__).__mro__
    if sum(value.__name__ in vars(kind) for kind in kinds) > 1:  # one of them through super()
        tx.guards.install(source, CALL, is_own, tx.location())
    if isinstance(owner, KnownVariable):
        return CallableVariable(value, source)
    if isinstance(owner, ObjectVariable | OpaqueVariable):
        function = tx.wrap(raw, ConstSource(Pinned(raw), raw.__qualname__))
        return BoundDescriptorVariable(raw, function, owner, source)
    return _from(source, tx.getattr(owner, value.__name__))


def _from(source: Source, method: VariableTracker) -> VariableTracker:
    method.source = source
    return method


C_METHODS = (MethodDescriptorType, WrapperDescriptorType)


class OwnMethod:
    """A guard: a bound method is that of its owner's class, not one of a base's."""

    __name__ = "is the method of its own class"

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def __call__(self, value: Any) -> bool:
        return bool(self.raw.__get__(value.__self__) == value)


def is_function_of_module(value: Any) -> bool:
    """Whether it is a method of a hidden generator that a module offers as a function."""
    return any(getattr(module, value.__name__, None) is value for module in (random, np.random))


def _known_by_itself(tx: Tx, value: Any, source: Source) -> VariableTracker:
    tx.guards.install(source, IS, value, tx.location())
    return CallableVariable(value, source)
