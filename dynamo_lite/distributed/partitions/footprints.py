"""What tasks read of an array beyond their own blocks: one footprint a task, whatever for."""
from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...base.records import dataclass, field
from ...native import empty
from .boundaries import NOTHING, Ends, Reach
from .cuts import Dim, Value
from .sources import Piece


@dataclass(eq=False, slots=True)
class Footprint:
    """The hull of all that a task needs of a value, along each axis: its bounds for each block of
    the dimension that the axis goes with, or for all alike. They may lie beyond the ends."""

    value: Value
    dims: tuple[Dim | None, ...]
    ends: Ends = NOTHING
    low: dict[int, list[int]] = field(default_factory=dict)
    high: dict[int, list[int]] = field(default_factory=dict)

    def include(self, axis: int, low: Sequence[int], high: Sequence[int]) -> None:
        """Have it hold what lies between these places, block by block."""
        self.low[axis] = [*map(min, self.low.get(axis, low), low)]
        self.high[axis] = [*map(max, self.high.get(axis, high), high)]

    def reach(self, axis: int, at: Mapping[Dim, int]) -> Reach:
        """What a task reads of an axis."""
        dim = self.dims[axis]
        block = 0 if dim is None else at[dim.now]
        low, high = self.low[axis][block], self.high[axis][block]
        return self.ends.reach(low, max(low, high), self.value.axes[axis].length)

    def reaches(self, at: Mapping[Dim, int]) -> list[Reach]:
        return [self.reach(axis, at) for axis in range(len(self.dims))]

    def widths(self, at: Mapping[Dim, int]) -> tuple[tuple[int, int], ...]:
        """How many elements are put before and after what is read."""
        return tuple((each.before, each.after) for each in self.reaches(at))

    def parts(self, at: Mapping[Dim, int]) -> Iterator[tuple[tuple[int, ...], Part]]:
        """The blocks that a task's footprint has something of."""
        along = [[*self.overlaps(axis, each)] for axis, each in enumerate(self.reaches(at))]
        for each in itertools.product(*along):
            yield tuple(block for block, _, _ in each), Part(
                tuple(source for _, source, _ in each), tuple(target for _, _, target in each))

    def overlaps(self, axis: int, reach: Reach) -> Iterator[tuple[int, slice, slice]]:
        """Which elements of which blocks of an axis lie where in the footprint."""
        for low, high, place in self.segments(axis, reach):
            blocks = self.value.axes[axis]
            for block, (start, size) in enumerate(zip(blocks.starts, blocks.chunks)):
                first, last = max(low, start), min(high, start + int(size))
                if first < last or (low == high and block == 0):
                    last = max(first, last)
                    yield (block, slice(first - start, last - start),
                           slice(place + first - low, place + last - low))

    def pieces(self, at: Mapping[Dim, int]) -> Iterator[Part]:
        """The same for an array that is no blocks yet."""
        along = [[(slice(low, high), slice(place, place + high - low))
                  for low, high, place in self.segments(axis, each)]
                 for axis, each in enumerate(self.reaches(at))]
        for each in itertools.product(*along):
            yield Part(tuple(source for source, _ in each), tuple(target for _, target in each))

    def segments(self, axis: int, reach: Reach) -> Iterator[tuple[int, int, int]]:
        """The runs of elements that are read of an axis, and where each begins in the footprint."""
        place = 0
        size = self.value.axes[axis].length
        for low, high in self.ends.segments(reach.low, reach.high, size):
            yield low, high, place
            place += high - low


Span = tuple[tuple[int, ...], tuple[int, ...]]
"""Where something begins and ends along an axis, for each block."""


@dataclass(eq=False, slots=True)
class View:
    """A part of a footprint that a partition works with; `spans` has no dimension where it is the
    same for all blocks."""

    footprint: Footprint
    spans: tuple[Span, ...]

    def key(self, at: Mapping[Dim, int]) -> tuple[slice, ...]:
        """Where a task finds it in its footprint."""
        found = []
        for axis, (low, high) in enumerate(self.spans):
            dim = self.footprint.dims[axis]
            block = 0 if dim is None else at[dim.now]
            reach = self.footprint.reach(axis, at)
            first = reach.low - reach.before
            found.append(slice(low[block] - first, high[block] - first))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Part:
    """Which elements of a block go where in a footprint."""

    source: tuple[slice, ...]
    target: tuple[slice, ...]

    def __call__(self, block: np.ndarray) -> np.ndarray:
        """A copy: what is kept or sent is the part alone."""
        return block[self.source].copy()


@dataclass(frozen=True, slots=True)
class Mosaic:
    """A footprint of these sizes, and which parts of blocks it is made of; a part without a source
    is a block that has been cut already. So many elements beyond the `ends` are put around it.
    `views` are what the task works with."""

    shape: tuple[int, ...]
    parts: tuple[tuple[tuple[slice, ...] | None, tuple[slice, ...]], ...]
    views: tuple[tuple[slice, ...], ...]
    ends: Ends = NOTHING
    widths: tuple[tuple[int, int], ...] = ()

    def of(self, blocks: Sequence[Any]) -> list[np.ndarray]:
        """The views of the footprint."""
        whole = self.ends.put(self.joined(blocks), self.widths)
        return [whole[view] for view in self.views]

    def joined(self, blocks: Sequence[Any]) -> np.ndarray:
        blocks = [block.read() if type(block) is Piece else block for block in blocks]
        taken = [block if source is None else block[source]
                 for block, (source, _) in zip(blocks, self.parts)]
        if len(taken) == 1:
            return np.asarray(taken[0])
        made = empty(self.shape, taken[0].dtype)
        for part, (_, target) in zip(taken, self.parts):
            made[target] = part
        return made
