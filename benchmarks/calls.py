"""What a call costs beside its graph: random states that are kept."""
from __future__ import annotations

import numpy as np

import dynamo_lite as dl

from .measure import Figure, interleave


def noisy(state, x):
    drift = np.exp(-x) * x - x / 3
    return np.tanh(drift + state.standard_normal(20)) * (x + 1) - drift


STATES = {
    "RandomState": np.random.RandomState(1), "PCG64": np.random.default_rng(1),
    "MT19937": np.random.Generator(np.random.MT19937(1)),
}


def drawing() -> list[Figure]:
    """The state is saved before each call, in case that it bails out."""
    return [draw_of(name) for name in STATES]


def draw_of(name: str) -> Figure:
    x, state, compiled = np.linspace(0, 1, 20), STATES[name], dl.compile(noisy)
    compiled(state, x)
    times = interleave({"numpy": lambda: noisy(state, x), "compiled": lambda: compiled(state, x)},
                       rounds=15, number=1000)
    ratio = times["compiled"] / times["numpy"]
    return Figure(f"a draw among small operations, {name}", f"{ratio:.2f} of NumPy", "<= 0.75",
                  ratio <= 0.75, ", ".join(f"{k} {v * 1e6:.2f} us" for k, v in times.items()))


FIGURES = (drawing,)
