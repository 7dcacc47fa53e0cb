"""Objects of the standard library that are made or asked by C code."""
from __future__ import annotations

import inspect
import types
import typing
from typing import TYPE_CHECKING

from ..errors import GraphBreak
from ..native import take_over
from ..variables.base import VariableTracker
from ..variables.constants import NONE, ConstantVariable
from ..variables.dicts import DictVariable
from ..variables.library_values import SignatureVariable, ask
from ..variables.mappings import MappingProxyVariable
from ..variables.objects import ObjectVariable
from .table import handles

if TYPE_CHECKING:
    from ..translator import Translator


@handles(take_over)
def arguments_taken_over(tx: Translator) -> VariableTracker:
    """The replacement of a rest does so itself, once its graph has run."""
    return NONE


@handles(types.SimpleNamespace)
def make_namespace(
    tx: Translator, *mapping: VariableTracker, **named: VariableTracker
) -> VariableTracker:
    made = ObjectVariable(types.SimpleNamespace)
    for each in mapping:
        for key, value in tx.pairs(each):
            made.store(tx, key.as_constant(tx), value)
    for name, value in named.items():
        made.store(tx, name, value)
    return made


@handles(types.MappingProxyType)
def make_proxy(tx: Translator, mapping: VariableTracker) -> VariableTracker:
    if not isinstance(mapping, DictVariable):
        raise GraphBreak(f"a read-only view of {mapping.describe()}")
    return MappingProxyVariable(mapping)


@handles(inspect.signature)
def signature(tx: Translator, function: VariableTracker) -> VariableTracker:
    return SignatureVariable(ask(tx, inspect.signature, function))


@handles(typing.get_type_hints)
def type_hints(tx: Translator, owner: VariableTracker) -> VariableTracker:
    hints = ask(tx, typing.get_type_hints, owner)
    return DictVariable.of(tx, [(ConstantVariable(k), tx.known(v)) for k, v in hints.items()])
