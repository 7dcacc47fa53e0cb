"""How long the tracer takes for an instruction, and what part of compiling is reasoning about
sizes, over the corpus of the tests."""
from __future__ import annotations

import contextlib
import copy
import functools
import io
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any
from unittest import mock

from dynamo_lite.guards.shapes import dynamic, known, shape_env, symbols

import dynamo_lite as dl
from dynamo_lite.bytecode.resume import parameters
from dynamo_lite.errors import Unsupported
from dynamo_lite.ir import facts, sizes
from dynamo_lite.tracer.frame.speculation import translate
from tests.trace.test_corpus import PROGRAMS

from .measure import Figure

GOAL = 25.0
"""Microseconds."""
ROUNDS = 5


def per_instruction(function: FunctionType, args: tuple[Any, ...]) -> float | None:
    """Microseconds for each traced instruction, best of some rounds; None where there are none."""
    best = float("inf")
    for _ in range(ROUNDS):
        passed = copy.deepcopy(args)
        start = time.perf_counter()
        try:
            trace = translate(function, passed)
        except Unsupported:
            return None
        best = min(best, (time.perf_counter() - start) * 1e6 / max(trace.steps, 1))
    return best


def tracing() -> list[Figure]:
    whole = [
        p for p in PROGRAMS
        if p.is_one_graph and len(parameters(p.function.__code__)) == len(p.args)
    ]
    times = sorted(t for p in whole if (t := per_instruction(p.function, p.args)) is not None)
    median = statistics.median(times)
    detail = f"{len(times)} functions, nine of ten below {times[len(times) * 9 // 10]:.0f} us"
    return [Figure("tracing an instruction (median)", f"{median:.0f} us", f"<= {GOAL:.0f} us",
                   median <= GOAL, detail)]


REASONING = (
    symbols.Symbols, shape_env.ShapeEnv, known.Known, dynamic.SizeHistory, dynamic.DynamicPolicy,
    facts.StaticFacts, facts.RecordedFacts, sizes.SizeExpr,
)
"""Whatever their methods do counts, and what the functions of `ir.sizes` do."""
GENERATED = {"__init__", "__eq__", "__hash__"}


class Stopwatch:
    """The time inside the outermost of the functions that it watches, its own cost included."""

    def __init__(self) -> None:
        self.seconds, self.running = 0.0, False

    def watched(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            if self.running:
                return function(*args, **kwargs)
            begin, self.running = time.perf_counter(), True
            try:
                return function(*args, **kwargs)
            finally:
                self.running = False
                self.seconds += time.perf_counter() - begin

        return timed

    @contextlib.contextmanager
    def on_reasoning(self) -> Iterator[None]:
        """Watch all that reasons about sizes, under every name by which it is called."""
        public = [f for n, f in vars(sizes).items() if isinstance(f, FunctionType) and n[0] != "_"]
        functions = {f: self.watched(f) for f in public if f is not sizes.symbols}
        modules = [vars(m) for n, m in sys.modules.items() if n.startswith("dynamo_lite.")]
        with contextlib.ExitStack() as stack:
            for names in modules:
                new = {n: functions[f] for n, f in names.items()
                       if isinstance(f, FunctionType) and f in functions}
                stack.enter_context(mock.patch.dict(names, new))
            for owner in REASONING:
                for name, method in list(vars(owner).items()):
                    if isinstance(method, FunctionType) and name not in GENERATED:
                        watched = self.watched(method)
                        stack.enter_context(mock.patch.object(owner, name, watched))
            yield


def share_of_reasoning(backend: str) -> float:
    """What part of compiling the corpus, all sizes symbolic and nothing from the disk, it is."""
    dl.reset()
    stopwatch = Stopwatch()
    with warnings.catch_warnings(), stopwatch.on_reasoning():
        warnings.simplefilter("ignore")
        for program in PROGRAMS:
            compiled = dl.compile(program.function, backend=backend, dynamic=True,
                                  options={"cache": False})
            with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
                compiled(*copy.deepcopy(program.args))
    return stopwatch.seconds / dl.stats().compile_seconds


def reasoning() -> list[Figure]:
    share, of_tracing = share_of_reasoning("llvm"), share_of_reasoning("eager")
    return [Figure("reasoning about sizes in compiling the corpus", f"{share:.1%}", "<= 15 %",
                   share <= 0.15, f"{of_tracing:.1%} without a backend")]


FIGURES = (tracing, reasoning)
