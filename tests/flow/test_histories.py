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
