"""Objects of the standard library that are made or asked by C code."""
from __future__ import annotations

import inspect
import logging
import random
import types
import typing
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import GraphBreak
from ...guards.kinds import CALL
from ...ir import core
from ..object_model.constants import FALSE, ConstantVariable, TypedConstant
from ..object_model.lazy import realise
from ..polyfills import lists
from ..polyfills.numpy import dtype_of_result, left_to_python, only_where, stored
from ..recording.nodes import record
from ..state.tracker import VariableTracker
from ..trackers.array_backed.growing import GrowingVariable
from ..trackers.arrays.graph_methods import record_call
from ..trackers.arrays.unions import UnionNumber
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.mappings import MappingProxyVariable
from ..trackers.containers.sequences import SequenceVariable
from ..trackers.objects.library_values import SignatureVariable, ask
from ..trackers.objects.objects import new_object
from .table import handles

if TYPE_CHECKING:
    from ..state.tx import Tx


@handles(types.SimpleNamespace)
def make_namespace(
    tx: Tx, *mapping: VariableTracker, **named: VariableTracker
) -> VariableTracker:
    made = new_object(tx, types.SimpleNamespace)
    for each in mapping:
        for key, value in tx.pairs(each):
            made.store(tx, key.as_constant(tx), value)
    for name, value in named.items():
        made.store(tx, name, value)
    return made


@handles(types.MappingProxyType)
def make_proxy(tx: Tx, mapping: VariableTracker) -> VariableTracker:
    if not isinstance(mapping, DictVariable):
        raise GraphBreak(f"a read-only view of {mapping.describe()}")
    return MappingProxyVariable(mapping)


@handles(inspect.signature)
def signature(tx: Tx, function: VariableTracker) -> VariableTracker:
    return SignatureVariable(ask(tx, inspect.signature, function))


@handles(typing.get_type_hints)
def type_hints(tx: Tx, owner: VariableTracker) -> VariableTracker:
    hints = ask(tx, typing.get_type_hints, owner)
    return DictVariable.of(tx, [(ConstantVariable(k), tx.known(v)) for k, v in hints.items()])


# -- what the functions of `polyfills.numpy` ask


@handles(left_to_python)
def leave(tx: Tx, reason: VariableTracker) -> VariableTracker:
    raise GraphBreak(str(reason.as_constant(tx)))


@handles(only_where)
def expect(tx: Tx, condition: VariableTracker, reason: VariableTracker) -> VariableTracker:
    told = str(reason.as_constant(tx))
    return record(tx, core.expect, (condition.as_argument(tx), told))


@handles(dtype_of_result)
def dtype_of(tx: Tx, value: VariableTracker) -> VariableTracker:
    return TypedConstant(number_dtype(value))


@handles(stored)
def check_stored(
    tx: Tx, value: VariableTracker, dtype: VariableTracker
) -> VariableTracker:
    kinds = [KINDS.find(each.kind) for each in (number_dtype(value), dtype.as_constant(tx))]
    if not -1 < kinds[0] <= kinds[1] or dtype.as_constant(tx) not in DTYPES:
        raise GraphBreak(f"np.vectorize that stores {value.describe()} as {dtype.as_constant(tx)}")
    return value


KINDS = "bifc"
DTYPES = tuple(np.dtype(kind) for kind in (bool, int, float, complex))


def number_dtype(value: VariableTracker) -> np.dtype:
    """The dtype of the array that NumPy makes of one number."""
    if isinstance(value, UnionNumber) and len({np.dtype(kind) for kind in value.kinds}) > 1:
        raise GraphBreak(f"np.vectorize of a function that gives {value.describe()}")
    kind = getattr(value, "array_type", None)
    if kind is None and value.python_type() in (bool, int, float, complex):
        return np.dtype(value.python_type())
    if kind is None or kind.shape:
        raise GraphBreak(f"np.vectorize of a function that gives {value.describe()}")
    found: np.dtype = kind.dtype
    return found


# -- loggers


class Reports:
    """A guard: whether a logger reports a level."""

    def __init__(self, level: int) -> None:
        self.level = level
        self.__name__ = f"reports nothing of level {level}"

    def __call__(self, logger: logging.Logger) -> bool:
        return not logger.isEnabledFor(self.level)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reports) and other.level == self.level

    def __hash__(self) -> int:
        return hash(self.level)


@handles(logging.Logger.isEnabledFor)
def is_enabled(tx: Tx, logger: VariableTracker, level: VariableTracker) -> VariableTracker:
    value: Any = getattr(logger, "value", None)
    if logger.source is None or type(value) not in (logging.Logger, logging.RootLogger):
        raise GraphBreak(f"whether {logger.describe()} reports a level")
    guard = Reports(level.as_constant(tx))
    if not guard(value):
        raise GraphBreak(f"the logger {value.name!r} reports what it is told")
    tx.guards.install(logger.source, CALL, guard, tx.location())
    return FALSE


@handles(random.choice)
def choice(tx: Tx, seq: VariableTracker) -> VariableTracker:
    """Python draws from numbers that are known; of items that data decides, the place is drawn."""
    values = realise(tx, seq)
    if isinstance(values, SequenceVariable):
        is_known = all(item.is_constant() for item in values.iterate(tx))
    else:
        is_known = not isinstance(values, GrowingVariable)
    if is_known:
        return record_call(tx, random.choice, (values,), {})
    return tx.known(lists.choice).call(tx, (values,), {})


@handles(random.shuffle)
def shuffle(tx: Tx, x: VariableTracker) -> VariableTracker:
    """Of a list whose items are in arrays; Python shuffles others."""
    if not isinstance(values := realise(tx, x), GrowingVariable):
        raise GraphBreak(f"random.shuffle of {values.describe()}")
    return tx.known(lists.shuffle).call(tx, (values,), {})
