"""The programs whose way through the compiler is kept, each with its arguments."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

ROWS = np.arange(12.0).reshape(3, 4)
ROW = np.arange(4.0)

PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}


def program(*args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[function.__name__] = function, args
        return function

    return register


@program(ROW, ROW)
def pointwise(x, y):
    return (x + y) * 2 - x / y


@program(ROWS)
def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@program(ROWS)
def standardised(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


@program(ROWS)
def stencil(x):
    return x[1:-1, 1:-1] * 4 - x[2:, 1:-1] - x[:-2, 1:-1]


@program(ROWS.copy(), ROW)
def written_into(x, y):
    x[0] = y * 2
    x[:, 1] += 1
    return x.sum()


@program(ROWS, ROW)
def linear_layer(x, w):
    return np.maximum(x @ w + 1, 0)


@program(ROWS)
def picked_by_a_mask(x):
    return np.sqrt(x[x > 2])


@program(ROW, np.array([3, 0, 2]))
def gathered(x, places):
    return x[places] * 10


@program(ROW.astype("f4"), np.arange(4))
def of_two_dtypes(x, n):
    return x * n, (n // 3).astype("u1")


@program(ROWS)
def largest_of_each_row(x):
    return x.argmax(axis=1), x.max()


@program(ROW)
def until_small(x):
    rounds = 0
    while x.sum() > 1.0:
        x = x * 0.5
        rounds += 1
    return x, rounds


@program(ROW)
def by_numpy_itself(x):
    return np.sort(x)[::-1] + 1
