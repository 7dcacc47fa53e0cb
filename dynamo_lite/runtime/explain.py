"""`explain`: one call, with everything that compiling it decided."""
from __future__ import annotations

import functools
import importlib
import inspect
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import (
    BuiltinMethodType,
    FunctionType,
    MethodDescriptorType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Any

from ..api.directives import why_eager
from ..base import markup
from ..base.counting import counted
from ..base.records import dataclass
from ..base.tables import Table, is_drawn, text
from ..guards.shapes.shape_env import ShapeEnv
from ..ir import symbolic
from ..ir.graph import Graph, Location
from ..ir.sizes import symbol
from ..native import CompiledFunction
from ..tiering.account import why_cold
from ..tracer.rules.trace_rules import Action, Rule
from .compile import compile_with, function_behind
from .costs import State, state_of, why_again
from .guard_failures import GuardFailure
from .listings import Rewritten, rewritten
from .stats import Bailout, Break, FrameRecord, coverage, frames, percent
from .trials import Call, Trial, copied, tried
from .watched import WATCHED, why_watched

TRACER, DISPATCH = "dynamo_lite.tracer.frame.speculation", "dynamo_lite.tracer.calls.dispatch"

NOT_COMPILED = "nothing of it is compiled: it is disabled, or an object without Python code"


@dataclass(frozen=True, slots=True)
class SymbolicSize:
    """A size, stride or int that compiled code leaves open."""

    expr: Any
    """A sympy symbol; the sympy expression or number that it was found to equal."""
    origin: str
    hint: int
    """Its value in the call that was explained."""
    range: Any
    """A sympy `Range`."""
    location: Location | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What happened when the function was compiled for one call; `str()` is for people."""

    result: Any
    records: tuple[FrameRecord, ...]
    seconds: float
    coverage: float
    """Share of the operations that ran compiled."""
    watched: bool = False
    """Whether a debugger, coverage tool or line profiler was active."""
    in_python: str = ""
    """Why Python ran all of it, where nothing was compiled."""
    trials: tuple[Trial, ...] = ()
    """What came of the remedies that `try_remedies` had applied."""
    recompiled: tuple[GuardFailure, ...] = ()
    """Why the call did not run what an earlier one had compiled."""

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """The captured graphs; each prints as Python and can be called."""
        return tuple(r.graph for r in self.records if r.graph is not None and r.operations)

    @property
    def graph_count(self) -> int:
        return len(self.graphs)

    @property
    def breaks(self) -> tuple[Break, ...]:
        return tuple(record.broke for record in self.records if record.broke is not None)

    @property
    def graph_break_count(self) -> int:
        return len(self.breaks)

    @property
    def bailouts(self) -> tuple[Bailout, ...]:
        """Why the call, or a part of it, ran in Python although it was compiled."""
        return tuple(r.bailout for r in self.records if r.bailout is not None)

    @property
    def break_reasons(self) -> tuple[str, ...]:
        return tuple(broke.reason for broke in self.breaks)

    @property
    def code(self) -> tuple[Rewritten, ...]:
        """The functions that were rewritten: each as it was and as it runs, for the library
        `bytecode` and its tools."""
        return tuple(rewritten(r.name, r.codes) for r in self.records if r.codes is not None)

    @property
    def guards(self) -> tuple[str, ...]:
        return tuple(guard for record in self.records for guard in record.guards)

    @property
    def sizes(self) -> tuple[SymbolicSize, ...]:
        """The sizes that vary, each with a sympy symbol and the range that the code is good for."""
        return tuple(size for r in self.records if r.shapes is not None for size in sizes(r.shapes))

    @property
    def relations(self) -> tuple[Any, ...]:
        """What is guarded of the sizes that vary, as sympy relations."""
        return tuple(symbolic.relation(relation.op, relation.left, relation.right)
                     for record in self.records if record.shapes is not None
                     for relation in record.shapes.relations)

    @property
    def op_count(self) -> int:
        return sum(record.operations for record in self.records)

    @property
    def compile_seconds(self) -> float:
        return sum(record.seconds for record in self.records)

    @property
    def compile_times(self) -> Mapping[str, float]:
        """Seconds by stage."""
        times: dict[str, float] = {}
        for record in self.records:
            for stage, seconds in record.stage_seconds.items():
                times[stage] = times.get(stage, 0.0) + seconds
        return times

    @property
    def summary(self) -> str:
        """One line: how much was compiled."""
        return (
            f"{counted(self.graph_count, 'graph')} with {counted(self.op_count, 'operation')}, "
            f"{counted(len(self.breaks), 'break')}, "
            f"{percent(self.coverage)} of the operations compiled, "
            f"{self.compile_seconds * 1e3:.1f} ms"
        )

    @property
    def text(self) -> str:
        """What `print` shows where nothing is drawn."""
        lines = [self.summary]
        if self.watched:
            lines.append(WATCHED)
        if self.in_python:
            lines.append(f"runs in Python: {self.in_python}")
        lines += self._notes
        for record in self.records:
            lines += ["", *_lines(record)]
        return "\n".join(lines)

    @property
    def _notes(self) -> list[str]:
        again = [f"compiled again at {failure.at}\n  remedy: {failure.remedy}"
                 for failure in self.recompiled]
        return [*again, *(f"tried: {trial}" for trial in self.trials)]

    def __repr__(self) -> str:
        return f"<Explanation: {self.summary}>"

    def _repr_pretty_(self, printer: Any, is_in_cycle: bool) -> None:
        """For IPython in a terminal."""
        printer.text(str(self))

    def _repr_html_(self) -> str:
        """For notebooks: the frames as a table, and below it each to be unfolded."""
        notes = (WATCHED if self.watched else "",
                 self.in_python and f"runs in Python: {self.in_python}",
                 *self._notes)
        head = [markup.paragraph(text) for text in (self.summary, *filter(None, notes))]
        each = [markup.folded(lines[0], markup.preformatted("\n".join(lines[1:])))
                for lines in map(_lines, self.records)]
        return "".join((*head, frames(self.records)._repr_html_(), *each))

    def __str__(self) -> str:
        """Drawn with tables where rich is installed and the standard output is a terminal."""
        return text(_drawn(self)) if is_drawn(sys.stdout) else self.text


def sizes(shapes: ShapeEnv) -> Iterator[SymbolicSize]:
    low, high = shapes.known.lower, shapes.known.upper
    for name, info in shapes.infos.items():
        value = symbolic.expression(shapes.simplify(symbol(name)))
        span = symbolic.interval(low.get(name), high.get(name))
        yield SymbolicSize(value, info.origin, info.hint, span, info.location)


def _drawn(explanation: Explanation) -> Iterator[str | Table]:
    yield explanation.summary
    if explanation.watched:
        yield WATCHED
    if explanation.in_python:
        yield f"runs in Python: {explanation.in_python}"
    yield from explanation._notes
    yield frames(explanation.records)
    for record in explanation.records:
        yield "\n".join(["", *_lines(record)])


def _lines(record: FrameRecord) -> list[str]:
    lines = [f"[{record.mark}] {record.name} ({record.location.place})"]
    lines.append(f"  compiled in {record.timing()}")
    if record.broke is not None:
        lines += [f"  broke at {record.broke}", f"    remedy: {record.broke.remedy}"]
    lines += [f"  runs in Python, where a call comes to {arm}" for arm in record.cold_arms]
    if record.bailout is not None:
        lines += [f"  bailed out and ran in Python: {record.bailout}",
                  f"    remedy: {record.bailout.remedy}"]
    if record.memory:
        lines.append(f"  memory: a call allocates at most {record.memory:,} bytes")
    if record.blocks:
        lines += ["  blocks:", *(f"    {line}" for line in record.blocks.splitlines())]
    if record.unprofitable:
        lines.append(f"  runs in Python: {record.unprofitable}")
    if record.graph is not None and record.operations:
        lines += ["  graph:", *(f"    {line}" for line in str(record.graph).splitlines())]
    if record.guards:
        lines += ["  guards:", *(f"    {guard}" for guard in record.guards)]
    return lines


def explain(
    fn: Callable[..., Any], *, try_remedies: bool = False, **options: Any
) -> Callable[..., Explanation]:
    """`explain(fn)(*args, **kwargs)` compiles `fn` afresh, calls it once and says what happened.

    Called again, it says why a call did not run what the one before had compiled.

    With `try_remedies`, the remedies that can be applied without changing the text of the program
    are: the function is called some times more, with copies of its arguments, and `trials` says
    which helped and by how much. Takes the options of `compile`.
    """
    records: list[FrameRecord] = []
    compiled = compile_with(fn, listener=records.append, **options)
    function = function_behind(compiled)
    calls: list[Call] = []

    def run(*args: Any, **kwargs: Any) -> Explanation:
        records.clear()
        calls[:] = [*calls[-1:], *filter(None, [copied((args, kwargs)) if try_remedies else None])]
        start = time.perf_counter()
        result = compiled(*args, **kwargs)
        seconds = time.perf_counter() - start
        watched = bool(why_watched())
        functions = [function] if isinstance(function, CompiledFunction) else []
        share = coverage(records, functions) if functions or records else 0.0
        disabled = next((str(each.disabled) for each in functions if each.disabled), why_eager())
        again = why_again(function) if any(record.recompile for record in records) else ()
        ends = (each for r in records for each in (r.broke, r.bailout) if each is not None)
        trials = tried(fn, calls if again else calls[-1:], options, (*again, *ends))
        return Explanation(result, tuple(records), seconds, share, watched,
                           disabled if functions or records else NOT_COMPILED,
                           tuple(trials) if try_remedies else (), again)

    return run


BY_FLAG: tuple[tuple[Callable[[Any], bool], Rule], ...] = (
    (inspect.iscoroutinefunction,
     Rule("coroutine", Action.SKIP, "async functions run in Python; compile what they call")),
    (inspect.isasyncgenfunction,
     Rule("async-generator", Action.SKIP,
          "async generators run in Python; compile what they call")),
    (inspect.isgeneratorfunction,
     Rule("generator", Action.INLINE, "compiled code that goes through it follows it; a generator "
          "that Python goes through runs in Python")),
)
"""Kinds of functions that are told by their code."""


def getter_of(fn: Any) -> Any:
    """Of a property, the function that gives its value."""
    if isinstance(fn, property):
        return fn.fget
    return fn.func if isinstance(fn, functools.cached_property) else fn


def method_behind(fn: Any) -> Any:
    """Of a method in C that was looked up on an object, as `x.sum`, that of its class."""
    if not isinstance(fn, BuiltinMethodType | MethodWrapperType):
        return fn
    method = getattr(type(fn.__self__), fn.__name__, fn)
    return method if isinstance(method, MethodDescriptorType | WrapperDescriptorType) else fn


def rule_of_call(fn: Any) -> Rule:
    """The rule by which the tracer decides. It is loaded, with all its handlers, when somebody
    asks: what runs from disk needs none."""
    importlib.import_module(TRACER)
    rule: Rule = importlib.import_module(DISPATCH).rule_of_call(fn)
    return rule


def why(fn: Callable[..., Any]) -> Rule | State:
    """Of a compiled function, how it stands: variants, graph breaks, recompiles, calls that bailed
    out, each with its line, reason and remedy.

    Of any other callable, the rule that says what compiled code does with calls of `fn`: its id,
    action and reason; of a method or partial that of the function it calls. Where whole-script mode
    has not compiled the function yet, the reason says what it waits for; where a debugger or its
    like has every function run in Python, it says so.
    """
    fn = getter_of(fn)
    if not callable(fn):
        raise TypeError(f"why takes a callable, not {fn!r}")
    fn = function_behind(fn)
    call = type(fn).__call__
    if isinstance(call, FunctionType) and not isinstance(fn, type):
        fn = call
    if isinstance(fn, CompiledFunction):
        return state_of(fn, why_watched() or why_eager())
    rule = next((rule for is_one, rule in BY_FLAG if is_one(fn)), None) or rule_of_call(fn)
    if rule.action is Action.SKIP and (method := method_behind(fn)) is not fn:
        rule = rule_of_call(method)
    waits = why_cold(fn.__code__) if isinstance(fn, FunctionType) else None
    more = [reason for reason in (waits, why_watched()) if reason]
    return replace(rule, reason="; ".join((rule.reason, *more)))
