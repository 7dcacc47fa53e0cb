"""Functions of lists of numbers from outside, against Python: lists of Python's floats, of NumPy's,
and of both, 3,000 numbers each."""
from __future__ import annotations

import bisect
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import dynamo_lite as dl

from .measure import Figure, interleave

ARRAY = np.random.default_rng(0).standard_normal(3000).cumsum()
LISTS = {"floats": ARRAY.tolist(), "NumPy's": [*ARRAY], "both": [0.0, *ARRAY[1:]]}


def squares(values):
    found = 0.0
    for value in values:
        found += value * value
    return found


def variance(values):
    middle = sum(values) / len(values)
    return sum((value - middle) ** 2 for value in values) / len(values)


def steps(values):
    found = 0
    for index in range(len(values) - 1):
        found += values[index + 1] - values[index] > 0
    return found


def selected(values):
    return len([value * 2 for value in values if value > 0])


def as_array(values):
    return (np.array(values) * 2).sum()


def mean(values):
    return np.mean(values)


def total(values):
    return sum(values)


def largest(values):
    return max(values) - min(values)


def place(values):
    return values.index(values[1500])


def ordered(values):
    return sorted(values)[1500]


def placed(values):
    return bisect.bisect(values, values[2000])


PROGRAMS = (squares, variance, steps, selected, as_array, mean, total, largest, place, ordered,
            placed)
SLOWEST = 0.9


def measured(function: Callable[..., Any]) -> Figure:
    ratios, firsts = {}, []
    for name, values in LISTS.items():
        compiled = dl.compile(function)
        begin = time.perf_counter()
        found = compiled(values)
        firsts.append(time.perf_counter() - begin)
        assert repr(found) == repr(function(values)), (function.__name__, name)
        times = interleave({"python": partial(function, values),
                            "compiled": partial(compiled, values)}, rounds=31)
        ratios[name] = times["python"] / times["compiled"]
    return Figure(
        f"{function.__name__} of a list of 3,000 numbers",
        ", ".join(f"{name} {ratio:.2f}x" for name, ratio in ratios.items()),
        f">= {SLOWEST}x Python", min(ratios.values()) >= SLOWEST,
        f"first call at most {max(firsts) * 1e3:.0f} ms")


def outside_lists() -> list[Figure]:
    return [measured(function) for function in PROGRAMS]


FIGURES = (outside_lists,)
