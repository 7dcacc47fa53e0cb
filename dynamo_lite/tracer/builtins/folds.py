"""Builtins that fold an iterable."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..control_flow.branches import is_data, predicate
from ..object_model.constants import NONE, ONE, ZERO, ConstantVariable, constant, observe
from ..object_model.lazy import realise
from ..polyfills.lists import behind_first, largest, largest_by, smallest, smallest_by
from ..python import comparisons
from ..state.tracker import VariableTracker
from ..trackers.array_backed.answers import answer
from ..trackers.array_backed.growing import GrowingVariable, expected
from ..trackers.array_backed.vectors import FEW, is_not_empty, scalars_of
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.graph_methods import record_call
from ..trackers.arrays.sizes import extremum, size_tracker
from ..trackers.arrays.unions import chosen
from ..trackers.containers.slices import DataRangeVariable, RangeVariable, SliceVariable
from ..trackers.objects.objects import ObjectVariable
from .listed import folded
from .searched import searched
from .table import handles

if TYPE_CHECKING:
    from ..state.tx import Tx


@handles(all)
def builtin_all(tx: Tx, iterable: VariableTracker) -> VariableTracker:
    if is_vector(iterable):
        return tx.call_builtin(bool, record_call(tx, np.all, (iterable,), {}))
    if (found := searched(tx, iterable, wanted=False)) is not None:
        return tx.call_builtin(operator.not_, found)
    return constant(all(tx.truth(item) for item in tx.iterate(iterable)))


def is_vector(value: VariableTracker) -> bool:
    """An array whose items are numbers, which have a truth each."""
    return isinstance(value, ArrayVariable) and value.array_type.ndim == 1


@handles(any)
def builtin_any(tx: Tx, iterable: VariableTracker) -> VariableTracker:
    if is_vector(iterable):
        return tx.call_builtin(bool, record_call(tx, np.any, (iterable,), {}))
    if (found := searched(tx, iterable, wanted=True)) is not None:
        return found
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
    if len(values) == 1 and key is NONE and default is None:
        values = (folded(tx, values[0]),)
        if isinstance(values[0], GrowingVariable) or is_long_vector(tx, values[0]):
            return tx.known(BY_LOOP[function]).call(tx, values, {})
        if (found := answer(tx, function, values[0])) is not None:
            return found
    if len(values) == 1 and key is not NONE and default is None and has_many(tx, values[0]):
        many = realise(tx, values[0])
        return tx.known(BY_KEY[function]).call(tx, (many, behind_the_first(tx, many), key), {})
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
        if is_data(test) and (found := _choice(tx, test, item, best)) is not None:
            if key is NONE:
                best = best_key = found
                continue
            if (found_key := _choice(tx, test, item_key, best_key)) is not None:
                best, best_key = found, found_key
                continue
        if tx.truth(test):
            best, best_key = item, item_key
    return best


def is_long_vector(tx: Tx, value: VariableTracker) -> bool:
    """An array of so many real numbers that a loop of the graph finds the largest."""
    dtype = scalars_of(value := realise(tx, value))
    return dtype is not None and dtype.kind in "biuf" and is_not_empty(tx, value)


BY_LOOP: dict[Callable[..., Any], Callable[[Any], Any]] = {max: largest, min: smallest}
BY_KEY: dict[Callable[..., Any], Callable[..., Any]] = {max: largest_by, min: smallest_by}


def behind_the_first(tx: Tx, values: VariableTracker) -> VariableTracker:
    if isinstance(values, GrowingVariable):
        return tx.known(behind_first).call(tx, (values,), {})
    return values.call_method(tx, "__getitem__", (SliceVariable(ONE, NONE, NONE),), {})


def has_many(tx: Tx, values: VariableTracker) -> bool:
    """Whether a loop of the graph may go through what has places: a range, an array of numbers, or
    a list in arrays; a call for which data says that it is empty bails out."""
    values = realise(tx, values)
    if isinstance(values, RangeVariable | DataRangeVariable):
        length = values.call_method(tx, "__len__", (), {})
        if isinstance(length, ConstantVariable):
            return bool(length.value > FEW)
        expected(tx, operator.gt, length, ZERO)
        return True
    return scalars_of(values) is not None and is_not_empty(tx, values)


def _choice(
    tx: Tx, test: VariableTracker, item: VariableTracker, best: VariableTracker
) -> VariableTracker | None:
    """One of two numbers, as data decides."""
    return chosen(tx, predicate(tx, test), realise(tx, item), realise(tx, best))
