"""Tasks that fold their blocks part by part: what is read stays in the cache of one core until it
has been computed, however large blocks are."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...base.records import dataclass
from ...native import empty
from ...tracer.frame.printed_graphs import Fact
from ..partitions.caches import core_cache
from ..partitions.cuts import Axis, Chunks
from ..partitions.files import Rows
from ..partitions.partition import Blocks, Parting, Partition, Scalar
from ..partitions.sources import Piece
from .running import BlockFunction, Runner
from .size_hints import Hints

SHARE = 4
"""Part of a core's cache that is for what is read. As much goes through it on the way from the
system's memory, where that is a file; the rest is for what is computed."""
SMALL = 4
"""How much smaller than what is read partial results are."""


@dataclass(frozen=True, slots=True)
class Parts:
    """`cut` are the arguments that are taken apart, along their first axes, which are in blocks of
    these `sizes`; a part has so many `rows`."""

    cut: tuple[bool, ...]
    sizes: Chunks
    rows: int

    @property
    def counts(self) -> list[int]:
        """How many parts the blocks have."""
        return [-(-int(size) // self.rows) for size in self.sizes]

    @property
    def lengths(self) -> dict[Fact, int]:
        """Those of the arguments that are taken apart."""
        return {(at, "size", 0): self.rows for at, is_cut in enumerate(self.cut) if is_cut}

    def of_any(self, hints: Hints) -> Hints:
        """What differs from part to part, of what differs from task to task."""
        return Hints(tuple((dict(hints.likely) | self.lengths).items()))

    def fixed(self, hints: Hints) -> Hints:
        """The same of parts that have all of their rows."""
        return Hints(tuple(each for each in hints.likely if each[0] not in self.lengths))


def parts_of(partition: Partition, partings: Sequence[Parting]) -> Parts | None:
    """How tasks take their blocks apart: those that leave nothing but small partial results, and
    know nothing of their blocks but what lies in them."""
    reads = [*partition.reads.values()]
    if partition.ports or partition.is_placed or len(partition.dims) != 1 or [
        (one.dims, one.folds[0][1].in_steps) for one in partings
    ] != [({}, True)] or not all(isinstance(read, Blocks | Scalar) for read in reads):
        return None
    blocks = [read for read in reads if isinstance(read, Blocks) and any(read.dims)]
    found = {read.value.axes[0].chunks for read in blocks if not any(read.dims[1:])}
    if len(found) != 1 or any(any(read.dims[1:]) for read in blocks):
        return None
    row = sum(read.value.dtype.itemsize * extent(read.value.axes[1:]) for read in blocks)
    left = sum(8 * extent(axes) for axes in partings[0].cuts)
    room, (sizes,) = core_cache() // SHARE, found
    if not SMALL * left <= room or not 0 < SMALL * row <= room or not max(sizes) * row > room:
        return None
    return Parts(tuple(read in blocks for read in reads), sizes, int(room // row))


def extent(axes: Sequence[Axis]) -> float:
    """How many elements these axes have; no number where it is not known."""
    return math.prod(sum(axis.chunks) for axis in axes)


@dataclass(frozen=True, slots=True)
class InParts:
    """Calls a function for each part, and `combine` with all results, which are as its own: one for
    parts of the same length, and one for those of any other, which the last ones have."""

    function: BlockFunction
    of_any: BlockFunction
    combine: BlockFunction
    parts: Parts

    def with_constants(self, constants: tuple[tuple[str, Any], ...]) -> InParts:
        """Blocks with constants of their own are not taken apart."""
        return self

    def __call__(self, *arguments: Any) -> Any:
        rows, cut = self.parts.rows, self.parts.cut
        given = [ready(each) if is_cut else each for each, is_cut in zip(arguments, cut)]
        length = length_of(given[cut.index(True)])
        whole = self.function.runner()
        takers = [taker(each, rows, not whole.reads_unaligned) if is_cut else None
                  for each, is_cut in zip(given, cut)]
        results = [*whole_parts(whole, given, takers, range(0, length - rows + 1, rows), rows)]
        if length % rows or not length:
            start = length // rows * rows
            results.append(self.of_any(*(each if take is None else take(start, length)
                                         for each, take in zip(given, takers))))
        return results[0] if len(results) == 1 else self.combine(results)


Taker = Callable[[int, int], Any]


def whole_parts(
    whole: Runner, given: Sequence[Any], takers: Sequence[Taker | None], starts: range, rows: int
) -> Iterator[Any]:
    """The results for the parts with all their rows, which begin at these `starts`. What is not
    taken apart is made ready once."""
    inputs: list[Any] = []
    places: list[tuple[int, Taker]] = []
    for each, takes, take in zip(given, whole.takes, takers) if starts else ():
        if take is None:
            inputs += whole.inputs(each, takes)
        else:
            places.append((len(inputs), take))
            inputs.append(None)
    for start in starts:
        for place, take in places:
            inputs[place] = whole.alike(take(start, start + rows))
        yield whole.results(inputs)


def ready(block: Any) -> Any:
    """A block whose parts can be had one by one: files in chunks are read as they are cut."""
    if type(block) is Piece and not isinstance(block.reader, Rows | np.ndarray):
        return block.read()
    return block


def length_of(block: Any) -> int:
    """How many rows it has."""
    if type(block) is Piece:
        first = block.key[0]
        return int(first.stop - first.start)
    return len(block)


def taker(block: Any, rows: int, copies: bool) -> Taker:
    """What gives the rows of a block from one number to another, mostly so many at a time; it
    `copies` those that are not aligned."""
    if type(block) is Piece:
        return block.rows(rows)
    if not copies or type(block) is not np.ndarray or block.flags.aligned or len(block) < rows:
        return lambda start, stop: block[start:stop]
    return in_room(block, empty((rows, *block.shape[1:]), block.dtype))


def in_room(block: np.ndarray, part: np.ndarray) -> Callable[[int, int], np.ndarray]:
    """The same of a block that is not aligned, as those are that come in messages. With one `part`
    of memory for as many rows as it has, what kernels read is in the cache of their core."""

    def take(start: int, stop: int) -> np.ndarray:
        if stop - start != len(part):
            return block[start:stop]
        part[...] = block[start:stop]
        return part

    return take
