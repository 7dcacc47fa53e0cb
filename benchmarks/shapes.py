"""Compilations over many lengths, and memory."""
from __future__ import annotations

import numpy as np

import dynamo_lite as dl

from .measure import Figure, fresh_process
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


FIGURES = (lengths, peak_memory)
