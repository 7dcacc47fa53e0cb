"""A call that no entry of a compiled function accepts, and what becomes of entries.

`FrameCompiler` is what the native core tells of one `CompiledFunction`; its `Pipeline` makes the
entries. Whatever goes wrong in here, the call itself still gets its result: the function then runs
in Python.
"""
from __future__ import annotations

import pickle
import sys
import time
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..api.directives import recompiles_run_in_python
from ..base import logs
from ..base.config import config
from ..base.forks import workers
from ..base.loading import loaded
from ..base.records import dataclass, field
from ..bytecode.hiding import hidden
from ..errors import (
    FullGraphRequired,
    MarkedDynamicSpecialized,
    NotDifferentiable,
    NotWarm,
    RecompileForbidden,
    RecompileLimitExceeded,
    ValidationError,
)
from ..guards.shapes import validation
from ..guards.shapes.dynamic import SizeHistory
from ..native import CompiledFunction, Entry
from . import artifacts, pickling, progress
from .eviction import Variants
from .family import Callees, Family, is_async, is_generator
from .first_bailouts import why_at_once
from .guard_failures import GuardFailure
from .kept import KeptEntries, restored
from .lazy_arrays import runner
from .options import Options
from .reporter import Reporter
from .stats import registry
from .waiting import Waiting
from .watched import flat_arguments, warn_once

if TYPE_CHECKING:
    from .pipeline import Pipeline

DYNAMO = logs.logger("dynamo")

FOR_THE_USER = (FullGraphRequired, MarkedDynamicSpecialized, NotDifferentiable,
                RecompileForbidden, RecompileLimitExceeded, ValidationError)
"""Errors that the user asked for."""

PIPELINE = ".pipeline"
"""The module that knows the whole compiler: a process that finds its entries on disk needs none."""

IN_PYTHON = ("generators and coroutines run in Python", "async functions run in Python")


def compiled_function(
    function: FunctionType,
    options: Options,
    family: Family | None = None,
    *,
    callees: Callees | None = None,
    history: SizeHistory | None = None,
    in_python: FunctionType | None = None,
) -> CompiledFunction:
    """The callable that checks guards and runs entries, compiling on a miss.

    `family` is given for the continuation of a frame, and `history`: what is known of the sizes;
    `in_python`: what runs where no entry does, if not the function; `callees` for a callee: what
    its caller's frame calls in compiled form.
    """
    in_python = in_python or function
    is_beginning = family is None
    if family is None:
        family = Family(function, options, compiled_function, {} if callees is None else callees)
    report, kept = Reporter(function, options), KeptEntries(function, options, family)
    compiler = FrameCompiler(
        function, options, in_python, family, report, kept, history or SizeHistory())
    compiled = CompiledFunction(in_python, compiler)
    retire_after = dict(options.settings).get("retire_after", config.retire_after)
    compiled.retire_after = min(retire_after, sys.maxsize)
    compiler.decide(compiled)
    compiler.compiled = weakref.ref(compiled)
    if is_beginning:
        family.beginning = compiler.compiled
    registry.compilers.add(compiler)
    return compiled


def revived(module: str, name: str, value: bytes) -> CompiledFunction:
    """The function of that name in this process, or another one of the same value."""
    there = pickling.found(module, name) if name else None
    if isinstance(there, CompiledFunction):
        return there
    function, options = pickle.loads(value)
    return compiled_function(function, options)


@dataclass(eq=False, slots=True, weakref_slot=True)
class FrameCompiler:
    """Compiles the frames of one function; remembers what is the same for all its entries."""

    function: FunctionType
    options: Options
    in_python: FunctionType
    family: Family
    report: Reporter
    kept: KeptEntries
    history: SizeHistory
    made: Pipeline | None = None
    compiled: Callable[[], CompiledFunction | None] = lambda: None
    variants: Variants = field(init=False)
    waiting: Waiting = field(init=False)
    loading: float = 0.0
    """Seconds that the compiler was loaded in the current call, which is no code's expense."""

    def __post_init__(self) -> None:
        self.variants = Variants(self.options, self.report)
        self.waiting = Waiting(self.options, self.family, self.report)

    def decide(self, compiled: CompiledFunction) -> None:
        """Leave functions that are not plain ones to Python."""
        if is_generator(self.function):
            compiled.disable(IN_PYTHON[is_async(self.function)])

    def forget(self) -> None:
        """Start afresh."""
        if (compiled := self.compiled()) is not None:
            compiled.clear()
            self.decide(compiled)
        self.made, self.history = None, SizeHistory()
        self.variants = Variants(self.options, self.report)
        self.report.forget()
        self.family.forget()
        self.kept.forget()

    @property
    def name(self) -> str:
        return self.report.name

    @property
    def failures(self) -> tuple[GuardFailure, ...]:
        """Why the last calls were compiled for, the newest last."""
        return self.report.failures

    @property
    def limit(self) -> int:
        """How many variants the function may have."""
        return self.variants.limit

    @property
    def related(self) -> tuple[CompiledFunction, ...]:
        """What was compiled along with it."""
        return (*self.family.continuations.values(), *self.family.callees.values())

    @property
    def is_continuation(self) -> bool:
        return self.function is not self.family.origin

    @property
    def awaits_kept(self) -> bool:
        """Whether Python runs calls because entries on disk may come to fit."""
        return self.waiting.looks > 0

    @property
    def pipeline(self) -> Pipeline:
        """What makes entries, loaded when the first one has to be made."""
        if self.made is None:
            began = time.process_time()
            module = loaded(PIPELINE, __package__)
            self.loading = time.process_time() - began
            if self.options.account is not None:
                self.options.account.lender.costs.is_loaded = True
            self.made = module.Pipeline(
                self.function, self.options, self.in_python, self.family, self.report, self.kept,
                self.history)
        return self.made

    @hidden
    def __call__(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> None:
        """The miss callback. What the user asked to be told leads to the user's line, and shows
        nothing of the compiler."""
        try:
            self.miss(compiled, flat_args)
        except FOR_THE_USER as error:
            if config.strict:
                raise
            raise error.with_traceback(None) from error.__cause__

    def miss(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> None:
        """Adds an entry for these arguments where it can."""
        if self.waiting.is_cold(compiled, flat_args):
            return
        began, is_given_up = time.process_time(), False
        own = time.thread_time()
        settings = dict(self.options.settings)
        with (
            workers.at_work(),
            config.within(settings) if settings else nullcontext(),
            logs.frame(self.report.next_mark()),
            validation.analysis(),
            progress.shown(self.report.place),
        ):
            artifacts.write_into(config.trace)
            try:
                is_given_up = self._gives_up(compiled, flat_args)
            finally:
                self.family.spent += time.thread_time() - own
                if (account := self.options.account) is not None:
                    loading, self.loading = self.loading, 0.0
                    account.spend(time.process_time() - began, loading, in_vain=is_given_up)
                    if is_given_up and account.rest:
                        self.waiting.leave(compiled)

    def _gives_up(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> bool:
        """Compile; whether nothing came of it, which may be otherwise for the next call."""
        try:
            self._compile(compiled, flat_args)
        except FOR_THE_USER:
            raise
        except (RecursionError, MemoryError) as error:  # this call's, not the function's
            DYNAMO.info("compiling %s: %r", self.name, error)
            return True
        except NotWarm:
            DYNAMO.info("compiling %s takes too long", self.name)
            return True
        except Exception as error:
            if config.strict or not config.suppress_errors:
                raise
            compiled.disable(f"{type(error).__name__}: {error}")
            self.report.failed(error)
        return False

    def _compile(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> None:
        if compiled.entries() and recompiles_run_in_python():
            return
        self.report.missed(compiled, flat_args)
        if not self.variants.have_room(compiled, flat_args):
            return
        if (run := runner(self.function, self.options, flat_args)) is not None:
            self.pipeline.hand_over(compiled, flat_args, run)
            return
        entry = self._entry_for(compiled, flat_args)
        if entry is not None:
            self.variants.added(compiled, entry)

    def _entry_for(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> Entry | None:
        """An entry for these arguments: one that another process has kept, or a new one; None where
        Python is to run this call."""
        began, is_first = time.perf_counter(), self.family.visits(compiled)
        if (found := self.kept.fitting(flat_args)) is not None:
            self.waiting.looks = 0
            return restored(found, self.function, compiled, self.report, self.history, began)
        if is_first or (self.kept.untried and self.waiting.awaits_kept(compiled)):
            return None
        return self.pipeline.add_entry(compiled, flat_args)

    @hidden
    def watched(
        self, compiled: CompiledFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Told by the native core, of the first call that runs in Python because lines are watched:
        warn, and find out what `fullgraph` asks for all the same."""
        warn_once(self.function.__code__)
        flat = flat_arguments(self.function, args, kwargs) if self.options.fullgraph else None
        if flat is not None and not compiled.entries():
            self(compiled, flat)

    def reduced(self, compiled: CompiledFunction) -> Any:
        """Asked by the native core: how the function is pickled."""
        return pickling.reduced(compiled, self.options, revived)

    # -- what becomes of its entries

    def bailed_out(self, entry: Entry, flat_args: tuple[Any, ...]) -> None:
        """Told by the native core, of the first such call of an entry: find out why."""
        record = entry.info.record
        bailout = why_at_once(
            self.function, flat_args, self.options, record, lambda: self.pipeline.options_aside())
        if bailout is not None:
            self.report.bailed_out(record, bailout)

    def retired(self, entry: Entry, flat_args: tuple[Any, ...]) -> None:
        """Told by the native core: the entry bailed out too often, Python runs in its place. Where
        an arm was left to Python, its calls take that again and again: the function is compiled
        again with all its arms."""
        if not entry.info.record.cold_arms:
            self.report.retired(entry)
            return
        self.family.leaves_cold_arms = False
        if (compiled := self.compiled()) is not None:
            compiled.remove_entry(entry)
        self.report.takes_cold_arms(entry)
