"""Which sizes and ints of a task's parameters differ from task to task, and what most of them are.

They become symbols in the first process that sees one of the tasks, whichever that is, so that code
which is made for them serves all others.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ...base.records import dataclass
from ...tracer.frame.printed_graphs import Fact
from ..partitions.cuts import Dim, Unknown
from ..partitions.footprints import View
from ..partitions.partition import Blocks, ByBlock, Parting, StackedParts

GUESS = 64
"""A size that only data can tell."""


def likely(reads: Sequence[Any]) -> tuple[tuple[Fact, int], ...]:
    """Of parameters in order, by what they read."""
    return tuple(((at, each.what, each.axis), each.common) for at, read in enumerate(reads)
                 for each in facts(read))


def told_apart(reads: Sequence[Any]) -> tuple[tuple[tuple[Fact, int], ...], ...]:
    """Facts as they might be seen in some calls: each has two values, and two facts have the same
    ones only where they have so in every task, as the sizes of a 20 by 20 block of a product do
    not."""
    groups: dict[tuple[str, Dim | None, tuple[int, ...]], list[Fact]] = {}
    for at, read in enumerate(reads):
        for each in facts(read):
            key = each.what, each.dim, each.values
            groups.setdefault(key, []).append((at, each.what, each.axis))
    first = {group: group[2][0] for group in groups}
    calls = [{group: value if group == own else other_than(value, group[2]) for group in groups}
             for own, value in first.items()]
    if calls:
        calls.append({group: other_than(value, group[2]) for group, value in first.items()})
    return tuple(tuple((fact, call[group]) for group, found in groups.items() for fact in found)
                 for call in calls)


def other_than(value: int, values: Sequence[int]) -> int:
    return next(each for each in (*values, GUESS, GUESS + 1) if each != value)


@dataclass(frozen=True, slots=True)
class Varying:
    """A kind of fact that varies, its axis, and its values from block to block of a dimension."""

    what: str
    axis: int
    values: tuple[int, ...]
    dim: Dim | None = None

    @property
    def common(self) -> int:
        """What it is most often."""
        return Counter(self.values).most_common(1)[0][0]


def facts(read: Any) -> Iterator[Varying]:
    if isinstance(read, ByBlock):
        yield from varying("value", 0, read.numbers)
    elif isinstance(read, Blocks):
        for axis, (each, dim) in enumerate(zip(read.value.axes, read.dims)):
            if dim is not None:
                yield from varying("size", axis, each.chunks, dim.now)
    elif isinstance(read, View):
        for axis, (dim, (low, high)) in enumerate(zip(read.footprint.dims, read.spans)):
            if dim is not None:
                yield from varying("size", axis, [b - a for a, b in zip(low, high)], dim.now)
    elif isinstance(read, StackedParts):
        for axis, each in enumerate(read.source.cuts[read.at]):
            yield from varying("size", 1 + axis, each.chunks, each.dim and each.dim.now)


def of_groups(parting: Parting, counts: Sequence[int]) -> tuple[tuple[Fact, int], ...]:
    """The same where so many partial results are combined at a time."""
    return tuple(
        ((at, "size", axis), each.common) for at, cut in enumerate(parting.cuts)
        for axis, values in enumerate((counts, *(each.chunks for each in cut)))
        for each in varying("size", axis, values))


def varying(
    what: str, axis: int, values: Sequence[Any], dim: Dim | None = None
) -> Iterator[Varying]:
    known = tuple(int(value) for value in values if not isinstance(value, Unknown))
    if len(set(values)) > 1 or not known:
        yield Varying(what, axis, known or (GUESS,), dim)
