"""What a call costs beside its graph: random states that are kept, and draws one by one."""
from __future__ import annotations

from collections.abc import Callable

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


def metropolis(rng, n):
    x, found = 0.0, np.zeros(n)
    for i in range(n):
        y = x + rng.normal(0, 0.5)
        if rng.uniform() < np.exp(-0.5 * (y * y - x * x)):
            x = y
        found[i] = x
    return found


def walk(rng, n):
    found = np.zeros(n)
    for i in range(1, n):
        found[i] = found[i - 1] + rng.choice([-1, 1])
    return found


def drawing_in_loops() -> list[Figure]:
    """Numbers that a loop draws one by one, from the same streams as NumPy's."""
    return [loop_of(function, name) for function in (metropolis, walk) for name in STATES]


def loop_of(function: Callable[..., np.ndarray], name: str) -> Figure:
    state, compiled = STATES[name], dl.compile(function)
    compiled(state, 2000)
    times = interleave({"numpy": lambda: function(state, 2000),
                        "compiled": lambda: compiled(state, 2000)}, rounds=7, number=1)
    ratio = times["numpy"] / times["compiled"]
    return Figure(f"{function.__name__} of 2000 steps, {name}", f"{ratio:.0f}x NumPy", ">= 10x",
                  ratio >= 10, ", ".join(f"{k} {v * 1e6:.0f} us" for k, v in times.items()))


FIGURES = (drawing, drawing_in_loops)
