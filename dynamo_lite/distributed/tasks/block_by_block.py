"""Partitions of which each task reads blocks as an operation of Dask's own would.

They are layers of the class that Dask makes for elementwise operations: it fuses these with those
around them (`da.ones`, `x + 1`) into one task, and sends a scheduler one layer instead of all of
its tasks.
"""
from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np
from dask.blockwise import Blockwise, blockwise

from ..partitions.blocks import chunks, is_source
from ..partitions.cuts import Value
from ..partitions.partition import Blocks, Partition, Read, Scalar
from .layers import Layers
from .running import BlockFunction


def block_by_block(
    layers: Layers, partition: Partition, value: Value, name: str, function: BlockFunction
) -> Blockwise | None:
    """The layer of a partition with one result, or None where a task reads or leaves more than a
    block of each array."""
    cut = {axis.dim.now: place for place, axis in enumerate(value.axes) if axis.dim}
    whole = [place for place, axis in enumerate(value.axes) if axis.dim is None]
    if cut.keys() != {dim.now for dim in partition.dims}:
        return None
    operands: list[Any] = []
    counts: dict[str, tuple[int, ...]] = {}
    for read in partition.reads.values():
        if not is_plain(read, bool(whole)):
            return None
        if isinstance(read, Blocks):
            array = layers.array(read.value)
            operands += array.name, [cut[dim.now] if dim else whole[0] for dim in read.dims]
            counts[array.name] = tuple(map(len, chunks(read.value.cut)))
        else:
            operands += read.value, None
    return blockwise(function, name, range(len(value.axes)), *operands, numblocks=counts,
                     new_axes=dict.fromkeys(whole, 1))


def is_plain(read: Read, with_whole_axes: bool) -> TypeGuard[Blocks | Scalar]:
    """Whether it is a number, or a block of an array of Dask's, each axis of which goes along with
    one of the result: axes of a single block with one such of the result, if there is any."""
    if isinstance(read, Scalar):
        return isinstance(read.value, bool | int | float | complex | np.number)
    return isinstance(read, Blocks) and not is_source(read.value) and (
        with_whole_axes or None not in read.dims)
