"""Compilations over many lengths, and memory."""
from __future__ import annotations

from functools import partial

import numpy as np

import dynamo_lite as dl

from .measure import Figure, fresh_process, interleave
from .throughput import chain


def lengths() -> list[Figure]:
    dl.reset()
    compiled = dl.compile(chain)
    for n in range(10, 1010, 50):
        x, y = np.random.default_rng(n).normal(size=(2, n))
        np.testing.assert_allclose(compiled(x, y), chain(x, y), rtol=1e-13, atol=1e-14)
    count = len(compiled.entries())
    return [Figure("20 different lengths", f"{count} compilations", "<= 2", count <= 2)]


PEAK = """
import numpy as np, dynamo_lite as dl
def chain(x, y): return np.tanh(np.exp(-x * x) + y) * 0.5 - x
def high_water():
    return next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM"))
compiled = dl.compile(chain)
small = np.ones((2, 2_000_000))
compiled(*small); compiled(*np.ones((2, 3_000_000)))
x, y = np.ones((2, 10_000_000))
open("/proc/self/clear_refs", "w").write("5")
before = high_water()
result = compiled(x, y)
print((high_water() - before) / 1024 - result.nbytes / 2**20)
"""


def peak_memory() -> list[Figure]:
    extra = float(fresh_process(PEAK))
    return [Figure("peak memory of the fused chain beyond inputs and output", f"{extra:.1f} MiB",
                   "<= 1 MB", extra <= 1.0)]


def selected(x: np.ndarray) -> np.ndarray:
    return x[x > 0]


def total_of_selected(x: np.ndarray) -> np.floating:
    return x[x > 0].sum()


def zeroed(x: np.ndarray) -> np.ndarray:
    y = x.copy()
    y[y > 0] = 0
    return y


def places(x: np.ndarray) -> tuple[np.ndarray, ...]:
    return np.where(x > 0)


def masks() -> list[Figure]:
    """Boolean masks of random data, against NumPy."""
    found = []
    for function in (selected, total_of_selected, zeroed, places):
        for n, number in ((10, 200), (1_000_000, 1)):
            x = np.random.default_rng(n).normal(size=n)
            compiled = dl.compile(function)
            np.testing.assert_allclose(compiled(x), function(x), rtol=1e-13, atol=1e-14)
            times = interleave(
                {"numpy": partial(function, x), "ours": partial(compiled, x)}, number=number
            )
            ratio = times["ours"] / times["numpy"]
            found.append(Figure(f"{function.__name__} of {n:,} elements / NumPy", f"{ratio:.2f}",
                                "<= 1", ratio <= 1))
    return found


FIGURES = (lengths, masks, peak_memory)
