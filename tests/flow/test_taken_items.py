"""Iterators that were made before a branch on data, or a loop of the graph, which takes of them.

What is left shows behind it.
"""
import itertools

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check


def by_sum(x, it):
    total = sum(it) if x[0] > 0 else 0
    return total, list(it)


def by_a_generator(x, it):
    total = sum(v * 2 for v in it) if x[0] > 0 else 0
    return total, list(it)


def by_map(x, it):
    total = sum(map(abs, it)) if x[0] > 0 else 0
    return total, list(it)


def by_zip(x, it):
    total = 0
    if x[0] > 0:
        for a, b in zip(it, x):
            total += a * b
    return total, list(it)


def by_the_next_of_zip(x, it):
    total = 0
    if x[0] > 0:
        total = next(zip(it, x))[0]
    return total, list(it)


def by_enumerate(x, it):
    total = 0
    if x[0] > 0:
        for i, v in enumerate(it):
            total += i * v
    return total, list(it)


def by_unpacking(x, it):
    count = 0
    if x[0] > 0:
        _, *others = it
        count = len(others)
    return count, list(it)


def by_max(x, it):
    largest = max(it, default=1.0) if x[0] > 0 else 0.0
    return largest, list(it)


def in_each_iteration(x, it):
    total = 0.0
    for k in range(30):
        total = total + sum(it) + k
    return total, list(it)


def in_some_iterations(x, it):
    total = 0.0
    for v in x:
        if v > 0:
            total = total + sum(it)
    return total, list(it)


def by_a_loop_in_a_loop(x, it):
    total = 0.0
    for k in range(30):
        for v in it:
            total = total + v
        total = total + k
    return total, list(it)


def one_in_each_iteration(x, it):
    total = 0.0
    for _ in range(25):
        total = total + next(zip(it, x), (0.5,))[0]
    return total, list(it)


def until_enough(x, it):
    total = 0.0
    while total < 10:
        total = total + sum(map(abs, it)) + 1
    return total, list(it)


FUNCTIONS = [
    by_sum, by_a_generator, by_map, by_zip, by_the_next_of_zip, by_enumerate, by_unpacking, by_max,
    in_each_iteration, in_some_iterations, by_a_loop_in_a_loop, one_in_each_iteration, until_enough,
]
MAKERS = {
    "iter": iter, "map": lambda x: map(abs, x), "generator": lambda x: (v * 2 for v in x),
    "filter": lambda x: filter(lambda v: v > 1, x), "reversed": reversed,
    "flat": lambda x: x.flat, "islice": lambda x: itertools.islice(x, 2, None),
}


@pytest.mark.parametrize("count", [3, 40])
@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_what_is_left_is_what_python_leaves(function, maker, count):
    make = MAKERS[maker]

    def program(x):
        return function(x, make(x))

    for x in (np.arange(float(count)) - 5, np.arange(float(count)) + 1):
        check(dl.compile(program), program, x)
