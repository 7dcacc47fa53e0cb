"""What was compiled, why it ended where it did, and how much of the work ran compiled."""
from __future__ import annotations

import contextlib
import itertools
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Protocol

from .ir.graph import Graph, Location
from .native import CompiledFunction, free_scratch
from .records import dataclass, field


@dataclass(frozen=True, slots=True)
class Break:
    """Where and why a graph ended before its frame did."""

    reason: str
    location: Location | None

    def __str__(self) -> str:
        return f"{self.location or '<unknown>'}: {self.reason}"


@dataclass(slots=True, eq=False)
class FrameRecord:
    """One compiled entry of one frame."""

    name: str
    frame: int
    recompile: int
    location: Location
    operations: int = 0
    graph: Graph | None = None
    """Kept for those who asked to be told; else it would keep constants alive."""
    guards: tuple[str, ...] = ()
    broke: Break | None = None
    stage_seconds: dict[str, float] = field(default_factory=dict)
    compiled: Callable[[], CompiledFunction | None] = lambda: None
    """A weak reference to the function whose entry this is about."""

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """The time spent inside counts for a stage of compiling."""
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - start
            self.stage_seconds[name] = self.stage_seconds.get(name, 0.0) + spent

    def timing(self) -> str:
        stages = ", ".join(f"{name} {s * 1e3:.1f}" for name, s in self.stage_seconds.items())
        return f"{self.seconds * 1e3:.1f} ms ({stages}), {self.operations} operations"

    @property
    def mark(self) -> str:
        return f"{self.frame}/{self.recompile}"

    def calls(self) -> tuple[int, int]:
        """How often the entry was used, and how often it gave up."""
        function = self.compiled()
        for entry in function.entries() if function is not None else ():
            if entry.info.record is self:
                return entry.hits, entry.abandoned
        return 0, 0

    @property
    def seconds(self) -> float:
        return sum(self.stage_seconds.values())


@dataclass(frozen=True, slots=True)
class Stats:
    """Totals since the start or the last `reset`."""

    frames: int
    graphs: int
    graph_breaks: int
    break_reasons: dict[str, int]
    recompiles: int
    recompile_reasons: dict[str, int]
    coverage: float
    """Share of the array operations of compiled functions that ran in compiled graphs."""
    compile_seconds: float
    errors: int

    def __str__(self) -> str:
        lines = [
            f"{self.graphs} graphs in {self.frames} frames, {self.graph_breaks} graph breaks, "
            f"{self.recompiles} recompiles, {self.errors} errors",
            f"{self.coverage:.0%} of the array operations ran compiled; "
            f"compiling took {self.compile_seconds * 1e3:.1f} ms",
        ]
        for verb, reasons in ("broke", self.break_reasons), ("recompiled", self.recompile_reasons):
            lines += [f"{count:6} times {verb}: {reason}" for reason, count in reasons.items()]
        return "\n".join(lines)


class Forgetful(Protocol):
    """What compiles the frames of one function, and can start afresh."""

    def forget(self) -> None: ...


class Registry:
    """Everything counted in this process."""

    def __init__(self) -> None:
        self.compilers: weakref.WeakSet[Forgetful] = weakref.WeakSet()
        self.clear()

    def clear(self) -> None:
        self.frame_ids = itertools.count()
        self.records: list[FrameRecord] = []
        self.recompile_reasons: Counter[str] = Counter()
        self.errors = 0


registry = Registry()


def stats() -> Stats:
    """Totals of what has been compiled and run since the start or the last `reset`."""
    records = registry.records
    breaks = Counter(record.broke.reason for record in records if record.broke is not None)
    return Stats(
        frames=len({record.frame for record in records}),
        graphs=sum(record.operations > 0 for record in records),
        graph_breaks=sum(breaks.values()),
        break_reasons=dict(breaks.most_common()),
        recompiles=sum(record.recompile > 0 for record in records),
        recompile_reasons=dict(registry.recompile_reasons.most_common()),
        coverage=coverage(records),
        compile_seconds=sum(record.seconds for record in records),
        errors=registry.errors,
    )


def coverage(records: list[FrameRecord]) -> float:
    """Operations in graphs, and each break as one that is not, weighted by calls; 1 for nothing.

    Functions that no longer exist do not count.
    """
    compiled = python = 0
    for record in records:
        if record.compiled() is None:
            continue
        hits, lost = record.calls()
        compiled += record.operations * hits
        python += record.operations * lost + (record.broke is not None) * max(hits, 1)
    return compiled / (compiled + python) if compiled + python else 1.0


def reset() -> None:
    """Forget everything that was compiled, and all counts."""
    for compiler in list(registry.compilers):
        compiler.forget()
    registry.clear()
    free_scratch()
