"""Slices in loops whose place is data and whose length is not: `x[k[i]:k[i] + 8]`.

Such a slice is one of all parts of that length (`core.sliding_windows`), an item at a computed
position. Where it would reach beyond the array, Python cuts it off, and the call is left to Python.
"""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir import core
from ....ir.sizes import Size
from ...object_model.constants import ConstantVariable
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from ..containers.sequences import TupleVariable
from ..containers.slices import SliceVariable
from .indices import as_size, is_number
from .linear import size_of, terms
from .numbers import ComputedNumber
from .sizes import SizeVariable

if TYPE_CHECKING:
    from ...state.tx import Tx
    from .arrays import ArrayVariable

Place = tuple[ComputedNumber, Size]
"""Where a slice begins, and its length."""


def moving_view(
    tx: Tx, array: ArrayVariable, key: VariableTracker
) -> ArrayVariable | None:
    """`array[key]` where it is a part of known size at a computed place; else None."""
    if not tx.graph.is_body:
        return None
    items = list(key.iterate(tx)) if isinstance(key, TupleVariable) else [key]
    sizes = array.array_type.shape
    if len(items) > len(sizes) or not all(map(_is_basic, items)):
        return None
    places = [
        _place(tx, item, size) if isinstance(item, SliceVariable) else None
        for item, size in zip(items, sizes)
    ]
    if not any(places):
        return None
    parts: Any = array
    chosen, goals, kept = [], [], 0
    for axis, (item, place) in enumerate(zip(items, places)):
        if place is not None:
            item, size = place
            begins_inside = record(tx, operator.ge, (item.node, 0)).as_argument(tx)
            record(tx, core.expect, (begins_inside,))
            parts = record(tx, core.sliding_windows, (parts.node, size, axis))
            goals.append(kept)
        chosen.append(item)
        kept += place is not None or isinstance(item, SliceVariable)
    part = parts.method___getitem__(tx, TupleVariable(chosen))
    ndim = part.array_type.ndim
    last = range(ndim - len(goals), ndim)
    if goals != list(last):
        part = record(tx, np.moveaxis, (part.node, tuple(last), tuple(goals)))
    return part


def _is_basic(item: VariableTracker) -> bool:
    if isinstance(item, (SliceVariable, SizeVariable)):
        return True
    return is_number(item) and item.python_type() in (int, np.int64)


def _place(tx: Tx, part: SliceVariable, size: Size) -> Place | None:
    start, stop, step = (as_size(tx, bound) for bound in part.parts)
    if not isinstance(start, ComputedNumber) or not isinstance(step, ConstantVariable) or (
        size_of(tx, start) is not None
    ):
        return None
    begin, end = terms(start), terms(stop)
    if step.value not in (None, 1) or begin is None or end is None or begin[0] != end[0]:
        return None
    length = end[1] - begin[1]
    if not tx.shapes.less(0, length) or not tx.shapes.less_equal(length, size):
        return None
    return start, length
