"""Loops that are left in several ways, which do something before they come together."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check


def search(x):
    low, high, found = 0, len(x) - 1, -1
    while low <= high:
        middle = (low + high) // 2
        if x[middle] == 0.25:
            found = middle
            break
        if x[middle] < 0.25:
            low = middle + 1
        else:
            high = middle - 1
    return found, low


def two_breaks(x):
    n = why = 0
    for i in range(len(x)):
        n += 1
        if x[i] > 2.5:
            why = 1
            break
        if x[i] < -2.5:
            why, n = 2, n + 10
            break
    return n, why


def with_else(x):
    why = 0
    for v in x:
        if v > 2.8:
            why = 1
            break
        if v < -2.8:
            break
    else:
        why = 3
    return why


def nested(x):
    t = 0
    for k in range(60):
        ok = True
        for v in x:
            if v > 2 + k / 60:
                ok = False
                break
            if v < -2.5:
                ok = k % 2 == 0
                t += 5
                break
            t += 1
        if ok:
            t += 1
    return t


def smallest_factor(x):
    n, k, is_prime = 10_007 + len(x), 2, True
    while True:
        if k * k > n * (x[0] + 10):
            break
        if n % k == 0:
            is_prime = False
            break
        k += 1
    return n, k, is_prime


def raising(x):
    n = 0
    for v in x:
        if v > 2.9:
            raise ValueError("too large")
        if v < -2.9:
            n = -1
            break
        n += 1
    return n


def with_comprehensions(x):
    """Since Python 3.12 their variables are those of the function."""
    total, i = 0.0, 0
    while i < len(x) - 1 and x[i] != 0.25:
        one, two = [x[i] * k for k in (1, 2)]
        total += one if one > two else two
        i += 1
    return total + sum([x[k] for k in (0, 1)]), i


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize(
    "program",
    [search, two_breaks, with_else, nested, smallest_factor, raising, with_comprehensions],
    ids=lambda program: program.__name__,
)
def test_ways_out_of_a_loop(program, backend):
    compiled = dl.compile(program, backend=backend)
    r = np.random.default_rng(0)
    with dl.config.patch(strict=True):
        for size in (100, 2, 30, 300, 70, 101):
            x = np.sort(r.normal(size=size)) if program is search else r.normal(size=size)
            x[size // 3] = 0.25
            check(compiled, program, x, calls=1)
    found = dl.explain(program)(r.normal(size=90) / 4)
    assert found.graph_count == 1 and not found.break_reasons


def rarely_rebound(x):
    s = 0.0
    for i in range(60):
        j = 0
        while j < 4:
            j += 1
            if s > 1000:
                x = x + 1
            if s % 3 == 1:
                s += 1
                continue
            s += 1
    return x, s


def test_an_array_that_inner_loops_hardly_ever_replace_is_the_callers_own():
    x = np.arange(5.0)
    with dl.config.patch(strict=True):
        result, steps = dl.compile(rarely_rebound)(x)
    assert result is x and steps == rarely_rebound(x)[1]
