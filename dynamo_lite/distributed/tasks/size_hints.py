"""Which sizes and ints of a task's parameters differ from task to task, and what most of them are.

They become symbols in the first process that sees one of the tasks, whichever that is, so that code
which is made for them serves all others.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ...tracer.frame.printed_graphs import Fact
from ..partitions.cuts import Axis, Dim, Unknown
from ..partitions.footprints import View
from ..partitions.partition import Blocks, ByBlock, Parting, StackedParts

GUESS = 64
"""A size that only data can tell."""


def likely(reads: Sequence[Any]) -> tuple[tuple[Fact, int], ...]:
    """Of parameters in order, by what they read."""
    return tuple((((at, what, axis), value) for at, read in enumerate(reads)
                  for what, axis, value in facts(read)))


def facts(read: Any) -> Iterator[tuple[str, int, int]]:
    """The kind of each fact that varies, its axis, and what it is most often."""
    if isinstance(read, ByBlock):
        yield from varying("value", 0, read.numbers)
    elif isinstance(read, Blocks):
        yield from sizes(read.value.axes, read.dims)
    elif isinstance(read, View):
        for axis, (dim, (low, high)) in enumerate(zip(read.footprint.dims, read.spans)):
            if dim is not None:
                yield from varying("size", axis, [b - a for a, b in zip(low, high)])
    elif isinstance(read, StackedParts):
        for axis, each in enumerate(read.source.cuts[read.at]):
            yield from varying("size", 1 + axis, each.chunks)


def of_groups(parting: Parting, counts: Sequence[int]) -> tuple[tuple[Fact, int], ...]:
    """The same where so many partial results are combined at a time."""
    return tuple(
        ((at, "size", axis), value) for at, cut in enumerate(parting.cuts)
        for axis, values in enumerate((counts, *(each.chunks for each in cut)))
        for _, _, value in varying("size", axis, values))


def sizes(axes: Sequence[Axis], dims: Sequence[Dim | None]) -> Iterator[tuple[str, int, int]]:
    for axis, (each, dim) in enumerate(zip(axes, dims)):
        if dim is not None:
            yield from varying("size", axis, each.chunks)


def varying(what: str, axis: int, values: Sequence[Any]) -> Iterator[tuple[str, int, int]]:
    known = [value for value in values if not isinstance(value, Unknown)]
    if len(set(values)) > 1 or not known:
        common = Counter(known).most_common(1)
        yield what, axis, int(common[0][0]) if common else GUESS
