"""Builtins that fold an iterable."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import GraphBreak
from ..control_flow.branches import is_data, predicate
from ..object_model.constants import NONE, ZERO, constant, observe
from ..object_model.lazy import realise
from ..python import comparisons, operators
from ..state.tracker import VariableTracker
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.graph_methods import record_call
from ..trackers.arrays.sizes import SizeVariable, extremum, size_tracker
from ..trackers.arrays.unions import chosen
from ..trackers.objects.objects import ObjectVariable
from .table import handles

if TYPE_CHECKING:
    from ..state.tx import Tx


@handles(sum)
def builtin_sum(
    tx: Tx, iterable: VariableTracker, start: VariableTracker = ZERO
) -> VariableTracker:
    """Known numbers are summed by Python itself, whose float sums are compensated from 3.12."""
    text = next((kind for kind in TEXT if issubclass(start.python_type(), kind)), None)
    if text is not None:
        observe(sum, (), text())  # CPython says what to use instead
    items, total, known = iter(tx.iterate(iterable)), start, []
    item = next(items, None)
    while item is not None and _is_known_number(start) and _is_known_number(item):
        known.append(item.as_constant(tx))
        item = next(items, None)
    if known:
        total = constant(observe(sum, known, start.as_constant(tx)))
    while item is not None:
        if item.python_type() in (float, complex) and total.python_type() in NUMBERS:
            raise GraphBreak(f"sum() of {item.describe()}")
        total = operators.binary(tx, "+", total, item)
        item = next(items, None)
    return total


NUMBERS = (bool, int, float, complex)
TEXT = (str, bytes, bytearray)


def _is_known_number(value: VariableTracker) -> bool:
    is_known = value.is_constant() and not isinstance(value, SizeVariable)
    return is_known and value.python_type() in NUMBERS


@handles(all)
def builtin_all(tx: Tx, iterable: VariableTracker) -> VariableTracker:
    if is_vector(iterable):
        return tx.call_builtin(bool, record_call(tx, np.all, (iterable,), {}))
    return constant(all(tx.truth(item) for item in tx.iterate(iterable)))


def is_vector(value: VariableTracker) -> bool:
    """An array whose items are numbers, which have a truth each."""
    return isinstance(value, ArrayVariable) and value.array_type.ndim == 1


@handles(any)
def builtin_any(tx: Tx, iterable: VariableTracker) -> VariableTracker:
    if is_vector(iterable):
        return tx.call_builtin(bool, record_call(tx, np.any, (iterable,), {}))
    return constant(any(tx.truth(item) for item in tx.iterate(iterable)))


@handles(min)
def builtin_min(
    tx: Tx,
    *values: VariableTracker,
    key: VariableTracker = NONE,
    default: VariableTracker | None = None,
) -> VariableTracker:
    return _extreme(tx, min, "<", values, key, default)


@handles(max)
def builtin_max(
    tx: Tx,
    *values: VariableTracker,
    key: VariableTracker = NONE,
    default: VariableTracker | None = None,
) -> VariableTracker:
    return _extreme(tx, max, ">", values, key, default)


def _extreme(
    tx: Tx,
    function: Callable[..., Any],
    symbol: str,
    values: tuple[VariableTracker, ...],
    key: VariableTracker,
    default: VariableTracker | None,
) -> VariableTracker:
    if not values or (len(values) > 1 and default is not None):
        observe(function, *map(id, values), default=None)  # CPython says why not
    items = iter(tx.iterate(values[0]) if len(values) == 1 else values)
    if key is NONE and not isinstance(values[0], ObjectVariable):  # which is asked item by item
        known = list(items)
        if known and (size := extremum(tx, function, known)) is not None:
            return size_tracker(tx, size)
        items = iter(known)
    if (best := next(items, None)) is None:
        return constant(observe(function, ())) if default is None else default
    best_key = best if key is NONE else tx.call(key, best)
    for item in items:
        item_key = item if key is NONE else tx.call(key, item)
        test = comparisons.compare(tx, symbol, item_key, best_key)
        if key is NONE and is_data(test) and (found := _choice(tx, test, item, best)) is not None:
            best = best_key = found
        elif tx.truth(test):
            best, best_key = item, item_key
    return best


def _choice(
    tx: Tx, test: VariableTracker, item: VariableTracker, best: VariableTracker
) -> VariableTracker | None:
    """One of two numbers, as data decides."""
    return chosen(tx, predicate(tx, test), realise(tx, item), realise(tx, best))
