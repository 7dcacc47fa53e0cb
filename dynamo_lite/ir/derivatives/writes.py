"""Reverse rules of what is written in place: new versions of arrays, of what is written into them.

A rule of NumPy's functions that write is called as the others are, with the array as it was.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...errors import Unsupported
from .. import core
from ..row import row_of
from ..sizes import product
from .arrays import is_gather, partitioned, same
from .traced import Traced, call, count, ndim, selected, shape, step


def base_of_update(g: Any, out: Any, base: Any, view: Any, value: Any) -> Any:
    """What is overwritten no longer matters."""
    return call(core.update, laid_out(g, base, view), view, 0)


def laid_out(g: Any, base: Any, view: Any) -> Any:
    """A cotangent in the memory order of its array, which decides what shares memory with it."""
    if g.type.strides == base.type.strides or all(each[0] is operator.getitem for each in view):
        return g
    return call(core.update, np.zeros_like(base), (), g)


def value_of_update(g: Any, out: Any, base: Any, view: Any, value: Any) -> Any:
    return last_of_each(selected(g, view), base, view) if view else g


def last_of_each(g: Any, base: Any, view: Any) -> Any:
    """Of what is written at positions, which may name an element more than once: what was written
    last is left."""
    if view[-1][0] is not operator.getitem or not may_repeat(view[-1][1][0]):
        return g
    order = call(np.reshape, count(base, product(g.shape)), g.shape)
    numbers = call(np.zeros_like, base, order.dtype)
    left = selected(call(core.update, numbers, view, order), view)
    return np.where(np.equal(left, order), g, 0)


def may_repeat(key: Any) -> bool:
    """Whether arrays of integers choose elements, of which nobody knows that they are distinct."""
    if not is_gather(key):
        return False
    items = [item for item in (key if isinstance(key, tuple) else (key,))
             if isinstance(item, (list, np.ndarray, Traced))]
    if len(items) > 1 or isinstance(items[0], Traced):
        return True
    known = np.asarray(items[0])
    return bool(known.min(initial=0) < 0 or len(np.unique(known)) < known.size)


def base_of_perform(
    g: Any, out: Any, function: Any, base: Any, view: Any, place: Any, args: Any, kwargs: Any
) -> Any:
    """By the rule of what NumPy's function writes into: all of the array, or a view of it."""
    rule = rules_of(function)[0]
    if not view or rule is same:
        return rule(g, out, base, *args, **kwargs)
    found = rule(*(selected(each, view) for each in (g, out, base)), *args, **kwargs)
    return call(core.update, laid_out(g, base, view), view, found)


def args_of_perform(
    g: Any, out: Any, function: Any, base: Any, view: Any, place: Any, args: Any, kwargs: Any
) -> Any:
    part = selected(g, view)
    return tuple(rule and rule(part, out, base, *args) for rule in rules_of(function)[1:])


def rules_of(function: Any) -> Any:
    if not (row := row_of(function)) or not row.vjp:
        raise Unsupported(f"what {function.__qualname__} writes")
    return row.vjp


def partitioned_in_place(
    g: Any, out: Any, base: Any, kth: Any, axis: Any = -1, *args: Any, **kwargs: Any
) -> Any:
    return partitioned(g, out, base, kth, axis)


def sorted_in_place(g: Any, out: Any, base: Any, axis: Any = -1, *args: Any, **kwargs: Any) -> Any:
    places = np.argsort(np.argsort(base, axis=axis), axis=axis)
    return call(np.take_along_axis, g, places, axis)


def around_diagonal(g: Any, out: Any, base: Any, value: Any, wrap: bool = False) -> Any:
    if base.ndim != 2 or wrap:
        raise Unsupported("what is no matrix, or wrap=True")
    return call(core.update, g, (step(np.diagonal),), 0)


def on_filled_diagonal(g: Any, out: Any, base: Any, value: Any, wrap: bool = False) -> Any:
    return np.diagonal(g) if ndim(value) else np.sum(np.diagonal(g))


def gathered(g: Any, out: Any, base: Any, key: Any, *values: Any) -> Any:
    """Of what is added to elements."""
    return g[key]


def subtracted(g: Any, out: Any, base: Any, key: Any, *values: Any) -> Any:
    return -g[key]


def around_mask(g: Any, out: Any, base: Any, mask: Any, values: Any) -> Any:
    return np.where(mask, 0, g)


def in_mask(g: Any, out: Any, base: Any, mask: Any, values: Any) -> Any:
    """Of `np.putmask`, of an array as large or of one element."""
    if shape(values) != base.shape and ndim(values):
        raise Unsupported("values of another shape")
    return np.where(mask, g, 0)


def around_places(g: Any, out: Any, base: Any, indices: Any, *args: Any) -> Any:
    return call(core.update, g, flat(indices), 0)


def at_places(g: Any, out: Any, base: Any, indices: Any, values: Any, *args: Any) -> Any:
    """Of `np.put`, of as many values as places, or of one."""
    if ndim(values) and shape(values) != shape(indices):
        raise Unsupported("values of another shape")
    return last_of_each(selected(g, flat(indices)), base, flat(indices))


def flat(indices: Any) -> Any:
    return step(np.reshape, (-1,)), step(operator.getitem, indices)


def around_rows(g: Any, out: Any, base: Any, indices: Any, values: Any, axis: Any) -> Any:
    return call(core.perform, np.put_along_axis, g, (), 0, (indices, 0.0, axis), {})


def along_rows(g: Any, out: Any, base: Any, indices: Any, values: Any, axis: Any) -> Any:
    return call(np.take_along_axis, g, indices, axis)
