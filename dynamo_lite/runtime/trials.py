"""Remedies that can be applied to a copy of a call: applied, and what came of it.

The function is called again, with copies of its arguments: what it does beside (prints, files,
counters) happens again. Where it was called before and had to be compiled again, so is that call.
"""
from __future__ import annotations

import copy
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FunctionType
from typing import Any

import numpy as np

from ..base.counting import counted
from ..base.records import dataclass
from ..base.remedies import Remedy
from ..guards.shapes.dynamic import maybe_mark_dynamic
from ..ir.tree import leaves, map_leaves
from ..tracer.rules.trace_rules import MARKER, mark
from .compile import compile_with
from .guard_failures import GuardFailure
from .pickling import found
from .stats import Bailout, Break, FrameRecord, coverage, lost, percent

REFUSALS = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError)
"""What a program raises that does not take its arguments in the changed form: then it is no remedy.
All else is the program's own, and ends the trial as it would end a call."""
RUNS = 3
"""Calls that are timed, after the first one, which compiles."""
SLOWER = 2.0
"""How many times as long calls take of which nobody is told that the remedy helps."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One way to run a call: what it costs beside its kernels, and the time of a warm call."""

    costs: int
    coverage: float
    seconds: float
    recompiles: int = 0

    @property
    def counts(self) -> int:
        return self.costs + self.recompiles


@dataclass(frozen=True, slots=True)
class Trial:
    """A remedy that was applied in the way `what` says."""

    remedy: Remedy
    what: str
    before: Measured
    after: Measured

    @property
    def helped(self) -> bool:
        before, after = self.before, self.after
        return after.counts < before.counts or after.coverage > before.coverage

    def __str__(self) -> str:
        is_slower = self.after.seconds > SLOWER * self.before.seconds
        word = "does not help" if not self.helped else "takes longer" if is_slower else "helps"
        return f"{self.what} {word}: {told(self.after)} instead of {told(self.before)}"

    def __repr__(self) -> str:
        return f"<Trial: {self}>"


def told(measured: Measured) -> str:
    again = f", {counted(measured.recompiles, 'recompile')}" if measured.recompiles else ""
    costs = counted(measured.costs, "break or bail-out", "breaks and bail-outs")
    return (f"{costs}{again}, {percent(measured.coverage)} compiled, "
            f"{measured.seconds * 1e3:.3g} ms a call")


Call = tuple[tuple[Any, ...], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Applied:
    """A change of calls: of their arguments, of the options of `compile`, or of what is around."""

    what: str
    argument: Callable[[Any], Any] = lambda value: value
    settings: tuple[tuple[str, Any], ...] = ()
    around: Callable[[], AbstractContextManager[Any]] = nullcontext
    mark: Callable[[Sequence[Call]], None] = lambda calls: None


def ignoring(condition: str) -> Applied:
    return Applied(f"np.errstate({condition}='ignore')",
                   around=lambda: np.errstate(**{condition: "ignore"}))  # type: ignore[arg-type]


def plain(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, np.ndarray) else value


def data(value: Any) -> Any:
    return value.data if isinstance(value, np.ma.MaskedArray) else value


def native(value: Any) -> Any:
    if not isinstance(value, np.ndarray) or value.dtype.isnative:
        return value
    return value.astype(value.dtype.newbyteorder("="))


def numbers(value: Any) -> Any:
    is_of_objects = isinstance(value, np.ndarray) and value.dtype == object
    return value.astype(float) if is_of_objects else value


APPLIED: Mapping[str, Applied] = {
    "divide": ignoring("divide"),
    "invalid": ignoring("invalid"),
    "overflow": ignoring("over"),
    "underflow": ignoring("under"),
    "subclasses": Applied("np.asarray of the arguments", plain),
    "masked-arrays": Applied("x.data in place of masked arrays", data),
    "byte-order": Applied("converting to this machine's byte order", native),
    "object-arrays": Applied("x.astype(float) of arrays of objects", numbers),
    "growing": Applied("options={'unroll_budget': 20000}", settings=(("unroll_budget", 20000),)),
}
"""Remedies by their id."""


def mark_what_differs(calls: Sequence[Call]) -> None:
    for each in zip(*(leaves(call, np.ndarray) for call in calls)):
        for dim, sizes in enumerate(zip(*(array.shape for array in each))):
            for array in each if len({*sizes}) > 1 else ():
                maybe_mark_dynamic(array, dim)


MARKED = Applied("dl.mark_dynamic of the sizes that differ", mark=mark_what_differs)


def left_to_python(name: str) -> Applied | None:
    """`dl.disable` of a function of a library, while it is tried; None of what no name leads to."""
    parts = name.removesuffix(".__init__").split(".")
    loaded = (n for n in range(len(parts), 0, -1) if ".".join(parts[:n]) in sys.modules)
    count = next(loaded, 0)
    function = found(".".join(parts[:count]), ".".join(parts[count:]))
    if not isinstance(function, FunctionType | type):
        return None
    return Applied(f"dl.disable of {name}", around=lambda: disabled_for_now(function))


@contextmanager
def disabled_for_now(function: Any) -> Iterator[None]:
    mark(function, "disable")
    try:
        yield
    finally:
        delattr(function, MARKER)


def applied_for(cost: Break | Bailout | GuardFailure) -> Applied | None:
    """What of a cost's remedy can be applied."""
    if cost.remedy.id == "libraries" and cost.location is not None and cost.location.inside:
        return left_to_python(cost.location.called)
    if cost.remedy.id == "shapes" or (cost.remedy.id == "sizes" and "shape[" in cost.reason):
        return MARKED
    return APPLIED.get(cost.remedy.id)


def tried(
    fn: Callable[..., Any], calls: Sequence[Call], options: Mapping[str, Any],
    costs: Iterable[Break | Bailout | GuardFailure],
) -> Iterator[Trial]:
    """Apply what can be applied, one at a time."""
    applicable = {applied.what: (cost.remedy, applied) for cost in costs
                  if (applied := applied_for(cost)) is not None}
    before = measured(fn, calls, options, Applied("nothing")) if applicable and calls else None
    if before is None:
        return
    for remedy, applied in applicable.values():
        if (after := measured(fn, calls, options, applied)) is not None:
            yield Trial(remedy, applied.what, before, after)


def copied(arguments: Any) -> Any | None:
    """A deep copy; None of what cannot be copied: files, locks, generators."""
    try:
        return copy.deepcopy(arguments)
    except (TypeError, copy.Error):
        return None


def measured(
    fn: Callable[..., Any], calls: Sequence[Call], options: Mapping[str, Any], applied: Applied,
) -> Measured | None:
    """The costs of the calls so changed, and the time of the last; None where the arguments cannot
    be copied, or a call raises."""
    if (kept := copied([*calls])) is None:
        return None
    records: list[FrameRecord] = []
    settings = {**(options.get("options") or {}), **dict(applied.settings)}
    compiled = compile_with(fn, records.append, **{**options, "options": settings or None})
    times = []
    try:
        for _ in range(1 + RUNS):
            given = map_leaves(applied.argument, copy.deepcopy(kept))
            applied.mark(given)
            with applied.around(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for args, kwargs in given:
                    start = time.perf_counter()
                    compiled(*args, **kwargs)
                times.append(time.perf_counter() - start)
    except REFUSALS:
        return None
    costs = sum((record.broke is not None) + (lost(record) > 0) for record in records)
    recompiles = sum(record.recompile > 0 for record in records)
    return Measured(costs, coverage(records), min(times[1:]), recompiles)
