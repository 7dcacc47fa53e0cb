"""Assignments at positions that are data: kernels make them one element after the other, or NumPy
does, in the memory of the array itself.

Into an input they are made after the commit, so all that NumPy could object to is checked before.
"""
from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from ....ir import core
from ....ir.node import Node
from ....ir.sizes import Size
from ....ir.tree import map_leaves
from ....ir.types import Form, contiguous_strides
from ... import costs
from ...loop_ir import affine, simplify
from ...loop_ir.loops import Buffer, Check, Gather, Reduce, walk
from ...loop_ir.program import Extern
from ...loop_ir.simplify import INT64
from ..calls.externs import reference
from ..indexing.selections import gathered
from ..indexing.strided_views import ViewSteps, strided_view
from ..indexing.structure import SLOW_BY_ELEMENT, in_range, index_operand
from ..indexing.views import spelled_out
from ..state.changes import computed
from ..state.context import Lowering
from ..state.values import CannotLower, Value, load_of


def views_of(view: ViewSteps) -> ViewSteps:
    """The strided views of a chain without a last step that gathers by integer arrays;
    the chain itself where there is no such step."""
    if not view or view[-1][0] is not operator.getitem:
        return view
    key = view[-1][1][0]
    items = key if isinstance(key, tuple) else (key,)
    gathers = any(isinstance(item, (Node, Value, list, np.ndarray)) for item in items)
    return view[:-1] if gathers and all(map(is_index, items)) else view


def is_index(item: Any) -> bool:
    if isinstance(item, (Node, Value)):
        kind = item.type
        return kind.form is Form.ARRAY and kind.dtype.kind in "iu" and kind.dtype != np.uint64
    if isinstance(item, (list, np.ndarray)):
        return np.asarray(item).dtype.kind in "iu"
    if isinstance(item, slice):
        return all(part is None or type(part) is int for part in (item.start, item.stop, item.step))
    return item is None or item is Ellipsis or type(item) is int


def elements_at(low: Lowering, base: Value, view: ViewSteps, value: Any) -> Value | None:
    """The elements in the memory of `base` that a kernel assigns to, one after the other; None
    where NumPy does it. Positions are checked, and computed before those that they are read from
    change."""
    key = view[-1][1][0]
    if not low.in_order or not goes_in_order(low, key, value):
        return None
    buffer = load_of(base).buffer

    def kept(item: Any) -> Any:
        found = low.values[item] if isinstance(item, Node) else item
        reads = isinstance(found, Value) and low.ownership.reads(found, buffer)
        return computed(low, found) if reads else found

    return elements(low, strided_view(low, base, view[:-1]), map_leaves(kept, key))


def elements(low: Lowering, part: Value, key: Any) -> Value | None:
    """The elements that a key selects, unless there is nothing to look up."""
    try:
        found = gathered(low, part, key)
    except CannotLower:
        return None
    return found if isinstance(found.expr, Gather) else None


def goes_in_order(low: Lowering, key: Any, value: Any) -> bool:
    """Whether NumPy assigns in C order: it follows the memory of positions and values, none of
    which may go backwards or has another order then."""
    items = (*(key if isinstance(key, tuple) else (key,)), value)
    return all(goes_down(low, *layout) for layout in map(layout_of, items) if layout is not None)


def layout_of(item: Any) -> tuple[Sequence[Size], Sequence[Size]] | None:
    """The shape and strides of an array."""
    if isinstance(item, (Node, Value)):
        kind = item.type
        return (kind.shape, kind.strides) if kind.form is Form.ARRAY else None
    if isinstance(item, np.ndarray):
        return item.shape, item.strides
    return None


def goes_down(low: Lowering, shape: Sequence[Size], strides: Sequence[Size]) -> bool:
    """Whether elements in C order lie one behind the other, as far as can be seen."""
    steps = [stride for size, stride in zip(shape, strides)
             if not affine.is_one(size) and not affine.is_zero(stride)]
    if not all(is_positive(low, step) for step in steps):
        return False
    return strides == contiguous_of(shape, strides) or all(
        isinstance(outer, int) and isinstance(inner, int) and inner <= outer
        for outer, inner in pairwise(steps)
    )


def is_positive(low: Lowering, stride: Size) -> bool:
    return stride > 0 if isinstance(stride, int) else low.relations.follows("<", 0, stride)


def contiguous_of(shape: Sequence[Size], strides: Sequence[Size]) -> Sequence[Size]:
    """The strides that elements as far apart have in C order."""
    last = strides[-1] if strides else 0
    return contiguous_strides(tuple(shape), last) if isinstance(last, int) else ()


def ready_value(low: Lowering, value: Any, buffer: Buffer) -> Any:
    """A value in the memory of another buffer; functions are computed in vectors before."""
    if not isinstance(value, Value):
        return value
    if low.ownership.reads(value, buffer):
        return computed(low, value)
    if not value.shape:
        return value
    is_slow = costs.weight_of(value.expr) >= SLOW_BY_ELEMENT or any(
        isinstance(part, Reduce) for part in walk((value.expr,)))
    return low.materialise(value, "it is assigned element by element") if is_slow else value


def elements_later(
    low: Lowering, target: Value, view: ViewSteps, value: Any, written: set[Buffer]
) -> Value | None:
    """What `elements_at` gives, at positions in memory that no write changes."""
    if not low.in_order or not goes_in_order(low, view[-1][1][0], value):
        return None

    def kept(item: Any) -> Any:
        found = low.values[item] if isinstance(item, Node) else item
        return set_aside(low, found, found.dtype, written) if isinstance(found, Value) else found

    key = map_leaves(kept, view[-1][1][0])
    return elements(low, strided_view(low, target, views_of(view)), key)


def checked_key(low: Lowering, key: Any, shape: Sequence[Size], written: set[Buffer]) -> Any:
    """The key with every position checked, and in memory that no write changes."""
    items = spelled_out(key if isinstance(key, tuple) else (key,), len(shape))
    sizes = iter(shape)
    ready = []
    for item in items:
        size = None if item is None else next(sizes)
        if isinstance(item, int):
            assert size is not None
            low.relations.require("<=", -item if item < 0 else item + 1, size)
        elif size is not None and not isinstance(item, slice):
            value = low.values[item] if isinstance(item, Node) else index_operand(low, item)
            item = set_aside(low, value, value.dtype, written)
            at = simplify.convert(load_of(item), INT64)
            low.launch(item.axes, Check(in_range(at, size)))
        ready.append(item)
    return tuple(ready)


def set_aside(low: Lowering, value: Any, dtype: np.dtype, written: set[Buffer]) -> Any:
    """A value of this dtype in memory that no write changes."""
    if not isinstance(value, Value):
        return value
    root = low.ownership.root
    if value.dtype == dtype and value.is_memory and root(load_of(value).buffer) not in written:
        return value
    expr = simplify.convert(value.expr, dtype)
    type_ = replace(value.type, dtype=dtype, shape=value.shape, form=Form.ARRAY)
    return low.materialise(replace(value, expr=expr, type=type_), "it is written to an input")


def store_at(low: Lowering, target: Value, view: ViewSteps, value: Any) -> None:
    """`target[...] = value`, for the part that the chain selects."""
    args = map_leaves(
        lambda leaf: reference(low, leaf, "an assignment"), (target, tuple(view), value)
    )
    low.steps.append(Extern(core.store, args, {}, (), (), errstate=low.errstate))
