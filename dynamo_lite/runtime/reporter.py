"""What is said about the compilations of one function: records, logs, warnings and errors."""
from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..api.directives import may_recompile
from ..base import logs
from ..base.records import dataclass
from ..errors import (
    BackendError,
    DynamoWarning,
    FullGraphRequired,
    RecompileForbidden,
    defect,
)
from ..guards.guard_set import GuardSet
from ..guards.programs.flatten import FlatGuards, op_text
from ..guards.programs.tree import guard_tree
from ..guards.programs.words import guards_in_words
from ..guards.shapes.shape_env import ShapeEnv
from ..ir.graph import Location
from ..native import CompiledFunction, Entry
from . import artifacts
from .guard_failures import GuardFailure, why_guards_failed
from .listings import listing
from .options import Options
from .stats import Bailout, Break, FrameRecord, registry
from .users_lines import line_of_call, users_line

if TYPE_CHECKING:
    from ..tracer.state.trace import Trace

DYNAMO, GUARDS, RECOMPILES = map(logs.logger, ("dynamo", "guards", "recompiles"))
EACH_VARIANT, GRAPH_BREAKS = map(logs.logger, ("recompiles_verbose", "graph_breaks"))
BYTECODE, PERF, SIDE_EFFECTS = map(logs.logger, ("bytecode", "perf", "side_effects"))

KEPT = 4  # guard failures of a function


def at_users_line(broke: Break) -> Break:
    """The same break at the line of the user's that leads to it now."""
    within = broke.within or broke.location
    return broke if within is None else Break(broke.reason, users_line(within), within)


@dataclass(eq=False, slots=True)
class Reporter:
    """Knows what a function is called, and how often it was compiled."""

    function: FunctionType
    options: Options
    frame: int | None = None
    """Its number, which it has from its first call on."""
    recompiles: int = 0
    failures: tuple[GuardFailure, ...] = ()
    """Why the last calls were compiled for, the newest last."""

    def forget(self) -> None:
        self.frame, self.recompiles, self.failures = None, 0, ()

    @property
    def name(self) -> str:
        return self.options.name or self.function.__qualname__

    def next_mark(self) -> str:
        """That of the entry that is made next."""
        if self.frame is None:
            self.frame = next(registry.frame_ids)
        return f"{self.frame}/{self.recompiles}"

    def place(self) -> str:
        code = self.function.__code__
        return f"compiling {self.name} ({code.co_filename}:{code.co_firstlineno})"

    def warn(self, message: str) -> None:
        """At the function."""
        code = self.function.__code__
        warnings.warn_explicit(message, DynamoWarning, code.co_filename, code.co_firstlineno)

    # -- one compilation

    def missed(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> None:
        """Say why no entry accepted the call; the newest entry's reason is counted."""
        failures = why_guards_failed(compiled, flat_args)
        for failure in failures if EACH_VARIANT.isEnabledFor(logging.INFO) else ():
            EACH_VARIANT.info("%s %s: %s\n  remedy: %s", self.name, failure.variant,
                              failure.at, failure.remedy)
        if not failures:
            return
        told, newest = "; ".join(dict.fromkeys(map(str, failures))), failures[0]
        if not may_recompile():
            raise RecompileForbidden(f"{self.name}: {told}\n  remedy: {newest.remedy}")
        self.failures = (*self.failures[1 - KEPT :], newest)
        registry.recompile_reasons[str(newest)] += 1
        code = self.function.__code__
        RECOMPILES.info("recompiling %s (%s:%s): %s\n  remedy: %s", self.name,
                        code.co_filename, code.co_firstlineno, told, newest.remedy)

    def begins(self) -> FrameRecord:
        """The record of a new entry."""
        record = self.record()
        DYNAMO.info("compiling %s (%s)", record.name, record.location)
        if BYTECODE.isEnabledFor(logging.DEBUG):
            BYTECODE.debug("%s is\n%s", record.name, listing(self.function.__code__))
        return record

    def record(self) -> FrameRecord:
        code = self.function.__code__
        location = Location(code.co_filename, code.co_firstlineno, self.function.__qualname__)
        assert self.frame is not None
        return FrameRecord(
            self.name, self.frame, self.recompiles, location, users_line(location))

    def traced(
        self, record: FrameRecord, trace: Trace, effects: Callable[[], list[str]]
    ) -> None:
        """`effects` tells what is changed outside after the graph has run."""
        record.operations = len(trace.graph.calls)
        record.cold_arms = tuple(Break(arm.reason, arm.location) for arm in trace.cold_arms)
        record.graph = trace.graph if self.options.is_explained else None
        artifacts.describe(record, trace.graph)
        if SIDE_EFFECTS.isEnabledFor(logging.INFO):
            SIDE_EFFECTS.info("%s", "\n".join(effects()) or "none")

    def broke(self, record: FrameRecord, broke: Break, error: Exception | None = None) -> None:
        """A graph ended early: note why; with `fullgraph=True` that is an error, which has the
        `error` that NumPy raises there."""
        told = at_users_line(broke)
        if record.broke is None:
            record.broke = told
        may_raise = self.options.may_raise and broke.remedy.id == "exceptions"
        if self.options.fullgraph and not may_raise:
            where = line_of_call(broke.location)
            raise FullGraphRequired(
                f"{broke.reason}\n  at {where}\n  remedy: {broke.remedy}", record, error)
        GRAPH_BREAKS.info("%s\n  remedy: %s", told, told.remedy)

    def becomes(self, record: FrameRecord, target: Callable[..., Any]) -> None:
        """Give the code that the function becomes to who asked for it."""
        code = target.__code__ if isinstance(target, FunctionType) else None
        if self.options.is_explained:
            record.codes = self.function.__code__, code
        if code is not None and BYTECODE.isEnabledFor(logging.INFO):
            BYTECODE.info("%s becomes\n%s", record.name, listing(code))

    def guarded(self, record: FrameRecord, guards: GuardSet, shapes: ShapeEnv) -> None:
        """Note what is relied on, where somebody asked to be told."""
        if self.options.is_explained or GUARDS.isEnabledFor(logging.INFO):
            record.guards = guards_in_words(guards, shapes)
        if GUARDS.isEnabledFor(logging.DEBUG):
            record.guard_tree = tuple(guard_tree(guards, shapes).splitlines())
        record.shapes = shapes if self.options.is_explained else None

    def restored(self, record: FrameRecord) -> None:
        """An entry that was made by another process, for another call of a library perhaps."""
        record.broke = at_users_line(record.broke) if record.broke is not None else None
        self._noted(record)
        PERF.info("%s comes from disk: %s", record.name, record.timing())

    def _noted(self, record: FrameRecord) -> None:
        registry.records.append(record)
        if self.options.listener is not None:
            self.options.listener(record)
        if self.options.account is not None:
            self.options.account.operations += record.operations
        self.recompiles += 1

    def finished(self, record: FrameRecord, flat: FlatGuards) -> None:
        self._noted(record)
        for guard in record.guards if GUARDS.isEnabledFor(logging.INFO) else ():
            GUARDS.info("%s", guard)
        ops = map(op_text, flat.ops) if GUARDS.isEnabledFor(logging.DEBUG) else ()
        for detail in (*record.guard_tree, *ops):
            GUARDS.debug("%s", detail)
        PERF.info("%s: %s", record.name, record.timing())
        artifacts.add_to_index(record)

    def failed(self, error: Exception) -> None:
        """With an error of our own."""
        registry.errors += 1
        what = f"dynamo_lite could not compile {self.name} and runs it in Python"
        is_ours = not isinstance(error, BackendError)
        self.warn(f"{what}. {defect(error)}" if is_ours else f"{what}: {error}")
        DYNAMO.debug("compiling %s failed", self.name, exc_info=error)
        self.recompiles += 1

    # -- what becomes of its entries

    def limit_reached(self, warning: str) -> None:
        RECOMPILES.warning("%s", warning)
        if self.options.warn:
            self.warn(warning)

    def bailed_out(self, record: FrameRecord, bailout: Bailout) -> None:
        record.bailout = bailout
        PERF.info("%s [%s] bailed out at %s\n  remedy: %s", record.name, record.mark,
                  bailout, bailout.remedy)

    def retired(self, entry: Entry) -> None:
        record = entry.info.record
        registry.retired += 1
        PERF.info("%s [%s] is retired: %d calls bailed out and ran in Python: %s",
                  record.name, record.mark, entry.bailouts, record.bailout or "")

    def takes_cold_arms(self, entry: Entry) -> None:
        record = entry.info.record
        RECOMPILES.info(
            "%s [%s] is compiled again: %d of %d calls bailed out, for an arm left to Python: %s",
            record.name, record.mark, entry.bailouts, entry.bailouts + entry.hits,
            record.cold_arms[0],
        )  # fmt: skip
