"""Latency: calls on small arrays, guards, first calls, import."""
from __future__ import annotations

import importlib.util
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import dynamo_lite as dl

from .measure import Figure, fresh_process, interleave


def five_operations(a, b):
    return (a + b) * a - b / 2.0


def five_arrays(a, b, c, d, e):
    return a + b + c + d + e


def peers(a: np.ndarray, b: np.ndarray) -> dict[str, Callable[[], Any]]:
    """The same function under the compilers that are installed here."""
    found: dict[str, Callable[[], Any]] = {}
    if importlib.util.find_spec("numba"):
        import numba

        jitted = numba.njit(five_operations)
        found["numba"] = lambda: jitted(a, b)
    if importlib.util.find_spec("jax"):
        import jax

        jax.config.update("jax_enable_x64", True)
        traced = jax.jit(five_operations)
        found["jax"] = lambda: np.asarray(traced(a, b))
    return found


def small_call() -> list[Figure]:
    a, b = np.random.default_rng(0).uniform(1, 2, (2, 10))
    compiled = dl.compile(five_operations)
    assert np.array_equal(compiled(a, b), five_operations(a, b))
    times = interleave({"numpy": lambda: five_operations(a, b), "compiled": lambda: compiled(a, b),
                        **peers(a, b)}, rounds=25, number=4000)
    empty = interleave({"empty": lambda: None}, rounds=25, number=4000)["empty"]
    ratio = (times["compiled"] - empty) / (times["numpy"] - empty)
    return [Figure("5-op function on 10-element arrays, per call", f"{ratio:.3f} of NumPy",
                   "<= 0.15", ratio <= 0.15,
                   ", ".join(f"{k} {v * 1e9:.0f} ns" for k, v in times.items()))]


def guards() -> list[Figure]:
    arrays = tuple(np.random.default_rng(1).uniform(size=(5, 4, 6)))
    compiled = dl.compile(five_arrays)
    compiled(*arrays)
    program = compiled.entries()[0].program
    nanoseconds = min(program.time(arrays, 20_000) for _ in range(50))
    return [Figure("guards of 5 array arguments", f"{nanoseconds:.0f} ns", "<= 50 ns",
                   nanoseconds <= 50)]


PROCESS = """
import sys, time, numpy as np
def warm_up(a): return np.sqrt(a) - 1.0
def five_operations(a, b): return (a + b) * a - b / 2.0
a, b = np.ones((2, 10))
marks = [time.perf_counter()]
import dynamo_lite as dl
compile = dl.compile
marks.append(time.perf_counter())
heavy = [name for name in ("llvmlite", "triton") if name in sys.modules]
if {warm}: compile(warm_up)(a)
marks.append(time.perf_counter())
compile(five_operations)(a, b)
marks.append(time.perf_counter())
print((marks[1] - marks[0]) * 1e3, (marks[3] - marks[2]) * 1e3, *heavy)
"""
"""Prints the milliseconds of the import, which the first name that is asked for brings about, and
of decorating and calling, and what was imported that takes long."""


@dataclass(frozen=True)
class Start:
    """Medians of what `PROCESS` prints, and what any process imported that takes long."""

    imported: float
    first_call: float
    both: float
    heavy: tuple[str, ...]


def start(rounds: int, warm: bool, directory: str | None = None) -> Start:
    """Fresh processes, each with an empty cache unless a directory is given."""
    imports, calls, heavy = [], [], set()
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as empty:
            words = fresh_process(
                PROCESS.format(warm=warm), DYNAMO_CACHE_DIR=directory or empty
            ).split()
        imports.append(float(words[0]))
        calls.append(float(words[1]))
        heavy.update(words[2:])
    both = [sum(pair) for pair in zip(imports, calls)]
    return Start(*map(statistics.median, (imports, calls, both)), tuple(sorted(heavy)))


def first_call() -> list[Figure]:
    warm, cold = start(7, warm=True), start(5, warm=False)
    with tempfile.TemporaryDirectory() as filled:
        start(1, warm=False, directory=filled)
        second = start(9, warm=False, directory=filled)
    return [
        Figure("first call of the 5-op function, warm process", f"{warm.first_call:.1f} ms",
               "<= 40 ms", warm.first_call <= 40),
        Figure("first call, second process with the disk cache", f"{second.first_call:.1f} ms",
               "<= 15 ms", second.first_call <= 15),
        Figure("import and first call, second process", f"{second.both:.1f} ms", "<= 115 ms",
               second.both <= 115),
        Figure("import and first call, nothing in the cache", f"{cold.both:.1f} ms", "", None,
               "of which most is importing dynamo_lite; LLVM is loaded beside"),
    ]


def import_time() -> list[Figure]:
    """All that a first call needs, unless it has to generate code, is imported here."""
    with tempfile.TemporaryDirectory() as filled:
        start(1, warm=False, directory=filled)
        found = start(9, warm=False, directory=filled)
    return [Figure("import dynamo_lite beyond NumPy",
                   f"{found.imported:.0f} ms, heavy imports {list(found.heavy)}",
                   "<= 100 ms, none", found.imported <= 100 and not found.heavy)]


FIGURES = (small_call, guards, first_call, import_time)
