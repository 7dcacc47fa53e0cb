"""Operations whose result has, at each place, something of their operands at that place; what is
whole in a task; and arrays that every task makes for itself."""
from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

from ...errors import Unsupported
from ...ir.node import Node
from ...ir.row import row_of
from ...ir.tree import leaves, map_leaves
from ..partitions.cuts import Axis, Chunks, Value, aligned, common_cut
from ..partitions.partition import Partition, Scalar
from ..partitions.program import Call, Created

ITEM = operator.getitem


def elementwise(call: Call) -> Any:
    """One step, with all operands broadcast to the result."""
    shape = result_shape(call)
    if is_copy(call):
        return call.args[0]
    if not call.values and not leaves((call.args, call.kwargs), Created):
        return at_once(call)
    if not call.values and not isinstance(call.node.type, (tuple, list)):
        return Created(call, shape, call.node.type.dtype)
    operands = [(each, aligned(len(each.axes), len(shape))) for each in call.values]
    cut = common_cut(operands, shape)
    return step(call, [recut(call, value, onto, cut) for value, onto in operands], cut)


def is_copy(call: Call) -> bool:
    """Whether it makes the same array again: nothing is ever written where it lies."""
    first = call.args[0] if call.args else None
    row = row_of(call.target)
    return isinstance(first, Value) and row is not None and row.lowering == "copy" and (
        call.node.type.dtype == first.dtype)


def result_shape(call: Call) -> tuple[Any, ...]:
    kind = call.node.type
    if isinstance(kind, (tuple, list)):
        return call.program.shape_of(kind[0])
    return call.shape


def step(
    call: Call, operands: Sequence[tuple[Value, Sequence[int | None]]], cut: Sequence[Chunks],
    is_broadcast: bool = True,
) -> Any:
    """The call itself, on blocks; the operands are the arrays among its arguments, in order. Arrays
    that are made of sizes alone go with the result where all are broadcast; else each task has all
    of them."""
    partition, at, axes = call.place(operands, cut)
    nodes = iter([partition.local(value, onto, at) for value, onto in operands])

    def local(leaf: Any) -> Any:
        if isinstance(leaf, Value):
            return next(nodes)
        if not isinstance(leaf, Created):
            return leaf
        return created(leaf, partition, axes if is_broadcast else leaf.axes)

    args, kwargs = map_leaves(local, (call.args, call.kwargs))
    return call.results(partition, call.emit(partition, args, kwargs), axes)


def recut(
    call: Call, value: Value, onto: Sequence[int | None], cut: Sequence[Chunks]
) -> tuple[Value, Sequence[int | None]]:
    """The operand with its blocks as those of the result."""
    wanted = tuple(axis.chunks if place is None or axis.is_unit else cut[place]
                   for axis, place in zip(value.axes, onto))
    return call.program.recut(value, wanted), onto


def rows_cut(call: Call, value: Value) -> Value:
    """The array in blocks of whole rows."""
    return whole_along(call, value, range(1, len(value.axes)))


def whole_along(call: Call, value: Value, axes: Sequence[int]) -> Value:
    """The array in blocks that have all of these axes; the first of the others that is long enough
    is cut finer instead, so that blocks become no larger."""
    more = math.prod(len(value.axes[axis].chunks) for axis in axes)
    if more == 1:
        return value
    wanted: list[Chunks] = [(axis.length,) if place in axes else axis.sizes
                            for place, axis in enumerate(value.axes)]
    for place, axis in enumerate(value.axes):
        if place not in axes and axis.length > 1:
            wanted[place] = finer(axis.sizes, more)
            break
    return recut(call, value, range(len(wanted)), wanted)[0]


def finer(sizes: Sequence[int], times: int) -> Chunks:
    """Each block as so many, where it has the elements."""
    return tuple(part for size in sizes
                 for part in divided(size, max(1, min(times, size))))


def divided(size: int, count: int) -> list[int]:
    return [size * (at + 1) // count - size * at // count for at in range(count)]


def at_once(call: Call) -> Any:
    """Numbers that no array is needed for are computed here and now."""
    args, kwargs = map_leaves(
        lambda leaf: leaf.value if isinstance(leaf, Scalar) else leaf, (call.args, call.kwargs))
    result = call.target(*args, **kwargs)
    return tuple(map(Scalar, result)) if isinstance(result, tuple) else Scalar(result)


def whole(call: Call) -> Any:
    """Any call in one task, where all of its operands are one block."""
    if any(not value.is_whole for value in call.values):
        raise Unsupported("no rule says how it is computed by blocks")
    operands = [(value, (None,) * len(value.axes)) for value in call.values]
    partition, _, _ = call.place(operands, ())
    nodes = iter([partition.local(value, onto, {}) for value, onto in operands])

    def local(leaf: Any) -> Any:
        if isinstance(leaf, Value):
            return next(nodes)
        return created(leaf, partition, leaf.axes) if isinstance(leaf, Created) else leaf

    args, kwargs = map_leaves(local, (call.args, call.kwargs))
    made = call.emit(partition, args, kwargs)
    kinds = call.node.type
    if not isinstance(kinds, (tuple, list)):
        return call.value(partition, made, single(call, kinds))
    items = [call.emit(partition, (made, at), target=ITEM) for at in range(len(kinds))]
    return tuple(call.value(partition, each, single(call, kind), kind)
                 for each, kind in zip(items, kinds))


def single(call: Call, kind: Any) -> tuple[Axis, ...]:
    """The axes of an array that is one block."""
    return tuple(Axis((size,)) for size in call.program.shape_of(kind))


# -- arrays that are made of sizes alone


def creation(call: Call) -> Any:
    """Put off until an operand says which blocks are needed."""
    if call.values:
        return whole(call)
    if leaves((call.args, call.kwargs), Created):
        return whole(call)
    return Created(call, call.shape, call.node.type.dtype)


def created(one: Created, partition: Partition, axes: Sequence[Axis]) -> Node:
    """The part of it that goes with the last of these axes."""
    call, own = one.call, axes[len(axes) - len(one.shape) :]
    if one.of is not None:
        inner = [axis for axis, entry in zip(own, one.key) if entry is not None]
        return call.emit(partition, (created(one.of, partition, inner), one.key), target=ITEM)
    if leaves((call.args, call.kwargs), Created):
        args, kwargs = map_leaves(
            lambda leaf: created(leaf, partition, own) if isinstance(leaf, Created) else leaf,
            (call.args, call.kwargs))
        return call.emit(partition, args, kwargs)
    if is_of_shape(call.target):
        sizes = tuple(1 if size == 1 else partition.by_block(axis.dim, counts(axis))
                      for size, axis in zip(one.shape, own))
        args, kwargs = with_shape(call, sizes)
        return call.emit(partition, args, kwargs)
    made = call.emit(partition, call.args, call.kwargs)
    if all(axis.dim is None for axis in own):
        return made
    key = tuple(slice(None) if size == 1 or axis.dim is None else bounds(partition, axis)
                for size, axis in zip(one.shape, own))
    return call.emit(partition, (made, key), target=ITEM)


def in_one_block(one: Created) -> Value:
    """All of it, for results."""
    partition, _, _ = one.call.place((), ())
    return Value(one.axes, one.dtype, partition, created(one, partition, one.axes))


def with_shape(call: Call, sizes: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if "shape" in call.kwargs:
        return call.args, {**call.kwargs, "shape": sizes}
    return (sizes, *call.args[1:]), call.kwargs


def counts(axis: Axis) -> tuple[int, ...]:
    return tuple(map(int, axis.chunks)) if axis.starts else ()


def bounds(partition: Partition, axis: Axis) -> slice:
    """Which elements of the axis a task has."""
    starts = axis.starts
    stops = tuple(start + size for start, size in zip(starts, counts(axis)))
    return slice(partition.by_block(axis.dim, starts), partition.by_block(axis.dim, stops))


def is_of_shape(target: Any) -> bool:
    """Whether a function makes any block from the block's shape."""
    row = row_of(target)
    return row is not None and row.blocks == "of_shape"
