"""From the arguments of a call to an entry for calls like it."""
from __future__ import annotations

import math
import operator
import time
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Any

from ..backends.hints import hints_of
from ..backends.registry import Unprofitable
from ..base import work
from ..base.classes import is_python_class
from ..base.config import config
from ..base.records import dataclass
from ..bytecode.resume import flat_code, prefix_length, with_code
from ..codegen.bound import Bound, callable_of
from ..codegen.output import Plan, plan
from ..codegen.steps import in_steps
from ..codegen.unread_flags import unread_flags
from ..errors import NotWarm, TooLarge, Unsupported
from ..guards.guard_set import GuardSet, types_of
from ..guards.programs.flatten import FlatGuards, flatten
from ..guards.shapes import validation
from ..guards.shapes.dynamic import DynamicPolicy, SizeHistory
from ..guards.shapes.shape_env import ShapeEnv
from ..ir.control import is_loop
from ..ir.savings import ITERATIONS, saved_by, taken_by_all, to_lower
from ..native import CompiledFunction, Entry, drive
from ..stored.entries import Target
from ..tiering.graphs import affords, is_too_large, most_operations
from ..tracer.frame.speculation import translate
from ..tracer.state.trace import RECURSION, Stopped, Trace, TraceOptions
from . import replayed
from .compile_graph import compile_graph
from .family import Family
from .guard_costs import why_in_python
from .kept import KeptEntries
from .options import Options
from .reporter import Reporter
from .stats import Break, FrameRecord

SHALLOW = 2
"""Compilations of a function in which its calls of itself are followed. Where they were not enough,
the depth depends on the arguments, and each call is a frame of its own."""
SELDOM = 2
"""Lengths of a list that a function of a whole program is compiled for as long as none of its
variants was used again: it grows from call to call, or is another one each time."""
GUARD, EFFECT = 20.0, 200.0
"""Nanoseconds that checking a guard takes, and carrying out an effect behind the graph."""

@dataclass(frozen=True, slots=True)
class EntryInfo:
    """What an entry keeps, to explain a later miss."""

    flat: FlatGuards
    shapes: ShapeEnv
    record: FrameRecord


@dataclass(frozen=True, slots=True)
class Made:
    """What a call of an entry runs, and the form of it that is kept on disk, if it can be."""

    run: Callable[..., Any]
    kept: Target | None = None


@dataclass(eq=False, slots=True)
class Pipeline:
    """Makes the entries of one function: analysis, plan, backend, output, guards."""

    function: FunctionType
    options: Options
    in_python: FunctionType
    family: Family
    report: Reporter
    kept: KeptEntries
    history: SizeHistory
    most_contents: float = math.inf

    @property
    def is_continuation(self) -> bool:
        return self.function is not self.family.origin

    def add_entry(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> Entry | None:
        """The entry for these arguments, added last: what fails before leaves nothing behind. None
        where the program raises, which is so for this call alone."""
        record, found_here = self.report.begins(), work.done.found_here
        is_seldom = self.options.account is not None and not any(
            entry.hits > 1 for entry in compiled.entries())
        self.most_contents = SELDOM if is_seldom else math.inf
        try:
            with record.stage("trace"):
                trace = translate(self.function, flat_args, self.trace_options())
            guards, shapes = trace.guards, trace.shapes
            made = self._target(trace, record, flat_args)
            if made is None:
                return None
            with record.stage("guards"):
                flat = flatten(guards, shapes, len(flat_args))
                is_compiled = made.kept is not None
                if why := why_in_python(trace, flat, flat_args, is_compiled=is_compiled):
                    record.unprofitable = why
                    guards, shapes, flat = self._types_alone(flat_args)
                    made = self._function_itself()
        except TooLarge:
            assert self.options.account is not None
            is_too_large(self.options.account)
            raise
        except Unsupported as unsupported:
            self._note_unsupported(record, unsupported)
            if self.options.may_raise:
                return None
            guards, shapes, flat = self._types_alone(flat_args)
            made = self._function_itself()
        validation.prove_all()
        self.report.guarded(record, guards, shapes)
        entry = compiled.add_entry(flat.program, made.run, EntryInfo(flat, shapes, record))
        record.counts = entry.counts
        entry.leaves_arms = bool(record.cold_arms)
        if made.kept is not None and work.done.found_here == found_here:
            self.kept.keep(flat, shapes, made.kept, record, self.history.observations[-1])
        self.report.finished(record, flat)
        return entry

    def hand_over(
        self, compiled: CompiledFunction, flat_args: tuple[Any, ...], run: Callable[..., Any]
    ) -> None:
        """From now on `run` answers calls with arguments of these types."""
        _, shapes, flat = self._types_alone(flat_args)
        record = self.report.record()
        entry = compiled.add_entry(flat.program, run, EntryInfo(flat, shapes, record))
        record.counts = entry.counts

    def _types_alone(self, flat_args: tuple[Any, ...]) -> tuple[GuardSet, ShapeEnv, FlatGuards]:
        """Guards for the types of the arguments."""
        guards, shapes = types_of(flat_args, self.function.__code__.co_varnames), ShapeEnv()
        return guards, shapes, flatten(guards, shapes, len(flat_args))

    def _function_itself(self) -> Made:
        """The function in Python, over its flat arguments."""
        return Made(with_code(self.in_python, flat_code(self.in_python.__code__)))

    # -- what a call of the entry runs

    def _target(self, trace: Trace, record: FrameRecord, flat_args: tuple[Any, ...]) -> Made | None:
        def effects() -> list[str]:
            return replayed.told(trace.side_effects.records)

        self.report.traced(record, trace, effects)
        error = trace.end.error if isinstance(trace.end, Stopped) else None
        if self.options.pure and effects():
            impure = Unsupported(f"it has side effects: {'; '.join(effects())}")
            impure.error = error
            raise impure
        if isinstance(trace.end, Stopped):
            self.report.broke(record, Break(trace.end.reason, trace.end.location), error)
            record.in_python = trace.end.operations
            if self.options.may_raise:
                return None
        if (replacement := self._planned(trace, record)) is None:
            return self._function_itself()
        self._afford(trace, flat_args)
        trace.guards.drop_flags(unread_flags(trace, replacement.outputs))
        with record.stage("backend"):
            run = compile_graph(trace, replacement.outputs, flat_args, self.options, record)
            if self.options.account is not None and work.done.generated:
                self.options.account.lender.costs.has_generator = True
        if isinstance(run, Unprofitable):
            record.unprofitable = run.reason
            return self._function_itself()
        with record.stage("output"):
            made = replacement.assemble(run)
            target = callable_of(made)
        self.report.becomes(record, target)
        is_driven = bool(replacement.points) and not self.is_continuation
        kept = Target(made if isinstance(made, Bound) else made.__code__, is_driven)
        run = in_steps(target)
        return Made(drive(run) if is_driven else run, kept)

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
        if is_new and self.options.account is not None:
            family.expect(replacement.points, operations)
        return replacement

    def _afford(self, trace: Trace, flat_args: tuple[Any, ...]) -> None:
        """In whole-script mode, NotWarm where code would not earn what it costs."""
        if (account := self.options.account) is None:
            return
        calls, hint = trace.graph.calls, hints_of(trace.graph.symbols)
        saves = saved_by(calls, hint) * 1e-9
        if isinstance(trace.end, Stopped):  # perhaps in each iteration of a loop
            saves *= iterations_left(flat_args)
        elif not self.is_continuation:  # all that a call does is in the graph
            around = GUARD * len(trace.guards) + EFFECT * len(trace.side_effects.records)
            saves = max(saves, account.call - 1e-9 * (around + taken_by_all(calls, hint)))
        operations, has_loops = to_lower(trace.graph.calls), any(map(is_loop, trace.graph.nodes))
        if not affords(account, operations, saves, has_loops):
            raise NotWarm

    def _note_unsupported(self, record: FrameRecord, unsupported: Unsupported) -> None:
        where = unsupported.location or record.location
        self.report.broke(record, Break(str(unsupported), where), unsupported.error)
        record.in_python = max(unsupported.operations, 1)
        record.graph, record.operations = None, 0

    # -- what an analysis is told

    def trace_options(self) -> TraceOptions:
        account, family, whole = self.options.account, self.family, self.options.fullgraph
        worth, now = math.inf if account is None else account.worth, time.monotonic()
        return TraceOptions(
            self._size_policy(), config.unroll_budget, config.trace_seconds, config.inline_depth,
            prefix_length(self.function, family.origin),
            family.short_loops if config.leave_short_loops else None,
            whole=whole, leaves_loops=not whole,
            leaves_cold_arms=family.leaves_cold_arms and not whole,
            deadline=time.thread_time() + worth, earliest=now + worth,
            until=now + config.trace_seconds,
            most_operations=math.inf if account is None else most_operations(account),
            recursion=1 if self.report.recompiles >= SHALLOW and not whole else RECURSION,
        )  # fmt: skip

    def options_aside(self) -> TraceOptions:
        """The same for an analysis of which nothing is to be remembered."""
        options = self.trace_options()
        short = None if options.short_loops is None else dict(options.short_loops)
        return replace(options, policy=None, short_loops=short, deadline=math.inf,
                       most_operations=math.inf)

    def _size_policy(self) -> DynamicPolicy:
        """Which sizes are symbols from the beginning."""
        dynamic, is_whole = self.options.dynamic, self.options.fullgraph
        if dynamic is None and not config.assume_static_by_default:
            dynamic = True
        most_variants, backoff = config.recompile_limit + is_whole, config.specialization_backoff
        if is_whole:  # a break is an error: it has as many variants as it may
            backoff = max(backoff, most_variants + 1)
        return DynamicPolicy(
            dynamic, self.history, config.automatic_dynamic_shapes, backoff,
            config.specialize_int, self.family.variants, most_variants, self.most_contents,
        )  # fmt: skip


def iterations_left(flat_args: tuple[Any, ...]) -> float:
    """How often the continuation of a frame may be called, by the iterators that are among its
    arguments; a guess where there are none."""
    counts = [max(operator.length_hint(value), 1) for value in flat_args
              if not is_python_class(type(value)) and hasattr(type(value), "__length_hint__")]
    return math.prod(counts) if counts else ITERATIONS
