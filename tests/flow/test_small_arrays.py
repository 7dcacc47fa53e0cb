"""Arrays of a few elements that loops make and read live in registers: same bits, same warnings."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check


def stepped(x, steps):
    for _ in range(steps):
        slope = np.array([x[-1] * 0.5, *-x[:-1]])
        x = x + 0.01 * slope
    return x


def taking_turns(x, steps):
    y = x * 2
    for _ in range(steps):
        x, y = y * 0.5 + 1, x
    return x, y


def kept_if_better(x, steps):
    best, least = x, np.inf
    for k in range(steps):
        new = best * 0.75 + np.sin(k)
        error = np.abs(new - best).max()
        if error < least:
            best, least = new, error
    return best, least


def sums(x, steps):
    total, v = 0.0, x.copy()
    for k in range(steps):
        v = v * 0.9 + k
        total += v.sum() + v.mean() + (v * v).sum() + v.prod() * 1e-9
    return total


def dots(x, steps):
    total, v = 0.0, x.copy()
    for k in range(steps):
        v = v * 0.9 + k
        total += v @ x + np.dot(v, v) + np.linalg.norm(v)
    return total


def extremes(x, steps):
    low, high, v = 0.0, 0.0, x.copy()
    for _ in range(steps):
        v = -v[::-1] * 0.5
        low += v.min()
        high = max(high, np.maximum(v, x).max())
    return low, high, v


def counted(x, steps):
    found, v = 0, x.copy()
    for k in range(steps):
        v = v + k
        found += int((v > 3).sum()) + bool((v > 0).all()) + bool((v < 0).any())
    return found


def ints(x, steps):
    v = x.astype(np.int32)
    for k in range(steps):
        v = v * 3 + k
        v ^= v >> 2
    return v, v.sum(), v.max()


def singles(x, steps):
    v, total = x.astype(np.float32), np.float32(0)
    for _ in range(steps):
        v = v / 3 + v / 4 + 1
        total += v.sum()
    return v, total


def written(x, steps):
    v = np.zeros(len(x))
    for k in range(steps):
        v[k % len(x)] += x[k % len(x)]
        v = v + 1
        v *= 0.5
    return v


def in_rows(x, steps):
    m = np.ones((2, 4)) * x[0]
    out = np.zeros(2)
    for k in range(steps):
        m = m * 0.5 + k
        out += m.sum(axis=1) + m.sum(axis=0)[:2] + m.sum()
    return m, out


def read_in_python(x, steps):
    seen, v = [], x.copy()
    for k in range(steps):
        v = v * 0.5
        if k % 9 == 8:
            seen.append(str(v))
    return seen, v


PROGRAMS = [stepped, taking_turns, kept_if_better, sums, dots, extremes, counted, ints, singles,
            written, in_rows, read_in_python]


@pytest.mark.parametrize("length", [1, 2, 3, 8, 9])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_small_arrays_are_exact(program, length):
    compiled = dl.compile(program)
    x = np.random.default_rng(length).normal(size=length)
    check(compiled, program, x, 40, calls=2)
    for value in (0.0, -0.0, np.nan, np.inf, 1e308, 5e-324):
        odd = np.zeros(length)
        odd[length // 2] = value
        check(compiled, program, odd, 20, calls=1)


def test_zeros_of_both_signs():
    def program(x, steps):
        found = []
        for k in range(steps):
            v = np.array([x[k % 4], x[(k + 1) % 4], x[(k + 2) % 4], x[(k + 3) % 4]])
            found.append(v.max())
            found.append(v.min())
            found.append(v.sum())
        return found

    compiled = dl.compile(program)
    check(compiled, program, np.array([-1.0, 0.0, -0.0, -1.0]), 40, calls=2)
    check(compiled, program, np.array([-0.0, -0.0, -0.0, -0.0]), 40, calls=2)


@pytest.mark.parametrize("divisor", [2, 4.0, -0.5, 2.0**-60, 2.0**70, 3])
def test_quotients_by_known_numbers(divisor):
    def program(x, steps):
        a = x[0]
        for _ in range(steps):
            a = a / divisor
        return a, x / divisor

    compiled = dl.compile(program)
    with np.errstate(all="warn"):
        for value in (1.0, 5e-324, 2.2e-308, 1e308, -0.0, np.nan, np.inf):
            check(compiled, program, np.array([value, 3.0]), 20, calls=2)
