"""How long the tracer takes for an instruction, over the corpus of the tests."""
from __future__ import annotations

import copy
import statistics
import time
from types import FunctionType
from typing import Any

from dynamo_lite.bytecode.resume import parameters
from dynamo_lite.errors import Unsupported
from dynamo_lite.translator import translate
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


FIGURES = (tracing,)
