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
import warnings
import weakref
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import replace
from types import CodeType, FunctionType
from typing import Any

from ..api.directives import may_recompile, recompiles_run_in_python
from ..backends.hints import hints_of
from ..backends.registry import Backend, Unprofitable, lookup_backend
from ..base import logs
from ..base.classes import is_python_class
from ..base.config import config
from ..base.forks import workers
from ..base.records import dataclass, field
from ..bytecode.liveness import deletes_free_variables, sees_variables
from ..bytecode.one_iteration import rest_of_iteration
from ..bytecode.reading import read
from ..bytecode.resume import ResumePoint, flat_code, lifted_function, resume_function, with_code
from ..codegen.output import plan
from ..errors import (
    BackendError,
    DynamoWarning,
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
from ..guards.programs.flatten import FlatGuards, flatten, op_text
from ..guards.programs.reasons import Values
from ..guards.programs.tree import guard_tree
from ..guards.shapes import validation
from ..guards.shapes.dynamic import DynamicPolicy, SizeHistory
from ..guards.shapes.shape_env import ShapeEnv
from ..ir.graph import Location, Node
from ..ir.pullback import expanded, has_derivatives
from ..ir.savings import ITERATIONS, saved_by
from ..ir.sizes import substitute
from ..ir.symbolic import Shown
from ..native import CompiledFunction, Entry, drive
from ..native._core import NativeEntry
from ..tracer.frame.speculation import translate
from ..tracer.rules.trace_rules import Action, rule_for
from ..tracer.state.trace import RECURSION, Returned, Stopped, Trace, TraceOptions
from . import artifacts, pickling, progress, replayed
from .bailouts import QUICK, SMALL, Bailout, why_bailed_out
from .eviction import Eviction
from .guard_failures import GuardFailure, limit_reached, why_guards_failed
from .lazy_arrays import runner
from .listings import listing
from .random_states import keep_random_state, random_owners
from .rollback import attempt
from .side_exits import Balance
from .stats import Break, FrameRecord, registry
from .tiering import Account, elements, nanoseconds
from .users_lines import users_line
from .watched import flat_arguments, warn_once

DYNAMO, GUARDS, RECOMPILES = map(logs.logger, ("dynamo", "guards", "recompiles"))
EACH_VARIANT = logs.logger("recompiles_verbose")
GRAPH_BREAKS, GRAPH_CODE = map(logs.logger, ("graph_breaks", "graph_code"))
BYTECODE, PERF, SIDE_EFFECTS = map(logs.logger, ("bytecode", "perf", "side_effects"))

FOR_THE_USER = (FullGraphRequired, MarkedDynamicSpecialized, NotDifferentiable,
                RecompileForbidden, RecompileLimitExceeded, ValidationError)
"""Errors that the user asked for."""

_ASYNCHRONOUS = 0x80 | 0x200  # CO_COROUTINE, CO_ASYNC_GENERATOR
_GENERATOR = 0x20 | _ASYNCHRONOUS  # CO_GENERATOR
IN_PYTHON = ("generators and coroutines run in Python", "async functions run in Python")

KEPT = 4  # guard failures of a function
SHORT = 30  # instructions
SHALLOW = 2
"""Compilations of a function in which its calls of itself are followed. Where they were not enough,
the depth depends on the arguments, and each call is a frame of its own."""


@dataclass(frozen=True, slots=True)
class Options:
    """What `compile` was asked for; resume functions inherit it."""

    backend: str | Backend = "auto"
    dynamic: bool | None = None
    fullgraph: bool = False
    name: str = ""
    """What records and messages call the function, if not by its own name."""
    settings: tuple[tuple[str, Any], ...] = ()
    listener: Callable[[FrameRecord], None] | None = None
    is_explained: bool = False
    """Records keep the graph, the code and what was decided about sizes."""
    warn: bool = True
    pure: bool = False
    """Functions that change something outside are left to Python."""
    may_raise: bool = False
    """With `fullgraph`: where the program itself raises, Python runs it, and there is no error."""
    account: Account | None = None
    """In whole-script mode; without one, each call that no entry fits is compiled for."""


@dataclass(frozen=True, slots=True)
class EntryInfo:
    """What an entry keeps, to explain a later miss."""

    flat: FlatGuards
    shapes: ShapeEnv
    record: FrameRecord


def compiled_function(
    function: FunctionType,
    options: Options,
    root: FrameCompiler | None = None,
    callees: dict[FunctionType | CodeType, CompiledFunction] | None = None,
    history: SizeHistory | None = None,
    in_python: FunctionType | None = None,
) -> CompiledFunction:
    """The callable that checks guards and runs entries, compiling on a miss.

    `root` is given for the continuation of a frame: the compiler of the frame's beginning, and
    `history`: what is known of the sizes; `in_python`: what runs where no entry does, if not the
    function; `callees` for a callee: what its caller's frame calls in compiled form.
    """
    in_python = in_python or function
    compiler = FrameCompiler(function, options, in_python, root, history or SizeHistory())
    if callees is not None:
        compiler.callees = callees
    compiled = CompiledFunction(in_python, compiler)
    retire_after = dict(options.settings).get("retire_after", config.retire_after)
    compiled.retire_after = min(retire_after, sys.maxsize)
    compiler._decide(compiled)
    compiler.compiled = weakref.ref(compiled)
    registry.compilers.add(compiler)
    return compiled


def revived(module: str, name: str, value: bytes) -> CompiledFunction:
    """The function of that name in this process, or another one of the same value."""
    there = pickling.found(module, name) if name else None
    if isinstance(there, CompiledFunction):
        return there
    function, options = pickle.loads(value)
    return compiled_function(function, options)


def is_async(function: FunctionType) -> bool:
    return bool(function.__code__.co_flags & _ASYNCHRONOUS)


def is_generator(function: FunctionType) -> bool:
    return bool(function.__code__.co_flags & _GENERATOR)


@dataclass(eq=False, slots=True, weakref_slot=True)
class FrameCompiler:
    """Compiles the frames of one function; remembers what is the same for all its entries."""

    function: FunctionType
    options: Options
    in_python: FunctionType
    root: FrameCompiler | None = None
    history: SizeHistory = field(default_factory=SizeHistory)
    continuations: dict[ResumePoint, CompiledFunction] = field(default_factory=dict)
    callees: dict[FunctionType | CodeType, CompiledFunction] = field(default_factory=dict)
    short_loops: dict[int, str] = field(default_factory=dict)
    balances: dict[int, Balance] = field(default_factory=dict)
    leaves_cold_arms: bool = True
    operations: int = 0
    compiled: Callable[[], CompiledFunction | None] = lambda: None
    frame: int | None = None
    recompiles: int = 0
    eviction: Eviction | None = None
    waited: int = 0
    failures: tuple[GuardFailure, ...] = ()
    """Why the last calls were compiled for, the newest last."""

    @property
    def name(self) -> str:
        return self.options.name or self.function.__qualname__

    def forget(self) -> None:
        """Start afresh."""
        if (compiled := self.compiled()) is not None:
            compiled.clear()
            self._decide(compiled)
        self.history, self.continuations, self.callees, self.short_loops = SizeHistory(), {}, {}, {}
        self.failures = ()
        self.frame, self.recompiles, self.operations, self.eviction = None, 0, 0, None

    def __call__(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> None:
        """The miss callback: adds an entry for these arguments where it can."""
        if self._is_cold(compiled, flat_args):
            return
        if self.frame is None:
            self.frame = next(registry.frame_ids)
        began, began_at, given_up = time.process_time(), time.perf_counter(), False
        settings = dict(self.options.settings)
        with (
            workers.at_work(),
            config.within(settings) if settings else nullcontext(),
            logs.frame(f"{self.frame}/{self.recompiles}"),
            validation.analysis(),
            progress.shown(self._place),
        ):
            artifacts.write_into(config.trace)
            try:
                if compiled.entries() and recompiles_run_in_python():
                    return
                self._report_miss(compiled, flat_args)
                if not self._has_room(compiled, flat_args):
                    return
                if (run := runner(self.function, self.options, flat_args)) is not None:
                    self._hand_over(compiled, flat_args, run)
                    return
                self._add_entry(compiled, flat_args)
            except FOR_THE_USER:
                raise
            except (RecursionError, MemoryError) as error:  # this call's, not the function's
                given_up = True
                DYNAMO.info("compiling %s: %r", self.name, error)
                return
            except NotWarm:
                given_up = True
                DYNAMO.info("compiling %s takes too long", self.name)
                return
            except Exception as error:
                if config.strict or not config.suppress_errors:
                    raise
                self._failed(compiled, error)
            finally:
                if self.options.account is not None:
                    spent, took = time.process_time() - began, time.perf_counter() - began_at
                    self.options.account.spend(spent, took, in_vain=given_up)
            self.recompiles += 1

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

    def _place(self) -> str:
        code = self.function.__code__
        return f"compiling {self.name} ({code.co_filename}:{code.co_firstlineno})"

    def _decide(self, compiled: CompiledFunction) -> None:
        """Leave functions that are not plain ones to Python."""
        if is_generator(self.function):
            compiled.disable(IN_PYTHON[is_async(self.function)])

    # -- the pipeline

    def _add_entry(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> None:
        record = self._record()
        DYNAMO.info("compiling %s (%s)", record.name, record.location)
        if BYTECODE.isEnabledFor(logging.DEBUG):
            BYTECODE.debug("%s is\n%s", record.name, listing(self.function.__code__))
        try:
            with record.stage("trace"):
                trace = translate(self.function, flat_args, self._trace_options())
            guards, shapes = trace.guards, trace.shapes
            target = self._target(trace, record, flat_args)
            with record.stage("guards"):
                flat = flatten(guards, shapes, len(flat_args))
        except Unsupported as unsupported:
            where = unsupported.location or record.location
            self._broke(record, Break(str(unsupported), where))
            record.in_python = max(unsupported.operations, 1)
            record.graph, record.operations = None, 0
            guards, shapes = types_of(flat_args, self.function.__code__.co_varnames), ShapeEnv()
            target, flat = self._in_python(), flatten(guards, shapes, len(flat_args))
        validation.prove_all()
        is_explained = self.options.is_explained
        shown = Shown if is_explained or GUARDS.isEnabledFor(logging.INFO) else str
        record.guards = tuple(guard_tree(guards, shapes, shown).splitlines())
        record.shapes = shapes if is_explained else None
        entry = compiled.add_entry(flat.program, target, EntryInfo(flat, shapes, record))
        record.counts = entry.counts
        entry.leaves_arms = bool(record.cold_arms)
        if self.eviction is not None:
            self.eviction.newest = entry.counts
            self.eviction.wait(compiled)
        self._finished(record, flat)

    def _hand_over(
        self, compiled: CompiledFunction, flat_args: tuple[Any, ...], run: Callable[..., Any]
    ) -> None:
        """From now on `run` answers calls with arguments of these types."""
        guards, shapes = types_of(flat_args, self.function.__code__.co_varnames), ShapeEnv()
        flat = flatten(guards, shapes, len(flat_args))
        record = self._record()
        entry = compiled.add_entry(flat.program, run, EntryInfo(flat, shapes, record))
        record.counts = entry.counts

    def _target(
        self, trace: Trace, record: FrameRecord, flat_args: tuple[Any, ...]
    ) -> Callable[..., Any]:
        """What a call of the entry runs."""
        record.operations = len(trace.graph.calls)
        record.cold_arms = tuple(Break(arm.reason, arm.location) for arm in trace.cold_arms)
        record.graph = trace.graph if self.options.is_explained else None
        artifacts.describe(record, trace.graph)
        if SIDE_EFFECTS.isEnabledFor(logging.INFO):
            told = replayed.told(trace.side_effects.records)
            SIDE_EFFECTS.info("%s", "\n".join(told) or "none")
        if self.options.pure and (effects := replayed.told(trace.side_effects.records)):
            raise Unsupported(f"it has side effects: {'; '.join(effects)}")
        if isinstance(trace.end, Stopped):
            self._broke(record, Break(trace.end.reason, trace.end.location))
            record.in_python = trace.end.operations
        try:
            with record.stage("output"):
                known = len(self.family.continuations)
                replacement = plan(trace, self)
                is_new = len(self.family.continuations) > known
        except Unsupported as unsupported:
            self._broke(record, Break(f"the frame runs in Python: {unsupported}", record.location))
            record.in_python += record.operations
            record.graph, record.operations = None, 0
            return self._in_python()
        may_go_on = replacement.points and (is_new or self.family.operations)
        if not trace.graph.calls and not may_go_on:
            return self._in_python()  # also ends a loop in which nothing was found to compile
        self.family.operations += len(trace.graph.calls) if self.root is not None else 0
        if (account := self.options.account) is not None:
            saves = saved_by(trace.graph.calls, hints_of(trace.graph.symbols)) * 1e-9
            if isinstance(trace.end, Stopped):  # perhaps in each iteration of a loop
                saves *= iterations_left(flat_args)
            if not account.affords(record.operations, saves):
                raise NotWarm
        with record.stage("backend"):
            entry = self._compile_graph(trace, replacement.outputs, flat_args)
        if isinstance(entry, Unprofitable):
            record.unprofitable = entry.reason
            return self._in_python()
        with record.stage("output"):
            target = replacement.assemble(entry)
        self._show(record, target)
        return drive(target) if replacement.points and self.root is None else target

    def _show(self, record: FrameRecord, target: Callable[..., Any]) -> None:
        """Give the code that the function becomes to who asked for it."""
        code = target.__code__ if isinstance(target, FunctionType) else None
        if self.options.is_explained:
            record.codes = self.function.__code__, code
        if code is not None and BYTECODE.isEnabledFor(logging.INFO):
            BYTECODE.info("%s becomes\n%s", record.name, listing(code))

    def _compile_graph(
        self, trace: Trace, outputs: tuple[Node, ...], flat_args: tuple[Any, ...]
    ) -> Callable[..., Any] | None:
        """The entry of the graph; None when there is nothing to compute."""
        graph = trace.graph
        graph.output(outputs)
        if has_derivatives(graph):
            with trace.shapes.reopened(graph.calls[-1].location):
                graph = expanded(graph, trace.shapes)
            if fixed := trace.shapes.fixed():
                graph.resize(lambda size: substitute(size, fixed))
        if GRAPH_CODE.isEnabledFor(logging.INFO):
            GRAPH_CODE.info("%s", graph)
        if not graph.calls and not outputs:
            return None
        values = Values(flat_args, self.function)
        inputs = [values[source] for source in trace.inputs]
        name = config.backend if self.options.backend == "auto" else self.options.backend
        run = lookup_backend(name)(graph, inputs)
        if not callable(run) and not isinstance(run, Unprofitable):
            raise BackendError(f"the backend {name!r} gave {run!r}, which is no callable")
        if isinstance(run, Unprofitable) and (config.compile_unprofitable or not is_short(trace)):
            run = run.run
        if not isinstance(run, (NativeEntry, Unprofitable)):
            written = trace.guards.written()
            run = attempt(run, [i for i, source in enumerate(trace.inputs) if source in written])
        owners = random_owners(graph)
        return keep_random_state(run, owners) if owners and type(run) is not Unprofitable else run

    # -- Frames, for `output`

    @property
    def limit(self) -> int:
        """How many variants the function may have."""
        limit: int = dict(self.options.settings).get("recompile_limit", config.recompile_limit)
        return limit

    @property
    def family(self) -> FrameCompiler:
        """The compiler of the frame's beginning, which all its continuations share."""
        return self.root or self

    @property
    def origin(self) -> FunctionType:
        return self.family.function

    @property
    def prefix(self) -> int:
        return len(read(self.function.__code__)) - len(read(self.origin.__code__))

    def resume(self, point: ResumePoint, symbolic: Iterable[Any] = ()) -> CompiledFunction:
        """The compiled continuation of the frame, made once for each point."""
        continuations = self.family.continuations
        if point not in continuations:
            continuation = resume_function(self.family.function, point)
            history = SizeHistory(symbolic=frozenset(symbolic))
            rest = rest_of_iteration(self.family.function, point, self.resume)
            continuations[point] = compiled_function(
                continuation, self.options, self.family, history=history, in_python=rest
            )
        return continuations[point]

    def continuation_in_python(self, point: ResumePoint) -> FunctionType:
        """The continuation of the frame, where compiling it gains nothing."""
        return resume_function(self.family.function, point)

    def balance(self, index: int) -> Balance:
        """The account of a loop with side exits, the same for all continuations."""
        return self.family.balances.setdefault(index, Balance())

    def callee(self, function: FunctionType) -> Callable[..., Any]:
        """The compiled form of a user's function that was not traced into.

        There is one for all callers in a tree of calls, so that recursion ends where it began.
        """
        if rule_for(function).action is not Action.INLINE or is_generator(function):
            return function
        if self.options.account is not None:
            return function  # all functions of the program are candidates
        if function is self.origin and (own := self.family.compiled()) is not None:
            return own
        callees = self.family.callees
        if function not in callees:
            callees[function] = compiled_function(function, self._for_callees(), callees=callees)
        return callees[function]

    def lifted(self, function: FunctionType) -> Callable[..., Any] | None:
        """The compiled form of the closures of one code object; None where Python runs them."""
        code = function.__code__
        if rule_for(function).action is not Action.INLINE or is_generator(function):
            return None
        if "__class__" in code.co_freevars:  # super() finds it among the free variables
            return None
        if sees_variables(code):
            return None
        if deletes_free_variables(code):
            return None  # reading it then says that it is a free variable
        callees = self.family.callees
        if code not in callees:
            made = lifted_function(function)
            callees[code] = compiled_function(made, self._for_callees(), callees=callees)
        return callees[code]

    def _for_callees(self) -> Options:
        """The name is the function's alone."""
        return replace(self.options, name="") if self.options.name else self.options

    def _in_python(self) -> Callable[..., Any]:
        """The function itself, over its flat arguments."""
        return with_code(self.in_python, flat_code(self.in_python.__code__))

    def _trace_options(self) -> TraceOptions:
        dynamic, account = self.options.dynamic, self.options.account
        if dynamic is None and not config.assume_static_by_default:
            dynamic = True
        policy = DynamicPolicy(
            dynamic, self.history, config.automatic_dynamic_shapes, config.specialization_backoff,
            config.specialize_int, self.family.history.variants,
            config.recompile_limit + self.options.fullgraph,
        )  # fmt: skip
        worth, now = math.inf if account is None else account.worth, time.monotonic()
        return TraceOptions(
            policy, config.unroll_budget, config.trace_seconds, config.inline_depth,
            self.prefix if self.root is not None else 0,
            self.family.short_loops if config.leave_short_loops else None,
            whole=self.options.fullgraph,
            leaves_cold_arms=self.family.leaves_cold_arms and not self.options.fullgraph,
            leaves_loops=not self.options.fullgraph,
            deadline=time.thread_time() + worth, earliest=now + worth,
            until=now + config.trace_seconds,
            recursion=1 if self.recompiles >= SHALLOW and not self.options.fullgraph else RECURSION,
        )  # fmt: skip

    def _options_aside(self) -> TraceOptions:
        """The same for an analysis of which nothing is to be remembered."""
        options = self._trace_options()
        short = None if options.short_loops is None else dict(options.short_loops)
        return replace(options, policy=None, short_loops=short, deadline=math.inf)

    # -- what is said about it

    def _record(self) -> FrameRecord:
        code = self.function.__code__
        location = Location(code.co_filename, code.co_firstlineno, self.function.__qualname__)
        assert self.frame is not None
        return FrameRecord(self.name, self.frame, self.recompiles, location)

    def _finished(self, record: FrameRecord, flat: FlatGuards) -> None:
        registry.records.append(record)
        if self.options.listener is not None:
            self.options.listener(record)
        for guard in record.guards if GUARDS.isEnabledFor(logging.INFO) else ():
            GUARDS.info("%s", guard)
        for op in flat.ops if GUARDS.isEnabledFor(logging.DEBUG) else ():
            GUARDS.debug("%s", op_text(op))
        PERF.info("%s: %s", record.name, record.timing())
        artifacts.add_to_index(record)

    def _broke(self, record: FrameRecord, broke: Break) -> None:
        """A graph ended early: note why; with `fullgraph=True` that is an error."""
        may_raise = self.options.may_raise and broke.remedy.id == "exceptions"
        if self.options.fullgraph and not may_raise:
            raise FullGraphRequired(
                f"{broke.reason}\n  at {broke.location}\n  remedy: {broke.remedy}")
        if broke.location is not None:
            broke = Break(broke.reason, users_line(broke.location))
        if record.broke is None:
            record.broke = broke
        GRAPH_BREAKS.info("%s\n  remedy: %s", broke, broke.remedy)

    def _report_miss(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> None:
        """Say why no entry accepted the call; the newest entry's reason is counted."""
        reasons = why_guards_failed(compiled, flat_args)
        for failure in reasons if EACH_VARIANT.isEnabledFor(logging.INFO) else ():
            EACH_VARIANT.info("%s %s: %s\n  remedy: %s", self.name, failure.variant,
                              failure.at, failure.remedy)
        if reasons and not may_recompile():
            told = "; ".join(dict.fromkeys(map(str, reasons)))
            raise RecompileForbidden(
                f"{self.name}: {told}\n  remedy: {reasons[0].remedy}")
        if reasons:
            self.failures = (*self.failures[1 - KEPT :], reasons[0])
            registry.recompile_reasons[reasons[0].reason] += 1
            RECOMPILES.info(
                "recompiling %s (%s:%s): %s\n  remedy: %s", self.name,
                self.function.__code__.co_filename, self.function.__code__.co_firstlineno,
                "; ".join(dict.fromkeys(map(str, reasons))), reasons[0].remedy,
            )  # fmt: skip

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
            record.bailout = why_bailed_out(
                self.function, flat_args, self._options_aside(), record.location, is_asked)
        PERF.info("%s [%s] bailed out at %s\n  remedy: %s", record.name, record.mark,
                  record.bailout, record.bailout.remedy)

    def retired(self, entry: Entry, flat_args: tuple[Any, ...]) -> None:
        """Told by the native core: the entry bailed out too often, Python runs in its place."""
        record = entry.info.record
        if record.cold_arms:
            self.take_cold_arms(entry)
            return
        registry.retired += 1
        PERF.info("%s [%s] is retired: %d calls bailed out and ran in Python: %s",
                  record.name, record.mark, entry.bailouts, record.bailout or "")

    def take_cold_arms(self, entry: Entry) -> None:
        """The calls of an entry take an arm again and again that was left to Python: the function
        is compiled again with all its arms."""
        record, compiled = entry.info.record, self.compiled()
        self.family.leaves_cold_arms = False
        if compiled is not None:
            compiled.remove_entry(entry)
        RECOMPILES.info(
            "%s [%s] is compiled again: %d of %d calls bailed out, for an arm left to Python: %s",
            record.name, record.mark, entry.bailouts, entry.bailouts + entry.hits,
            record.cold_arms[0],
        )  # fmt: skip

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
        RECOMPILES.warning("%s", warning)
        if self.options.warn:
            code = self.function.__code__
            warnings.warn_explicit(warning, DynamoWarning, code.co_filename, code.co_firstlineno)
        return False

    def _failed(self, compiled: CompiledFunction, error: Exception) -> None:
        """An error of our own: warn once, and leave the function to Python."""
        registry.errors += 1
        compiled.disable(f"{type(error).__name__}: {error}")
        code = self.function.__code__
        what = f"dynamo_lite could not compile {self.name} and runs it in Python"
        if not isinstance(error, BackendError):
            what += (
                f". This is a defect of dynamo_lite: {type(error).__name__}. "
                "Please report it with the traceback that DYNAMO_STRICT=1 shows"
            )
        warnings.warn_explicit(
            f"{what}: {error}", DynamoWarning, code.co_filename, code.co_firstlineno
        )
        DYNAMO.debug("compiling %s failed", self.name, exc_info=error)


def iterations_left(flat_args: tuple[Any, ...]) -> float:
    """How often the continuation of a frame may be called, by the iterators that are among its
    arguments; a guess where there are none."""
    counts = [max(operator.length_hint(value), 1) for value in flat_args
              if not is_python_class(type(value)) and hasattr(type(value), "__length_hint__")]
    return math.prod(counts) if counts else ITERATIONS


def is_short(trace: Trace) -> bool:
    """Whether the whole frame ran to its end in so few instructions that Python takes no longer
    for them than compiled code for its guards."""
    return isinstance(trace.end, Returned) and trace.steps <= SHORT
