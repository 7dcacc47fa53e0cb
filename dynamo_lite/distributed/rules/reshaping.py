"""The same elements in other axes."""
from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..partitions.cuts import Chunks, Value
from ..partitions.program import Call, given
from .elementwise import recut


def reshape(call: Call) -> Any:
    """What `np.reshape` and `np.ravel` give."""
    base = call.args[0]
    if not isinstance(base, Value) or base.is_whole or given(call).get("order", "C") != "C":
        raise Unsupported("no rule says how it is computed by blocks")
    return reshaped(call, base, call.shape)


def reshaped(call: Call, base: Value, shape: Sequence[int]) -> Value:
    """Runs of axes that become others with as many elements are blocks of their own: of each run
    the first axis alone may be cut, where the borders of blocks fall between whole new rows."""
    old, new = [axis.length for axis in base.axes], [*shape]
    groups = [*runs(old, new)]
    wanted: list[Any] = [(size,) for size in old]
    cut: list[Any] = [(size,) for size in new]
    onto: list[int | None] = [None] * len(old)
    for (first, end), (there, stop) in groups:
        if end - first == 0 or stop - there == 0 or len(base.axes[first].chunks) == 1:
            continue
        row, new_row = math.prod(old[first + 1 : end]), math.prod(new[there + 1 : stop])
        wanted[first] = on_borders(base.axes[first].sizes, new_row // math.gcd(row, new_row))
        cut[there] = tuple(size * row // new_row for size in wanted[first])
        onto[first] = there
    base, _ = recut(call, base, range(len(old)), wanted)
    partition, at, axes = call.place([(base, onto)], cut)
    sizes = [partition.by_block(axis.dim, axis.sizes) if axis.dim else axis.length
             for axis in axes]
    made = call.emit(partition, (partition.local(base, onto, at), tuple(sizes)), target=np.reshape)
    return Value(axes, base.dtype, partition, made)


def runs(old: Sequence[int], new: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Which axes, from one to before another, become which; as few at a time as may be. Axes of
    one element go with those before them."""
    if 0 in old:
        raise Unsupported("an array without elements")
    at = there = 0
    while at < len(old) or there < len(new):
        first, begin = at, there
        left = right = 1
        while at == first or there == begin or left != right:
            if (left <= right and at < len(old)) or there == len(new):
                if at == len(old):
                    break
                left, at = left * old[at], at + 1
            else:
                right, there = right * new[there], there + 1
        yield (first, at), (begin, there)


def on_borders(sizes: Sequence[int], unit: int) -> Chunks:
    """Nearly the same blocks, with borders at multiples of so many elements."""
    borders = dict.fromkeys(
        round(stop / unit) * unit for stop in itertools.accumulate(sizes[:-1]))
    ends = [end for end in borders if 0 < end < sum(sizes)]
    return tuple(stop - start for start, stop in itertools.pairwise((0, *ends, sum(sizes))))
