"""Subscripts and `in`: answered by special methods, as Python looks them up."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from ..object_model.constants import fold, observed
from ..object_model.refusals import name_in_c, refuse
from ..rules.mro import answers
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.array_backed.chosen_items import chosen_item
from ..trackers.array_backed.elements import elements_of
from ..trackers.arrays.numbers import ComputedNumber
from ..trackers.objects.classes import ClassVariable
from .comparisons import is_equal
from .operators import is_plain

if TYPE_CHECKING:
    from ..state.tx import Tx


def getitem(tx: Tx, container: VariableTracker, key: VariableTracker) -> VariableTracker:
    if is_computed_int(key) and (elements := elements_of(tx, container, shortest=1)) is not None:
        return elements.at(tx, key)
    if is_computed_int(key) and (chosen := chosen_item(tx, container, key)) is not None:
        return chosen
    if is_plain(container):
        return fold(tx, operator.getitem, (container, key))
    if isinstance(container, ClassVariable) and not hasattr(type(container.value), "__getitem__"):
        return container.subscripted(tx, key)
    return _subscript(tx, container, "__getitem__", "is not subscriptable", key)


def is_computed_int(key: VariableTracker) -> bool:
    return isinstance(key, ComputedNumber) and key.python_type() in (int, np.int64)


def setitem(
    tx: Tx, container: VariableTracker, key: VariableTracker, value: VariableTracker
) -> None:
    _subscript(tx, container, "__setitem__", "does not support item assignment", key, value)


ON_THE_HEAP = 1 << 9
"""Py_TPFLAGS_HEAPTYPE: such a type has room for every method, used or not."""


def delitem(tx: Tx, container: VariableTracker, key: VariableTracker) -> None:
    kind, is_index = container.python_type(), answers(key.python_type(), "__index__")
    has_part = kind.__flags__ & ON_THE_HEAP or answers(kind, "__contains__", "__len__")
    refusal = "doesn't" if is_index and has_part else "does not"
    _subscript(tx, container, "__delitem__", f"{refusal} support item deletion", key)


def _subscript(
    tx: Tx, container: VariableTracker, method: str, refusal: str, *args: VariableTracker
) -> VariableTracker:
    kind = container.python_type()
    if not answers(kind, method):
        if answers(kind, CHANGES.get(method, "")):  # C has one slot for both
            raise observed(AttributeError(method))
        raise observed(TypeError(f"{name_in_c(kind)!r} object {refusal}"))
    return container.call_method(tx, method, args, {})


CHANGES = {"__setitem__": "__delitem__", "__delitem__": "__setitem__"}


def contains(tx: Tx, container: VariableTracker, item: VariableTracker) -> bool:
    """`item in container`: `__contains__`, else by iteration."""
    kind = container.python_type()
    if is_plain(container):
        return bool(fold(tx, operator.contains, (container, item)).as_constant(tx))
    if answers(kind, "__contains__") and not hasattr(container, "next"):
        return tx.truth(container.call_method(tx, "__contains__", (item,), {}))
    try:
        members = tx.iterate(container)
    except ObservedException as raised:
        if not issubclass(raised.value.python_type(), TypeError):
            raise
        raise refuse(operator.contains, kind, None) from None
    return any(is_equal(tx, member, item) for member in members)
