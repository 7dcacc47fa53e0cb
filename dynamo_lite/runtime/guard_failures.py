"""Why no entry of a compiled function accepted a call, in words for logs, errors and warnings."""
from __future__ import annotations

from types import FunctionType
from typing import Any

from ..base.config import config
from ..base.counting import counted
from ..base.origins import is_library_file
from ..base.records import dataclass
from ..base.remedies import Remedy, remedy_for_guard, remedy_inside
from ..guards.programs.reasons import Values, line_of, remedy, why_failed
from ..ir.graph import Location
from ..native import CompiledFunction
from .users_lines import users_line

LAST_RESORT = remedy_for_guard("other")


@dataclass(frozen=True, slots=True)
class GuardFailure:
    """A guard that a call did not meet."""

    reason: str
    location: Location
    """The line that asked for the guard, or for the call of a library in which it was asked for;
    where none did, that of the function."""
    remedy: Remedy
    variant: str = ""
    """Which one the guard is of, and how often that one ran."""

    @property
    def at(self) -> str:
        return f"{self.location}: {self.reason}"

    def __str__(self) -> str:
        return f"{self.reason} (asked for at {self.location})"


def why_guards_failed(
    compiled: CompiledFunction, flat_args: tuple[Any, ...]
) -> list[GuardFailure]:
    """The guard that failed in each entry, the entry used last first."""
    values, found = _values(compiled, flat_args), []
    code = compiled.__code__
    first_line = Location(code.co_filename, code.co_firstlineno, compiled.__qualname__)
    for entry, op in zip(compiled.entries(), compiled.why_miss(flat_args)):
        if op >= 0:
            info = entry.info
            reason = why_failed(info.flat, op, info.shapes, values)
            where = users_line(line_of(info.flat, op) or first_line)
            variant = f"[{info.record.mark}], {counted(entry.hits, 'call')}"
            helps = remedy(info.flat, op, info.shapes, values)
            if is_library_file(code.co_filename):
                helps = remedy_inside(where.called)
            found.append(GuardFailure(reason, where, helps, variant))
    return found


def _values(compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> Values:
    function = compiled.__wrapped__
    assert isinstance(function, FunctionType)
    return Values(flat_args, function)


def limit_reached(compiled: CompiledFunction, flat_args: tuple[Any, ...], name: str) -> str:
    """Which argument keeps changing, what happens now, and what helps."""
    failures = why_guards_failed(compiled, flat_args)
    why = f": {failures[0]}" if failures else ""
    rows = dict.fromkeys([*(failure.remedy for failure in failures[:1]), LAST_RESORT])
    return (
        f"{name} has been compiled {counted(config.recompile_limit, 'time')} "
        f"(config.recompile_limit){why}. Most calls with other arguments now run in Python; "
        f"{'; or '.join(row.advice for row in rows)} ({next(iter(rows)).page})"
    )
