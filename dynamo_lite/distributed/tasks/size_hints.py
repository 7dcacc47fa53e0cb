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
from ..partitions.cuts import Axis, Dim, Unknown
from ..partitions.footprints import View
from ..partitions.partition import Blocks, ByBlock, Parting, StackedParts

GUESS = 64
"""A size that only data can tell."""
Sizes = tuple[tuple[Fact, int], ...]


@dataclass(frozen=True, slots=True)
class Hints:
    """Of facts that vary: their `likely` values, and `calls` that might be seen, in which each has
    two values. Two facts have the same ones in all calls only where they have so in every task, as
    the sizes of a 20 by 20 block of a product do not."""

    likely: Sizes = ()
    calls: tuple[Sizes, ...] = ()


def hints(reads: Sequence[Any]) -> Hints:
    """Of parameters in order, by what they read."""
    return of_facts([(at, each) for at, read in enumerate(reads) for each in facts(read)])


def of_groups(parting: Parting, counts: Sequence[int]) -> Hints:
    """The same where so many partial results are combined at a time."""
    return of_facts([
        (at, each) for at, cut in enumerate(parting.cuts)
        for each in (*varying("size", 0, counts), *of_stack(cut))])


def of_facts(found: Sequence[tuple[int, Varying]]) -> Hints:
    """Of the facts of parameters, each with its number."""
    groups: dict[tuple[str, Dim | None, tuple[int, ...]], list[Fact]] = {}
    for at, each in found:
        groups.setdefault((each.what, each.dim, each.values), []).append(each.fact(at))
    first = {group: group[2][0] for group in groups}
    calls = [{group: value if group == own else other_than(value, group[2])
              for group, value in first.items()} for own in ([*first, None] if first else ())]
    return Hints(
        tuple((each.fact(at), each.common) for at, each in found),
        tuple(tuple((fact, call[group]) for group, those in groups.items() for fact in those)
              for call in calls))


def other_than(value: int, values: Sequence[int]) -> int:
    return next(each for each in (*values, GUESS, GUESS + 1) if each != value)


@dataclass(frozen=True, slots=True)
class Varying:
    """A kind of fact that varies, its axis, and its values from block to block of a dimension."""

    what: str
    axis: int
    values: tuple[int, ...]
    dim: Dim | None = None

    def fact(self, at: int) -> Fact:
        """The fact of parameter number `at`."""
        return at, self.what, self.axis

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
        yield from of_stack(read.source.cuts[read.at])


def of_stack(cut: Sequence[Axis]) -> Iterator[Varying]:
    """Of partial results that are stacked."""
    for axis, each in enumerate(cut):
        yield from varying("size", 1 + axis, each.chunks, each.dim and each.dim.now)


def varying(
    what: str, axis: int, values: Sequence[Any], dim: Dim | None = None
) -> Iterator[Varying]:
    known = tuple(int(value) for value in values if not isinstance(value, Unknown))
    if len(set(values)) > 1 or not known:
        yield Varying(what, axis, known or (GUESS,), dim)
