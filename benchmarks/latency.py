"""Latency: calls on small arrays, guards, first calls, import."""
from __future__ import annotations

import importlib.util
import statistics
import tempfile
from collections.abc import Callable
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
    nanoseconds = compiled.entries()[0].program.time(arrays, 100_000)
    return [Figure("guards of 5 array arguments", f"{nanoseconds:.0f} ns", "<= 50 ns",
                   nanoseconds <= 50)]


FIRST_CALL = """
import time, numpy as np, dynamo_lite as dl
def warm_up(a): return np.sqrt(a) - 1.0
def five_operations(a, b): return (a + b) * a - b / 2.0
a, b = np.ones((2, 10))
if {warm}: dl.compile(warm_up)(a)
begin = time.perf_counter()
dl.compile(five_operations)(a, b)
print((time.perf_counter() - begin) * 1e3)
"""


def first_call() -> list[Figure]:
    with tempfile.TemporaryDirectory() as fill:
        cold = []
        for _ in range(5):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(float(fresh_process(FIRST_CALL.format(warm=True),
                                                DYNAMO_CACHE_DIR=cache)))
        fresh_process(FIRST_CALL.format(warm=False), DYNAMO_CACHE_DIR=fill)
        cached = [float(fresh_process(FIRST_CALL.format(warm=False), DYNAMO_CACHE_DIR=fill))
                  for _ in range(5)]
    warm, second = statistics.median(cold), statistics.median(cached)
    return [
        Figure("first call of the 5-op function, warm process", f"{warm:.1f} ms", "<= 40 ms",
               warm <= 40),
        Figure("first call, second process with the disk cache", f"{second:.1f} ms", "<= 15 ms",
               second <= 15),
    ]


IMPORT = """
import time, sys, numpy
begin = time.perf_counter()
import dynamo_lite
elapsed = (time.perf_counter() - begin) * 1e3
print(elapsed, [m for m in ("sympy", "llvmlite", "triton") if m in sys.modules])
"""


def import_time() -> list[Figure]:
    results = [fresh_process(IMPORT).split(" ", 1) for _ in range(7)]
    elapsed = statistics.median(float(time) for time, _ in results)
    loaded = results[0][1]
    return [Figure("import dynamo_lite beyond NumPy", f"{elapsed:.0f} ms, heavy imports {loaded}",
                   "<= 100 ms, none", elapsed <= 100 and loaded == "[]")]


FIGURES = (small_call, guards, first_call, import_time)
