"""Ranges of which data decides the step, as loops of the graph."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl
from benchmarks.loop_programs import sieve

from ..oracle import check, same


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


def stored_by_steps(x, steps, starts):
    flags, total = np.ones(len(x), bool), 0
    counts, values = np.zeros(len(x), np.int64), x.copy()
    for k in range(len(steps)):
        step, start = int(steps[k]), int(starts[k])
        flags[start::step] = False
        counts[:start:step] = k
        values[start : start + 40 : step] = 0.5
        values[::step] = values[k]
        if flags[k]:
            total += 1
    return flags, counts, values, total


def stored_in_less(x, steps, starts):
    small, wide = np.zeros(len(x), np.int8), np.zeros(len(x))
    for k in range(len(steps)):
        small[:: int(steps[k])] = k
        wide[int(starts[k]) :: int(steps[k])] = k
    return small, wide


@pytest.mark.parametrize("function", [stored_by_steps, stored_in_less])
@pytest.mark.parametrize("lowest", [1, -9])
def test_slices_that_are_written_to(function, lowest):
    x, rng = np.random.default_rng(0).random(90), np.random.default_rng(1)
    steps, starts = rng.integers(lowest, 9, 70), rng.integers(-120, 120, 70)
    steps[steps == 0] = 200
    check(dl.compile(function), function, x, steps, starts)


def test_a_slice_with_a_step_of_zero_is_pythons_error():
    x, rng = np.random.default_rng(0).random(90), np.random.default_rng(1)
    steps, starts = rng.integers(1, 9, 70), rng.integers(-120, 120, 70)
    compiled = dl.compile(stored_by_steps)
    check(compiled, stored_by_steps, x, steps, starts)
    steps[40] = 0
    check(compiled, stored_by_steps, x, steps, starts)


def crossed_out(n):
    prime = np.ones(n, dtype=bool)
    for i in range(2, int(n ** 0.5) + 1):
        if prime[i]:
            prime[i * i :: i] = False
    return prime


def test_a_sieve_by_slices_is_one_graph():
    dl.reset()
    check(dl.compile(crossed_out, fullgraph=True), crossed_out, 5000)
    assert dl.stats().graphs == 1


def first_decides(x):
    for i in range(1, len(x)):
        if x[0] > 3:
            x[0] = x[i]
        else:
            x[0] = x[0] + x[i]
            x[i] = x[0]
    return x[0]


def test_what_decides_is_read_before_it_changes():
    """A branch changes in place what its test was read from."""
    x = np.random.default_rng(0).normal(size=70)
    check(dl.compile(first_decides), first_decides, x)
    check(dl.compile(crossed_out), crossed_out, 300)


def discounted(rewards, start):
    returns, total = np.zeros_like(rewards), 0.0
    for at in reversed(range(start, len(rewards))):
        total = rewards[at] + 0.9 * total
        returns[at] = total
    return returns


def every_third(rewards, start):
    total, at = 0.0, None
    for at in reversed(range(start, len(rewards), 3)):
        total = 0.9 * total + rewards[at]
    return total, at


def downwards(rewards, start):
    total = 0.0
    for at in range(len(rewards) - 1, start - 1, -1):
        total = 0.9 * total + rewards[at]
    for at in reversed(range(len(rewards) - 1, start, -2)):
        total = 0.8 * total - rewards[at]
    return total


def of_an_array(rewards, start):
    total, seen = 0.0, np.zeros(len(rewards))
    for at, reward in enumerate(reversed(rewards[start:])):
        total = 0.9 * total + reward
        seen[at] = total
    return seen


@pytest.mark.parametrize("function", [discounted, every_third, downwards, of_an_array])
def test_ranges_of_varying_length_from_their_ends(function):
    compiled = dl.compile(function, fullgraph=True)
    for size, start in (
        (5, 0), (7, 0), (9, 1), (100, 2), (1000, 3), (6, 4), (8, 2), (3, 3), (2, 9)
    ):
        rewards = np.random.default_rng(size).standard_normal(size)
        assert same(compiled(rewards, start), function(rewards, start))
    assert len(compiled.entries()) <= 5


def what_is_left(x):
    backwards = reversed(x)
    return next(backwards, None), list(backwards), next(backwards, "over"), type(backwards)


@pytest.mark.parametrize("function", [
    what_is_left, lambda x: reversed(x), lambda x: [a * b for a, b in zip(x, reversed(x))],
    lambda x: list(reversed(x[0])), lambda x: next(reversed(x))])
def test_arrays_backwards(function):
    for x in (np.arange(4.0), np.zeros(0), np.arange(6.0).reshape(3, 2)):
        found, expected = (outcome(each, x) for each in (dl.compile(function), function))
        assert type(found) is type(expected)
        if isinstance(expected, reversed):
            found, expected = list(found), list(expected)
        assert str(found) == str(expected)


def outcome(function, x):
    try:
        return function(x)
    except (TypeError, IndexError, StopIteration) as error:
        return error
