"""What programs keep of each step, and read of points and grids, against Python: lists of rows and
of arrays, arrays that `np.append` and the like make longer, lists of tuples, sorted numbers."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .measure import Figure, against_python

rng = np.random.default_rng(0)
STATE = 300, 1.0, 0.5
POINTS = [(float(a), float(b)) for a, b in rng.random((150, 2))]
GRID = rng.integers(0, 2, (60, 60)).tolist()
NUMBERS = rng.standard_normal(2000)


def rows(n, x, v):
    kept = []
    for i in range(n):
        v -= x * 0.01
        x += v * 0.01
        kept.append([i * 0.01, x, v])
    return np.array(kept)


def returned_rows(n, x, v):
    kept = []
    for _ in range(n):
        v -= x * 0.01
        x += v * 0.01
        kept.append([x, v])
    return kept


def snapshots(n, x, v):
    state, kept = np.array([x, v]), []
    for _ in range(n):
        state[1] -= state[0] * 0.01
        state[0] += state[1] * 0.01
        kept.append(state.copy())
    return np.array(kept)


def stacked(n, x, v):
    kept = np.zeros((1, 2))
    for _ in range(n):
        v -= x * 0.01
        x += v * 0.01
        kept = np.vstack((kept, np.array([x, v])))
    return kept


def appended(n, x, v):
    kept = np.array([])
    for _ in range(n):
        v -= x * 0.01
        x += v * 0.01
        kept = np.append(kept, x)
    return kept


class Simulation:
    def __init__(self, x, v):
        self.x, self.v, self.kept = x, v, []

    def step(self):
        self.v -= self.x * 0.01
        self.x += self.v * 0.01
        self.kept.append((self.x, self.v))


def of_an_object(n, x, v):
    simulation = Simulation(x, v)
    for _ in range(n):
        simulation.step()
    return np.array(simulation.kept)


def nearest_pair(points):
    best = 1e9
    for i in range(len(points)):
        for j in range(i + 1, len(points)):
            far = (points[i][0] - points[j][0]) ** 2 + (points[i][1] - points[j][1]) ** 2
            best = min(best, far)
    return best


def lengths(points):
    total = 0.0
    for x, y in points:
        total += math.sqrt(x * x + y * y)
    return total


def neighbours(grid):
    found = 0
    for i in range(1, len(grid) - 1):
        for j in range(1, len(grid[0]) - 1):
            found += grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]
    return found


def shuffled(x, y):
    weights, order = np.zeros(x.shape[1]), np.arange(len(x))
    for _ in range(3):
        np.random.shuffle(order)
        for i in order:
            weights -= 0.01 * (x[i].dot(weights) - y[i]) * x[i]
    return weights


def ranked(x):
    total = 0.0
    for rank, value in enumerate(sorted(x)):
        total += rank * value
    return total


def by_value(x):
    total = 0.0
    for place in sorted(range(len(x)), key=lambda i: x[i]):
        total = total * 0.5 + x[place]
    return total


def as_list(x):
    total = 0.0
    for value in x.tolist():
        total += value * value
    return total


PROGRAMS: dict[Callable[..., Any], tuple[Any, ...]] = {
    rows: STATE, returned_rows: STATE, snapshots: STATE, stacked: STATE, appended: STATE,
    of_an_object: STATE, nearest_pair: (POINTS,), lengths: (POINTS,), neighbours: (GRID,),
    shuffled: (rng.random((200, 4)), rng.random(200)), ranked: (NUMBERS,), by_value: (NUMBERS,),
    as_list: (NUMBERS,),
}
LEAST = 5.0


def seeded(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    np.random.seed(3)
    return repr(function(*arguments))


def histories() -> list[Figure]:
    return [
        against_python(function, arguments, seeded, LEAST)
        for function, arguments in PROGRAMS.items()
    ]


FIGURES = (histories,)
