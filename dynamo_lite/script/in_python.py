"""What Python runs of a program: a thread looks now and then where it is.

The time that a thread has used since the last look counts for the function of the user's that it is
in, with the libraries that this one has called; that in compiled code or the compiler counts for
nobody.
"""
from __future__ import annotations

import _thread
import inspect
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FrameType

from ..base.disabled import Place, place_of
from ..base.origins import is_library_file
from ..base.records import dataclass, field
from ..base.remedies import Remedy
from ..base.tables import Table
from ..ir.node import Location
from ..native import start_spans, stop_spans, threads_in_entries
from ..runtime.costs import Cost, costs_of, merged
from ..runtime.stats import FrameRecord
from ..runtime.users_lines import is_not_users
from ..tracer.rules.trace_rules import OWN_FOLDERS
from .regions import LONG

EVERY = 0.004
"""Seconds from one look to the next."""
BY_FLAG: tuple[tuple[int, str], ...] = (
    (inspect.CO_ASYNC_GENERATOR, "async generators run in Python; compile what they call"),
    (inspect.CO_COROUTINE, "async functions run in Python; compile what they call"),
    (inspect.CO_GENERATOR, "generators that Python goes through run in Python; compile what goes "
     "through it"),
)
BY_NAME: Mapping[str, str] = {
    "<module>": "the text of a module runs in Python; put it into functions",
    **dict.fromkeys(("<listcomp>", "<setcomp>", "<dictcomp>"),
                    "comprehensions of a function that runs in Python"),
}
IMPORTING = "<frozen importlib"
OF_CLASS = "the text of a class runs in Python"
UNKNOWN = ("no array was seen in it, it was called too seldom to be noticed, or while nothing is "
           "compiled: before there was an array, deep in recursion, under a debugger or profiler, "
           "or while a module was imported")


@dataclass(slots=True)
class Ran:
    """What Python ran of one function."""

    code: CodeType
    seconds: float = 0.0
    lines: Counter[int] = field(default_factory=Counter)

    @property
    def line(self) -> int:
        """That in which it was seen most often."""
        return self.lines.most_common(1)[0][0]


class Looking:
    """Looks from `begin` to `end`; `functions` is what it saw."""

    def __init__(self) -> None:
        self.functions: dict[Place, Ran] = {}
        self.used: dict[int, float] = {}
        self.is_over = False

    def begin(self) -> None:
        start_spans()
        self.used[threading.get_ident()] = time.thread_time()
        _thread.start_new_thread(self.look_on, ())

    def end(self) -> None:
        self.is_over = True
        stop_spans()

    def look_on(self) -> None:
        own = threading.get_ident()
        while not self.is_over:
            time.sleep(EVERY)
            compiled = threads_in_entries()
            for thread, frame in sys._current_frames().items():
                if thread != own:
                    self.look(thread, None if thread in compiled else frame)

    def look(self, thread: int, frame: FrameType | None) -> None:
        try:
            now = time.clock_gettime(time.pthread_getcpuclockid(thread))
        except OSError:  # it has just ended
            return
        used, self.used[thread] = now - self.used.get(thread, now), now
        if (user := users_frame(frame)) is None:
            return
        ran = self.functions.setdefault(place_of(user.f_code), Ran(user.f_code))
        ran.seconds += used
        ran.lines[user.f_lineno or user.f_code.co_firstlineno] += 1

    def long(self) -> list[Ran]:
        """Those of `LONG`, the longest first."""
        found = [ran for ran in self.functions.values() if ran.seconds >= LONG]
        return sorted(found, key=lambda ran: -ran.seconds)


def users_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame of the user's, unless it waits for the compiler or an import."""
    while frame is not None and is_not_users(frame.f_code.co_filename):
        if frame.f_code.co_filename.startswith((*OWN_FOLDERS, IMPORTING)):
            return None
        frame = frame.f_back
    return frame


def why_in_python(
    ran: Ran, records: Sequence[FrameRecord], reasons: Mapping[Place, str]
) -> tuple[str, Remedy | None]:
    """The reason, and what the user can do about it where that is known."""
    code = ran.code
    flag = next((reason for flag, reason in BY_FLAG if code.co_flags & flag), None)
    if reason := flag or BY_NAME.get(code.co_name):
        return reason, None
    if not code.co_flags & inspect.CO_OPTIMIZED:
        return OF_CLASS, None
    if (found := next(ends(place_of(code), records), None)) is not None:
        return found
    return reasons.get(place_of(code), UNKNOWN), None


def ends(place: Place, records: Sequence[FrameRecord]) -> Iterator[tuple[str, Remedy | None]]:
    """Why compiled forms of a function came to their end."""
    for record in records:
        if (record.location.filename, record.location.line) != place[:2]:
            continue
        for verb, end in (("bailed out", record.bailout), ("broke", record.broke)):
            if end is not None:
                yield f"{verb} at {end}", end.remedy
        if record.unprofitable:
            yield record.unprofitable, None


def of_libraries(records: Sequence[FrameRecord]) -> list[Cost]:
    """What functions of libraries cost, at the program's lines that call them."""
    return [cost for cost in merged(costs_of(records))
            if cost.location is not None and not is_library_file(cost.location.filename)]


def table(
    seen: Sequence[Ran], records: Sequence[FrameRecord], reasons: Mapping[Place, str]
) -> Table:
    """A row for each function that Python ran for long."""
    rows, lines = [], []
    for ran in seen:
        reason, remedy = why_in_python(ran, records, reasons)
        place = Location(ran.code.co_filename, ran.line, ran.code.co_qualname)
        rows.append((ran.code.co_qualname, f"{ran.seconds * 1e3:.0f} ms", place.place, reason))
        lines.append(f"{ran.code.co_qualname}: {ran.seconds * 1e3:.0f} ms in Python, most of it at "
                     f"{place.place}. Python runs it: {reason}")
        lines += [f"        remedy: {remedy}"] if remedy is not None else []
    return Table("what ran in Python", ("function", "time", "most of it at", "reason"), rows,
                 "\n".join(lines))
