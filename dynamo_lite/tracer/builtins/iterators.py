"""Builtins that make and step iterators."""
from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ...errors import GraphBreak
from ..object_model.class_attributes import overridden
from ..object_model.constants import (
    FALSE,
    NONE,
    ZERO,
    ConstantVariable,
    constant,
    fold,
    observe,
    observed,
)
from ..object_model.refusals import length, name_in_c, refuse
from ..object_model.sorting import sorted_items
from ..polyfills.language import by_index_backwards, range_backwards
from ..python import operators
from ..rules.mro import MISSING, answers, lookup
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.array_backed.answers import length_of
from ..trackers.array_backed.elements import elements_of
from ..trackers.arrays.unions import as_int
from ..trackers.containers.dict_views import DictViewVariable
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.iterators import (
    BackwardsVariable,
    CallableIterator,
    ComputedIterator,
    EnumerateVariable,
    FilterVariable,
    MapVariable,
    ObjectIterator,
    ReversedVariable,
    ZipVariable,
)
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.sequences import SequenceVariable, TupleVariable, index_constant
from ..trackers.containers.sets import SetVariable
from ..trackers.containers.slices import (
    DataRangeVariable,
    RangeVariable,
    SliceVariable,
    make_range,
)
from ..trackers.objects.objects import ObjectVariable
from .ordered import sorted_in_arrays
from .searched import in_generator
from .table import handles

if TYPE_CHECKING:
    from ..state.tx import Tx


@handles(len)
def builtin_len(tx: Tx, value: VariableTracker) -> VariableTracker:
    if operators.is_plain(value):
        elements = elements_of(tx, value)
        return fold(tx, len, (value,)) if elements is None else tx.size(elements.count)
    if (known := length_of(tx, value)) is not None:
        return known
    kind = value.python_type()
    if not answers(kind, "__len__"):
        raise refuse(len, kind)
    return length(tx, value.call_method(tx, "__len__", (), {}))


@handles(iter)
def builtin_iter(
    tx: Tx, value: VariableTracker, *sentinel: VariableTracker
) -> VariableTracker:
    if sentinel:
        return CallableIterator(value, sentinel[0])
    iterator = tx.iterator(value)
    return iterator.owner if isinstance(iterator, ObjectIterator) else iterator


@handles(next)
def builtin_next(
    tx: Tx, iterator: VariableTracker, default: VariableTracker | None = None, /
) -> VariableTracker:
    kind = iterator.python_type()
    if lookup(kind, "__next__") is MISSING:
        raise refuse(next, kind)
    if (found := in_generator(tx, iterator, None, default)) is not None:
        return found
    tx.side_effects.touches("an iterator", iterator)
    try:
        return iterator.call_method(tx, "__next__", (), {})
    except ObservedException as raised:
        if default is not None and issubclass(raised.value.python_type(), StopIteration):
            return default
        raise


@handles(range)
def builtin_range(tx: Tx, *ends: VariableTracker) -> VariableTracker:
    return make_range(tx, *[as_int(tx, end) for end in ends])


@handles(slice)
def builtin_slice(tx: Tx, *parts: VariableTracker) -> VariableTracker:
    if not 1 <= len(parts) <= 3:
        observe(slice, *map(id, parts))
    return SliceVariable(*parts) if len(parts) > 1 else SliceVariable(NONE, *parts)


@handles(enumerate)
def builtin_enumerate(
    tx: Tx, iterable: VariableTracker, start: VariableTracker = ZERO
) -> VariableTracker:
    return EnumerateVariable(tx.iterator(iterable), index_constant(tx, start))


@handles(zip)
def builtin_zip(
    tx: Tx, *iterables: VariableTracker, strict: VariableTracker = FALSE
) -> VariableTracker:
    return ZipVariable([tx.iterator(each) for each in iterables], strict.truth(tx))


@handles(map)
def builtin_map(
    tx: Tx, function: VariableTracker, *iterables: VariableTracker
) -> VariableTracker:
    if not iterables:
        observe(map, None)
    return MapVariable(function, [tx.iterator(each) for each in iterables])


@handles(filter)
def builtin_filter(
    tx: Tx, function: VariableTracker, iterable: VariableTracker
) -> VariableTracker:
    return FilterVariable(function, tx.iterator(iterable))


@handles(reversed)
def builtin_reversed(tx: Tx, value: VariableTracker) -> VariableTracker:
    if isinstance(value, ObjectVariable):
        return _reversed_object(tx, value)
    if isinstance(value, RangeVariable):
        return tx.iterator(RangeVariable(value.value[::-1]))
    if isinstance(value, DataRangeVariable) and value.has_known_step:
        return tx.iterator(tx.call(tx.known(range_backwards), *value.ends))
    if isinstance(value, ConstantVariable) and isinstance(value.value, str | bytes):
        value = TupleVariable([constant(item) for item in value.as_constant(tx)])
    if value.python_type() is np.ndarray:
        value.call_method(tx, "__len__", (), {})
        backwards = SliceVariable(NONE, NONE, constant(-1))
        return BackwardsVariable(tx, value.call_method(tx, "__getitem__", (backwards,), {}))
    if isinstance(value, SequenceVariable) and value.kind in REVERSED_TYPES:
        return ReversedVariable(value, REVERSED_TYPES[value.kind])
    if isinstance(value, DictVariable | DictViewVariable):
        items = list(value.iterate(tx))[::-1]
        return ComputedIterator(iter(items), type(reversed({})))
    raise GraphBreak(f"reversed() of {value.describe()}")


def _reversed_object(tx: Tx, value: ObjectVariable) -> VariableTracker:
    if lookup(value.kind, "__reversed__") not in (MISSING, None):
        return value.call_method(tx, "__reversed__", (), {})
    if answers(value.kind, "__reversed__") or not answers(value.kind, "__getitem__"):
        raise observed(TypeError(f"{name_in_c(value.kind)!r} object is not reversible"))
    if not answers(value.kind, "__len__"):
        raise refuse(len, value.kind)
    return tx.call(tx.known(by_index_backwards), value)


REVERSED_TYPES: dict[type, type] = {kind: type(reversed(kind())) for kind in (list, tuple, deque)}


@handles(sorted)
def builtin_sorted(
    tx: Tx,
    iterable: VariableTracker,
    *,
    key: VariableTracker = NONE,
    reverse: VariableTracker = FALSE,
) -> VariableTracker:
    if (found := sorted_in_arrays(tx, iterable, key, reverse)) is not None:
        return found
    items = list(unordered(tx, iterable) if key is NONE else tx.collect(iterable))
    return ListVariable(sorted_items(tx, items, key, reverse))


def unordered(tx: Tx, iterable: VariableTracker) -> Iterable[VariableTracker]:
    """The items where their order does not matter: members of a set too."""
    contents = iterable.contents or iterable
    if isinstance(contents, SetVariable) and not overridden(iterable.python_type(), "__iter__"):
        return contents.trackers(tx)
    return tx.collect(iterable)
