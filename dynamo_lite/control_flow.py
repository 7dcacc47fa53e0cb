"""Control flow as functions: plain Python over NumPy, one node of the graph when it is traced.

`if`, `while` and `for` mean the same and are captured in the same way; these functions say it in
the words of functional programs.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def cond(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], *operands: Any
) -> Any:
    """`true_fn(*operands)` where `pred` is true, else `false_fn(*operands)`; never both."""
    if pred:
        return true_fn(*operands)
    return false_fn(*operands)


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], *carried: Any) -> Any:
    """`carried = body_fn(*carried)` as long as `cond_fn(*carried)` is true; the last `carried`.

    `body_fn` gives a tuple of as many values as it takes; of a single value, the value itself,
    which then also is the result.
    """
    if len(carried) == 1:
        (value,) = carried
        while cond_fn(value):
            value = body_fn(value)
        return value
    while cond_fn(*carried):
        carried = body_fn(*carried)
    return carried


def scan(f: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any) -> tuple[Any, np.ndarray]:
    """`carry, ys[i] = f(carry, xs[i])` for each row of `xs`, beginning with `init`.

    Gives the last carry and the array `ys`, of shape (len(xs), *y.shape) and the first y's dtype.
    ValueError where `xs` is empty, TypeError where a later y has another dtype.
    """
    n = len(xs)
    if n == 0:
        raise ValueError("scan needs at least one row")
    carry, first = f(init, xs[0])
    dtype = np.asarray(first).dtype
    ys = np.empty((n, *np.shape(first)), dtype)
    ys[0] = first
    for i in range(1, n):
        carry, y = f(carry, xs[i])
        found = np.asarray(y).dtype
        if found != dtype:
            raise TypeError(f"scan: the first y is of {dtype}, a later one of {found}")
        ys[i] = y
    return carry, ys
