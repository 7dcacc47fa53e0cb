"""Joining, selecting and gathering."""
from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import Unsupported
from .. import steps
from ..facts import STATIC, Facts, StaticFacts
from ..sizes import Size, name_of, substitute, symbol
from ..types import ArrayType, Form, contiguous_strides
from .layout import (
    broadcast_shapes,
    compared_sizes,
    elementwise_strides,
    magnitude,
    packed_in_order,
    same,
)
from .reductions import written
from .values import Wrong, as_array, as_dtype, as_type, normal_axis, result


def concatenate_rule(
    arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None,
    casting: Any = "same_kind", facts: Facts,
) -> ArrayType:
    if not isinstance(arrays, (list, tuple)):
        raise Unsupported("concatenating the rows of one array")
    if not arrays:
        raise Wrong
    kinds = [as_array(item) for item in arrays]
    if axis is None:
        kinds = [kind.with_layout((kind.size,), (kind.dtype.itemsize,)) for kind in kinds]
        axis = 0
    ndim = kinds[0].ndim
    if ndim == 0 or any(kind.ndim != ndim for kind in kinds):
        raise Wrong
    place = normal_axis(axis, ndim)
    shape = _joined_shape(kinds, place, facts)
    found = _joined_dtype(kinds, dtype, casting)
    joined = result(found, shape, _joined_strides(kinds, shape, found.itemsize, facts))
    return joined if out is None else written(out, joined, facts)


FEW = 3
"""Arrays whose sizes are a short sum."""


def _joined_shape(
    kinds: Sequence[ArrayType], place: int, facts: Facts
) -> tuple[Size, ...]:
    shape = list(kinds[0].shape)
    for kind in kinds[1:]:
        for axis, size in enumerate(kind.shape):
            if axis == place:
                joined = shape[axis] + size
                shape[axis] = facts.total(joined) if len(kinds) > FEW else joined
            elif not same(shape[axis], size, facts):
                raise Wrong
    return tuple(shape)


def _joined_dtype(kinds: Sequence[ArrayType], dtype: Any, casting: Any) -> np.dtype:
    common = dtype is None
    found = np.result_type(*(kind.dtype for kind in kinds)) if common else as_dtype(dtype)
    if not all(np.can_cast(kind.dtype, found, casting) for kind in kinds):
        raise Wrong
    return found


def _joined_strides(
    kinds: Sequence[ArrayType], shape: tuple[Size, ...], itemsize: int, facts: Facts
) -> tuple[Size, ...]:
    """`PyArray_CreateMultiSortedStridePerm`: the order that all operands agree on, else C."""
    ndim = len(shape)
    if ndim < 2 or all(kind.is_c_contiguous for kind in kinds):
        return contiguous_strides(shape, itemsize)
    order = _order_of_any_length(kinds, facts) or _order(kinds, facts)
    return packed_in_order(shape, order[::-1], itemsize)


def _order_of_any_length(kinds: Sequence[ArrayType], facts: Facts) -> list[int] | None:
    """The order where it is the same for an axis of one, which has none, and for longer ones; also
    without the arrays that are empty where the axis is, or else the axis is guarded not to be."""
    unsure = {n for kind in kinds for n in kind.shape if facts.varies("==", n, 1)}
    name = name_of(unsure.pop()) if len(unsure) == 1 else None
    if name is None:
        return None
    try:
        order, same = _orders(tuple(kinds), name)
        return order if same or not facts.less(symbol(name), 1) else None
    except Unsupported:
        return None


@functools.lru_cache(64)
def _orders(kinds: tuple[ArrayType, ...], name: str) -> tuple[list[int] | None, bool]:
    """The order whether a size is one or more, and whether the arrays without it have that, too."""
    is_one: dict[str, Size] = {name: 1}

    def of_one(size: Size) -> Size:
        return substitute(size, is_one)

    with steps.supposing():
        ones = [
            kind.with_layout(tuple(map(of_one, kind.shape)), tuple(map(of_one, kind.strides)))
            for kind in kinds
        ]
        order = _order(kinds, StaticFacts({name: 2}))
        if order != _order(ones, STATIC):
            return None, True
        rest = [one for one, kind in zip(ones, kinds) if symbol(name) not in kind.shape]
        return order, not rest or _order(rest, STATIC) == order


def _order(kinds: Sequence[ArrayType], facts: Facts) -> list[int]:
    """The axes, slowest first."""
    sizes = [[magnitude(stride, facts) for stride in kind.strides] for kind in kinds]
    ndim = kinds[0].ndim
    order: list[int] = []
    for axis in range(ndim):
        at = len(order)
        for position in reversed(range(len(order))):
            verdict = _slower(kinds, sizes, axis, order[position], facts)
            if verdict is False:
                break
            if verdict:
                at = position
        order.insert(at, axis)
    return order


def _slower(
    kinds: Sequence[ArrayType], sizes: Sequence[Sequence[Size]], axis: int, other: int,
    facts: Facts,
) -> bool | None:
    """Whether `axis` belongs before `other`; None where no operand can tell."""
    verdict = None
    for kind, strides in zip(kinds, sizes):
        if same(kind.shape[axis], 1, facts) or same(kind.shape[other], 1, facts):
            continue
        verdict_here = compared_sizes(strides[axis], strides[other], facts)
        if verdict_here <= 0:
            return False
        verdict = True
    return verdict


def where_rule(condition: Any, x: Any = None, y: Any = None, /, *, facts: Facts) -> ArrayType:
    """Three arguments; the result of scalars is a 0-d array."""
    if x is None or y is None:
        raise Unsupported("np.where with one argument: its size depends on the data")
    kinds = [as_type(value) for value in (condition, x, y)]
    found = _selected_dtype(kinds[1:])
    shape = broadcast_shapes((kind.shape for kind in kinds), facts)
    for value, kind in zip((x, y), kinds[1:]):
        _check_int(value, kind, found)
    strides = elementwise_strides(shape, kinds, found.itemsize, facts, casts=True)
    return result(found, shape, strides, scalar=False)


def _check_int(value: Any, kind: ArrayType, dtype: np.dtype) -> None:
    if kind.form is Form.PYTHON and kind.dtype.kind == "i" and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not isinstance(value, int):
            if dtype != np.dtype(np.intp):
                raise Unsupported("a Python int that may not fit the result")
        elif not limits.min <= value <= limits.max:
            raise Wrong


@functools.lru_cache(1024, typed=True)
def _weak_dtype(*parts: Any) -> np.dtype:
    return np.result_type(*parts)


def _selected_dtype(kinds: Sequence[ArrayType]) -> np.dtype:
    """Common dtype, in which Python numbers are weak."""
    zero = {"b": np.dtype(bool), "i": 0, "f": 0.0, "c": 0j}
    return _weak_dtype(*(
        zero[kind.dtype.kind] if kind.form is Form.PYTHON else kind.dtype for kind in kinds
    ))


def take_rule(
    a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise", *,
    facts: Facts,
) -> ArrayType:
    kind, gathers = as_array(a), as_type(indices)
    if out is not None or mode != "raise":
        raise Unsupported("take with out= or mode=")
    if gathers.dtype.kind not in "iu":
        raise Unsupported("take with indices that are not integers")
    if axis is None:
        shape: tuple[Size, ...] = gathers.shape
    else:
        place = normal_axis(axis, max(kind.ndim, 1))
        shape = (*kind.shape[:place], *gathers.shape, *kind.shape[place + 1 :])
    return result(kind.dtype, shape)
