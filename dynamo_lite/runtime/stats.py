"""What was compiled, why it ended where it did, and how much of the work ran compiled."""
from __future__ import annotations

import contextlib
import itertools
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Protocol

from ..base import markup, work
from ..base.counting import counted
from ..base.records import dataclass, field
from ..base.remedies import Remedy, remedy_for
from ..base.tables import Table
from ..guards.shapes.reasoning import asked
from ..native import free_scratch

if TYPE_CHECKING:
    from types import CodeType

    from ..guards.shapes.shape_env import ShapeEnv
    from ..ir.graph import Graph, Location
    from ..native._core import CallCounts, CompiledFunction
    from .guard_failures import GuardFailure


@dataclass(frozen=True, slots=True)
class Break:
    """Where and why a graph ended before its frame did; `within` is the place in a library's own
    code, where `location` is the user's line that called it."""

    reason: str
    location: Location | None
    within: Location | None = None

    @property
    def remedy(self) -> Remedy:
        """What the user can do about it."""
        return remedy_for(self.reason, self.location.called if self.location else "")

    def __str__(self) -> str:
        return f"{self.location or '<unknown>'}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Bailout:
    """What the first call of an entry that bailed out did so for."""

    reason: str
    location: Location

    @property
    def remedy(self) -> Remedy:
        return remedy_for(self.reason, self.location.called)

    def __str__(self) -> str:
        return f"{self.location}: {self.reason}"


@dataclass(frozen=True, slots=True)
class GraphStep:
    """A node of a captured graph, in words."""

    name: str
    what: str
    type: str
    reads: tuple[str, ...]
    place: str


@dataclass(slots=True, eq=False, weakref_slot=True)
class FrameRecord:
    """One compiled entry of one frame."""

    name: str
    frame: int
    recompile: int
    location: Location
    called_at: Location
    """The same, or the user's line that called it when the entry was made, for a library's."""
    operations: int = 0
    in_python: int = 0
    """Operations on arrays that are known to run in Python at every call of the entry."""
    graph: Graph | None = None
    """Kept for those who asked to be told; else it would keep constants alive."""
    steps: tuple[GraphStep, ...] = ()
    lines: frozenset[tuple[str, int]] = frozenset()
    """What the graph computes, and the lines of it, where artifacts are written."""
    began: float = field(default_factory=time.perf_counter)
    codes: tuple[CodeType, CodeType | None] | None = None
    """The function's and its replacement's, likewise."""
    guards: tuple[str, ...] = ()
    guard_tree: tuple[str, ...] = ()
    """What is relied on, in words, and by the names of kinds and sources, likewise."""
    shapes: ShapeEnv | None = None
    """What was decided about sizes, for those who asked to be told."""
    broke: Break | None = None
    cold_arms: tuple[Break, ...] = ()
    """Arms of branches that Python runs, with all of a call that takes one."""
    bailout: Bailout | None = None
    """Why the first of its calls that bailed out did so."""
    memory: int | None = None
    """Bytes that a call makes, all of them at once at most, where the backend knows: with the sizes
    of the call that it was compiled for, and without what NumPy's own functions need."""
    blocks: str = ""
    """How the graph was cut into tasks over arrays in blocks, at the last call."""
    unprofitable: str = ""
    """Why Python runs the function although it could be compiled."""
    stage_seconds: dict[str, float] = field(default_factory=dict)
    counts: CallCounts | None = None
    """What became of the entry's calls."""

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
        return f"{self.seconds * 1e3:.1f} ms ({stages}), {counted(self.operations, 'operation')}"

    @property
    def mark(self) -> str:
        return f"{self.frame}/{self.recompile}"

    def operations_run(self) -> tuple[int, int]:
        """How many operations on arrays ran compiled so far, and how many in Python."""
        if (counts := self.counts) is None:
            return 0, 0
        return (
            self.operations * counts.hits,
            self.in_python * counts.hits + (self.operations + self.in_python) * lost(self),
        )

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
    """Share of the array operations of compiled functions that ran in compiled graphs, or would
    have as calls of NumPy."""
    compile_seconds: float
    errors: int
    retired: int
    """Entries that were retired because their calls bailed out again and again."""
    bailouts: int
    """Calls that bailed out and ran in Python."""
    bailout_reasons: dict[str, int]

    compiled_operations: int = 0
    """Array operations that ran compiled, and"""
    python_operations: int = 0
    """those that ran in Python."""
    traced: int = 0
    """How often the instructions of a frame were gone through; partitions of arrays in blocks are
    graphs already."""
    generated: int = 0
    """Graphs for which code was generated; that of others came from the cache on disk."""
    workers: dict[str, Stats] = field(default_factory=dict)
    """Of a cluster: the totals of each of its processes."""

    symbolic_questions: int = 0
    """Questions about sizes that were put to sympy, and"""
    symbolic_answers: int = 0
    """how many it answered."""
    symbolic_seconds: float = 0.0
    """What that took, with importing sympy for the first one."""

    def __repr__(self) -> str:
        return f"<Stats: {self.totals[0]}>"

    def _repr_html_(self) -> str:
        """For notebooks: the totals, and how often each reason came up."""
        rows = [(verb, count, reason) for verb, reasons in self.reasons
                for reason, count in reasons.items()]
        told = markup.table(("what", "times", "reason"), rows) if rows else ""
        return "".join(map(markup.paragraph, self.totals)) + told

    @property
    def reasons(self) -> tuple[tuple[str, dict[str, int]], ...]:
        """What happened how often for which reason."""
        return (("broke", self.break_reasons), ("recompiled", self.recompile_reasons),
                ("bailed out", self.bailout_reasons))

    @property
    def totals(self) -> list[str]:
        lines = [
            f"{counted(self.graphs, 'graph')} in {counted(self.frames, 'frame')}, "
            f"{counted(self.graph_breaks, 'graph break')}, "
            f"{counted(self.recompiles, 'recompile')}, {counted(self.errors, 'error')}, "
            f"{self.retired} retired",
            f"{percent(self.coverage)} of the array operations ran compiled; "
            f"compiling took {self.compile_seconds * 1e3:.1f} ms",
            f"traced: {counted(self.traced, 'frame')}; code was generated for "
            f"{counted(self.generated, 'graph')}",
        ]
        if self.symbolic_questions:
            lines.append(
                f"sympy answered {self.symbolic_answers} of {self.symbolic_questions} questions "
                f"about sizes in {self.symbolic_seconds * 1e3:.0f} ms")
        return lines

    def __str__(self) -> str:
        lines = self.totals
        for verb, reasons in self.reasons:
            told = [f"{counted(count, 'time'):>12} {verb}: {reason}"
                    for reason, count in reasons.items()]
            if others := sum([*reasons.values()][SHOWN:]):
                told[SHOWN:] = [f"{counted(others, 'time'):>12} {verb}: other reasons"]
            lines += told
        return "\n".join(lines)


def frames(records: Sequence[FrameRecord], title: str = "", plain: str | None = None) -> Table:
    """A row for each entry that was made."""
    rows = [(r.mark, r.name, r.location.place, r.operations,
             f"{r.seconds * 1e3:.1f} ms", r.broke or r.unprofitable or "") for r in records]
    return Table(title, ("entry", "function", "place", "operations", "compiled in", "ended at"),
                 rows, plain)


SHOWN = 10
"""Reasons of one kind that the text of statistics has."""


class Compiler(Protocol):
    """What compiles the frames of one function, and can start afresh."""

    @property
    def failures(self) -> tuple[GuardFailure, ...]: ...

    @property
    def related(self) -> tuple[CompiledFunction, ...]: ...

    @property
    def compiled(self) -> Callable[[], CompiledFunction | None]: ...

    @property
    def limit(self) -> int: ...

    @property
    def name(self) -> str: ...

    def forget(self) -> None: ...


class Registry:
    """Everything counted in this process."""

    def __init__(self) -> None:
        self.compilers: weakref.WeakSet[Compiler] = weakref.WeakSet()
        self.clear()

    def clear(self) -> None:
        self.frame_ids = itertools.count()
        self.records: list[FrameRecord] = []
        self.recompile_reasons: Counter[str] = Counter()
        self.errors = 0
        self.retired = 0
        asked.clear()
        work.done.clear()


registry = Registry()


def stats(client: Any = None) -> Stats:
    """Totals of what has been compiled and run since the start or the last `reset`.

    `client`: of a cluster of Dask's, for the totals of all its workers, which `workers` has one by
    one.
    """
    if client is not None:
        return added(client.run(stats))
    records = registry.records
    breaks = Counter(record.broke.reason for record in records if record.broke is not None)
    reasons: Counter[str] = Counter()
    for record in records:
        if record.bailout is not None:
            reasons[str(record.bailout)] += lost(record)
    compiled, python = operations(records, living())
    return Stats(
        frames=len({record.frame for record in records}),
        graphs=sum(record.operations > 0 for record in records),
        graph_breaks=sum(breaks.values()),
        break_reasons=dict(breaks.most_common()),
        recompiles=sum(record.recompile > 0 for record in records),
        recompile_reasons=dict(registry.recompile_reasons.most_common()),
        coverage=share(compiled, python),
        compiled_operations=compiled,
        python_operations=python,
        compile_seconds=sum(record.seconds for record in records),
        errors=registry.errors,
        retired=registry.retired,
        bailouts=sum(lost(record) for record in records),
        bailout_reasons=dict(reasons.most_common()),
        traced=work.done.traced,
        generated=work.done.generated,
        symbolic_questions=asked.questions,
        symbolic_answers=asked.answered,
        symbolic_seconds=asked.seconds,
    )


def living() -> Iterator[CompiledFunction]:
    """The compiled functions that there are."""
    for compiler in list(registry.compilers):
        if (function := compiler.compiled()) is not None:
            yield function


def lost(record: FrameRecord) -> int:
    """Calls of an entry that bailed out, or ran in Python because so many before them had."""
    return 0 if record.counts is None else record.counts.bailouts + record.counts.replaced


def without_variant(function: CompiledFunction) -> int:
    """Operations on arrays of the calls that no variant ran for: as many for each as the largest
    variant has; one where there is none, for nobody has counted them."""
    records = [entry.info.record for entry in function.entries()]
    most = max([record.operations + record.in_python for record in records], default=1)
    return function.unfit * most


def coverage(records: Sequence[FrameRecord], functions: Iterable[CompiledFunction] = ()) -> float:
    """The share that ran compiled of the operations on arrays of all calls; 0 where none did."""
    return share(*operations(records, functions))


def share(compiled: int, python: int) -> float:
    return compiled / (compiled + python) if compiled else 0.0


def operations(
    records: Sequence[FrameRecord], functions: Iterable[CompiledFunction] = ()
) -> tuple[int, int]:
    """How many operations on arrays of all calls ran compiled, and how many in Python.

    Of the functions, the calls that no variant ran for are counted as well.

    In Python ran those of calls that bailed out, of retired entries and of frames that could not be
    compiled, as far as they were traced, and the instructions at which graphs broke when they are
    operations on arrays themselves: a branch of Python's or `print` is none.
    """
    runs = [record.operations_run() for record in records]
    compiled, python = (sum(counts) for counts in zip(*runs)) if runs else (0, 0)
    python += sum(map(without_variant, functions))
    return compiled, python


def added(parts: Mapping[str, Stats]) -> Stats:
    """The totals of several processes."""
    totals: dict[str, Any] = {}
    for name in (part.name for part in fields(Stats) if part.name != "workers"):
        values = [getattr(each, name) for each in parts.values()]
        are_counts = any(isinstance(value, dict) for value in values)
        totals[name] = dict(sum(map(Counter, values), Counter())) if are_counts else sum(values)
    totals["coverage"] = share(totals["compiled_operations"], totals["python_operations"])
    return Stats(**totals, workers=dict(parts))


def percent(share: float) -> str:
    """A share as people read it: with a decimal near nothing and near all, and never rounded to
    either."""
    if share in (0, 1) or 0.01 <= share <= 0.99:
        return f"{share:.0%}"
    return f"{min(max(share, 0.001), 0.999):.1%}"


def reset() -> None:
    """Forget everything that was compiled, and all counts."""
    for compiler in list(registry.compilers):
        compiler.forget()
    registry.clear()
    free_scratch()
