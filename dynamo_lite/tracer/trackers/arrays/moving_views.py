"""Slices in loops whose place is computed and whose length is not: `x[i:i + 8]`.

Such a slice is one of all parts of that length (`core.sliding_windows`), an item at a computed
position. Where it would reach beyond the array, Python cuts it off, and the call is left to Python.
"""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir import core
from ....ir.node import Node
from ....ir.sizes import Size, SizeExpr
from ...object_model.constants import ConstantVariable
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from ..containers.sequences import TupleVariable
from ..containers.slices import SliceVariable
from .indices import as_size, is_number
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
    if not tx.graph.is_body or array.array_type.library != "numpy":
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
    if not isinstance(start, ComputedNumber) or not isinstance(step, ConstantVariable):
        return None
    begin, end = _terms(start), _terms(stop)
    if step.value not in (None, 1) or begin is None or end is None or begin[0] != end[0]:
        return None
    length = end[1] - begin[1]
    if not tx.shapes.less(0, length) or not tx.shapes.less_equal(length, size):
        return None
    return start, length


def _terms(value: Any) -> tuple[dict[int, int], Size] | None:
    """An int as a sum: how often each node is in it, and what else is added."""
    if isinstance(value, ComputedNumber):
        return _terms(value.node)
    if isinstance(value, SizeVariable):
        return {}, value.size
    if isinstance(value, ConstantVariable):
        value = value.value
    if type(value) is int or isinstance(value, SizeExpr):
        return {}, value
    if not isinstance(value, Node):
        return None
    target, args = value.target, value.args
    if target is int and args[0].type.dtype.kind in "iu":
        return _terms(args[0])
    if target in (operator.add, operator.sub):
        left, right = map(_terms, args)
        return None if left is None or right is None else _sum(left, right, SIGNS[target])
    if target is operator.mul and (type(args[0]) is int or type(args[1]) is int):
        number, other = args if type(args[0]) is int else args[::-1]
        return None if (found := _terms(other)) is None else _sum(({}, 0), found, number)
    return {id(value): 1}, 0


SIGNS = {operator.add: 1, operator.sub: -1}


def _sum(
    left: tuple[dict[int, int], Size], right: tuple[dict[int, int], Size], times: int
) -> tuple[dict[int, int], Size]:
    """`left + times * right`"""
    counts = dict(left[0])
    for node, count in right[0].items():
        counts[node] = counts.get(node, 0) + times * count
    return {node: count for node, count in counts.items() if count}, left[1] + times * right[1]
