"""`dl.profile()`: where the time of compiled calls goes, by kernel, line and function."""
from __future__ import annotations

import atexit
import functools
import importlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ..base import markup
from ..base.tables import Table, is_drawn, text
from ..native import start_spans, stop_spans
from .spent import Slice, Totals, counted, difference, together

if TYPE_CHECKING:
    from .limits import Limits
    from .rows import FunctionTime, KernelTime, LineTime

ROWS, LIMITS, TIMELINE = (f"{__package__}.{name}" for name in ("rows", "limits", "chrome"))
"""Loaded when a profile is looked at, which takes no time of what is measured."""
SHOWN = 20
"""Rows of each table."""
KERNELS = ("kernel", "does", "lines", "launches", "ms", "waiting", "GB/s", "Gop/s", "of limit")
LINES = ("line", "ms", "share", "in Python", "text")
FUNCTIONS = ("function", "calls", "ms", "guards", "between graphs", "in Python", "compiling")

P = ParamSpec("P")
R = TypeVar("R")


class profile:
    """A context manager, or decorator: what compiled calls inside spend their time on.

    `print` it, look at it in a notebook, or `export` it for Perfetto. What is measured several
    times adds up; of a decorated function, `function.profile` is the profile of all its calls. It
    keeps the code that it measured. Times of threads other than the calling one are not counted.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        """That the blocks took, with all that was not compiled."""
        self.totals: Totals = {}
        self.slices: list[Slice] = []
        self.is_cut = False
        """Whether calls were too many for the timeline; the sums have all of them."""
        self._depth = 0

    def __enter__(self) -> profile:
        self._depth += 1
        if self._depth == 1:
            start_spans()
            self._before, _, self._first, _ = counted()
            self._start = time.perf_counter()
        return self

    def __exit__(self, *raised: Any) -> None:
        self._depth -= 1
        if self._depth:
            return
        self.seconds += time.perf_counter() - self._start
        after, slices, _, self.is_cut = counted(self._first)
        stop_spans()
        self.totals = together(self.totals, difference(after, self._before))
        self.slices += slices

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def measured(*args: P.args, **kwargs: P.kwargs) -> R:
            with self:
                return function(*args, **kwargs)

        measured.profile = self  # type: ignore[attr-defined]
        return measured

    # -- what was found

    @property
    def kernels(self) -> list[KernelTime]:
        """Kernels, calls of NumPy and other steps; those that took longest first."""
        found: list[KernelTime] = self._rows.kernels(self.totals.values())
        return found

    @property
    def lines(self) -> list[LineTime]:
        """The user's lines, those that took longest first."""
        found: list[LineTime] = self._rows.lines(self.totals.values())
        return found

    @property
    def functions(self) -> list[FunctionTime]:
        """Compiled functions, with what they take beside their kernels."""
        found: list[FunctionTime] = self._rows.functions(self.totals.values())
        return found

    @property
    def spent(self) -> Mapping[str, float]:
        """Seconds by what they were spent on, the largest first: kernels, guards, …"""
        found: Mapping[str, float] = self._rows.by_kind(self.totals.values())
        return found

    @property
    def waiting(self) -> float:
        """Seconds of kernels in which the calling thread waited for others."""
        return sum(kernel.waiting for kernel in self.kernels)

    @property
    def limits(self) -> Limits:
        """What this machine can do at best. Measured when it is first asked for; what this profile
        has shown that it can do counts as well."""
        found: Limits = importlib.import_module(LIMITS).limits(self.kernels)
        return found

    def export(self, path: str | Path) -> None:
        """Write the timeline for chrome://tracing and ui.perfetto.dev."""
        text = importlib.import_module(TIMELINE).text(self.slices, self.is_cut)
        Path(path).write_text(text, encoding="utf-8")

    @property
    def _rows(self) -> Any:
        return importlib.import_module(ROWS)

    # -- for people

    def __repr__(self) -> str:
        return f"<profile: {self.summary}>"

    @property
    def summary(self) -> str:
        """One line: the time, and what most of it went into."""
        if not self.totals:
            return "no compiled function was called"
        compiled = sum(self.spent.values())
        parts = ", ".join(f"{kind} {share:.0%}" for kind, share in (
            (kind, seconds / compiled) for kind, seconds in self.spent.items()) if share >= 0.01)
        return (f"{self.seconds * 1e3:.4g} ms, of which compiled functions took "
                f"{compiled * 1e3:.4g}: {parts}")

    def __str__(self) -> str:
        """Drawn with tables where rich is installed and the standard output is a terminal."""
        return self.text() if is_drawn(sys.stdout) else "\n".join(map(str, self._parts()))

    def text(self, stream: Any = None) -> str:
        """As it is shown on a stream, the standard output if none is named."""
        return text(self._parts(), stream)

    def _repr_html_(self) -> str:
        """For notebooks."""
        return "".join(part._repr_html_() if isinstance(part, Table) else markup.paragraph(part)
                       for part in self._parts())

    def _parts(self) -> Iterator[str | Table]:
        yield self.summary
        if not self.totals:
            return
        limits = self.limits
        yield (f"at best this machine moves {limits.bandwidth / 1e9:.3g} GB/s of memory, "
               f"{limits.bandwidth_at(0) / 1e9:.3g} GB/s of its fastest cache, and computes "
               f"{limits.speed / 1e9:.3g} Gop/s with {limits.threads} threads")
        yield Table("kernels", KERNELS, [kernel_row(row, limits) for row in self.kernels[:SHOWN]])
        yield Table("lines", LINES, [line_row(row, self.seconds) for row in self.lines[:SHOWN]])
        yield Table("functions", FUNCTIONS, [*map(function_row, self.functions[:SHOWN])])


def measure(path: str) -> None:
    """Measure the rest of the process; say at exit what came of it, and write the timeline."""
    whole = profile()
    _ = whole.limits  # at exit no threads can be started any more
    whole.__enter__()
    atexit.register(conclude, whole, path)


def conclude(whole: profile, path: str) -> None:
    whole.__exit__()
    print(whole.text(sys.stderr), file=sys.stderr)
    if path:
        try:
            whole.export(path)
        except OSError as error:
            print(f"dynamo_lite cannot write the profile: {error}", file=sys.stderr)


def kernel_row(row: KernelTime, limits: Limits) -> tuple[object, ...]:
    known = row.nbytes or row.steps
    return (row.name or row.kind, row.what, row.place, row.launches, f"{row.seconds * 1e3:.4g}",
            f"{row.waiting * 1e3:.3g}", f"{row.bandwidth / 1e9:.3g}" if known else "",
            f"{row.speed / 1e9:.3g}" if known else "",
            f"{row.of_limit(limits):.0%}" if known else "")


def line_row(row: LineTime, seconds: float) -> tuple[object, ...]:
    return (row.location.place, f"{row.seconds * 1e3:.4g}", f"{row.seconds / seconds:.0%}",
            f"{row.in_python * 1e3:.3g}" if row.in_python else "", row.text)


def function_row(row: FunctionTime) -> tuple[object, ...]:
    each = (row.seconds.get(kind, 0.0) * 1e3 for kind in FUNCTIONS[3:])
    return (row.name, row.calls, f"{sum(row.seconds.values()) * 1e3:.4g}",
            *(f"{ms:.3g}" if ms else "" for ms in each))
