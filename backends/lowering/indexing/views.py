"""Views: slicing, transposes, broadcasting, reshapes. They move axes and never touch elements."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ....errors import Unsupported
from ....ir.facts import graph_facts
from ....ir.node import Node
from ....ir.rules.indexing import position, slice_bounds
from ....ir.sizes import Size, SizeExpr, depends_on_data, maximum, minimum
from ....ir.types import ArrayType, contiguous_strides
from ...loop_ir import affine, reshaping
from ...loop_ir.loops import Axis, Offset
from ...passes.materialise import Access
from ..state.context import Lowering, is_size, lowers, packed
from ..state.sharing import is_strided_view
from ..state.values import CannotLower, Value, load_of


def basic_getitem(low: Lowering, node: Node, value: Value, key: tuple[Any, ...]) -> Value:
    """Indexing with integers, slices, None and Ellipsis."""
    axes = low.axes(node.type.shape)
    index: list[Offset] = []
    made = iter(axes)
    sizes = iter(value.shape)
    for item in spelled_out(key, len(value.shape)):
        if item is None:
            next(made)
        elif isinstance(item, slice):
            index.append(_sliced(low, item, next(sizes), next(made)))
        else:
            index.append(Offset(position_in(low, item, next(sizes))))
    return low.view(node.type, value, axes, index)


def spelled_out(key: tuple[Any, ...], ndim: int) -> tuple[Any, ...]:
    """The key with the Ellipsis (also the one that every key ends with) written as full slices."""
    used = sum(item is not None and item is not Ellipsis for item in key)
    full = (slice(None),) * (ndim - used)
    if any(item is Ellipsis for item in key):
        at = next(i for i, item in enumerate(key) if item is Ellipsis)
        return key[:at] + full + key[at + 1 :]
    return key + full


def position_in(low: Lowering, item: Any, size: Size) -> Size:
    """An integer index counted from the front."""
    if not isinstance(item, SizeExpr):
        number = operator.index(item)
        return number if number >= 0 else size + number
    if depends_on_data(item):
        return position(item, size, graph_facts(low.graph))
    low.relations.require("<=", 0, item)
    low.relations.require("<", item, size)
    return item


def _sliced(low: Lowering, item: slice, size: Size, axis: Axis) -> Offset:
    step = 1 if item.step is None else item.step
    start = slice_start(low, item.start, size, step if isinstance(step, int) else 2)
    return affine.plus(Offset(start), affine.times(affine.along(axis), step))


def slice_start(low: Lowering, start: Any, size: Size, step: int) -> Size:
    """Where a slice begins, as `slice.indices` says; any place will do if the slice is empty."""
    if isinstance(size, int) and (start is None or isinstance(start, int)):
        return slice(start, None, step).indices(size)[0]
    if start is None:
        return 0 if step > 0 else size - 1
    if depends_on_data(start) or depends_on_data(size):
        return slice_bounds(slice(start, None, step), size, graph_facts(low.graph))[0]
    if isinstance(start, SizeExpr):
        if not low.relations.follows("<=", 0, start):
            try:
                way = 1 if step > 0 else -1
                return slice_bounds(slice(start, None, way), size, graph_facts(low.graph))[0]
            except Unsupported:
                low.relations.require("<=", 0, start)
    elif start < 0:
        is_within = low.relations.follows("<=", 0, size + start)
        return size + start if is_within else maximum(size + start, 0)
    if step > 0 or low.relations.follows("<=", start, size - 1):
        return start
    return minimum(start, size - 1)


def permuted(low: Lowering, node: Node, value: Value, order: Sequence[int]) -> Value:
    """Dimension k of the result is dimension order[k] of the operand."""
    axes = low.axes(tuple(value.shape[k] for k in order))
    index = [affine.ZERO] * len(order)
    for axis, k in zip(axes, order):
        index[k] = affine.along(axis)
    return low.view(node.type, value, axes, index)


def _dims(axes: Any, ndim: int) -> list[int]:
    given = axes if isinstance(axes, (tuple, list)) else (axes,)
    return [operator.index(axis) % ndim if ndim else 0 for axis in given]


@lowers(reads=Access.VIEW)
def matrix_transpose(low: Lowering, node: Node, a: Value) -> Value:
    ndim = len(a.shape)
    return permuted(low, node, a, [*range(ndim - 2), ndim - 1, ndim - 2])


@lowers(reads=Access.VIEW)
def transpose(low: Lowering, node: Node, a: Value, axes: Any = None) -> Value:
    ndim = len(a.shape)
    order = range(ndim)[::-1] if axes is None else _dims(axes, ndim)
    return permuted(low, node, a, list(order))


@lowers(reads=Access.VIEW)
def swapaxes(low: Lowering, node: Node, a: Value, axis1: int, axis2: int) -> Value:
    order = list(range(len(a.shape)))
    first, second = _dims((axis1, axis2), len(order))
    order[first], order[second] = order[second], order[first]
    return permuted(low, node, a, order)


@lowers(reads=Access.VIEW)
def moveaxis(low: Lowering, node: Node, a: Value, source: Any, destination: Any) -> Value:
    ndim = len(a.shape)
    sources, targets = _dims(source, ndim), _dims(destination, ndim)
    order = [k for k in range(ndim) if k not in sources]
    for target, dim in sorted(zip(targets, sources)):
        order.insert(target, dim)
    return permuted(low, node, a, order)


@lowers(reads=Access.VIEW)
def broadcast_to(low: Lowering, node: Node, array: Any, shape: Any, subok: bool = False) -> Value:
    if not isinstance(array, Value):
        raise CannotLower("np.broadcast_to of a constant")
    axes = low.axes(node.type.shape)
    return Value(node.type, axes, low.broadcast(array, axes), fresh=array.fresh)


@lowers(reads=Access.VIEW)
def unit_dims(
    low: Lowering, node: Node, a: Any, *args: Any, or_itself: bool = False, **kwargs: Any
) -> Value:
    """Dimensions of one element come or go; the others keep their order."""
    if not isinstance(a, Value) or not isinstance(node.type, ArrayType):
        raise CannotLower("several results, or a constant operand")
    if or_itself and a.type.shape == node.type.shape and a.type.form is node.type.form:
        return a
    axes = low.axes(node.type.shape)
    real = iter(axis for axis in axes if not affine.is_one(axis.extent))
    if len(a.shape) - sum(map(affine.is_one, a.shape)) != (
        len(axes) - sum(affine.is_one(axis.extent) for axis in axes)
    ):
        raise CannotLower("a size of one that only a guard knows")
    index = [affine.ZERO if affine.is_one(n) else affine.along(next(real)) for n in a.shape]
    return low.view(node.type, a, axes, index)


@lowers(reads=Access.VIEW)
def flip(low: Lowering, node: Node, m: Value, axis: Any = None) -> Value:
    ndim = len(m.shape)
    flipped = list(range(ndim)) if axis is None else _dims(axis, ndim)
    axes = low.axes(m.shape)
    index = [
        affine.affine(made.extent - 1, [(made, -1)])
        if k in flipped and not affine.is_one(made.extent)
        else affine.along(made)
        for k, made in enumerate(axes)
    ]
    return low.view(node.type, m, axes, index)


@lowers(reads=Access.VIEW)
def reshape(low: Lowering, node: Node, a: Any, *args: Any, **kwargs: Any) -> Value:
    if kwargs.get("order", "C") != "C" or kwargs.get("copy") is not None or args[1:]:
        raise CannotLower("np.reshape in another order")
    if not isinstance(a, Value):
        raise CannotLower("np.reshape of a constant")
    return reshaped(low, node, a)


@lowers(reads=Access.VIEW)
def ravel(low: Lowering, node: Node, a: Any, order: str = "C") -> Value:
    if order != "C" or not isinstance(a, Value):
        raise CannotLower("np.ravel in another order")
    made = reshaped(low, node, a)
    moved = made.is_memory and made.strides() != node.type.strides
    if moved and not is_strided_view(low.graph, node):
        return low.lazy(node.type, made.axes, made.expr)  # only packed arrays are not copied
    return made


@lowers(reads=Access.VIEW)
def flatten(low: Lowering, node: Node, a: Value, order: str = "C") -> Value:
    if order != "C":
        raise CannotLower("flatten in another order")
    made = reshaped(low, node, a)
    return low.lazy(node.type, made.axes, made.expr)


def reshaped(low: Lowering, node: Node, value: Value) -> Value:
    """A view where the elements' places stay affine; else a view of a C-ordered copy."""
    axes = low.axes(node.type.shape)
    expr = reshaping.reshape(value.expr, value.axes, axes)
    if expr is not None:
        return Value(node.type, axes, expr, fresh=value.fresh)
    is_view = is_strided_view(low.graph, node) if value.is_memory else False
    if is_view is None:
        raise CannotLower("nothing says whether it is a view")
    if is_view:  # as the guards on the sizes say
        load = load_of(value)
        return replace(low.memory_value(node.type, load.buffer, load.offset.constant), array=None)
    strides = contiguous_strides(value.shape, value.dtype.itemsize)
    layout = packed(value.type.with_layout(value.shape, strides), value.shape, value.dtype)
    copy = low.materialise(value, f"{node.name} regroups dimensions", layout=layout)
    expr = reshaping.reshape(copy.expr, copy.axes, axes)
    assert expr is not None
    return Value(node.type, axes, expr)


def is_basic(key: Any) -> bool:
    """Whether an indexing key makes a view."""
    items = key if isinstance(key, tuple) else (key,)
    return all(
        item is None or item is Ellipsis or isinstance(item, slice) or is_size(item)
        or (isinstance(item, np.integer))
        for item in items
    )
