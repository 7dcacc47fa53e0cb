"""Remedies that can be applied to a copy of a call: applied, and what came of it.

The function is called again, with copies of its arguments: what it does beside (prints, files,
counters) happens again.
"""
from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from ..base.records import dataclass
from ..base.remedies import Remedy
from ..ir.tree import map_leaves
from .compile import compile_with
from .stats import FrameRecord, coverage, lost, percent

REFUSALS = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError)
"""What a program raises that does not take its arguments in the changed form: then it is no remedy.
All else is the program's own, and ends the trial as it would end a call."""
RUNS = 3
"""Calls that are timed, after the first one, which compiles."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One way to run a call: what it costs beside its kernels, and the time of a warm call."""

    costs: int
    coverage: float
    seconds: float


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
        return after.costs < before.costs or after.coverage > before.coverage

    def __str__(self) -> str:
        word = "helps" if self.helped else "does not help"
        return (f"{self.what} {word}: {told(self.after)} instead of {told(self.before)}")


def told(measured: Measured) -> str:
    return (f"{measured.costs} breaks and bail-outs, {percent(measured.coverage)} compiled, "
            f"{measured.seconds * 1e3:.3g} ms a call")


@dataclass(frozen=True, slots=True)
class Applied:
    """A change of a call: of the arguments, of the options of `compile`, or of what is around."""

    what: str
    argument: Callable[[Any], Any] = lambda value: value
    settings: tuple[tuple[str, Any], ...] = ()
    around: Callable[[], AbstractContextManager[Any]] = nullcontext


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


def tried(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any],
    options: Mapping[str, Any], remedies: Iterable[Remedy],
) -> Iterator[Trial]:
    """Apply those that can be, one at a time."""
    found = [remedy for remedy in dict.fromkeys(remedies) if remedy.id in APPLIED]
    call = fn, args, kwargs, options
    if not found or (before := measured(*call, Applied("nothing"))) is None:
        return
    for remedy in found:
        applied = APPLIED[remedy.id]
        if (after := measured(*call, applied)) is not None:
            yield Trial(remedy, applied.what, before, after)


def copied(arguments: Any) -> Any | None:
    """A deep copy; None of what cannot be copied: files, locks, generators."""
    try:
        return copy.deepcopy(arguments)
    except (TypeError, copy.Error):
        return None


def measured(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any],
    options: Mapping[str, Any], applied: Applied,
) -> Measured | None:
    """The costs of the call so changed; None where the arguments cannot be copied, or the call
    raises."""
    if (kept := copied((args, dict(kwargs)))) is None:
        return None
    records: list[FrameRecord] = []
    settings = {**(options.get("options") or {}), **dict(applied.settings)}
    compiled = compile_with(fn, records.append, **{**options, "options": settings or None})
    times = []
    try:
        for _ in range(1 + RUNS):
            given, named = map_leaves(applied.argument, copy.deepcopy(kept))
            with applied.around(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                start = time.perf_counter()
                compiled(*given, **named)
                times.append(time.perf_counter() - start)
    except REFUSALS:
        return None
    costs = sum((record.broke is not None) + (lost(record) > 0) for record in records)
    return Measured(costs, coverage(records), min(times[1:]))
