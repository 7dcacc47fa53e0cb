"""Slices along axes that are cut: stencils, whose tasks read a margin of their neighbours' blocks,
and writes of parts.

All slices of one length along an axis are cut alike, around its middle, so that shifted slices of
an array go together; a partition reads the hull of all that its tasks need of one array, once.
"""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import Unsupported
from ...ir.node import Node
from ...ir.tree import leaves
from ..partitions.boundaries import NOTHING, Ends
from ..partitions.cuts import Axis, Chunks, Value, Window, aligned
from ..partitions.partition import Partition
from ..partitions.program import Call, Created
from ..partitions.space import Operand
from .elementwise import ITEM, created, recut
from .positions import scattered


def window(value: Value, bounds: Sequence[tuple[int, int]], ends: Ends = NOTHING) -> Value:
    """The part of a value between bounds along each axis, which may lie beyond its ends."""
    if value.window is not None:
        inner = value.window
        bounds = [(low + start, high + start) for (low, high), start in zip(bounds, inner.starts)]
        value, ends = inner.base, inner.ends if ends == NOTHING else ends
    if any(high - low == 1 and len(axis.chunks) > 1
           for axis, (low, high) in zip(value.axes, bounds)):
        raise Unsupported("one element of an axis that is cut: it lies in one block")
    axes = tuple(Axis(centred(axis, high - low)) for axis, (low, high) in zip(value.axes, bounds))
    return Value(axes, value.dtype, outside_stage=value.stage,
                 window=Window(value, tuple(low for low, _ in bounds), ends))


def centred(axis: Axis, length: int) -> Chunks:
    """How a part of that length is cut, wherever along the axis it lies; what is longer than the
    axis has its outermost blocks longer."""
    if len(axis.chunks) == 1:
        return (length,)
    margin = (axis.length - length) // 2
    if margin >= 0:
        return clipped(axis, margin, margin + length)
    first, *inner, last = axis.sizes
    return (first - margin, *inner, last + length - axis.length + margin)


def clipped(axis: Axis, low: int, high: int) -> Chunks:
    """How many elements of each block lie between bounds."""
    return tuple(max(0, min(start + size, high) - max(start, low))
                 for start, size in zip(axis.starts, axis.sizes))


def update(call: Call) -> Any:
    """A write of a part of an array: each block of the next version has its own part of it."""
    base, chain, new = call.args
    if not isinstance(base, Value) or len(chain) > 1 or any(each[0] is not ITEM for each in chain):
        raise Unsupported("a write of elements that are no slice")
    if not chain:
        return replaced(call, base, new)
    key = chain[0][1][0]
    if leaves(key, Value):
        return scattered(call, base, key, new)
    return written(call, base, full_slices(key, base), new)


def replaced(call: Call, base: Value, new: Any) -> Value:
    """The array that has new contents everywhere."""
    operands: list[Operand] = [(base, tuple(range(len(base.axes))))]
    if isinstance(new, Value):
        operands.append(recut(call, new, aligned(len(new.axes), len(base.axes)), base.cut))
    partition, at, own = call.place(operands, base.cut)
    value = new
    if isinstance(new, Value):
        value = partition.local(*operands[1], at)
    elif isinstance(new, Created):
        value = created(new, partition, own)
    copy = call.emit(partition, (partition.local(*operands[0], at),), target=np.copy)
    call.emit(partition, (copy, ..., value), target=operator.setitem)
    return call.value(partition, copy, own)


def full_slices(key: Any, base: Value) -> list[tuple[int, int, bool]]:
    """The bounds along each axis, and whether the axis goes."""
    entries = list(key) if isinstance(key, tuple) else [key]
    if ... in [entry for entry in entries if not hasattr(entry, "shape")]:
        at = entries.index(...)
        entries[at : at + 1] = [slice(None)] * (len(base.axes) - len(entries) + 1)
    entries += [slice(None)] * (len(base.axes) - len(entries))
    return [bounds_of(entry, axis) for entry, axis in zip(entries, base.axes, strict=True)]


def bounds_of(entry: Any, axis: Axis) -> tuple[int, int, bool]:
    """What an entry of a key selects, where that is a run of elements."""
    if isinstance(entry, slice):
        start, stop, step = entry.indices(axis.length)
        if step == 1:
            return start, max(start, stop), False
    elif isinstance(entry, int) and not isinstance(entry, bool):
        return entry % axis.length, entry % axis.length + 1, True
    raise Unsupported("elements that do not follow one another")


Bounds = Sequence[tuple[int, int, bool]]


def written(call: Call, base: Value, bounds: Bounds, new: Any) -> Value:
    """A copy of each block, into which goes what the new contents have for it."""
    identity = tuple(range(len(base.axes)))
    parts = [clipped(axis, low, high) if len(axis.chunks) > 1 else (high - low,)
             for axis, (low, high, _) in zip(base.axes, bounds)]
    operands: list[Operand] = [(base, identity)]
    if isinstance(new, Value):
        operands.append(recut(call, new, axes_of(new, bounds), parts))
    partition, at, own = call.place(operands, base.cut)
    value = new
    if isinstance(new, Value):
        value = in_place_of(call, partition, partition.local(*operands[1], at), new, bounds)
    elif isinstance(new, Created):
        value = created(new, partition, [Axis(part, axis.dim) for part, axis in zip(parts, own)])
    copy = call.emit(partition, (partition.local(base, identity, at),), target=np.copy)
    key = tuple(partition.fixed(axis.dim, local_slices(axis, low, high))
                for axis, (low, high, _) in zip(own, bounds))
    call.emit(partition, (copy, key, value), target=operator.setitem)
    return call.value(partition, copy, own)


def axes_of(new: Value, bounds: Bounds) -> list[int]:
    """Which axes of the array those of the new contents are."""
    axes = [at for at, (_, _, goes) in enumerate(bounds) if not goes]
    if len(new.axes) > len(axes):
        raise Unsupported("a write of more axes than are selected")
    return axes[len(axes) - len(new.axes) :]


def in_place_of(call: Call, partition: Partition, node: Node, new: Value, bounds: Bounds) -> Node:
    """The new contents with an axis of one element for each index that is a number."""
    kept = axes_of(new, bounds)
    key = tuple(None if goes else slice(None)
                for at, (_, _, goes) in enumerate(bounds) if goes or at in kept)
    return call.emit(partition, (node, key), target=ITEM) if None in key else node


def local_slices(axis: Axis, low: int, high: int) -> list[slice]:
    """The part between bounds in each block, in words that hold for blocks of other sizes too."""
    found = []
    for start, size, part in zip(axis.starts, axis.chunks, clipped(axis, low, high)):
        first = max(0, low - start)
        rest = int(size) - first - int(part)
        if not part:
            found.append(slice(0, 0))
        else:
            found.append(slice(first or None, -rest if rest else None))
    return found
