"""What compiled calls spend their time on, as the native core counts it."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..base.records import dataclass
from ..native import read_spans

KINDS = ("between graphs", "guards", "compiling", "in Python", "launching", "allocation")
"""Of spans, in the order of the core (`native/base/spans.h`)."""
IN_PYTHON = (0, 3)
"""Kinds of time in which Python runs code of the user's."""
NO_SLICES = -1


@dataclass(frozen=True, slots=True)
class StepCounts:
    """Of one step of an entry; times in nanoseconds."""

    times: int = 0
    spent: int = 0
    waited: int = 0
    nbytes: int = 0
    operations: int = 0

    def plus(self, other: StepCounts, sign: int = 1) -> StepCounts:
        return StepCounts(
            self.times + sign * other.times, self.spent + sign * other.spent,
            self.waited + sign * other.waited, self.nbytes + sign * other.nbytes,
            self.operations + sign * other.operations,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spent:
    """Of one compiled function, or of one entry; `by_kind` is in nanoseconds."""

    owner: Any
    times: int
    by_kind: tuple[int, ...]
    steps: tuple[StepCounts, ...]

    def plus(self, other: Spent, sign: int = 1) -> Spent:
        size = max(len(self.steps), len(other.steps))
        steps = zip(*(each + (StepCounts(),) * (size - len(each))
                      for each in (self.steps, other.steps)))
        return Spent(
            self.owner, self.times + sign * other.times,
            tuple(a + sign * b for a, b in zip(self.by_kind, other.by_kind)),
            tuple(a.plus(b, sign) for a, b in steps),
        )


@dataclass(frozen=True, slots=True)
class Slice:
    """A stretch of a timeline, in nanoseconds; `step` is -1 where it is none of an entry's."""

    begin: int
    spent: int
    thread: int
    owner: Any
    kind: int
    step: int


Totals = Mapping[int, Spent]
"""By the identity of the owner, which they keep alive."""


def counted(first: int = NO_SLICES) -> tuple[Totals, list[Slice], int, bool]:
    """The totals until now, the slices from number `first` on, how many there are, and whether some
    are missing."""
    rows, slices, number, is_full = read_spans(first)
    totals = {id(row[0]): Spent(row[0], row[1], row[2], tuple(StepCounts(*s) for s in row[3]))
              for row in rows}
    return totals, [Slice(*one) for one in slices], number, is_full


def difference(after: Totals, before: Totals) -> Totals:
    return {key: spent.plus(before[key], -1) if key in before else spent
            for key, spent in after.items()}


def together(*all_totals: Totals) -> Totals:
    found: dict[int, Spent] = {}
    for totals in all_totals:
        for key, spent in totals.items():
            found[key] = found[key].plus(spent) if key in found else spent
    return found


def steps_of(entry: Any) -> Sequence[Any]:
    """The rows about the steps of an entry (`backends.llvm.objects.image`)."""
    return getattr(getattr(entry, "owner", None), "steps", ())


def places_of(entry: Any) -> Sequence[Any]:
    return getattr(getattr(entry, "owner", None), "places", ())


def located(entry: Any, step: int) -> Iterator[tuple[str, Any, float]]:
    """The user's operations in a step: name, location, and its part of the step's time."""
    _, _, operations = steps_of(entry)[step]
    places = places_of(entry)
    total = sum(share for *_, share in operations)
    for name, place, share in operations:
        location = places[place] if place is not None and place < len(places) else None
        yield name, location, share / total if total else 1 / len(operations)
