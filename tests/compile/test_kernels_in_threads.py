"""Compiled functions in several threads, whose long kernels go on without the GIL."""
from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dynamo_lite as dl
from tests.at_once import at_once

N = 400_000
THREADS, CALLS, DRAWS = 4, 40, 2000


def kernels_and_products(x: Any, w: Any) -> Any:
    hidden = np.tanh(x @ w)
    return hidden.sum(axis=0), (hidden - hidden.max(axis=1)[:, None]) @ w.T


def argument_returned(x: Any, w: Any) -> Any:
    return x, (x * 2 + 1).sum(), w, x, w, x, w, x, w, x, w, x, w, x


def view_and_mask(x: Any, w: Any) -> Any:
    y = np.sqrt(np.abs(x)) * 3
    return y[::2], x[y > 1.5], np.sort(y[0]), y.T


def python_between(x: Any, w: Any) -> Any:
    y = x * 3 + 1
    z = np.partition(y, 2, axis=1)
    return (z - y).sum(), math.floor(float(z.max())), np.cumsum(z)


def recursive(n: int) -> int:
    return 1 if n < 2 else recursive(n - 1) + recursive(n - 2)


def recursion_behind_a_kernel(x: Any, w: Any) -> Any:
    total = (x * x + 1).sum()
    return total, recursive(12)


def memory_in_a_loop(x: Any, w: Any) -> Any:
    total = np.zeros(x.shape[1])
    for k in range(3):
        y = np.exp(-x * k)
        total += y.sum(axis=0)
    return total


def reported(x: Any, w: Any) -> Any:
    y = x * 2 + 1
    with np.errstate(divide="raise"):
        return y / (x - x)


FUNCTIONS = [
    kernels_and_products, argument_returned, view_and_mask, python_between,
    recursion_behind_a_kernel, memory_in_a_loop, reported,
]


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except FloatingPointError as error:
        return str(error)


def equal(actual: Any, expected: Any) -> bool:
    if isinstance(expected, tuple):
        return len(actual) == len(expected) and all(map(equal, actual, expected))
    return type(actual) is type(expected) and np.array_equal(actual, expected)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_several_threads_get_what_numpy_gives(function: Any) -> None:
    rng = np.random.default_rng(3)
    x, w = rng.standard_normal((N // 20, 20)), rng.standard_normal((20, 20))
    compiled = dl.compile(function)
    expected = outcome(compiled, x, w)
    assert equal(outcome(function, x, w), expected) or np.allclose(
        np.concatenate([np.ravel(part) for part in outcome(function, x, w)]),
        np.concatenate([np.ravel(part) for part in expected]))
    references = sys.getrefcount(x), sys.getrefcount(w)

    def work(number: int) -> bool:
        return all(equal(outcome(compiled, x, w), expected) for _ in range(CALLS))

    assert at_once(THREADS, work) == [True] * THREADS
    assert (sys.getrefcount(x), sys.getrefcount(w)) == references


def test_draws_of_several_threads_are_those_of_one_stream() -> None:
    """No two calls draw at the same time, though others run beside the kernel of each."""

    def draws(state: Any, x: Any) -> Any:
        mean, total = (x * x + 1).mean(), 0
        for _ in range(DRAWS):
            total += state.randint(0, 1_000_000)
        return mean, total

    x = np.linspace(0, 1, N)
    compiled, state, alone = dl.compile(draws), np.random.RandomState(7), np.random.RandomState(7)
    first = compiled(state, x)[1]

    def work(number: int) -> Any:
        return sum(compiled(state, x)[1] for _ in range(CALLS))

    expected = alone.randint(0, 1_000_000, DRAWS * (1 + THREADS * CALLS))
    assert first + sum(at_once(THREADS, work)) == expected.sum()
    assert state.randint(0, 1_000_000) == alone.randint(0, 1_000_000)
