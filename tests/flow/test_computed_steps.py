"""Ranges of which data decides the step, as loops of the graph."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl
from benchmarks.loop_programs import sieve


def visited(x, steps):
    """Each step with an end of its own; the variable keeps its last value."""
    total, place = 0.0, -1
    for k in range(len(steps)):
        step = int(steps[k])
        for place in range(k, 3 * k - 50, step):
            total += x[place % len(x)] * (place + 1)
    return total, place


def until(x, steps):
    found = []
    for step in steps:
        for j in range(0, len(x), int(step)):
            if x[j] > 0.9:
                found.append(j)
                break
        else:
            found.append(-1)
    return found


def given(x, step):
    total = 0.0
    for i in range(len(x) - 1, -1 if step < 0 else len(x), step):
        total = total * 0.5 + x[i]
    return total


@pytest.mark.parametrize("n", [50, 5000])
def test_a_sieve(n):
    assert np.array_equal(dl.compile(sieve)(n), sieve(n))


@pytest.mark.parametrize("function", [visited, until])
def test_steps_of_both_signs(function):
    x, rng = np.random.default_rng(0).random(200), np.random.default_rng(1)
    compiled = dl.compile(function)
    for low in (1, -9):
        steps = rng.integers(low, 9, 60)
        steps[steps == 0] = 3
        assert compiled(x, steps) == function(x, steps)


@pytest.mark.parametrize("step", [1, -1, -3, 2**40, -(2**40)])
def test_a_step_that_is_an_argument(step):
    x = np.random.default_rng(0).random(300)
    assert dl.compile(given)(x, step) == given(x, step)


@pytest.mark.parametrize("function", [visited, until])
def test_a_step_of_zero_is_pythons_error(function):
    x, steps = np.random.default_rng(0).random(200), np.full(60, 2)
    compiled = dl.compile(function)
    assert compiled(x, steps) == function(x, steps)
    steps[30] = 0
    with pytest.raises(ValueError, match="must not be zero"):
        compiled(x, steps)
