"""Elements at positions: those that a mask selects, as many as data decides; those of tables."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import Unsupported
from ...ir.node import Node
from ...ir.row import row_of
from ..partitions.cuts import Axis, Positions, Unknown, Value, aligned, common_cut
from ..partitions.partition import Partition
from ..partitions.program import Call, Created
from ..partitions.space import Operand
from .elementwise import ITEM, recut, rows_cut
from .folds import Folded, at_home, combined, finished, folded_axes

BY_DATA = "elements at positions that an array gives"


def positions(call: Call) -> Any:
    """Where an array is not zero: how many places there are in a block is known when it is
    computed. Blocks have whole rows, so that theirs follow each other as in the whole array."""
    (value,) = call.values
    value = rows_cut(call, value)
    rows = value.axes[0]
    partition, here = at_home(call, value)
    dims = partition.dims_of(value)
    assert dims is not None
    unknown = Axis(tuple(Unknown() for _ in rows.chunks), dims[0])
    found = call.emit(partition, (here,))
    results = []
    for axis, kind in enumerate(call.node.type):
        made = call.emit(partition, (found, axis), target=ITEM)
        if axis == 0:
            made = call.emit(partition, (made, partition.by_block(dims[0], rows.starts)),
                             target=np.add)
        results.append(Value((unknown,), kind.dtype, partition, made,
                             within=Positions(value.cut, axis)))
    kind = call.node.type[0]
    call.program.lengths[str(kind.shape[0])] = lambda: length(call, value)
    return tuple(results)


def counted(call: Call) -> Any:
    """A size that is a number of the program's."""
    return call.program.size(call.node.type.value)


def length(call: Call, mask: Value) -> Value:
    """How many positions there are, as a number of Python's."""
    partition, here = at_home(call, mask)
    axes = folded_axes(None, len(mask.axes))
    partial = call.emit(partition, (here,), {"axis": axes, "keepdims": True},
                        target=np.count_nonzero)
    total = combined(call, partition, mask, axes, [partial], Folded("add", np.dtype(np.intp)))[0]
    total = finished(call, total, axes, False, np.dtype(np.intp))
    assert total.home is not None
    return Value((), total.dtype, total.home, call.emit(total.home, (total.node,), target=int))


def at_positions(call: Call, base: Any, key: Sequence[Any]) -> Value:
    """The elements that a mask of the same blocks selects, or those of a table."""
    if isinstance(base, Value) and are_within(key, base):
        return gathered(call, as_cut(call, base, key), key)
    if isinstance(base, Value) and is_of_rows(key, base):
        return of_rows(call, base, key[1])
    return looked_up(call, base, key)


def are_within(key: Sequence[Any], base: Value) -> bool:
    """Whether these are all positions of one mask whose axes are as long as the array's."""
    first = key[0].within if key and isinstance(key[0], Value) else None
    return first is not None and len(key) <= len(base.axes) and [
        sum(chunks) for chunks in first.cut
    ] == [sum(axis.chunks) for axis in base.axes[: len(key)]] and all(
        isinstance(each, Value) and each.within == Positions(first.cut, axis)
        for axis, each in enumerate(key))


def as_cut(call: Call, base: Value, key: Sequence[Value]) -> Value:
    """The array in the blocks that the mask has."""
    within = key[0].within
    assert within is not None
    return recut(call, base, range(len(base.axes)), [*within.cut, *base.cut[len(key) :]])[0]


def gathered(call: Call, base: Value, key: Sequence[Value]) -> Value:
    """The rows, or elements, at positions that lie in each block itself."""
    rest = base.axes[len(key) :]
    cut = [key[0].axes[0].chunks, *(axis.chunks for axis in rest)]
    onto = (0, *(None for _ in key[1:]), *range(1, 1 + len(rest)))
    partition, at, axes = call.place([(base, onto), *((each, (0,)) for each in key)], cut)
    there = in_block(call, partition, base, key, at)
    made = call.emit(partition, (partition.local(base, onto, at), there), target=ITEM)
    return call.value(partition, made, axes)


def in_block(
    call: Call, partition: Partition, base: Value, key: Sequence[Value], at: Any
) -> tuple[Node, ...]:
    """Positions among the elements of a task's own block."""
    first, *others = (partition.local(each, (0,), at) for each in key)
    start = partition.by_block(at.get(0), base.axes[0].starts)
    return (call.emit(partition, (first, start), target=np.subtract), *others)


def scattered(call: Call, base: Value, key: Any, new: Any) -> Value:
    """A write of the elements that a mask selects."""
    keys = key if isinstance(key, tuple) else (key,)
    if not are_within(keys, base) or isinstance(new, Created):
        raise Unsupported(BY_DATA)
    base = as_cut(call, base, keys)
    rest = base.cut[len(keys) :]
    if isinstance(new, Value) and new.cut not in ((), (*keys[0].cut, *rest)):
        raise Unsupported(BY_DATA)
    onto = (0, *(None for _ in keys[1:]), *range(1, 1 + len(rest)))
    operands: list[Operand] = [(base, onto), *((each, (0,)) for each in keys)]
    if isinstance(new, Value):
        operands.append((new, tuple(range(len(new.axes)))))
    partition, at, axes = call.place(operands, [base.axes[0].chunks, *rest])
    there = in_block(call, partition, base, keys, at)
    copy = call.emit(partition, (partition.local(*operands[0], at),), target=np.copy)
    value = partition.local(*operands[-1], at) if isinstance(new, Value) else new
    call.emit(partition, (copy, there, value), target=operator.setitem)
    return call.value(partition, copy, (axes[0], *base.axes[1 : len(keys)], *axes[1:]))


def is_of_rows(key: Sequence[Any], base: Value) -> bool:
    """Whether it is one position in each row: `x[np.arange(len(x)), k]`."""
    if len(key) != 2 or len(base.axes) != 2 or not isinstance(key[1], Value):
        return False
    first, size = key[0], base.axes[0].length
    row = row_of(first.call.target) if isinstance(first, Created) else None
    return row is not None and row.lowering == "arange" and (
        not first.key and first.call.args in ((size,), (0, size)) and len(key[1].axes) == 1)


def of_rows(call: Call, base: Value, key: Value) -> Value:
    base = rows_cut(call, base)
    key, _ = recut(call, key, (0,), base.cut[:1])
    onto = (0, None)
    partition, at, axes = call.place([(base, onto), (key, (0,))], base.cut[:1])
    column = call.emit(partition, (partition.local(key, (0,), at), (slice(None), None)),
                       target=ITEM)
    made = call.emit(partition, (partition.local(base, onto, at), column, 1),
                     target=np.take_along_axis)
    return call.value(partition, call.emit(partition, (made, (slice(None), 0)), target=ITEM), axes)


def looked_up(call: Call, base: Any, key: Sequence[Any]) -> Value:
    """Elements of a table that every task has whole, at positions in blocks."""
    keys = [each for each in key if isinstance(each, Value)]
    if len(keys) != len(key) or all(each.is_whole for each in keys) or not isinstance(base, Value):
        raise Unsupported(BY_DATA)
    if any(each.dtype.kind not in "iu" for each in keys):
        raise Unsupported(BY_DATA)
    table, _ = recut(call, base, range(len(base.axes)), [(sum(each),) for each in base.cut])
    ndim = max(len(each.axes) for each in keys)
    rest = table.axes[len(keys) :]
    shape = call.shape
    places = [aligned(len(each.axes), ndim) for each in keys]
    cut = common_cut(list(zip(keys, places)), shape[:ndim])
    aligned_keys = [recut(call, each, place, cut) for each, place in zip(keys, places)]
    onto = (*(None for _ in keys), *range(ndim, ndim + len(rest)))
    partition, at, axes = call.place(
        [(table, onto), *aligned_keys], [*cut, *(axis.chunks for axis in rest)])
    there = tuple(partition.local(*each, at) for each in aligned_keys)
    made = call.emit(partition, (partition.local(table, onto, at), there), target=ITEM)
    return call.value(partition, made, axes)
