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


def side_by_side(x):
    pairs, total = [(i, i % 22) for i in range(len(x))] * 8, 0.0
    for (i, j), (k, _) in zip(pairs, pairs[2:]):
        total += x[i, j] * k - x[k, j]
    return total


def test_its_first_iterations_tell_that_it_would_add_too_much():
    """It is not unrolled as far as the budget goes first, in vain."""
    x = np.tile(GRID, (8, 1))
    with dl.config.patch(strict=True):
        found = dl.explain(side_by_side)(x)
        assert same(found.result, side_by_side(x))
        assert "would add" in found.breaks[0].reason


@pytest.mark.parametrize("made", [itertools.product, np.ndindex])
def test_what_loops_go_over_stays_itself_where_it_leaves(made):
    def function(x):
        places = made(range(2), range(3)) if made is itertools.product else made(2, 3)
        return places, next(places), x * 2

    with dl.config.patch(strict=True):
        found = dl.compile(function)(GRID)
    assert type(found[0]) is made and found[1] == (0, 0) and next(found[0]) == (0, 1)
