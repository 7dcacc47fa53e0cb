"""Minima and maxima of integers in loops are those of Python in whatever order their operands are
compared."""
import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import check

NUMBERS = np.random.default_rng(5).integers(-9, 9, 60)


def of_what_was_stored(x, y):
    out = np.zeros(len(x) + 1, dtype=x.dtype)
    for i in range(len(x)):
        out[i + 1] = min(out[i] + 1, x[i], y[i])
    return out


def in_the_middle(x, y):
    best, out = x[0], np.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        best = max(x[i], best - 1, y[i], x[i] - y[i])
        out[i] = best
    return out


def minima_of_maxima(x, y):
    low, high = x[0], y[0]
    out = np.zeros((len(x), 2), dtype=x.dtype)
    for i in range(len(x)):
        low = min(max(low, x[i], y[i]), high + 1, x[i] + 3)
        high = max(min(high, low, x[i]), y[i] - low, i)
        out[i, 0], out[i, 1] = low, high
    return out


def chosen_by_comparing(x, y):
    best, out = x[0], np.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        lesser = x[i] if x[i] < y[i] else y[i]
        best = best + 1 if best + 1 <= lesser else lesser
        out[i] = best if best > y[i] else y[i]
    return out


def of_a_branch(x, y):
    best, out = x[0], np.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        step = 1 if best < y[i] else 2
        best = min(best + step, x[i], y[i] + step)
        out[i] = best
    return out


PROGRAMS = (of_what_was_stored, in_the_middle, minima_of_maxima, chosen_by_comparing, of_a_branch)


@pytest.mark.parametrize("dtype", ["i8", "i4", "u1", "f8"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_results_are_those_of_python(program, dtype):
    x, y = NUMBERS, NUMBERS[::-1].copy()
    if dtype == "u1":
        x, y = x + 9, y + 9
    x, y = x.astype(dtype), y.astype(dtype)
    if dtype == "f8":
        x[7], y[9], x[12], y[13] = np.nan, np.nan, -0.0, 0.0
    check(dl.compile(program), program, x, y)
