"""Floating-point conditions in loops are those of the instructions that Python runs, no others."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

import dynamo_lite as dl


def reciprocals(x):
    total = 0.0
    for v in x:
        if v != 0:
            total += 1 / v
    return total


def roots(x):
    total = 0.0
    for v in x:
        root = 0.0
        if v > 0:
            root = np.sqrt(v)
        total += root
    return total


def kept_now_and_then(x):
    """The quotient is computed in each iteration, and seldom read."""
    found = 0.0
    for i in range(len(x)):
        quotient = 1 / x[i]
        if i % 7 == 3:
            found = quotient
    return found


def chosen(x):
    found = 0.0
    for i in range(len(x)):
        quotient, product = 1 / x[i], x[i] * 3
        found = quotient if x[i] > 10 else product
    return found


def outcome(function, x):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = function(x)
    return result, [str(one.message) for one in seen]


@pytest.mark.parametrize("function", [reciprocals, roots])
def test_an_arm_that_is_not_taken_raises_nothing(function):
    x = np.linspace(-2, 2, 201)
    x[::5] = 0.0
    compiled = dl.compile(function)
    for _ in range(3):
        assert outcome(compiled, x) == outcome(function, x)
    assert not dl.stats().bailouts


@pytest.mark.parametrize("function", [kept_now_and_then, chosen])
@pytest.mark.parametrize("zero", [0, 3, 5])
def test_what_is_computed_is_reported_though_nobody_reads_it(function, zero):
    x = np.linspace(1, 2, 100)
    compiled = dl.compile(function)
    assert outcome(compiled, x) == outcome(function, x)
    x[zero] = 0.0
    result, messages = outcome(compiled, x)
    assert (result, messages) == outcome(function, x)
    assert len(messages) == 1


def turns(n, step):
    count, last = 2 ** 62, -1
    for i in range(n):
        if i % 3 == 0:
            count += step
        last = i
    return count, last


def doubled(n):
    value = 1
    for _ in range(n):
        value = value + value
    return value


def far_steps(n):
    value = 0
    for _ in range(n):
        value += 2 ** 58
    return value


@pytest.mark.parametrize("function, arguments", [
    (turns, (300, 7)), (turns, (300, 2 ** 60)), (doubled, (50,)), (doubled, (70,)),
    (far_steps, (50,)),
])
def test_ints_grow_beyond_64_bits(function, arguments):
    compiled = dl.compile(function)
    for _ in range(2):
        assert compiled(*arguments) == function(*arguments)


def last_of(x, n):
    place, total = -1, 0.0
    for _ in range(n):
        place -= 1
        total += x[place]
    return total, place


def test_counters_that_go_down_index_from_the_end():
    x = np.arange(200.0)
    compiled = dl.compile(last_of)
    assert compiled(x, 100) == last_of(x, 100)
    with pytest.raises(IndexError) as raised:
        compiled(x, 200)
    with pytest.raises(IndexError) as expected:
        last_of(x, 200)
    assert str(raised.value) == str(expected.value)
