"""Iterating over any value."""
from __future__ import annotations

import operator
import types
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ...errors import GraphBreak
from ..object_model.class_attributes import overridden
from ..object_model.constants import ConstantVariable, observe, observed
from ..object_model.refusals import name_in_c, refuse, sample
from ..polyfills.language import by_index
from ..rules.mro import MISSING, answers, is_iterable, lookup
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.arrays.array_parts import FlatVariable
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.containers.dict_views import VIEW_TYPES
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.iterators import IteratorVariable, ObjectIterator, StepVariable
from ..trackers.objects.classes import ClassVariable
from ..trackers.objects.objects import ObjectVariable
from ..trackers.objects.opaque import OpaqueVariable

if TYPE_CHECKING:
    from ..state.tx import Tx

ITERATOR_TYPES: dict[type, type] = {
    list: type(iter([])), tuple: type(iter(())), range: type(iter(range(0))),
    str: type(iter("")), bytes: type(iter(b"")), dict: type(iter({})), set: type(iter(set())),
    frozenset: type(iter(set())), np.ndarray: type(iter(np.zeros(0))),
    VIEW_TYPES["keys"]: type(iter({}.keys())), VIEW_TYPES["values"]: type(iter({}.values())),
    VIEW_TYPES["items"]: type(iter({}.items())),
    deque: type(iter(deque())), types.MappingProxyType: type(iter({})),
}  # fmt: skip


def iterator(tx: Tx, value: VariableTracker) -> IteratorVariable:
    """`iter(value)`."""
    if isinstance(value, IteratorVariable):
        return value
    kind = value.python_type()
    if isinstance(value, ClassVariable):
        return value.iterator(tx)
    if isinstance(value, FlatVariable):
        return value.method___iter__(tx)
    if isinstance(value, ObjectVariable):
        return _of_object(tx, value)
    if isinstance(value, ArrayVariable) and kind is not np.ndarray:
        return StepVariable(tx, value, types.GeneratorType)
    for base in kind.__mro__:
        if base in ITERATOR_TYPES:
            return StepVariable(tx, value, ITERATOR_TYPES[base])
    if not is_iterable(kind):
        raise refuse(iter, kind)
    raise GraphBreak(f"iterating over {value.describe()}")


def _of_object(tx: Tx, value: ObjectVariable) -> IteratorVariable:
    if lookup(value.kind, "__iter__") in (MISSING, None):
        if answers(value.kind, "__iter__") or not answers(value.kind, "__getitem__"):
            raise refuse(iter, value.kind)
        return iterator(tx, tx.call(tx.known(by_index), value))
    result = value.call_method(tx, "__iter__", (), {})
    if isinstance(result, IteratorVariable):
        return result
    if not answers(result.python_type(), "__next__"):
        kind = name_in_c(result.python_type())
        raise observed(TypeError(f"iter() returned non-iterator of type {kind!r}"))
    return ObjectIterator(result, _is_stop)


def _is_stop(error: VariableTracker) -> bool:
    return issubclass(error.python_type(), StopIteration)


def collected(tx: Tx, value: VariableTracker) -> Iterator[VariableTracker]:
    """The items as C's lists and tuples take them: an object is asked first how many it has."""
    items = iterator(tx, value)
    if isinstance(value, ObjectVariable):
        _ask_for_length(tx, value)
    return items.iterate(tx)


def _ask_for_length(tx: Tx, value: ObjectVariable) -> None:
    """`operator.length_hint(value)`, for what the methods of its class do and raise."""
    if _asked(value, "__len__", lambda: tx.call_builtin(len, value)) is not None:
        return
    if type(lookup(value.kind, "__len__")) is types.WrapperDescriptorType:
        return  # C has seen the length
    method = "__length_hint__"
    hint = _asked(value, method, lambda: value.call_method(tx, method, (), {}))
    if hint is None:
        return
    if not isinstance(hint, ConstantVariable):
        raise GraphBreak(f"the length hint of {value.describe()}")
    known = hint.as_constant(tx)
    observe(operator.length_hint, type("Hinting", (), {method: lambda self: known})())


def _asked(
    value: ObjectVariable, method: str, ask: Callable[[], VariableTracker]
) -> VariableTracker | None:
    """What a method written in Python says; None where there is none, or it raises TypeError."""
    if not isinstance(lookup(value.kind, method), types.FunctionType):
        return None
    try:
        return ask()
    except ObservedException as raised:
        if not issubclass(raised.value.python_type(), TypeError):
            raise
        return None


def has_keys(tx: Tx, value: VariableTracker) -> bool:
    """Whether C takes a value for a mapping: by an attribute `keys`, wherever that comes from."""
    if isinstance(value, OpaqueVariable):
        raise GraphBreak(f"whether {value.describe()} has keys")
    if answers(value.python_type(), "keys") or not isinstance(value, ObjectVariable):
        return answers(value.python_type(), "keys")
    try:
        tx.getattr(value, "keys")
    except ObservedException as raised:
        if issubclass(raised.value.python_type(), AttributeError):
            return False
        raise
    return True


def pairs(
    tx: Tx, mapping: VariableTracker, kind: type
) -> Iterator[tuple[VariableTracker, VariableTracker]]:
    """Keys and values of a mapping, or of an iterable of pairs; `kind` refuses what is no pair."""
    contents = mapping if mapping.contents is None else mapping.contents
    if isinstance(contents, DictVariable) and not overridden(mapping.python_type(), "__iter__"):
        yield from contents.pairs(tx)
    elif has_keys(tx, mapping):
        for key in iterator(tx, tx.call(tx.getattr(mapping, "keys"))).iterate(tx):
            yield key, mapping.call_method(tx, "__getitem__", (key,), {})
    else:
        for position, item in enumerate(iterator(tx, mapping).iterate(tx)):
            try:
                items = iterator(tx, item).iterate(tx)
            except ObservedException as raised:
                if issubclass(raised.value.python_type(), TypeError):
                    refused = sample(item.python_type())
                    observe(kind().update, [*[((), ())] * position, refused])
                raise
            parts = list(items)
            if len(parts) != 2:
                observe(kind().update, [*[((), ())] * position, [None] * len(parts)])
            yield parts[0], parts[1]
