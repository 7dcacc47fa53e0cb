"""`index` and `count` of lists that loops make, `min` and `max` by a key: exactly Python's."""
import math

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

X = np.linspace(-3.0, 3.0, 60)
TIES = np.array([2.0, -0.0, 0.0, 2.0, 1.0] * 6)
NANS = np.array([1.0, np.nan, 3.0, np.inf] * 6)
INTS = np.arange(40) % 7


def nearest(x):
    d = [(v - 0.5) ** 2 for v in x]
    return d.index(min(d)), d.index(max(d)), d.count(min(d)), d.count(d[3])


def of_pythons_numbers(x):
    d = [math.hypot(float(v), 1.0) for v in x]
    place = d.index(min(d))
    return x[place], place, d.count(1.0), d.count(True)


def of_ints(x):
    d = [int(v) % 3 for v in range(50)]
    return d.index(2), d.count(1), d.count(1.0), d.count(np.float64(2)), d.index(True), d.count(9)


def missing(x):
    return [v * 2 for v in x].index(99.5)


def missing_and_handled(x):
    d = [v * 2 for v in x]
    try:
        return d.index(99.5)
    except ValueError as error:
        return str(error)


def of_nothing_else(x):
    d = [v * 2 for v in x]
    return d.count("a"), d.count(None), d.count(x[0] * 2)


def by_computed_value(x):
    d = [v - v % 1 for v in x]
    return d.index(x[3] - x[3] % 1), d.count(x[5] - x[5] % 1)


def in_a_loop(x):
    found = []
    for k in range(20):
        d = [abs(v - k / 10) for v in x]
        found.append(d.index(min(d)))
    return found


def by_element(x):
    return (min(range(len(x)), key=lambda i: x[i]), max(range(len(x)), key=lambda i: x[i]),
            min(range(0, 20, 3), key=lambda i: -x[i]))


def by_distance(x):
    return min(x, key=lambda v: abs(v - 0.3)), max(x, key=lambda v: -(v * v))


def by_method(x):
    return min(x, key=abs), max(range(40), key=x.__getitem__)


def of_a_list(x):
    d = [v * v for v in x]
    return min(d, key=lambda v: -v), max(d, key=lambda v: v % 2)


def with_effects(x):
    seen = []

    def key(i):
        seen.append(i)
        return x[i]

    return min(range(len(x)), key=key), seen


def printed(x):
    return max(range(20), key=lambda i: print(i) or x[i])


def with_default(x):
    return min(range(len(x)), key=lambda i: x[i], default=None), min((), key=abs, default=7)


def by_texts(x):
    return max(range(30), key=lambda i: str(i))


def by_tuples(x):
    return min(range(len(x)), key=lambda i: (x[i] > 0, -x[i]))


def raised(x):
    try:
        return max(range(100), key=lambda i: x[i])
    except IndexError as error:
        return str(error)


def of_few(x):
    return min(range(4), key=lambda i: x[i]), max(x[:3], key=lambda v: -v)


def of_some(x):
    return min(range(int(x[0])), key=lambda i: x[i])


FUNCTIONS = [
    nearest, of_pythons_numbers, of_ints, missing, missing_and_handled, of_nothing_else,
    by_computed_value, in_a_loop, by_element, by_distance, by_method, of_a_list, with_effects,
    printed, with_default, by_texts, by_tuples, raised, of_few, of_some,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_places_are_pythons(function):
    compiled = dl.compile(function)
    for x in (X, TIES, NANS, INTS, X[:0], X[::-2], X.astype("f4"), X > 0):
        check(compiled, function, x)


@pytest.mark.parametrize("function", [nearest, of_pythons_numbers, in_a_loop, by_element,
                                      by_distance, of_a_list])
def test_they_are_found_in_the_graph(function):
    dl.compile(function)(X)
    assert dl.stats().graph_breaks == 0
