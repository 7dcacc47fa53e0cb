"""Views: axes that change places, and parts of arrays."""
from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType
from typing import Any

import numpy as np

from ...errors import Unsupported
from ...ir.tree import leaves
from ..partitions.boundaries import NOTHING
from ..partitions.cuts import Axis, Deferred, Dim, Unknown, Value, Window
from ..partitions.partition import Partition
from ..partitions.program import Call, Created
from .elementwise import ITEM, in_one_block, step
from .positions import BY_DATA, at_positions
from .windows import bounds_of, window


def moving(call: Call) -> Any:
    """Axes in another order: NumPy itself shows on a small array where each of them goes."""
    (value,) = call.values
    probe = np.empty([1 if axis.is_unit else at + 2 for at, axis in enumerate(value.axes)])
    shape = call.target(probe, *call.args[1:], **call.kwargs).shape
    onto = tuple(None if axis.is_unit else shape.index(at + 2)
                 for at, axis in enumerate(value.axes))
    cut = [(1,) if size == 1 else value.axes[size - 2].chunks for size in shape]
    there = [place for place in onto if place is not None]
    if there == sorted(there):
        return keyed(call, value, unit_key(value, shape), onto, cut)
    return step(call, [(value, onto)], cut)


def unit_key(value: Value, shape: Sequence[int]) -> tuple[Any, ...]:
    """The key that gives an array axes of one element where the result has them, and no others: a
    block may have one element along any axis."""
    axes = iter(value.axes)
    key: list[Any] = []
    for size in shape:
        if size == 1:
            key.append(None)
            continue
        while next(axes).is_unit:
            key.append(0)
        key.append(slice(None))
    return (*key, *(0 for _ in axes))


def keyed(
    call: Call, value: Value, key: tuple[Any, ...], onto: Sequence[int | None], cut: Sequence[Any]
) -> Value:
    partition, at, axes = call.place([(value, onto)], cut)
    made = call.emit(partition, (partition.local(value, onto, at), key), target=ITEM)
    return call.value(partition, made, axes)


def item(call: Call) -> Any:
    """A part of an array, or one of several results."""
    base, key = call.args
    if isinstance(base, tuple):
        return base[key]
    if isinstance(base, Created):
        if leaves(key, Value):
            return at_positions(call, in_one_block(base), key if isinstance(key, tuple) else (key,))
        return widened(call, base, full_key(key, len(base.shape)))
    if leaves(key, Value):
        return at_positions(call, base, key if isinstance(key, tuple) else (key,))
    if not isinstance(base, Value):
        raise Unsupported(BY_DATA)
    key = full_key(key, len(base.axes))
    return one_element(call, base, key) or selected(call, base, key)


def widened(call: Call, base: Created, key: tuple[Any, ...]) -> Created:
    """An array that is made of sizes alone, with more axes of one element."""
    if any(entry is not None and entry != slice(None) for entry in key):
        raise Unsupported("a part of an array that is made of sizes alone")
    return Created(call, call.shape, base.dtype, base, key)


def full_key(key: Any, ndim: int) -> tuple[Any, ...]:
    """A key with an entry for every axis, and None for every new one."""
    entries = key if isinstance(key, tuple) else (key,)
    if not all(entry is None or (isinstance(entry, int | np.integer | slice | EllipsisType)
               and not isinstance(entry, bool)) for entry in entries):
        raise Unsupported(BY_DATA)
    used = sum(entry is not None and entry is not ... for entry in entries)
    at = next((at for at, entry in enumerate(entries) if entry is ...), len(entries))
    rest = (slice(None),) * (ndim - used)
    return (*entries[:at], *rest, *entries[at + 1 :])


def selected(call: Call, value: Value, key: tuple[Any, ...]) -> Value:
    """Axes that are cut may be taken whole, or in steps; of others any part."""
    onto: list[int | None] = []
    cut: list[Any] = []
    value, key = narrowed(value, key)
    if all(entry == slice(None) for entry in key):
        return value
    axes = iter(value.axes)
    for entry in key:
        if entry is None:
            cut.append((1,))
            continue
        axis = next(axes)
        chunks = taken(axis, entry)
        onto.append(None if chunks is None else len(cut))
        cut += [] if chunks is None else [chunks]
    partition, at, own = call.place([(value, onto)], cut)
    entries = iter([in_steps(partition, axis, entry, None if place is None else at.get(place))
                    for axis, place, entry in zip(
                        value.axes, onto, (entry for entry in key if entry is not None))])
    whole_key = tuple(None if entry is None else next(entries) for entry in key)
    made = call.emit(partition, (partition.local(value, onto, at), whole_key), target=ITEM)
    return call.value(partition, made, own)


FUNCTIONS = 4
"""How many compiled functions an operation is worth: where steps begin is a constant of each."""


def in_steps(partition: Partition, axis: Axis, entry: Any, dim: Dim | None) -> Any:
    """An entry of a key for each block: where the first element lies that is taken of it."""
    if dim is None or entry == slice(None):
        return entry
    return partition.fixed(dim, [slice(first, None, entry.step) for first in firsts(axis, entry)])


def firsts(axis: Axis, entry: slice) -> list[int]:
    found = [-start % entry.step for start in axis.starts]
    if len({*found}) > FUNCTIONS:
        raise Unsupported("steps that begin elsewhere in each block")
    return found


def narrowed(value: Value, key: tuple[Any, ...]) -> tuple[Value, tuple[Any, ...]]:
    """Runs of elements of axes that are cut, taken beforehand, and what is left of the key."""
    entries = [entry for entry in key if entry is not None]
    runs = [isinstance(entry, slice) and entry != slice(None) and len(axis.chunks) > 1
            for entry, axis in zip(entries, value.axes)]
    if not any(runs):
        return value, key
    bounds = [run_of(entry, axis) if is_run else (0, axis.length)
              for entry, axis, is_run in zip(entries, value.axes, runs)]
    rest = iter([slice(None, None, step_of(entry)) if is_run else entry
                 for entry, is_run in zip(entries, runs)])
    return window(value, bounds), tuple(None if entry is None else next(rest) for entry in key)


def run_of(entry: slice, axis: Axis) -> tuple[int, int]:
    """From the first to the last element that a slice takes."""
    taken = range(*entry.indices(axis.length))
    if taken.step < 0:
        raise Unsupported("elements of an axis that is cut, in reverse order")
    return taken.start, taken[-1] + 1 if taken else taken.start


def step_of(entry: slice) -> int | None:
    return None if entry.step == 1 else entry.step


def one_element(call: Call, value: Value, key: tuple[Any, ...]) -> Value | None:
    """A slice of one element along an axis that is cut, which Dask takes out if anybody reads it
    for itself."""
    if not all(isinstance(entry, slice) and entry.step in (None, 1) for entry in key):
        return None
    bounds = [bounds_of(entry, axis)[:2] for entry, axis in zip(key, value.axes)]
    is_full = [each == (0, axis.length) for each, axis in zip(bounds, value.axes)]
    lengths = [high - low for low, high in bounds]
    if all(is_full) or any(not full and length != 1 for full, length in zip(is_full, lengths)):
        return None
    axes = tuple(Axis(axis.chunks if full else (1,)) for axis, full in zip(value.axes, is_full))
    starts = value.window.starts if value.window is not None else (0,) * len(axes)
    base, ends = (value, NOTHING) if value.window is None else (
        value.window.base, value.window.ends)
    places = tuple(start + low for start, (low, _) in zip(starts, bounds))
    program = call.program
    return Value(
        axes, value.dtype, outside_stage=value.stage, part=Window(base, places, ends),
        outside=Deferred(lambda: program.left(call, "it lies in one block").outside))


def taken(axis: Axis, entry: Any) -> Any:
    """How what an entry of a key takes of an axis is cut; None where the axis goes."""
    if isinstance(entry, slice) and entry == slice(None):
        return axis.chunks
    if len(axis.chunks) > 1 and isinstance(entry, slice):
        return tuple(len(range(first, size, entry.step))
                     for first, size in zip(firsts(axis, entry), axis.sizes))
    if len(axis.chunks) > 1:
        raise Unsupported("a part of an axis that is cut into blocks")
    if not isinstance(entry, slice):
        return None
    (size,) = axis.chunks
    if isinstance(size, Unknown):
        raise Unsupported("a part of an axis of unknown size")
    return (len(range(*entry.indices(size))),)
