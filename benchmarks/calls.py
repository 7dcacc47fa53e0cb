"""What a call costs beside its graph: guards, random states that are kept, draws one by one."""
from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

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


def of_one_key(d, x):
    return x * d["k5"]


def guards_of_a_large_dict() -> list[Figure]:
    """Only the key that was read is guarded."""
    arguments = {f"k{i}": float(i) for i in range(100_000)}, np.ones(3)
    nanoseconds = time_of_guards(of_one_key, arguments)
    return [Figure("guards of one key of a dict of 100,000", f"{nanoseconds:.0f} ns", "<= 100 ns",
                   nanoseconds <= 100)]


def time_of_guards(function: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    compiled = dl.compile(function)
    compiled(*arguments)
    program = compiled.entries()[0].program
    return min(program.time(arguments, 100, function) for _ in range(50))


ARRAYS = [np.full(3, float(i)) for i in range(1000)]


class Layer:
    def __init__(self, w):
        self.w = w


def of_list(arrays, x):
    total = x * 2
    for array in arrays:
        total = total + array
    return total


def of_objects(layers, x):
    total = x * 2
    for layer in layers:
        total = total + layer.w
    return total


def sum_of(names: Iterable[str], scope: dict[str, Any], parameters: str) -> Callable[..., Any]:
    exec(f"def f({parameters}):\n    return x * 2 + {' + '.join(names)}", scope)
    made: Callable[..., Any] = scope["f"]
    return made


def guards_of_many_arrays() -> list[Figure]:
    """A thousand arrays that stay the same, by where they are found."""
    names, x = [f"a{i}" for i in range(1000)], np.ones(3)
    owner = SimpleNamespace(**dict(zip(names, ARRAYS)))
    places: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
        "attributes": (sum_of([f"o.{name}" for name in names], {}, "o, x"), (owner, x)),
        "globals": (sum_of(names, dict(zip(names, ARRAYS)), "x"), (x,)),
        "a list": (of_list, (ARRAYS, x)),
        "attributes of objects in a list": (of_objects, ([*map(Layer, ARRAYS)], x)),
    }
    with dl.config.patch(unroll_budget=100_000):
        times = {place: time_of_guards(*case) for place, case in places.items()}
    return [Figure(f"guards of 1000 arrays in {place}", f"{time / 1000:.1f} us", "<= 0.3 us",
                   time <= 300) for place, time in times.items()]


def whole(x):
    y = x * 2 + 1
    return y - x


def broken(x):
    y = x * 2 + 1
    os.getpid()
    return y - x


def stepped(x, n):
    for _ in range(n):
        x = x * 0.5 + 1
        os.getpid()
    return x


def breaks() -> list[Figure]:
    """What leaving compiled code and entering it again costs, a call of Python apart."""
    x = np.ones(10)
    functions = {f.__name__: dl.compile(f) for f in (whole, broken, stepped)}
    times = interleave({
        "call": os.getpid, "whole": lambda: functions["whole"](x),
        "broken": lambda: functions["broken"](x), "stepped": lambda: functions["stepped"](x, 100),
        "numpy": lambda: stepped(x, 100),
    }, rounds=15, number=200)
    once = (times["broken"] - times["whole"] - times["call"]) * 1e9
    ratio = times["stepped"] / times["numpy"]
    return [
        Figure("a graph break and the graph behind it", f"{once:.0f} ns", "<= 250 ns", once <= 250),
        Figure("a loop of two operations and a break", f"{ratio:.2f} of NumPy", "<= 0.7",
               ratio <= 0.7, f"{times['stepped'] * 1e7:.0f} ns an iteration"),
    ]


FIGURES = (drawing, drawing_in_loops, guards_of_a_large_dict, guards_of_many_arrays, breaks)
