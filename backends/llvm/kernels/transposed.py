"""Columns of rows, one row to a lane: read and written as the rows lie in memory, and transposed in
registers.

Where vectors are along the rows of a matrix, and a loop over its columns is unrolled, each column
by itself is a load for every lane and a shuffle that puts it there. Read together, `n` columns of
as many rows are `n` loads and `n * log2(n)` shuffles. The same holds of columns that a kernel names
one by one.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...loop_ir import affine
from ...loop_ir.loops import Axis, Buffer, Kernel, Load, Offset
from ..builder.nest import Lane, Level, Neighbours, Nest, scaled
from ..builder.values import Value

SIZES = (4, 8)
"""Bytes of the numbers that are transposed. Integers are not: LLVM may add those in any order, and
finds ways of its own."""


def neighbours(kernel: Kernel) -> Neighbours:
    """Of each buffer that a kernel only reads: the places, in order, that it reads at several fixed
    distances from one another."""
    found: dict[str, dict[Any, set[int]]] = {
        buffer.name: {} for buffer in kernel.reads if buffer not in kernel.writes}
    for load in kernel.loads:
        offset, axes = load.offset, {axis for axis, _ in load.offset.strides}
        if isinstance(load, Load) and load.buffer.name in found and (
            isinstance(offset.constant, int) and axes <= {*kernel.axes}
        ):
            found[load.buffer.name].setdefault(offset.strides, set()).add(offset.constant)
    return {name: {strides: sorted(places) for strides, places in of_buffer.items()}
            for name, of_buffer in found.items()}


def column(nest: Nest, lane: Lane, load: Load) -> Value | None:
    """A vector of a column, if the loads of its neighbours will be asked for as well."""
    dtype, offset = load.dtype, load.offset
    if lane.mask is not None or dtype.kind != "f" or dtype.itemsize not in SIZES or (
        load.buffer.name not in nest.neighbours
    ):
        return None
    axis = unrolled_axis(nest, offset, dtype.itemsize)
    found = one_of_run(nest, load) if axis is None else one_of_axis(nest, offset, axis)
    if found is None:
        return None
    number, extent, row, level = found
    is_packed = affine.stride_of(row, lane.axis) == extent * dtype.itemsize
    start, count = group_of(number, extent, lane.width, is_packed)
    if count < 2:
        return None
    key = load.buffer.name, row, start, count
    columns = next((each.columns[key] for each in nest.scopes if key in each.columns), None)
    if columns is None:
        columns = level.columns[key] = read(nest, lane, load, row, start, count)
    return columns[number - start]


def unrolled_axis(nest: Nest, offset: Offset, itemsize: int) -> Axis | None:
    """The axis along which neighbours in memory are read one after the other, in straight code."""
    for axis, stride in offset.strides:
        index = nest.bound.get(axis)
        if stride == itemsize and index is not None and index.literal and (
            isinstance(axis.extent, int)
        ):
            return axis
    return None


def level_around(nest: Nest, axis: Axis, offset: Offset) -> Level | None:
    """The outermost level that reaches this place in straight code, whatever `axis` and others that
    an access does not move along are bound to; None inside of loops of other axes."""
    others, found = {each for each, _ in offset.strides} - {axis}, None
    for level, outer in zip(nest.scopes[::-1], nest.scopes[-2::-1]):
        index = None if level.axis is None else nest.bound.get(level.axis)
        if level.axis in others or index is None or not index.literal:
            break
        if level.axis == axis or found is not None:
            found = outer
    return found


Found = tuple[int, int, Offset, Level]
"""Which column it is, of how many; where the first one is, and from which level on all are there.
"""


def one_of_axis(nest: Nest, offset: Offset, axis: Axis) -> Found | None:
    """Columns that an unrolled loop reads."""
    level = level_around(nest, axis, offset)
    if level is None:
        return None
    assert isinstance(axis.extent, int)
    row = affine.substitute(offset, {axis: affine.ZERO})
    return int(nest.bound[axis].ref), axis.extent, row, level


def one_of_run(nest: Nest, load: Load) -> Found | None:
    """Columns that are named one by one, next to each other."""
    offset, itemsize = load.offset, load.dtype.itemsize
    places = nest.neighbours[load.buffer.name].get(offset.strides, ())
    if not isinstance(offset.constant, int) or offset.constant not in places:
        return None
    first = last = offset.constant
    while first - itemsize in places:
        first -= itemsize
    while last + itemsize in places:
        last += itemsize
    number, extent = (offset.constant - first) // itemsize, (last - first) // itemsize + 1
    return number, extent, Offset(first, offset.strides), nest.scopes[-1]


def group_of(number: int, extent: int, width: int, is_packed: bool) -> tuple[int, int]:
    """Where the group of columns begins in which one is, and how many they are: a power of 2, or
    the three that are all of a row."""
    if is_packed and extent == 3:
        return 0, 3
    start = 0
    while True:
        count = min(width, 1 << (extent - start).bit_length() - 1)
        if number < start + count:
            return start, count
        start += count


def read(
    nest: Nest, lane: Lane, load: Load, row: Offset, start: int, count: int
) -> Sequence[Value]:
    """So many columns from `start` on."""
    builder, dtype = nest.builder, load.dtype
    begin = nest.size(row.constant + start * dtype.itemsize)
    first = builder.offset(nest.prefix(load.buffer, row), begin)
    if count == 3:
        whole = lane.width * dtype.itemsize
        packed = [builder.load(builder.offset(first, at * whole), dtype, lane.width)
                  for at in range(count)]
        return [every_third(packed, number) for number in range(count)]
    step = nest.size(affine.stride_of(row, lane.axis))
    rows = [
        builder.load(builder.offset(first, scaled(builder.integer(number), step)), dtype, count)
        for number in range(lane.width)
    ]
    return transposed([joined(rows[number::count]) for number in range(count)])


def every_third(packed: Sequence[Value], number: int) -> Value:
    """Of the elements of three vectors."""
    one, other, last = packed
    places = range(number, 3 * one.lanes, 3)
    both = one.shuffle([at if at < 2 * one.lanes else 0 for at in places], other)
    return both.shuffle([lane if at < 2 * one.lanes else at - one.lanes
                         for lane, at in enumerate(places)], last)


def joined(vectors: Sequence[Value]) -> Value:
    """Vectors of the same length one after the other; a power of 2 of them."""
    if len(vectors) == 1:
        return vectors[0]
    half = len(vectors) // 2
    left, right = joined(vectors[:half]), joined(vectors[half:])
    return left.shuffle(range(2 * left.lanes), right)


def transposed(vectors: Sequence[Value]) -> Sequence[Value]:
    """Of square blocks side by side, each with a row in every vector."""
    size, done = 1, list(vectors)
    while size < len(done):
        for at, vector in enumerate(done):
            if not at & size:
                pair = vector, done[at + size]
                done[at], done[at + size] = (exchanged(*pair, size, part) for part in (0, size))
        size *= 2
    return done


def exchanged(left: Value, right: Value, size: int, part: int) -> Value:
    """The pieces of `size` lanes of two vectors in turn, of each the first ones (`part` is 0) or
    the second ones of every two."""
    order = [start + half + lane for start in range(part, left.lanes, 2 * size)
             for half in (0, left.lanes) for lane in range(size)]
    return left.shuffle(order, right)


# Stores -------------------------------------------------------------------------------------------

def is_kept_for_row(
    nest: Nest, lane: Lane, buffer: Buffer, offset: Offset, value: Value
) -> bool:
    """Whether a column is written with all others of its rows, which lie next to each other, as
    soon as the last one is there."""
    itemsize = value.dtype.itemsize
    axis = unrolled_axis(nest, offset, itemsize)
    if lane.mask is not None or axis is None or (
        affine.stride_of(offset, lane.axis) != axis.extent * itemsize
    ) or (level := level_around(nest, axis, offset)) is None:
        return False
    row = affine.substitute(offset, {axis: affine.ZERO})
    columns = [*level.columns.get((buffer, row), ()), value]
    level.columns[buffer, row] = columns
    if len(columns) == axis.extent:
        first = nest.builder.offset(nest.prefix(buffer, row), nest.size(row.constant))
        for number, vector in enumerate(packed(columns)):
            nest.builder.store(vector, nest.builder.offset(first, number * lane.width * itemsize))
    return True


def packed(columns: Sequence[Value]) -> Iterator[Value]:
    """Vectors of what lies next to each other in rows of these columns."""
    width, count = columns[0].lanes, len(columns)
    for start in range(0, width * count, width):
        places = [divmod(place, count) for place in range(start, start + width)]
        vector = columns[0].shuffle([row for row, _ in places])
        for number, column in enumerate(columns[1:], 1):
            vector = vector.shuffle([width + row if at == number else lane
                                     for lane, (row, at) in enumerate(places)], column)
        yield vector
