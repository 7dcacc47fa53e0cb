"""The rows of a profile: kernels, the user's lines, functions, and kinds of time."""
from __future__ import annotations

import linecache
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..base.records import dataclass
from ..ir.node import Location
from ..native import CompiledFunction, NativeEntry
from .limits import PRODUCTS, Limits
from .spent import IN_PYTHON, KINDS, Spent, StepCounts, located, places_of, steps_of

MOST_NAMES = 4
"""Operations of a kernel that are named."""
KERNEL, CALL = "kernels", "calls of NumPy"
GROUPS = {"Launch": KERNEL, "Extern": CALL, "Product": PRODUCTS, "Loop": "loops",
          "Branch": "branches"}
SELECTING = "selecting by masks"


@dataclass(frozen=True, slots=True)
class KernelTime:
    """One step of compiled code: a kernel, a call of NumPy, a product of matrices, a loop."""

    kind: str
    name: str
    """As in the artifact `output_code`, and in `perf`."""
    operations: tuple[str, ...]
    """The user's operations that it does."""
    locations: tuple[Location, ...]
    launches: int
    seconds: float
    waiting: float
    """Seconds of these in which the calling thread waited for others."""
    nbytes: int
    """Bytes of the memory it read and wrote; 0 where nobody knows."""
    steps: int
    """Simple operations that it computed, by the estimate; 0 where nobody knows."""

    @property
    def bandwidth(self) -> float:
        """Bytes each second."""
        return self.nbytes / self.seconds if self.seconds else 0.0

    @property
    def speed(self) -> float:
        """Operations each second."""
        return self.steps / self.seconds if self.seconds else 0.0

    def of_limit(self, limits: Limits) -> float:
        """How near it comes to what the machine can do, in memory or arithmetic."""
        moved = self.nbytes / max(1, self.launches)
        return max(self.bandwidth / limits.bandwidth_at(moved), self.speed / limits.speed)

    @property
    def what(self) -> str:
        names = [*dict.fromkeys(self.operations)]
        more = ["…"] if len(names) > MOST_NAMES else []
        return ", ".join([*names[:MOST_NAMES], *more]) or self.name or self.kind

    @property
    def place(self) -> str:
        """`f.py:3`, or `f.py:3-7`."""
        if not self.locations:
            return ""
        first = min(self.locations, key=lambda one: one.line)
        last = max(one.line for one in self.locations if one.filename == first.filename)
        return first.place if last == first.line else f"{first.place}-{last}"


@dataclass(frozen=True, slots=True)
class LineTime:
    """One of the user's lines. What several lines share in one kernel is divided by estimate."""

    location: Location
    seconds: float
    in_python: float
    """Seconds of these in which Python ran it."""

    @property
    def text(self) -> str:
        return linecache.getline(self.location.filename, self.location.line).strip()


@dataclass(frozen=True, slots=True)
class FunctionTime:
    """One compiled function, without what its kernels took; seconds by kind."""

    name: str
    location: Location
    calls: int
    seconds: Mapping[str, float]


def kernels(spent: Iterable[Spent]) -> list[KernelTime]:
    """Those that took longest first."""
    found = [kernel(one, number, counts) for one in spent if isinstance(one.owner, NativeEntry)
             for number, counts in enumerate(one.steps) if counts.times]
    return sorted(found, key=lambda row: -row.seconds)


def kernel(spent: Spent, number: int, counts: StepCounts) -> KernelTime:
    kind, name, _ = steps_of(spent.owner)[number]
    parts = [*located(spent.owner, number)]
    locations = dict.fromkeys(location for _, location, _ in parts if location is not None)
    return KernelTime(
        GROUPS.get(kind, SELECTING), name, tuple(name for name, *_ in parts), tuple(locations),
        counts.times, counts.spent * 1e-9, counts.waited * 1e-9, counts.nbytes, counts.operations,
    )


def functions(spent: Iterable[Spent]) -> list[FunctionTime]:
    found: dict[Location, FunctionTime] = {}
    for one in spent:
        if isinstance(one.owner, CompiledFunction) and one.times:
            place = location_of(one.owner)
            before = found.get(place, FunctionTime(one.owner.__qualname__, place, 0, {}))
            seconds = {kind: before.seconds.get(kind, 0.0) + ns * 1e-9
                       for kind, ns in zip(KINDS, one.by_kind)}
            calls = max(before.calls, one.times)  # those of continuations are no calls of it
            found[place] = FunctionTime(before.name, place, calls, seconds)
    return sorted(found.values(), key=lambda row: -sum(row.seconds.values()))


def location_of(function: CompiledFunction) -> Location:
    code = function.__code__
    return Location(code.co_filename, code.co_firstlineno, function.__qualname__)


def lines(spent: Iterable[Spent]) -> list[LineTime]:
    """The user's lines, those that took longest first."""
    compiled: dict[Location, float] = {}
    python: dict[Location, float] = {}
    for one in spent:
        is_entry = isinstance(one.owner, NativeEntry)
        times, parts = (compiled, entry_lines) if is_entry else (python, python_lines)
        for location, seconds in parts(one):
            times[location] = times.get(location, 0.0) + seconds
    found = [LineTime(place, compiled.get(place, 0.0) + python.get(place, 0.0),
                      python.get(place, 0.0)) for place in {**compiled, **python}]
    return sorted(found, key=lambda row: -row.seconds)


def entry_lines(spent: Spent) -> Iterator[tuple[Location, float]]:
    """What is of no line (memory that is made for several) counts for the first one."""
    places = [place for place in places_of(spent.owner) if place is not None]
    for number, counts in enumerate(spent.steps):
        for _, location, share in located(spent.owner, number) if counts.times else ():
            if location is not None or places:
                yield line_of(location or places[0]), counts.spent * share * 1e-9


def python_lines(spent: Spent) -> Iterator[tuple[Location, float]]:
    """What Python runs counts for the line at which graphs broke, else for the `def`."""
    seconds = sum(spent.by_kind[kind] for kind in IN_PYTHON) * 1e-9
    broke = [at for at in map(break_of, spent.owner.entries()) if at is not None]
    if seconds:
        yield line_of(broke[0] if broke else location_of(spent.owner)), seconds


def break_of(entry: Any) -> Location | None:
    record = getattr(entry.info, "record", None)
    return record.broke.location if record is not None and record.broke is not None else None


def line_of(location: Location) -> Location:
    """The line itself, however a library was called there."""
    return Location(location.filename, location.line, location.function)


def by_kind(spent: Iterable[Spent]) -> dict[str, float]:
    """Seconds by what they were spent on; the largest first."""
    found: dict[str, float] = {}
    for one in spent:
        for kind, ns in zip(KINDS, one.by_kind):
            found[kind] = found.get(kind, 0.0) + ns * 1e-9
        for number, counts in enumerate(one.steps):
            group = GROUPS.get(steps_of(one.owner)[number][0], SELECTING)
            found[group] = found.get(group, 0.0) + counts.spent * 1e-9
    return dict(sorted(((k, s) for k, s in found.items() if s), key=lambda item: -item[1]))
