"""Builtins and library types that make containers and callables."""
from __future__ import annotations

import builtins
import copy
import functools
import types
from collections import OrderedDict, defaultdict, deque
from typing import TYPE_CHECKING

import numpy as np

from ..errors import GraphBreak
from ..polyfills import own_attributes
from ..variables.base import VariableTracker
from ..variables.constants import NONE, ConstantVariable
from ..variables.deques import make_deque
from ..variables.dicts import DictVariable
from ..variables.functions import FunctionVariable
from ..variables.lazy import realise
from ..variables.methods import MethodVariable
from ..variables.partials import make_partial
from ..variables.sequences import ListVariable, TupleVariable, is_named_tuple
from ..variables.sets import SetVariable
from .table import HANDLERS, handles

if TYPE_CHECKING:
    from ..translator import Translator


@handles(list)
def make_list(tx: Translator, *iterable: VariableTracker) -> VariableTracker:
    return ListVariable([item for each in iterable for item in tx.iterate(each)])


@handles(tuple)
def make_tuple(tx: Translator, *iterable: VariableTracker) -> VariableTracker:
    if iterable and iterable[0].python_type() is tuple:
        return iterable[0]
    return TupleVariable([item for each in iterable for item in tx.iterate(each)])


@handles(tuple.__new__)
def tuple_new(
    tx: Translator, kind: VariableTracker, *iterable: VariableTracker
) -> VariableTracker:
    """How named tuples are made."""
    known = kind.as_constant(tx)
    items = [item for each in iterable for item in tx.iterate(each)]
    if known is not tuple and not is_named_tuple(known):
        raise GraphBreak(f"making a {known.__name__}")
    return TupleVariable(items, kind=known)


@handles(set)
def make_set(tx: Translator, *iterable: VariableTracker) -> VariableTracker:
    made = SetVariable(set())
    made.call_method(tx, "update", iterable, {})
    return made


@handles(frozenset)
def make_frozenset(tx: Translator, *iterable: VariableTracker) -> VariableTracker:
    made = make_set(tx, *iterable)
    return SetVariable(frozenset(made.real), made.pool)


@handles(dict)
def make_dict(
    tx: Translator, *source: VariableTracker, **named: VariableTracker
) -> VariableTracker:
    made = DictVariable()
    made.method_update(tx, *source, **named)
    return made


@handles(copy.copy)
def shallow_copy(tx: Translator, value: VariableTracker) -> VariableTracker:
    """Containers of Python's own are copied; the protocols of other classes are Python's affair."""
    if isinstance(value, ListVariable | DictVariable | SetVariable):
        return value.call_method(tx, "copy", (), {})
    if value.is_constant() or isinstance(value, TupleVariable | FunctionVariable):
        return value
    raise GraphBreak(f"copying {value.describe()}")


KEEP_ORDER = ConstantVariable("K")


@handles(copy.deepcopy)
def deep_copy(tx: Translator, value: VariableTracker) -> VariableTracker:
    """Containers of Python's own, arrays and constants; an object met twice is copied once."""
    return _deep_copy(tx, realise(tx, value), {})


def _deep_copy(
    tx: Translator, value: VariableTracker, copies: dict[VariableTracker, VariableTracker]
) -> VariableTracker:
    if value in copies:
        return copies[value]
    kind = value.python_type()
    if kind is list:
        made: VariableTracker = ListVariable()
        copies[value] = made
        for item in value.iterate(tx):
            made.call_method(tx, "append", (_deep_copy(tx, item, copies),), {})
        return made
    if isinstance(value, DictVariable) and kind is dict:
        table = copies[value] = DictVariable()
        for key, item in value.pairs(tx):
            table.store(tx, _deep_copy(tx, key, copies), _deep_copy(tx, item, copies))
        return table
    if kind is np.ndarray:
        copies[value] = value.call_method(tx, "copy", (KEEP_ORDER,), {})
        return copies[value]
    if value.is_constant() or isinstance(value, FunctionVariable):
        return value
    if kind is tuple:
        return TupleVariable([_deep_copy(tx, item, copies) for item in value.iterate(tx)])
    raise GraphBreak(f"a deep copy of {value.describe()}")


@handles(dict.fromkeys)
def dict_fromkeys(
    tx: Translator, keys: VariableTracker, value: VariableTracker = NONE
) -> VariableTracker:
    return DictVariable.of(tx, ((key, value) for key in tx.iterate(keys)))


@handles(globals)
def builtin_globals(tx: Translator) -> VariableTracker:
    raise GraphBreak("globals()")


@handles(vars)
def builtin_vars(tx: Translator, *owner: VariableTracker) -> VariableTracker:
    if not owner:
        raise GraphBreak("looking at the frame's variables as a dict")
    return tx.getattr(owner[0], "__dict__")


@handles(builtins.locals, builtins.dir)
def namespace(tx: Translator, *args: VariableTracker) -> VariableTracker:
    raise GraphBreak("looking at a namespace as a dict")


@handles(defaultdict)
def make_defaultdict(
    tx: Translator,
    factory: VariableTracker = NONE,
    *source: VariableTracker,
    **named: VariableTracker,
) -> VariableTracker:
    made = DictVariable(kind=defaultdict, factory=factory)
    made.method_update(tx, *source, **named)
    return made


@handles(OrderedDict)
def make_ordered_dict(
    tx: Translator, *source: VariableTracker, **named: VariableTracker
) -> VariableTracker:
    made = DictVariable(kind=OrderedDict)
    made.method_update(tx, *source, **named)
    return made


@handles(types.MethodType)
def make_method(
    tx: Translator, function: VariableTracker, owner: VariableTracker
) -> VariableTracker:
    return MethodVariable(function, owner)


HANDLERS[deque] = make_deque
HANDLERS[functools.partial] = make_partial


@handles(own_attributes)
def function_attributes(tx: Translator, function: VariableTracker) -> VariableTracker:
    if not isinstance(function, FunctionVariable):
        raise GraphBreak(f"the attributes of {function.describe()}")
    return ListVariable([
        TupleVariable([ConstantVariable(name), value])
        for name, value in function.own_attributes(tx).items()
    ])
