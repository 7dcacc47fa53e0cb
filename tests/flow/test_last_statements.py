"""Loops that are the last statement in another one: however many parts their conditions have, they
have one exit (CPython jumps back to the outer loop from each part, from 3.12 on)."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

X = np.cos(np.arange(1.0, 61.0) * 7)


def insertion_sort(x):
    x = x.copy()
    for i in range(1, len(x)):
        j = i
        while j > 0 and x[j - 1] > x[j]:
            x[j], x[j - 1] = x[j - 1], x[j]
            j -= 1
    return x


def three_parts(x):
    total, k = 0.0, 0
    for i in range(len(x)):
        k = i
        while k < len(x) - 1 and x[k] < 0.9 and (total < 3 or k % 2):
            total += x[k]
            k += 1
    return total, k


def in_a_while(x):
    i, total = 0, 0.0
    while i < len(x):
        i += 3
        j = i
        while j > 2 and x[j % len(x)] < 0.5:
            total += x[j - 1]
            j -= 2
    return total, i


def with_continue(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.8 or i % 7 == 3:
            continue
        j = i
        while j > 0:
            j -= 1
            if j % 5 == 0:
                continue
            total += x[j]
    return total


def with_break(x):
    total = 0.0
    for i in range(1, len(x)):
        for j in range(i):
            if x[j] > x[i] and x[i] > -0.5:
                break
            if x[j] > 0.9 or (x[j] < -0.9 and i % 2):
                continue
            total += x[j]
    return total


def else_of_a_loop(x):
    found = 0
    for i in range(2, len(x)):
        j = 2
        while j * j <= i and i % j:
            j += 1
        else:
            found += j
            while found > 50 and i % 3:
                found -= 17
    return found


PROGRAMS = (
    insertion_sort, three_parts, in_a_while, with_continue, with_break, else_of_a_loop,
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_they_are_one_graph(program):
    dl.reset()
    compiled = dl.compile(program, fullgraph=True)
    with dl.config.patch(strict=True):
        for n in (60, 41, 60):
            check(compiled, program, X[:n].copy())
    assert not dl.stats().break_reasons


def test_an_error_has_its_line():
    def outside(x, places):
        total = 0.0
        for i in range(len(x)):
            j = i
            while j > 0 and x[places[j]] > 0:
                total += x[j]
                j -= 1
        return total

    places = np.arange(60)
    compiled = dl.compile(outside)
    check(compiled, outside, np.abs(X), places)
    places[30] = 60
    check(compiled, outside, np.abs(X), places)
