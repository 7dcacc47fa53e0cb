"""What the condition of a `while` says of numbers is known in its iterations, not behind them."""
import re

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

X = np.cos(np.arange(1.0, 61.0) * 7)
SORTED = np.sort(np.sin(np.arange(45.0)))


def insertion_sort(x, y, k):
    x = x.copy()
    for i in range(1, len(x)):
        key = x[i]
        j = i - 1
        while j >= 0 and x[j] > key:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = key
    return x


def behind_the_last(x, y, k):
    total = 0.0
    for i in range(len(x)):
        j = i
        while j >= 0 and x[j] < 0.5:
            j -= 1
        total = total * 0.5 + x[j]
    return total, j


def past_the_end(x, y, k):
    j = 0
    while j < len(x) and x[j] < 2:
        j += 1
    return x[j]


def merged(x, y, k):
    out = np.empty(len(x) + len(y))
    i = j = n = 0
    while i < len(x) and j < len(y):
        if x[i] <= y[j]:
            out[n] = x[i]
            i += 1
        else:
            out[n] = y[j]
            j += 1
        n += 1
    while i != len(x):
        out[n] = x[i]
        i, n = i + 1, n + 1
    while not j >= len(y):
        out[n] = y[j]
        j, n = j + 1, n + 1
    return out


def one_or_the_other(x, y, k):
    i, j, total = 0, 0, 0.0
    while i < len(x) or j < len(y):
        total += x[i % len(x)] - y[j % len(y)]
        i, j = i + 2, j + 1
    return total, i, j


def first_iteration_anyway(x, y, k):
    j, total = k, 0.0
    while True:
        total += x[j]
        j = j - 3
        if j < 0:
            break
    return total, j


def between_two(x, y, k):
    low, high, swaps = 0, len(x) - 1, 0
    x = x.copy()
    while low < high:
        if x[low] > x[high]:
            x[low], x[high] = x[high], x[low]
            swaps += 1
        low += 1
        high -= 1
    return x, swaps, low, high


def takes_turns(x, y, k):
    a, b, total = 5, 30, 0.0
    for _ in range(30):
        while a < 40 and b > 10:
            a, b = b - 1, a + 2
            total += x[a] - x[b]
        a, b = 5, 31 + k % 7
    return total, a, b


def negative_inside(x, y, k):
    j, total = 9, 0.0
    while j > 0:
        j -= 12
        total += x[j]
        j += 11
    return total, j


PROGRAMS = (
    insertion_sort, behind_the_last, past_the_end, merged, one_or_the_other,
    first_iteration_anyway, between_two, takes_turns, negative_inside,
)  # fmt: skip


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_results_are_those_of_python(program, backend):
    compiled = dl.compile(program, backend=backend)
    for n, k in ((60, 5), (60, -1), (41, 40), (59, 57), (45, -45)):
        check(compiled, program, X[:n].copy(), SORTED.copy(), k)


def test_no_place_is_checked(caplog):
    def shifted(x):
        x = x.copy()
        for i in range(1, len(x)):
            key, j = x[i], i - 1
            while j >= 0 and x[j] > key:
                x[j + 1] = x[j]
                j -= 1
            key = 0.0
        return x, key

    with caplog.at_level("DEBUG", logger="dynamo_lite.schedule"), dl.config.patch(cache=False):
        dl.compile(shifted)(X.copy())
    assert not re.search(r"\bcheck ", caplog.text)
