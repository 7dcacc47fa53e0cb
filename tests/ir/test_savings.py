"""What compiled code is expected to save."""
import math

import numpy as np
from dynamo_lite.backends.hints import hints_of

import dynamo_lite as dl
from dynamo_lite.ir.savings import STEP, saved_by, taken_by_all


def graph_of(function, *args):
    return dl.explain(function, fullgraph=True)(*args).graphs[0]


def expected(function, *args):
    graph = graph_of(function, *args)
    return saved_by(graph.calls, hints_of(graph.symbols))


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


def at_positions(x, y):
    below = np.where(x < 0)
    x[below] *= -1
    np.add.at(y, below, 1.0)
    return np.linalg.norm(x)


def test_numpy_takes_longer_for_positions_and_reductions_than_for_elements():
    args = np.linspace(-1, 1, 20), np.zeros(20)
    assert expected(at_positions, *args) > 3 * expected(lambda x, y: (x < 0, x * -1, y + x), *args)
    sums, products = (lambda x: x.sum() + x.max()), (lambda x: (x * x, x + x))
    assert expected(sums, args[0]) > 2 * expected(products, args[0])


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


def to_an_end(x, end):
    total = 0.0
    for i in range(end):
        total = total * 0.5 + x[i % 3]
    return total


def to_an_end_in_data(x, ends):
    return to_an_end(x, ends[0])


def test_loops_to_a_symbolic_end_are_taken_to_have_as_many_iterations_as_now():
    def saved_in_loop(function, *args):
        compiled = dl.compile(function, dynamic=True)
        graph = dl.explain(compiled, fullgraph=True)(*args).graphs[0]
        return saved_by(graph.calls, hints_of(graph.symbols))

    one = saved_in_loop(to_an_end, np.ones(3), 7) / 7
    assert saved_in_loop(to_an_end, np.ones(3), 5000) > 4000 * one
    ends = np.array([5000])
    assert saved_in_loop(to_an_end_in_data, np.ones(3), ends) < 20 * one
