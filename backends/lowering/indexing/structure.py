"""Joining arrays, running folds, and gathering at positions that are data."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ....ir.facts import graph_facts
from ....ir.node import Node
from ....ir.row import Kind, row_of
from ....ir.rules.indexing import position
from ....ir.sizes import Size, SizeExpr, symbol
from ....ir.types import Form
from ... import costs
from ...loop_ir import affine, simplify
from ...loop_ir.loops import Axis, Check, Expr, Gather, Index, Load, Offset, Scan
from ...loop_ir.rewrite import free_axes
from ...loop_ir.simplify import INT64, const, convert
from ...passes.materialise import Access
from ..arithmetic.pointwise import compare, require_native, require_real
from ..arithmetic.reductions import dims_of, flattened, fold_of, operand, plain
from ..scalars.intervals import interval, is_below, note_below, note_within
from ..state.context import Lowering, is_size, lowers
from ..state.values import CannotLower, Value, load_of
from .masks import select
from .views import basic_getitem, is_basic, spelled_out

SLOW_BY_ELEMENT = 10
"""The weight from which on an expression is computed in vectors before a running fold."""


@lowers(reads=Access.COPY)
def concatenate(
    low: Lowering, node: Node, arrays: Any, axis: Any = 0, *args: Any, **kwargs: Any
) -> Value:
    """One store per operand, into its part of the result."""
    if args or kwargs.get("out") is not None or not isinstance(arrays, (list, tuple)):
        raise CannotLower("np.concatenate with out=, or of one array")
    parts = [operand(part) for part in arrays]
    require_native(low, node.type.dtype, *(part.dtype for part in parts))
    if axis is None:
        parts = [flattened(low, part, node.name) for part in parts]
    (dim,) = dims_of(0 if axis is None else axis, len(node.type.shape))
    made = low.memory_value(node.type, low.allocate(node.type))
    totals = {o.sum: symbol(name) for name, o in low.graph.symbols.items() if o.fact == "total"}
    start: Size = 0
    for part in parts:
        low.store(section(low, made, dim, start, part.shape), part)
        start = start + part.shape[dim]
        start = totals.get(start, start)
    return low.ownership.owned(made)


def section(low: Lowering, value: Value, dim: int, start: Size, shape: Sequence[Size]) -> Value:
    """The part of `value` with this shape that begins at `start` along `dim`."""
    axes = low.axes(shape)
    index = [affine.along(axis) for axis in axes]
    index[dim] = affine.plus(index[dim], Offset(start))
    type_ = replace(value.type, shape=tuple(shape))
    return Value(type_, axes, value.at(index))


@lowers(reads=Access.COPY)
def scan(
    low: Lowering, node: Node, a: Any, axis: Any = None, dtype: Any = None, out: Any = None
) -> Value:
    """Running sums and products, added up in order as NumPy does.

    LLVM's kernels go along them element by element: functions are computed before, in vectors;
    complex numbers are NumPy's."""
    value = operand(a)
    plain({"out": out})
    require = require_native if low.loops and fold_of(node) == "add" else require_real
    require(low, value.dtype, node.type.dtype)
    if axis is None and len(value.shape) != 1:
        value = flattened(low, value, node.name)
    (dim,) = dims_of(0 if axis is None else axis, len(value.shape)) or (0,)
    made = low.memory_value(node.type, low.allocate(node.type))
    element = convert(low.broadcast(value, made.axes), node.type.dtype)
    place = load_of(made)
    if not low.loops and costs.weight_of(element) >= SLOW_BY_ELEMENT:
        low.store(made, value)
        element = place
    step = Scan(fold_of(node), place.buffer, place.offset, element, made.axes[dim])
    low.launch(made.axes, step)
    return low.ownership.owned(made)


@lowers(reads=Access.MEMORY, others=Access.SAME)
def take(
    low: Lowering, node: Node, a: Any, indices: Any, axis: Any = None, out: Any = None,
    mode: str = "raise",
) -> Value:
    if out is not None or mode != "raise":
        raise CannotLower(f"np.take with mode {mode}")
    source = operand(a)
    require_native(low, source.dtype)
    if axis is None and (selected := select(low, node, source)) is not None:
        return selected
    if not source.shape or isinstance(indices, SizeExpr):
        raise CannotLower("np.take at a symbolic position, or of a 0-d array")
    if axis is None:
        source = flattened(low, source, node.name)
    (dim,) = dims_of(0 if axis is None else axis, len(source.shape))
    key = (*[slice(None)] * dim, indices)
    return gather(low, node, source, key)


def gather(low: Lowering, node: Node, source: Value, key: tuple[Any, ...]) -> Value:
    """Indexing with integer arrays, mixed with integers, slices and None.

    A part at a computed position, whose own part is wanted, is read where it lies."""
    if not is_moved(source):
        source = low.in_memory(source, f"{node.name} looks elements up")
    items = spelled_out(key, len(source.shape))
    axes = low.axes(node.type.shape)
    where, ndim = _index_axes(items)
    gathered, kept = axes[where : where + ndim], iter((*axes[:where], *axes[where + ndim :]))
    index: list[Offset] = []
    computed: list[tuple[Expr, Axis]] = []
    dims = iter(range(len(source.shape)))
    for item in items:
        if item is None:
            next(kept)
            continue
        size = source.shape[dim := next(dims)]
        if isinstance(item, slice):
            axis = next(kept)
            index.append(_slice_start(item, size, axis))
        else:
            place = _checked(low, item, gathered, size)
            computed.append((place, source.axes[dim]))
            index.append(affine.ZERO)
    load = source.expr
    assert isinstance(load, (Load, Gather))
    moved = affine.substitute(load.offset, dict(zip(source.axes, index)))
    pairs = load.indices if isinstance(load, Gather) else ()
    pairs += tuple(
        (place, affine.stride_of(load.offset, axis)) for place, axis in computed
        if not affine.is_zero(affine.stride_of(load.offset, axis))
    )
    element = Gather(load.buffer, moved, pairs) if pairs else Load(load.buffer, moved)
    return low.lazy(node.type, axes, element)


@lowers(reads=Access.MEMORY, others=Access.SAME, moved=True)
def roll(low: Lowering, node: Node, a: Any, shift: Any, axis: Any = None) -> Value:
    """np.roll along one axis by a number that the program computes. Where elements that follow each
    other lie side by side NumPy moves stretches of memory, which is faster than kernels are."""
    source = operand(a)
    require_native(low, source.dtype)
    if not is_size(axis) or not isinstance(shift, Value) or shift.shape:
        raise CannotLower("np.roll along several axes")
    if shift.dtype.kind not in "iu" or shift.dtype == np.uint64:
        raise CannotLower("np.roll by what is no int64")
    (dim,) = dims_of(axis, len(source.shape))
    low.relations.require("<", 0, size := source.shape[dim])
    if not is_moved(source):
        source = low.in_memory(source, f"{node.name} looks elements up")
    load, along = source.expr, source.axes[dim]
    assert isinstance(load, (Load, Gather))
    stride = affine.stride_of(load.offset, along)
    if affine.is_one(size) or (not low.loops and stride == source.dtype.itemsize):
        raise CannotLower("np.roll of elements side by side")
    axes, extent = low.axes(node.type.shape), simplify.size_value(size)
    start = simplify.apply("remainder", (convert(shift.expr, INT64), extent), INT64)
    place = simplify.apply("subtract", (Index(axes[dim]), start), INT64)
    moved = {old: affine.along(new) for old, new in zip(source.axes, axes)} | {along: affine.ZERO}
    offset = affine.substitute(load.offset, moved)
    pairs = load.indices if isinstance(load, Gather) else ()
    pairs += ((counted_from_front(place, size), stride),)
    return low.lazy(node.type, axes, Gather(load.buffer, offset, pairs))


def is_moved(value: Value) -> bool:
    """Whether a value is a view of memory at a position that is the same for all elements."""
    found = value.expr
    return isinstance(found, Gather) and all(
        free_axes(index, {}).isdisjoint(value.axes) for index, _ in found.indices
    )


def _index_axes(items: Sequence[Any]) -> tuple[int, int]:
    """Where the axes of the broadcast index arrays stand in the result, and how many they are."""
    gathers = [k for k, one in enumerate(items) if one is not None and not isinstance(one, slice)]
    ndim = max(_ndim(items[k]) for k in gathers)
    adjacent = gathers[-1] - gathers[0] + 1 == len(gathers)
    before = sum(item is None or isinstance(item, slice) for item in items[: gathers[0]])
    return (before if adjacent else 0), ndim


def _ndim(item: Any) -> int:
    return len(item.shape) if isinstance(item, Value) else 0


def _slice_start(item: slice, size: Size, axis: Axis) -> Offset:
    if item == slice(None):
        return affine.along(axis)
    if not isinstance(size, int) or any(
        not (part is None or isinstance(part, int)) for part in (item.start, item.step)
    ):
        raise CannotLower("a slice of a symbolic size beside an index array")
    start, _, step = slice(item.start, None, item.step).indices(size)
    return affine.plus(Offset(start), affine.times(affine.along(axis), step))


def _checked(low: Lowering, item: Any, axes: Sequence[Axis], size: Size) -> Expr:
    """The index at `axes`, counted from the front; checked to be in range at its own points."""
    if isinstance(item, int):
        low.relations.require("<=", -item if item < 0 else item + 1, size)
    if isinstance(item, SizeExpr):
        return simplify.size_value(position(item, size, graph_facts(low.graph)))
    if is_size(item):
        return simplify.size_value(item if not isinstance(item, int) or item >= 0 else size + item)
    if not isinstance(item, Value) or item.dtype.kind not in "iu" or item.dtype == np.uint64:
        raise CannotLower("an index array that is not of integers")
    own = low.axes(item.shape)
    index = convert(item.at(list(map(affine.along, own))), INT64)
    least, most = interval(low, index)
    is_from_front, fits = least >= 0, isinstance(size, int) and most < size
    raw = convert(low.broadcast(item, axes), INT64)
    from_front = raw if is_from_front else counted_from_front(raw, size)
    if is_from_front and (fits or is_below(low, index, simplify.size_value(size))):
        return raw
    if own or is_from_front:
        low.launch(own, Check(in_range(index, size, is_from_front)))
    else:  # of what is looked up there and then
        tests = (compare("greater_equal", from_front, const(0, INT64)),
                 compare("less", from_front, simplify.size_value(size)))
        low.launch(own, Check(simplify.apply("logical_and", tests, simplify.BOOL)))
    if not own and isinstance(size, int):
        note_within(low, index, (max(least, -size), min(most, size - 1)))
    elif not own:
        note_below(low, index, simplify.size_value(size))
    return from_front


def counted_from_front(index: Expr, size: Size) -> Expr:
    wrapped = simplify.apply("add", (index, simplify.size_value(size)), INT64)
    return simplify.select(compare("less", index, const(0, INT64)), wrapped, index)


def in_range(index: Expr, size: Size, is_from_front: bool = False) -> Expr:
    """-size <= index < size"""
    extent = simplify.size_value(size)
    if is_from_front:
        return compare("less", index, extent)
    lowest = simplify.size_value(size * -1)
    tests = (compare("greater_equal", index, lowest), compare("less", index, extent))
    return simplify.apply("logical_and", tests, simplify.BOOL)


@lowers(reads=Access.VIEW, others=Access.SAME)
def getitem(low: Lowering, node: Node, value: Any, key: Any) -> Value:
    """`value[key]`, a view or a gather."""
    if not isinstance(value, Value):
        raise CannotLower("indexing a constant")
    items = key if isinstance(key, tuple) else (key,)
    if is_basic(key):
        return basic_getitem(low, node, value, items)
    if not any(isinstance(item, (Value, list, np.ndarray)) for item in items):
        raise CannotLower("an index that is not an integer array")
    require_native(low, value.dtype)
    if (selected := select(low, node, value)) is not None:
        return selected
    if node.type.form is Form.ARRAY and all(map(is_position, items)) and leaves_as_view(low, node):
        raise CannotLower("a view at a computed position, which leaves the graph")
    return gather(low, node, value, tuple(index_operand(low, item) for item in items))


def is_position(item: Any) -> bool:
    """Whether an item of a key is no array, so that the result is a view."""
    return not isinstance(item, (list, np.ndarray)) and (
        not isinstance(item, Value) or item.type.form is not Form.ARRAY
    )


def leaves_as_view(low: Lowering, node: Node) -> bool:
    """Whether the value, or a view of it, is given to the caller, who may write into it."""
    if low.graph.is_body:
        return False
    views = [node]
    for found in views:
        if any(output is found for output in low.graph.outputs):
            return True
        for user in low.readers.of(found):
            row = row_of(user.target) if user.op == "call_function" else None
            if row is not None and row.kind is Kind.VIEW and user.args[0] is found:
                views.append(user)
    return False


def index_operand(low: Lowering, item: Any) -> Any:
    """Lists and constant arrays of integers become constants of the program."""
    if isinstance(item, (list, np.ndarray)):
        found = np.asarray(item)
        if found.dtype.kind not in "iu":
            raise CannotLower("a constant index that is not of integers")
        return low.constant(found.astype(np.intp))
    return int(item) if isinstance(item, np.integer) else item
