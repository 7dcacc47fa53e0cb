"""Columns of rows, one row to a lane: read as the rows lie in memory, and transposed in registers.

Where vectors are along the rows of a matrix, and a loop over its columns is unrolled, each column
by itself is a load for every lane and a shuffle that puts it there. Read together, `n` columns of
as many rows are `n` loads and `n * log2(n)` shuffles.
"""
from __future__ import annotations

from collections.abc import Sequence

from ...loop_ir import affine
from ...loop_ir.loops import Axis, Load, Offset
from ..builder.nest import Lane, Nest, scaled
from ..builder.values import Value

SIZES = (4, 8)
"""Bytes of the numbers that are transposed. Integers are not: LLVM may add those in any order, and
finds ways of its own."""


def column(nest: Nest, lane: Lane, load: Load) -> Value | None:
    """A vector of a column, if the loads of its neighbours will be asked for as well."""
    dtype, offset = load.dtype, load.offset
    if lane.mask is not None or dtype.kind != "f" or dtype.itemsize not in SIZES or (
        load.buffer.name in nest.written
    ):
        return None
    axis = unrolled_axis(nest, offset, dtype.itemsize)
    if axis is None or (level := nest.level_around(axis, offset)) is None:
        return None
    assert isinstance(axis.extent, int)
    number = int(nest.bound[axis].ref)
    start, count = group_of(number, axis.extent, lane.width)
    if count < 2:
        return None
    row = affine.substitute(offset, {axis: affine.ZERO})
    key = (load.buffer.name, row, start)
    if (found := level.columns.get(key)) is None:
        found = level.columns[key] = read(nest, lane, load, row, start, count)
    return found[number - start]


def unrolled_axis(nest: Nest, offset: Offset, itemsize: int) -> Axis | None:
    """The axis along which neighbours in memory are read one after the other, in straight code."""
    for axis, stride in offset.strides:
        index = nest.bound.get(axis)
        if stride == itemsize and index is not None and index.literal and (
            isinstance(axis.extent, int)
        ):
            return axis
    return None


def group_of(number: int, extent: int, width: int) -> tuple[int, int]:
    """Where the group of columns begins in which one is, and how many they are: a power of 2."""
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
    step = nest.size(affine.stride_of(row, lane.axis))
    begin = nest.size(row.constant + start * dtype.itemsize)
    first = builder.offset(nest.prefix(load.buffer, row), begin)
    rows = [
        builder.load(builder.offset(first, scaled(builder.integer(number), step)), dtype, count)
        for number in range(lane.width)
    ]
    return transposed([joined(rows[number::count]) for number in range(count)])


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
