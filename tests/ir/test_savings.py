"""What compiled code is expected to save."""
import math

import numpy as np

import dynamo_lite as dl
from dynamo_lite.ir.savings import STEP, saved_by, taken_by_all


def graph_of(function, *args):
    return dl.explain(function, fullgraph=True)(*args).graphs[0]


def expected(function, *args):
    return saved_by(graph_of(function, *args).calls, int)


def weighted(x, covariance):
    total = 0.0
    for i in range(100):
        total += x[i] * np.linalg.det(covariance)
    return total


def changing(x, covariance):
    total = 0.0
    for i in range(100):
        total += np.linalg.det(covariance + x[i])
    return total


def test_steps_that_all_iterations_share_are_saved_but_for_one():
    args = np.ones(100), np.eye(3)
    assert expected(weighted, *args) > 99 * STEP > expected(changing, *args)


def of_numbers(state):
    for _ in range(4):
        for i in range(3):
            state[i] = state[i] * 0.5 + math.cos(state[2 - i]) + np.random.randn()


def until_small(x, _):
    while x.sum() > 1.0:
        x = x * 0.5
    return x


def test_compiled_code_takes_little_for_numbers_and_as_long_as_numpy_for_large_arrays():
    numbers = graph_of(of_numbers, np.ones(3))
    assert len(numbers.calls) > 60 and taken_by_all(numbers.calls, int) < 20_000
    large = graph_of(lambda x: x * 2 + x, np.ones(100_000))
    assert taken_by_all(large.calls, int) > saved_by(large.calls, int)


def test_how_long_compiled_loops_take_is_known_by_their_iterations():
    args = np.ones(100), np.eye(3)
    assert 100 * STEP < taken_by_all(graph_of(changing, *args).calls, int) < 200 * STEP
    assert taken_by_all(graph_of(until_small, *args).calls, int) == math.inf
