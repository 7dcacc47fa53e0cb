"""Assignments at positions that are data: NumPy makes them, in the memory of the array itself.

Into an input they are made after the commit, so all that NumPy could object to is checked before.
"""
from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...ir import core
from ...ir.node import Node
from ...ir.sizes import Size
from ...ir.tree import map_leaves
from ...ir.types import Form
from ..loop_ir import simplify
from ..loop_ir.loops import Buffer, Check
from ..loop_ir.program import Extern
from ..loop_ir.simplify import INT64
from .context import Lowering
from .externs import reference
from .strided_views import ViewSteps
from .structure import in_range, index_operand
from .values import Value, load_of
from .views import spelled_out


def views_of(view: ViewSteps) -> ViewSteps:
    """The strided views of a chain without a last step that gathers by integer arrays;
    the chain itself where there is no such step."""
    if not view or view[-1][0] is not operator.getitem:
        return view
    key = view[-1][1][0]
    items = key if isinstance(key, tuple) else (key,)
    gathers = any(isinstance(item, (Node, Value, list, np.ndarray)) for item in items)
    return view[:-1] if gathers and all(map(_is_index, items)) else view


def _is_index(item: Any) -> bool:
    if isinstance(item, (Node, Value)):
        kind = item.type
        return kind.form is Form.ARRAY and kind.dtype.kind in "iu" and kind.dtype != np.uint64
    if isinstance(item, (list, np.ndarray)):
        return np.asarray(item).dtype.kind in "iu"
    if isinstance(item, slice):
        return all(part is None or type(part) is int for part in (item.start, item.stop, item.step))
    return item is None or item is Ellipsis or type(item) is int


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
