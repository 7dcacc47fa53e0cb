"""What the condition of a branch says of numbers is known in its arms: places in arrays and results
of operations need no check there."""
import re

import numpy as np
import pytest

import dynamo_lite as dl
from benchmarks.loop_programs import histogram

from ..oracle import check

X, M = np.cos(np.arange(60.0)), np.sin(np.arange(120.0)).reshape(10, 12)
K = np.arange(60) * 7 % 23 - 5


def neighbours(x, m, k):
    total = 0.0
    for i in range(len(x)):
        left = x[i - 1] if i > 0 else 0.5
        right = x[i + 1] if i + 1 < len(x) else -0.5
        total = total * 0.25 + left - right
    return total


def four_sides(x, m, k):
    out = np.zeros_like(m)
    rows, columns = m.shape
    for i in range(rows):
        for j in range(columns):
            if i != 0:
                out[i, j] += m[i - 1, j]
            if 1 <= j:
                out[i, j] += m[i, j - 1]
            if not i >= rows - 1:
                out[i, j] += m[i + 1, j]
            if j == columns - 1:
                out[i, j] -= m[i, j - 11]
            else:
                out[i, j] += m[i, j + 1]
    return out


def of_both(x, m, k):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            if (2 <= i - j < 30 and j > 4) or i + j == 3:
                total += x[i - j] * x[j - 3]
            elif i < j or j > 50:
                total -= x[j - i] * 0.5
    return total


def of_data(x, m, k):
    total = 0
    for i in range(len(k)):
        v = int(k[i])
        if v > 2 and v < 40:
            total += v * v * v + int(k[v - 2])
        elif v != -3:
            total -= int(k[v])
        if v == 7:
            total += int(k[v + 3])
    return total


def element_of_itself(x, m, k):
    total = 0
    for i in range(len(k)):
        if k[0] > 100:
            k[i] = k[i] + k[0]
            total += int(k[int(k[1])])
        else:
            k[0] = k[0] + 40
    return total, k


def changed_in_an_arm(x, m, k):
    place, total = 0, 0.0
    for i in range(200):
        if place < 50:
            place = place + 7
            total += x[place]
        else:
            total -= x[place - 50]
            place = place - 51
    return total, place


def of_floats(x, m, k):
    return histogram(x, 8)


PROGRAMS = (
    neighbours, four_sides, of_both, of_data, element_of_itself, changed_in_an_arm, of_floats,
)  # fmt: skip


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_results_are_those_of_python(program, backend):
    compiled = dl.compile(program, backend=backend)
    for n in (60, 60, 41, 59):
        check(compiled, program, X[:n].copy(), M.copy(), K.copy())
    assert dl.stats().errors == 0


@pytest.mark.parametrize("program", [neighbours, four_sides])
def test_no_place_is_checked(program, caplog):
    with caplog.at_level("DEBUG", logger="dynamo_lite.schedule"), dl.config.patch(cache=False):
        dl.compile(program)(X.copy(), M.copy(), K.copy())
    assert not re.search(r"\bcheck ", caplog.text)


@pytest.mark.parametrize("least", [2**62 - 1, 2**62, 2**63 - 1])
def test_what_is_too_large_is_left_to_python(least):
    def program(v, n):
        total = 0
        for i in range(n):
            if v < 2**62:
                total = v * 2 + i
            else:
                total = v + i
        return total

    compiled = dl.compile(program)
    for v in (5, least, -(2**63)):
        check(compiled, program, v, 100)
