"""A call that no entry of a compiled function accepts: analyse the frame, compile it, add an entry.

`FrameCompiler` is the miss callback of one `CompiledFunction`. Whatever goes wrong in here, the
call itself still gets its result: the function then runs in Python.
"""
from __future__ import annotations

import logging
import math
import operator
import pickle
import sys
import time
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from types import FunctionType
from typing import Any

from ..api.directives import recompiles_run_in_python
from ..backends.hints import hints_of
from ..backends.registry import Unprofitable
from ..base import logs
from ..base.classes import is_python_class
from ..base.config import config
from ..base.forks import workers
from ..base.records import dataclass, field
from ..bytecode.resume import flat_code, prefix_length, with_code
from ..codegen.output import Plan, plan
from ..errors import (
    FullGraphRequired,
    MarkedDynamicSpecialized,
    NotDifferentiable,
    NotWarm,
    RecompileForbidden,
    RecompileLimitExceeded,
    Unsupported,
    ValidationError,
)
from ..guards.guard_set import types_of
from ..guards.programs.flatten import FlatGuards, flatten
from ..guards.shapes import validation
from ..guards.shapes.dynamic import DynamicPolicy, SizeHistory
from ..guards.shapes.shape_env import ShapeEnv
from ..ir.savings import ITERATIONS, saved_by
from ..native import CompiledFunction, Entry, drive
from ..tracer.frame.speculation import translate
from ..tracer.state.trace import RECURSION, Stopped, Trace, TraceOptions
from . import artifacts, pickling, progress, replayed
from .bailouts import QUICK, SMALL, Bailout, why_bailed_out
from .compile_graph import compile_graph
from .eviction import Eviction
from .family import Callees, Family, is_async, is_generator
from .guard_failures import GuardFailure, limit_reached
from .lazy_arrays import runner
from .options import Options
from .reporter import Reporter
from .stats import Break, FrameRecord, registry
from .tiering import elements, nanoseconds
from .watched import flat_arguments, warn_once

DYNAMO, RECOMPILES, PERF = map(logs.logger, ("dynamo", "recompiles", "perf"))

FOR_THE_USER = (FullGraphRequired, MarkedDynamicSpecialized, NotDifferentiable,
                RecompileForbidden, RecompileLimitExceeded, ValidationError)
"""Errors that the user asked for."""

IN_PYTHON = ("generators and coroutines run in Python", "async functions run in Python")
SHALLOW = 2
"""Compilations of a function in which its calls of itself are followed. Where they were not enough,
the depth depends on the arguments, and each call is a frame of its own."""


@dataclass(frozen=True, slots=True)
class EntryInfo:
    """What an entry keeps, to explain a later miss."""

    flat: FlatGuards
    shapes: ShapeEnv
    record: FrameRecord


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
    compiler = FrameCompiler(
        function, options, in_python, family, Reporter(function, options), history or SizeHistory())
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
    history: SizeHistory = field(default_factory=SizeHistory)
    compiled: Callable[[], CompiledFunction | None] = lambda: None
    eviction: Eviction | None = None
    waited: int = 0

    def decide(self, compiled: CompiledFunction) -> None:
        """Leave functions that are not plain ones to Python."""
        if is_generator(self.function):
            compiled.disable(IN_PYTHON[is_async(self.function)])

    def forget(self) -> None:
        """Start afresh."""
        if (compiled := self.compiled()) is not None:
            compiled.clear()
            self.decide(compiled)
        self.history, self.eviction = SizeHistory(), None
        self.report.forget()
        self.family.forget()

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
        limit: int = dict(self.options.settings).get("recompile_limit", config.recompile_limit)
        return limit

    @property
    def related(self) -> tuple[CompiledFunction, ...]:
        """What was compiled along with it."""
        return (*self.family.continuations.values(), *self.family.callees.values())

    @property
    def is_continuation(self) -> bool:
        return self.function is not self.family.origin

    def __call__(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> None:
        """The miss callback: adds an entry for these arguments where it can."""
        if self._is_cold(compiled, flat_args):
            return
        began, began_at, is_given_up = time.process_time(), time.perf_counter(), False
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
                if self.options.account is not None:
                    spent, took = time.process_time() - began, time.perf_counter() - began_at
                    self.options.account.spend(spent, took, in_vain=is_given_up)

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
        if not self._has_room(compiled, flat_args):
            return
        if (run := runner(self.function, self.options, flat_args)) is not None:
            self._hand_over(compiled, flat_args, run)
        else:
            self._add_entry(compiled, flat_args)

    def _is_cold(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> bool:
        """Whether Python is to run for longer before another entry is made; see
        `runtime.tiering`."""
        if (account := self.options.account) is None:
            return False
        account.ran += (self.waited - compiled.waiting) * 1e-9
        compiled.waiting = self.waited = nanoseconds(account.lacks(flat_args))
        if is_cold := self.waited > 0:
            RECOMPILES.info("no variant of %s yet: %s", self.name, account)
        return is_cold

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

    # -- the pipeline

    def _add_entry(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> None:
        record = self.report.begins()
        try:
            with record.stage("trace"):
                trace = translate(self.function, flat_args, self._trace_options())
            guards, shapes = trace.guards, trace.shapes
            target = self._target(trace, record, flat_args)
            with record.stage("guards"):
                flat = flatten(guards, shapes, len(flat_args))
        except Unsupported as unsupported:
            where = unsupported.location or record.location
            self.report.broke(record, Break(str(unsupported), where))
            record.in_python = max(unsupported.operations, 1)
            record.graph, record.operations = None, 0
            guards, shapes = types_of(flat_args, self.function.__code__.co_varnames), ShapeEnv()
            target, flat = self._in_python(), flatten(guards, shapes, len(flat_args))
        validation.prove_all()
        self.report.guarded(record, guards, shapes)
        entry = compiled.add_entry(flat.program, target, EntryInfo(flat, shapes, record))
        record.counts = entry.counts
        entry.leaves_arms = bool(record.cold_arms)
        if self.eviction is not None:
            self.eviction.newest = entry.counts
            self.eviction.wait(compiled)
        self.report.finished(record, flat)

    def _hand_over(
        self, compiled: CompiledFunction, flat_args: tuple[Any, ...], run: Callable[..., Any]
    ) -> None:
        """From now on `run` answers calls with arguments of these types."""
        guards, shapes = types_of(flat_args, self.function.__code__.co_varnames), ShapeEnv()
        flat = flatten(guards, shapes, len(flat_args))
        record = self.report.record()
        entry = compiled.add_entry(flat.program, run, EntryInfo(flat, shapes, record))
        record.counts = entry.counts

    def _target(
        self, trace: Trace, record: FrameRecord, flat_args: tuple[Any, ...]
    ) -> Callable[..., Any]:
        """What a call of the entry runs."""
        self.report.traced(record, trace)
        if self.options.pure and (effects := replayed.told(trace.side_effects.records)):
            raise Unsupported(f"it has side effects: {'; '.join(effects)}")
        if isinstance(trace.end, Stopped):
            self.report.broke(record, Break(trace.end.reason, trace.end.location))
            record.in_python = trace.end.operations
        replacement = self._planned(trace, record)
        if replacement is None:
            return self._in_python()
        self._afford(trace, record, flat_args)
        with record.stage("backend"):
            entry = compile_graph(trace, replacement.outputs, flat_args, self.options)
        if isinstance(entry, Unprofitable):
            record.unprofitable = entry.reason
            return self._in_python()
        with record.stage("output"):
            target = replacement.assemble(entry)
        self.report.becomes(record, target)
        return drive(target) if replacement.points and not self.is_continuation else target

    def _planned(self, trace: Trace, record: FrameRecord) -> Plan | None:
        """What replaces the frame; None where Python runs it."""
        family, operations = self.family, len(trace.graph.calls)
        known = len(family.continuations)
        try:
            with record.stage("output"):
                replacement = plan(trace, family)
        except Unsupported as unsupported:
            self.report.broke(
                record, Break(f"the frame runs in Python: {unsupported}", record.location))
            record.in_python += record.operations
            record.graph, record.operations = None, 0
            return None
        is_new = len(family.continuations) > known
        if not operations and not (replacement.points and (is_new or family.operations)):
            return None  # also ends a loop in which nothing was found to compile
        family.operations += operations if self.is_continuation else 0
        return replacement

    def _afford(self, trace: Trace, record: FrameRecord, flat_args: tuple[Any, ...]) -> None:
        """In whole-script mode, NotWarm where code would not earn what it costs."""
        if (account := self.options.account) is None:
            return
        saves = saved_by(trace.graph.calls, hints_of(trace.graph.symbols)) * 1e-9
        if isinstance(trace.end, Stopped):  # perhaps in each iteration of a loop
            saves *= iterations_left(flat_args)
        if not account.affords(record.operations, saves):
            raise NotWarm

    def _in_python(self) -> Callable[..., Any]:
        """The function itself, over its flat arguments."""
        return with_code(self.in_python, flat_code(self.in_python.__code__))

    def _trace_options(self) -> TraceOptions:
        dynamic, account, whole = (
            self.options.dynamic, self.options.account, self.options.fullgraph)
        if dynamic is None and not config.assume_static_by_default:
            dynamic = True
        policy = DynamicPolicy(
            dynamic, self.history, config.automatic_dynamic_shapes, config.specialization_backoff,
            config.specialize_int, self.family.variants,
            config.recompile_limit + whole,
        )  # fmt: skip
        worth, now = math.inf if account is None else account.worth, time.monotonic()
        return TraceOptions(
            policy, config.unroll_budget, config.trace_seconds, config.inline_depth,
            prefix_length(self.function, self.family.origin),
            self.family.short_loops if config.leave_short_loops else None,
            whole=whole, leaves_loops=not whole,
            leaves_cold_arms=self.family.leaves_cold_arms and not whole,
            deadline=time.thread_time() + worth, earliest=now + worth,
            until=now + config.trace_seconds,
            recursion=1 if self.report.recompiles >= SHALLOW and not whole else RECURSION,
        )  # fmt: skip

    def _options_aside(self) -> TraceOptions:
        """The same for an analysis of which nothing is to be remembered."""
        options = self._trace_options()
        short = None if options.short_loops is None else dict(options.short_loops)
        return replace(options, policy=None, short_loops=short, deadline=math.inf)

    # -- what becomes of its entries

    def bailed_out(self, entry: Entry, flat_args: tuple[Any, ...]) -> None:
        """Told by the native core, of the first such call of an entry: find out why."""
        record = entry.info.record
        if record.cold_arms:
            arm = record.cold_arms[0]
            record.bailout = Bailout(arm.reason, arm.location or record.location)
            return
        is_asked = self.options.is_explained or PERF.isEnabledFor(logging.INFO)
        is_quick = record.stage_seconds.get("trace", 0.0) < QUICK and elements(flat_args) < SMALL
        if not is_asked and (self.options.account is not None or not is_quick):
            return
        with workers.at_work(), config.within(dict(self.options.settings)):
            bailout = why_bailed_out(
                self.function, flat_args, self._options_aside(), record.location, is_asked)
        self.report.bailed_out(record, bailout)

    def retired(self, entry: Entry, flat_args: tuple[Any, ...]) -> None:
        """Told by the native core: the entry bailed out too often, Python runs in its place."""
        if entry.info.record.cold_arms:
            self.take_cold_arms(entry)
        else:
            self.report.retired(entry)

    def take_cold_arms(self, entry: Entry) -> None:
        """The calls of an entry take an arm again and again that was left to Python: the function
        is compiled again with all its arms."""
        compiled = self.compiled()
        self.family.leaves_cold_arms = False
        if compiled is not None:
            compiled.remove_entry(entry)
        self.report.takes_cold_arms(entry)

    def _has_room(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> bool:
        """Whether one more entry may be added; at the limit, an old one may have to go first."""
        limit = config.recompile_limit
        if len(compiled.entries()) < limit:
            return True
        if limit <= 0:
            compiled.disable("config.recompile_limit allows no variants")
            return False
        if self.eviction is not None:
            self.eviction.make_room(compiled, limit)
            return True
        warning = limit_reached(compiled, flat_args, self.name)
        if self.options.fullgraph:
            raise RecompileLimitExceeded(warning)
        self.eviction = Eviction()
        self.eviction.wait(compiled)
        self.report.limit_reached(warning)
        return False


def iterations_left(flat_args: tuple[Any, ...]) -> float:
    """How often the continuation of a frame may be called, by the iterators that are among its
    arguments; a guess where there are none."""
    counts = [max(operator.length_hint(value), 1) for value in flat_args
              if not is_python_class(type(value)) and hasattr(type(value), "__length_hint__")]
    return math.prod(counts) if counts else ITERATIONS
