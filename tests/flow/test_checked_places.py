"""A place that was looked at is known to lie inside of its array for as long as it stays the same,
in arms and loops that begin behind it too, and no longer."""
import numpy as np
import pytest
from dynamo_lite.backends.loop_ir.loops import Check
from dynamo_lite.backends.loop_ir.program import Launch, all_steps
from dynamo_lite.backends.lowering.lower import lower

import dynamo_lite as dl
from dynamo_lite.ir.passes import optimize
from tests.graphs import graph_of
from tests.oracle import check

X = np.arange(10.0)


def moves_in_a_loop(x, n):
    total, k = x[n], n
    for _ in range(4):
        total += x[k]
        k += 2
    return total


def moves_in_an_arm(x, n):
    k, total = n, 0.0
    for i in range(6):
        total += x[k]
        if x[k] > 3:
            k += 3
            total += x[k]
        else:
            total -= x[k]
    return total


def moves_back(x, n):
    k, total = n, 0.0
    while k >= -12:
        total += x[k]
        for j in range(k):
            total += x[j] * x[k]
        k -= 1
    return total


def moves_in_a_loop_of_a_loop(x, n):
    k, total = n, 0.0
    for i in range(5):
        total += x[k]
        for j in range(3):
            total += x[k] * j
            if j == 2:
                k += i
        total -= x[k]
    return total


def is_known_from_an_element(x, n):
    at = np.arange(12)
    total = 0.0
    for i in range(9):
        k = at[n]
        total += x[k]
        at[n] += 1
        total += x[at[n]]
    return total


def another_array(x, n):
    y, total, k = x[:4], 0.0, n
    for i in range(3):
        total += x[k]
        if i < 2:
            total += y[k]
        k += 1
    return total


def of_a_copy(x, n):
    k, total = n, 0.0
    for _ in range(5):
        before = k
        k = k + 3
        total += x[before]
        for _ in range(2):
            total += x[k]
    return total


def of_numbers_below(x, n):
    total = 0.0
    for i in range(n):
        for k in range(i):
            total += x[i] * x[k] - x[k + 1]
            for j in range(k):
                total -= x[j]
    return total


def of_ranges_that_end_elsewhere(x, n):
    total, k = 0.0, n
    for i in range(n):
        k = x.size - 1 - i
        total += x[k]
        for j in range(k):
            total += x[j]
            k = k + 1 if j == 2 else k
        for j in range(0, k):
            total += x[j]
        for j in range(k, 0, -1):
            total += x[j]
    return total


PROGRAMS = (
    of_numbers_below, of_ranges_that_end_elsewhere,
    moves_in_a_loop, moves_in_an_arm, moves_back, moves_in_a_loop_of_a_loop,
    is_known_from_an_element, another_array, of_a_copy,
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_results_and_errors_are_those_of_python(program):
    compiled = dl.compile(program)
    for n in (0, 1, 2, 3, 4, 7, 9, 10, 11, -1, -9, -10, -11, 5):
        check(compiled, program, X, n, calls=1)
    for length in (9, 11, 4, 12, 1, 0):
        for n in (0, 1, 3, length - 1, length, length + 1, -length, -length - 1):
            check(compiled, program, np.arange(float(length)), n, calls=1)


def pairs(x, n):
    at, row, total = np.zeros(n, dtype=int), 0, 0.0
    while row >= 0:
        at[row] += 1
        if at[row] == n:
            row -= 1
            continue
        for k in range(row):
            total += at[row] - at[k]
        if row < n - 1:
            row += 1
            at[row] = -1
    return total


def test_a_place_is_looked_at_once():
    program = lower(optimize(graph_of(pairs, X, 5)))
    kernels = [one.kernel for one in all_steps(program.steps) if isinstance(one, Launch)]
    assert sum(isinstance(one, Check) for kernel in kernels for one in kernel.statements) == 1
