"""What simulations keep of each step: lists of rows, in variables and in fields of objects."""
import math

import numpy as np
import pytest

import dynamo_lite as dl

from ..graphs import graph_of
from ..oracle import check


def rows(n, x, v):
    kept = []
    for i in range(n):
        v -= x * 0.01
        x += v * 0.01
        kept.append([i * 0.01, x, v])
    return np.array(kept)


def tuples(n, x, v):
    kept = [(0, x, v)]
    for i in range(n):
        _, x, v = kept[-1]
        kept.append((i + 1, x + v * 0.01, v - x * 0.01))
    return np.array(kept), kept


def some(n, x, v):
    kept = []
    for i in range(n):
        v -= x * 0.01
        x += v * 0.01
        if i % 3:
            kept.append([x, v])
    return np.array(kept, "f4"), kept


def until(n, x, v):
    kept, t = [[x, v]], 0.0
    while t < n * 0.01:
        v -= x * 0.01
        x += v * 0.01
        t += 0.01
        kept.append([x, v])
    return np.array(kept)


def numbers_until(n, x, v):
    kept, t = [x], 0.0
    while t < n * 0.01:
        v -= x * 0.01
        x += v * 0.01
        t += 0.01
        kept.append(x)
    return kept


def comprehended(n, x, v):
    return np.array([[math.sqrt(i + x), i * v, i] for i in range(n)])


def nested(n, x, v):
    table = []
    for i in range(n):
        row = []
        for j in range(5):
            row.append(x * i + v * j)
        table.append(row)
    return np.array(table)


def made_object(n, x, v):
    simulation = Simulation(x, v)
    simulation.run(n)
    return np.array(simulation.kept), np.array(simulation.rows), simulation.rows


def given_object(n, x, v, simulation):
    simulation.x, simulation.v = x, v
    simulation.run(n)
    return simulation.x


def given_object_again(n, x, v, simulation):
    simulation.x, simulation.v = x, v
    simulation.kept, simulation.rows = [], [(x, v)]
    simulation.run(n)
    return np.array(simulation.rows), len(simulation.kept)


def counted_in_an_object(n, x, v):
    found = Simulation(x, v)
    for i in range(n):
        found.counts[i % 7] = found.counts.get(i % 7, 0) + 1
        found.table[i % 3][i % 2] += 1
    return found.counts, found.table


class Simulation:
    def __init__(self, x, v):
        self.x, self.v, self.kept, self.rows = x, v, [], []
        self.counts, self.table = {}, [[0, 0], [0, 0], [0, 0]]

    def step(self):
        self.v -= self.x * 0.01
        self.x += self.v * 0.01
        self.kept.append(self.x)
        self.rows.append((self.x, self.v))

    def run(self, n):
        for _ in range(n):
            self.step()


FUNCTIONS = [
    rows, tuples, some, until, numbers_until, comprehended, nested, made_object,
    given_object, given_object_again, counted_in_an_object,
]


def arguments(function):
    return [Simulation(1.0, 2.0)] if function.__name__.startswith("given") else []


@pytest.mark.parametrize("function", FUNCTIONS)
def test_histories_are_pythons(function):
    compiled = dl.compile(function)
    for n, x, v in ((50, 1.0, 0.5), (50, 0.25, -1.0), (3, 1.0, 2.0), (0, 1.0, 1.0), (90, 2.0, 1.0)):
        check(compiled, function, n, x, v, *arguments(function))


@pytest.mark.parametrize("function", FUNCTIONS[:-1])
def test_no_iteration_is_unrolled_into_the_graph(function):
    graph = graph_of(function, 300, 1.0, 0.5, *arguments(function))
    assert len(graph.nodes) < 60


def moved(x, speed, turn, step):
    x[2] += turn * step
    x[0] += speed * x[2] * step
    x[1] += speed * (1 - x[2]) * step
    return x


def path(start, speed, turn, end):
    x = np.array(start)
    found = np.array(x)
    time = 0
    while time <= end:
        x = moved(x, speed, turn, 0.1)
        found = np.vstack((found, x))
        time += 0.1
    return found


def best_path(start, limits, end):
    """The speeds to choose from are between limits that data decides."""
    lowest, highest = max(0.0, start[0] - limits[0]), min(1.5, start[0] + limits[1])
    least, best = float("inf"), np.array([start])
    for speed in np.arange(lowest, highest, 0.25):
        found = path(start, speed, 0.3, end)
        cost = abs(found[-1, 0] - 2.0) + abs(found[-1, 1] - 1.0)
        if least >= cost:
            least, best = cost, found
    return least, best


@pytest.mark.parametrize("start", [(0.0, 0.0, 0.5), (1.0, -2.0, 0.1), (5.0, 1.0, 0.0)])
def test_paths_from_which_the_best_is_chosen(start):
    starts = np.array(start)
    check(dl.compile(path), path, starts, np.float64(0.5), 0.3, 3.0)
    check(dl.compile(best_path), best_path, starts, np.array([0.5, 1.0]), 1.0)


def test_a_path_is_one_loop():
    assert len(graph_of(path, np.zeros(3), np.float64(0.5), 0.3, 3.0).nodes) < 80


def created(x):
    low, high = max(0.0, x[0]), min(2.0, x[1])
    return np.arange(low, high, 0.1), np.linspace(low, high, 5), np.full(3, low), np.array(high)


def test_numbers_of_two_types_make_arrays_of_one():
    compiled = dl.compile(created)
    for x in ((0.5, 1.0), (-1.0, 3.0), (0.5, 9.0), (1.0, 0.5)):
        check(compiled, created, np.array(x))
