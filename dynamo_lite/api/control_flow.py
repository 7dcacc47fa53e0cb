"""Control flow as functions: plain Python over NumPy, one node of the graph when it is traced.

`if`, `while` and `for` mean the same and are captured in the same way; these functions say it in
the words of functional programs. What they are given and what they give are trees: arrays and
numbers in tuples, lists, dicts, named tuples and what the program registered with optree (in its
global namespace or in "dynamo_lite"), in any depth; None is a tree without leaves. What
they give are new containers, whose dicts have their keys in the order in which they were made.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.pytrees import copied, flatten, following, unflatten, whole

CARRIED = "while_loop", "carried", "before an iteration", "after it"
CARRY = "scan", "carry", "before an iteration", "after it"
Y = "scan", "y", "in the first iteration", "in a later one"


def cond(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], *operands: Any
) -> Any:
    """`true_fn(*operands)` where `pred` is true, else `false_fn(*operands)`; never both.

    In one graph both must give trees of one structure, whose leaves have the same types.
    """
    return whole(branch(pred, true_fn, false_fn, operands))


def branch(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any
) -> Any:
    """What `cond` gives, before its objects are made: a function of its own, because a compiler
    may copy what follows an `if` into both of its arms."""
    if pred:
        return copied(true_fn(*operands))
    return copied(false_fn(*operands))


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], *carried: Any) -> Any:
    """`carried = body_fn(*carried)` as long as `cond_fn(*carried)` is true; the last `carried`.

    `body_fn` gives a tuple of as many trees as it takes; of a single tree, the tree itself,
    which then also is the result. TypeError where an iteration changes the structure of
    `carried` or the dtype of a leaf; a Python number may become one of NumPy's.
    """
    single = len(carried) == 1
    leaves, shape = flatten(carried[0] if single else carried)

    def applied(function: Callable[..., Any], leaves: tuple[Any, ...]) -> Any:
        arguments = unflatten(shape, leaves)
        return function(arguments) if single else function(*arguments)

    while applied(cond_fn, leaves):
        result = applied(body_fn, leaves)
        leaves = following(CARRIED, body_fn, shape, leaves, result)
    return unflatten(shape, leaves)


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any = None,
    length: int | None = None, reverse: bool = False,
) -> tuple[Any, Any]:
    """`carry, y = f(carry, x)` for each row `x` of `xs`, beginning with `init`.

    Gives the last carry and `ys`: of each leaf of the tree `y` an array of shape
    (length, *leaf.shape) and the first y's dtype. `xs` is a tree of arrays with as many rows each;
    without any, `length` says how many iterations there are. `reverse` begins with the last row.
    ValueError where there is no row, or where numbers of rows differ; TypeError where a later carry
    or y has another structure, or a leaf another dtype.
    """
    leaves, shape = flatten(init)
    columns, row_shape = flatten(xs)
    n = number_of_rows(columns, length)
    carry, y = f(init, unflatten(row_shape, rows_at(columns, n - 1 if reverse else 0)))
    leaves = following(CARRY, f, shape, leaves, carry)
    first, y_shape = flatten(y)
    ys = tuple([np.empty((n, *np.shape(leaf)), np.asarray(leaf).dtype) for leaf in first])
    store(ys, n - 1 if reverse else 0, first)
    for i in range(1, n):
        at = n - 1 - i if reverse else i
        carry, y = f(unflatten(shape, leaves), unflatten(row_shape, rows_at(columns, at)))
        leaves = following(CARRY, f, shape, leaves, carry)
        store(ys, at, following(Y, f, y_shape, ys, y))
    return unflatten(shape, leaves), unflatten(y_shape, ys)


def number_of_rows(columns: tuple[Any, ...], length: int | None) -> int:
    """How many rows all of the arrays have."""
    n = length
    for column in columns:
        if n is None:
            n = len(column)
        elif len(column) != n:
            raise ValueError(f"scan: arrays of {n} and of {len(column)} rows")
    if n is None:
        raise ValueError("scan needs arrays or a length")
    if n < 1:
        raise ValueError("scan needs at least one row")
    return n


def rows_at(columns: tuple[Any, ...], i: int) -> tuple[Any, ...]:
    return tuple([column[i] for column in columns])


def store(ys: tuple[Any, ...], i: int, leaves: tuple[Any, ...]) -> None:
    for array, leaf in zip(ys, leaves):
        shape, first = np.shape(leaf), array.shape[1:]
        if shape != first:
            raise ValueError(f"scan: the first y is of shape {first}, a later one of {shape}")
        array[i] = leaf
