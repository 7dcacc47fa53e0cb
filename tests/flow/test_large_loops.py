"""Loops with a fixed number of iterations that would add many operations by being unrolled."""
import itertools

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import same

GRID = np.random.default_rng(0).random((22, 22)).astype("f4")


def bounded(x):
    x[0, 1:-1], x[-1, 1:-1] = x[1, 1:-1], -x[-2, 1:-1]
    x[1:-1, 0], x[1:-1, -1] = x[1:-1, 1], -x[1:-1, -2]


def relaxed(x):
    for _ in range(38):
        x[1:-1, 1:-1] = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 4
        bounded(x)
    return x


def longer_each_time(x):
    x = x[0]
    for k in range(24):
        y = np.sqrt(np.abs(x * k + 1)) + np.tanh(x) * np.cos(x) - x / (k + 1)
        z = np.exp(-y * y) + np.sin(y) * x + np.minimum(x, y) - np.maximum(x, 0.5)
        w = z * x + y * x - z * y + np.floor(z * 3) / (1 + z * z) + (x - y) * (x - z)
        x = np.concatenate([np.tanh(w), x[:1]])
    return x


def test_becomes_a_node():
    expected = relaxed(GRID.copy())
    with dl.config.patch(strict=True):
        found = dl.explain(relaxed)(GRID.copy())
        assert len(found.graphs[0].calls) <= 2 and same(found.result, expected)
        assert same(dl.compile(relaxed)(GRID.copy()), expected)


def test_is_unrolled_where_it_cannot_be_a_node():
    with dl.config.patch(strict=True, math="numpy"):
        found = dl.explain(longer_each_time)(GRID)
        assert found.graph_count == 1 and len(found.graphs[0].calls) > 600
        assert same(dl.compile(longer_each_time)(GRID), longer_each_time(GRID))


def of_pairs(x):
    total = 0
    for i, j in itertools.product(range(len(x)), range(22)):
        if x[i, j] > 0.5:
            total += i - j
    return total


def of_places(x):
    total = 0.0
    for place in np.ndindex(x.shape):
        total += x[place] * place[0]
    return total


@pytest.mark.parametrize("function", [of_pairs, of_places])
def test_its_first_iterations_tell_that_it_would_add_too_much(function):
    """It is not unrolled as far as the budget goes first, in vain."""
    x = np.tile(GRID, (8, 1))
    with dl.config.patch(strict=True):
        found = dl.explain(function)(x)
        assert same(found.result, function(x))
        assert "would add" in found.breaks[0].reason
