"""Variables of comprehensions, which are in cells before Python 3.12, that arms and iterations give
their first values."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

Q = np.arange(24.0).reshape(6, 4) % 7
ACTIONS = [0, 1, 2, 3]


def greedy(q, row):
    if q[row, 0] > 4:
        return np.random.choice(ACTIONS)
    else:
        values = q[row]
        best = [action for action, value in enumerate(values) if value == np.max(values)]
        return np.random.choice(best)


def greedy_by_generator(q, row):
    rng = np.random.default_rng(3)
    values = q[row]
    return rng.choice([action for action, value in enumerate(values) if value == values.max()])


def in_a_loop(q, row):
    total = 0
    for k in range(6):
        if q[k, 1] > 2:
            values = q[k]
            total += np.random.choice([i for i, v in enumerate(values) if v == np.max(values)])
        else:
            total += row
    return total


def in_both_arms(q, row):
    if q[row, 0] > 2:
        low = q[row, 1]
    else:
        low = q[row, 2]
    return [value for value in q[row] if value > low]


def in_one_arm(q, row):
    if q[row, 0] > 2:
        low = q[row, 1]
        found = len([value for value in q[row] if value > low])
    else:
        found = -1
    low = 2.0
    return found, len([value for value in q[row] if value > low])


def perhaps_without_value(q, row):
    if q[row, 0] > 2:
        low = q[row, 1]
    return [value for value in q[row] if value > low]


def shown(q, row):
    if q[row, 0] > 2:
        low = q[row, 1]
        found = [value for value in q[row] if value > low]
    else:
        found = []
    return found, sorted(locals())


def kept_by_a_function(q, row):
    if q[row, 0] > 2:
        low = q[row, 1]
        found = [value for value in q[row] if value > low]
        later = lambda: low  # noqa: E731
    else:
        found, later = [], lambda: None
    low = 9
    return found, later()


def kept_in_a_comprehension(q, row):
    if q[row, 0] > 2:
        low = q[row, 1]
        later = [lambda: low + k for k in range(2)]
    else:
        later = []
    low = 9
    return [each() for each in later]


def deleted(q, row):
    if q[row, 0] > 2:
        low = q[row, 1]
        found = [value for value in q[row] if value > low]
        del low
    else:
        found = []
    return found, [value for value in found if low]


def in_a_generator(q, row):
    if q[row, 0] > 2:
        low = q[row, 1]
        later = (value for value in q[row] if value > low)
    else:
        later = iter(())
    low = 0.0
    return [*later]


FUNCTIONS = [
    greedy, greedy_by_generator, in_a_loop, in_both_arms, in_one_arm, perhaps_without_value, shown,
    kept_by_a_function, kept_in_a_comprehension, deleted, in_a_generator,
]


def drawn(function):
    """The function with the same random numbers in each call, and what is drawn next."""

    def seeded(q, row):
        np.random.seed(5)
        return function(q, row), np.random.rand()

    return seeded


@pytest.mark.parametrize("function", FUNCTIONS)
def test_arms_give_cells_their_first_values(function):
    compiled = drawn(dl.compile(function))
    for row in range(6):
        check(compiled, drawn(function), Q, row)


@pytest.mark.parametrize("function", [greedy, greedy_by_generator, in_a_loop])
def test_choices_among_what_a_comprehension_finds_are_one_graph(function):
    dl.compile(function)(Q, 1)
    assert dl.stats().graph_breaks == 0


def nothing_found(q, row):
    return np.random.choice([i for i, v in enumerate(q[row]) if v > 100])


def test_nothing_to_choose_from():
    compiled = dl.compile(nothing_found)
    for row in range(2):
        check(compiled, nothing_found, Q, row)
