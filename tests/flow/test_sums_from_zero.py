"""Numbers that begin as the int 0 and become floats in a loop within a loop, which may have no
iterations at all."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..graphs import graph_of
from ..oracle import check


def of_triangle(x, n):
    total = 0
    for i in range(n):
        for j in range(i):
            total += x[j % 3] * i
    return total


def of_three(x, n):
    total = 0
    for i in range(n):
        for j in range(i):
            for k in range(j):
                total += x[k % 3] * i
    return total


def where_larger(x, n):
    total = 0
    for i in range(n):
        for j in range(n):
            if x[j % 3] > i:
                total += x[j % 3]
    return total


def with_whiles(x, n):
    total, count = 0, 0
    for i in range(n):
        j = 0
        while x[j % 3] * j < i and j < 20:
            total += x[j % 3] * i
            j, count = j + 1, count + 1
    return total, count


def of_ints_first(x, n):
    total = 0
    for i in range(n):
        for j in range(i):
            total += i * j
        for j in range(i):
            total += x[j % 3]
    return total


def stored(x, n):
    found = np.zeros(n)
    for i in range(n):
        total = 0
        for j in range(i):
            total += x[j % 3] * j
        found[i] = total
    return found


def replaced(x, n):
    total = 0
    for i in range(n):
        total += i
        for j in range(i):
            if x[j % 3] > 2 * i:
                total = x[j % 3] * 0.5
    return total


def greatest(x, n):
    best, where = 0, -1
    for i in range(n):
        for j in range(i):
            far = abs(x[i % 3] - x[j % 3]) * j
            if far > best:
                best, where = far, i * j
    return best, where


def of_literals(x, n):
    total = 0
    for i in range(n):
        for j in range(i):
            total += 1 if x[j % 3] > 1 else 0.5
    return total


def begins_large(x, n):
    total = 2**60
    for i in range(n):
        for j in range(i):
            total += x[j % 3] * i
    return total


def begins_with_an_argument(x, n):
    total = n
    for i in range(n):
        for j in range(i):
            total += x[j % 3]
    return total


def negated(x, n):
    total = 0
    for i in range(n):
        for j in range(i):
            total -= x[j % 3] * 2.0**54
            total = -total
    return total, total == 0, total > 1


def begins_with_a_bool(x, n):
    total = True
    for i in range(n):
        for j in range(i):
            total += x[j % 3]
    return total


LOOPS = [of_triangle, of_three, where_larger, with_whiles, of_ints_first, stored, replaced,
         greatest, of_literals]
OTHERS = [begins_large, begins_with_an_argument, negated, begins_with_a_bool]
X = np.array([1.0, 2.0, 3.5])


@pytest.mark.parametrize("function", [*LOOPS, *OTHERS])
def test_values_and_types(function):
    compiled = dl.compile(function)
    for n in (45, 0, 1, 2, 41):
        check(compiled, function, X, n)
    for x in ([0.0, -0.0, np.nan], [-0.0, -0.0, -0.0], [1e300, np.inf, -1e308]):
        check(compiled, function, np.array(x), 43)
    check(compiled, function, np.array([1, 2, 3]), 44)


@pytest.mark.parametrize("function", LOOPS)
def test_they_are_loops_of_the_graph(function):
    assert len(graph_of(function, X, 60).nodes) < 30
