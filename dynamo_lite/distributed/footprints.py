"""What tasks read of an array beyond their own blocks: one footprint a task, whatever for."""
from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..base.records import dataclass, field
from .cuts import Dim, Value
from .sources import Piece


@dataclass(eq=False, slots=True)
class Footprint:
    """The hull of all that a task needs of a value, along the axes that go with a dimension: its
    bounds for each block. Of other axes it is all."""

    value: Value
    dims: tuple[Dim | None, ...]
    low: dict[int, list[int]] = field(default_factory=dict)
    high: dict[int, list[int]] = field(default_factory=dict)

    def reach(self, axis: int, low: Sequence[int], high: Sequence[int]) -> None:
        """Have it hold what lies between these places, block by block."""
        self.low[axis] = [*map(min, self.low.get(axis, low), low)]
        self.high[axis] = [*map(max, self.high.get(axis, high), high)]

    def bounds(self, axis: int, at: Mapping[Dim, int]) -> tuple[int, int]:
        """What a task has of an axis."""
        dim = self.dims[axis]
        if dim is None:
            return 0, int(sum(self.value.axes[axis].chunks))
        block = at[dim.now]
        return self.low[axis][block], max(self.low[axis][block], self.high[axis][block])

    def parts(self, at: Mapping[Dim, int]) -> Iterator[tuple[tuple[int, ...], Part]]:
        """The blocks that a task's footprint has something of."""
        along = [[*self.overlaps(axis, at)] for axis in range(len(self.dims))]
        for each in itertools.product(*along):
            yield tuple(block for block, _, _ in each), Part(
                tuple(source for _, source, _ in each), tuple(target for _, _, target in each))

    def overlaps(self, axis: int, at: Mapping[Dim, int]) -> Iterator[tuple[int, slice, slice]]:
        low, high = self.bounds(axis, at)
        blocks = self.value.axes[axis]
        for block, (start, size) in enumerate(zip(blocks.starts, blocks.chunks)):
            first, last = max(low, start), min(high, start + int(size))
            if first < last or (low == high and block == 0):
                yield (block, slice(first - start, max(first, last) - start),
                       slice(first - low, max(first, last) - low))


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
            first = self.footprint.bounds(axis, at)[0]
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
    is a block that has been cut already. `views` are what the task works with."""

    shape: tuple[int, ...]
    parts: tuple[tuple[tuple[slice, ...] | None, tuple[slice, ...]], ...]
    views: tuple[tuple[slice, ...], ...]

    def of(self, blocks: Sequence[Any]) -> list[np.ndarray]:
        """The views of the footprint."""
        whole = self.joined(blocks)
        return [whole[view] for view in self.views]

    def joined(self, blocks: Sequence[Any]) -> np.ndarray:
        if type(first := blocks[0]) is Piece:
            return first.read()
        taken = [block if source is None else block[source]
                 for block, (source, _) in zip(blocks, self.parts)]
        if len(taken) == 1:
            return np.asarray(taken[0])
        made: np.ndarray = np.empty(self.shape, taken[0].dtype)
        for part, (_, target) in zip(taken, self.parts):
            made[target] = part
        return made
