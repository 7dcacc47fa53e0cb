"""What a compiled function costs beyond its kernels, and why: `dl.why(f)`."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ..base import markup
from ..base.config import config
from ..base.counting import counted
from ..base.records import dataclass
from ..base.remedies import Remedy, remedy_for, remedy_for_guard
from ..base.tables import Table, text
from ..ir.graph import Location
from ..native import CompiledFunction
from .guard_failures import GuardFailure
from .stats import Compiler, FrameRecord, coverage, lost, registry
from .users_lines import UNSEEN


@dataclass(frozen=True, slots=True)
class Cost:
    """Something that keeps a function from running compiled, or has it compiled again."""

    kind: str
    reason: str
    location: Location | None
    remedy: Remedy
    times: int = 1
    others: int = 0
    """Reasons beside this one in the same call of a library."""

    def __str__(self) -> str:
        often = f"{self.times} times " if self.times > 1 else ""
        return f"{often}{self.kind} at {self.location}: {self.told}\n    remedy: {self.remedy}"

    @property
    def told(self) -> str:
        assert self.location is not None or not self.others
        more = f" (and {counted(self.others, 'more reason')} inside {self.location.inside[0]})" if (
            self.others and self.location is not None) else ""
        return self.reason + more


@dataclass(frozen=True, slots=True)
class State:
    """How a compiled function stands: its variants, and what it costs."""

    name: str
    variants: int
    limit: int
    coverage: float
    costs: tuple[Cost, ...]
    in_python: str = ""
    """Why all calls run in Python, where they do."""

    @property
    def reason(self) -> str:
        return self.in_python or self.summary

    @property
    def summary(self) -> str:
        if not (self.variants or self.costs or self.coverage):
            return f"{self.name}: nothing of it has been compiled yet"
        return (f"{self.name}: {self.variants} of at most {counted(self.limit, 'variant')}, "
                f"{self.coverage:.1%} of the array operations ran compiled")

    def __repr__(self) -> str:
        return f"<State of {self.summary}; {counted(len(self.costs), 'cost')}>"

    def _repr_pretty_(self, printer: Any, is_in_cycle: bool) -> None:
        """For IPython in a terminal."""
        printer.text(str(self))

    def _repr_html_(self) -> str:
        """For notebooks."""
        notes = [self.summary, *filter(None, [self.in_python and f"in Python: {self.in_python}"])]
        return "".join((*map(markup.paragraph, notes), self.table._repr_html_()))

    @property
    def table(self) -> Table:
        """A row for each cost."""
        rows = [(c.kind, c.times, c.location or "", c.told, c.remedy.advice) for c in self.costs]
        headers = ("cost", "times", "place", "reason", "remedy")
        return Table("", headers, rows, "\n".join(f"  {cost}" for cost in self.costs))

    def __str__(self) -> str:
        first = [self.summary, *filter(None, [self.in_python and f"in Python: {self.in_python}"])]
        return text([*first, *([self.table] if self.costs else [])])


def state_of(function: CompiledFunction, watched: str) -> State:
    """How a compiled function stands; `watched` is why every function runs in Python now."""
    family = list(_family(function, set()))
    records = [record for each in family for record in _records(each)]
    costs = merged(cost for each in family for cost in _costs(each))
    disabled = str(function.disabled) if function.disabled else ""
    if disabled:
        code = function.__code__
        where = Location(code.co_filename, code.co_firstlineno, function.__qualname__)
        costs.append(Cost("in Python", disabled, where, remedy_for(disabled), function.unfit))
    compiler = _compiler_of(function)
    limit = config.recompile_limit if compiler is None else compiler.limit
    name = function.__qualname__ if compiler is None else compiler.name
    return State(name, len(function.entries()), limit,
                 coverage(records, family), tuple(costs), watched or disabled)


def why_again(function: Any) -> tuple[GuardFailure, ...]:
    """Why the function was compiled again the last time."""
    compiler = _compiler_of(function)
    return () if compiler is None else compiler.failures[-1:]


def merged(costs: Iterable[Cost]) -> list[Cost]:
    """One for each line and reason."""
    found: dict[tuple[str, str, Location | None], Cost] = {}
    for cost in costs:
        key = cost.kind, cost.reason, cost.location
        times = cost.times + (found[key].times if key in found else 0)
        found[key] = replace(cost, times=times)
    return one_for_each_library_call(found.values())


def one_for_each_library_call(costs: Iterable[Cost]) -> list[Cost]:
    """What a call of a library costs is told once, with the first of the reasons; where it was not
    seen which call it is, it counts for the first one of the line."""
    costs, found = [*costs], dict[Any, Cost]()
    named = {line_of(cost): called(cost) for cost in reversed(costs)
             if called(cost) not in ("", UNSEEN)}
    for number, cost in enumerate(costs):
        line, name = line_of(cost), called(cost)
        key = (line, named.get(line, name) if name == UNSEEN else name) if name else number
        first = found.get(key)
        if first is None:
            found[key] = cost
        else:
            told = cost if called(first) == UNSEEN else first
            found[key] = replace(told, times=first.times + cost.times, others=first.others + 1)
    return list(found.values())


def line_of(cost: Cost) -> tuple[Any, ...]:
    return cost.kind, cost.location and cost.location[:3]


def called(cost: Cost) -> str:
    """The function of a library that the line calls."""
    return cost.location.called if cost.location is not None else ""


def _compiler_of(function: Any) -> Compiler | None:
    return next((each for each in registry.compilers if each.compiled() is function), None)


def _family(function: CompiledFunction, seen: set[int]) -> Iterator[CompiledFunction]:
    """The function, its continuations and what it calls in compiled form."""
    if id(function) in seen:
        return
    seen.add(id(function))
    yield function
    if (compiler := _compiler_of(function)) is not None:
        for each in compiler.related:
            yield from _family(each, seen)


def _records(function: CompiledFunction) -> list[FrameRecord]:
    return [entry.info.record for entry in function.entries()]


def costs_of(records: Iterable[FrameRecord]) -> Iterator[Cost]:
    """What entries cost."""
    for record in records:
        if record.broke is not None:
            broke = record.broke
            yield Cost("graph break", broke.reason, broke.location, broke.remedy)
        if record.bailout is not None:
            out = record.bailout
            yield Cost("bail-out", out.reason, out.location, out.remedy, lost(record))
        if record.unprofitable:
            yield Cost("in Python", record.unprofitable, record.called_at,
                       remedy_for(record.unprofitable, record.called_at.called))


def _costs(function: CompiledFunction) -> Iterator[Cost]:
    yield from costs_of(_records(function))
    compiler = _compiler_of(function)
    if function.unfit and (records := _records(function)):
        yield Cost("in Python", "calls that none of the variants fits", records[0].called_at,
                   remedy_for_guard("other"), function.unfit)
    for failure in compiler.failures if compiler is not None else ():
        yield Cost("recompile", failure.reason, failure.location, failure.remedy)
