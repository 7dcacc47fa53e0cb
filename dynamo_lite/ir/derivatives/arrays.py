"""Reverse rules of reductions, views, copies, selections and writes.

A rule of an argument is called with the cotangent of the result, the result and all arguments of
the call, and gives the cotangent of that argument; for a sequence of arrays, a tuple of theirs. It
may have the wider shape or dtype that broadcasting or promotion made of the argument's: who asks
sums and converts it.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...errors import Unsupported
from .. import core
from ..rules.layout import axes_by_stride, is_fortran
from ..rules.reductions import MISSING
from ..rules.values import normal_axes, normal_axis
from ..sizes import Size, product
from .traced import Part, Traced, apart, call, made, shape, step, together


def same(g: Any, out: Any, *args: Any, **kwargs: Any) -> Any:
    return g


def nothing(g: Any, out: Any, *args: Any, **kwargs: Any) -> None:
    """Of an argument whose elements do not matter."""


def reshaped(g: Any, out: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Of what only changes how elements are counted."""
    order: Any = kwargs.get("order") or next((arg for arg in args if isinstance(arg, str)), "C")
    if order == "A":
        order = "F" if is_fortran(x.type, x.emit.facts) else "C"
    if order != "K":
        return np.reshape(g, x.shape, order=order)
    axes = axes_by_stride(x.type.strides, x.emit.facts)[::-1]
    moved: Any = np.reshape(g, tuple(x.shape[axis] for axis in axes))
    return np.transpose(moved, tuple(sorted(range(x.ndim), key=axes.__getitem__)))


def spread(g: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    """A value for each reduction, in the shape of what was reduced."""
    axes = normal_axes(axis, x.ndim)
    if len(axes) == x.ndim and keepdims in (False, MISSING):
        return g
    return g if keepdims not in (False, MISSING) else np.expand_dims(g, axes)


def summed(
    g: Any, out: Any, x: Any, axis: Any = None, dtype: Any = None, _out: Any = None,
    keepdims: Any = False, initial: Any = MISSING, where: Any = MISSING,
) -> Any:
    part = spread(g, x, axis, keepdims)
    whole = np.broadcast_to(part, x.shape) if part.ndim else np.full_like(x, part)
    return whole if where is MISSING or where is True else np.where(where, whole, 0)


def from_first_axis(rule: Any) -> Any:
    """Of a ufunc's `reduce`, whose axis is the first one unless another is named."""

    def reduced(
        g: Any, out: Any, x: Any, axis: Any = 0, dtype: Any = None, _out: Any = None,
        keepdims: Any = False, **more: Any,
    ) -> Any:
        return rule(g, out, x, axis, keepdims=keepdims, **more)

    return reduced


def extremum(
    g: Any, out: Any, x: Any, axis: Any = None, _out: Any = None, keepdims: Any = False,
    initial: Any = MISSING, where: Any = MISSING,
) -> Any:
    """Elements that are equally extreme share in equal parts; where `initial` is as extreme, one
    half of it."""
    found = x == spread(out, x, axis, keepdims)
    if where is not MISSING and where is not True:
        found = np.logical_and(found, where)
    chosen = found.astype(x.dtype)
    share = np.sum(chosen, axis=axis, keepdims=True)
    if initial is MISSING:
        return spread(g, x, axis, keepdims) * chosen / share
    part = np.where(np.equal(out, initial), 0.5, 1.0) * g
    return spread(part, x, axis, keepdims) * chosen / np.maximum(share, 1)


def multiplied(
    g: Any, out: Any, x: Any, axis: Any = None, dtype: Any = None, _out: Any = None,
    keepdims: Any = False, initial: Any = 1, where: Any = True,
) -> Any:
    """The product of all the others: of those before times those after."""
    is_some = where is MISSING or where is True
    flat = together(x if is_some else np.where(where, x, 1), axis)
    others = before_each(flat) * np.flip(before_each(np.flip(flat, -1)), -1)
    found = spread(g, x, axis, keepdims) * apart(others, axis, x)
    found = found if initial is MISSING else found * initial
    return found if is_some else np.where(where, found, 0)


def before_each(x: Any) -> Any:
    """The products of what comes before each element of the last axis."""
    products = np.cumprod(x[..., :-1], axis=-1)
    return np.concatenate((np.ones_like(x[..., :1]), products), axis=-1)


def running_product(
    g: Any, out: Any, x: Any, axis: Any = None, *args: Any, **kwargs: Any
) -> Any:
    """The product of those before an element times what all later cotangents are of it."""
    at = 0 if axis is None else normal_axis(axis, x.ndim)
    flat: Any = np.reshape(x, (-1,)) if axis is None else x
    size = flat.shape[at]
    if not isinstance(size, int) or size > SHORT_ROW:
        back = of_quotients(g, out, flat, at)
    else:
        rows = np.moveaxis(flat, at, -1)
        later = sums_of_products(np.moveaxis(g, at, -1), rows, size)
        back = np.moveaxis(before_each(rows) * later, -1, at)
    return np.reshape(back, x.shape) if axis is None else back


SHORT_ROW = 256
"""Elements of rows whose running products have derivatives of all orders, whatever is 0."""


def sums_of_products(g: Any, x: Any, size: int) -> Any:
    """`g[i] + x[i+1] * (g[i+1] + x[i+2] * (...))` along the last axis, in steps that double."""
    total, factor, reach = g, moved_up(x, 1), 1
    while reach < size:
        total = total + factor * moved_up(total, reach)
        factor = factor * moved_up(factor, reach)
        reach *= 2
    return total


def moved_up(x: Any, places: int) -> Any:
    """Each element some places before, and zeros behind the last one."""
    return np.concatenate((x[..., places:], np.zeros_like(x[..., :places])), axis=-1)


def of_quotients(g: Any, out: Any, flat: Any, at: int) -> Any:
    """Later products over the element. Of those from the first zero on, which are 0, this zero is
    the only factor that matters: they are computed without it. (Where there are two, that is so for
    first derivatives alone.)"""
    is_zero = np.equal(flat, 0)
    is_first = np.logical_and(is_zero, np.cumsum(np.where(is_zero, 1, 0), axis=at) == 1)
    without = np.where(is_first, 1, flat)
    of_first = running(g * np.cumprod(without, axis=at), out, flat, at)
    of_others = running(g * out, out, flat, at) / np.where(is_zero, 1, flat)
    return np.where(is_first, of_first, np.where(is_zero, 0, of_others))


def transposed(g: Any, out: Any, x: Any, axes: Any = None) -> Any:
    if axes is None:
        return np.transpose(g)
    places = [normal_axis(axis, x.ndim) for axis in axes]
    return np.transpose(g, tuple(sorted(range(x.ndim), key=places.__getitem__)))


def undone(function: Any) -> Any:
    """Of a permutation of elements that `function` undoes, with the same arguments."""

    def rule(g: Any, out: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return call(function, g, *args, **kwargs)

    return rule


def viewed(function: Any) -> Any:
    """Of a view of distinct elements."""

    def rule(g: Any, out: Any, x: Any, *args: Any, **kwargs: Any) -> Part:
        return Part((step(function, *args, **kwargs),), g)

    return rule


def indexed(g: Any, out: Any, x: Any, key: Any) -> Part:
    return Part((step(operator.getitem, key),), g, is_gather(key))


def on_diagonal(g: Any, out: Any, x: Any, k: Any = 0) -> Any:
    """Of `np.diag`, which makes a matrix of a vector and looks at that of a matrix."""
    if x.ndim == 1:
        return np.diagonal(g, k)
    return Part((step(np.diagonal, k),), g)


def is_gather(key: Any) -> bool:
    """Whether arrays of integers choose the elements."""
    items = key if isinstance(key, tuple) else (key,)
    return any(
        isinstance(item, (list, np.ndarray)) or (
            isinstance(item, Traced) and item.ndim > 0 and item.dtype.kind != "b")
        for item in items
    )


def taken(
    g: Any, out: Any, x: Any, indices: Any, axis: Any = None, *args: Any, **kwargs: Any
) -> Part:
    if axis is None:
        view = step(np.reshape, (-1,)), step(operator.getitem, indices)
        return Part(view, g, is_gather(indices))
    before = (slice(None),) * normal_axis(axis, x.ndim)
    return indexed(g, out, x, (*before, indices))


def joined(g: Any, out: Any, arrays: Any, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
    """The parts of what `np.concatenate` put together."""
    parts: list[Any] = []
    start: Size = 0
    if axis is None:
        for array in arrays:
            stop = start + product(shape(array))
            parts.append(np.reshape(g[start:stop], shape(array)))
            start = stop
        return tuple(parts)
    before = (slice(None),) * normal_axis(axis, g.ndim)
    for array in arrays:
        stop = start + shape(array)[len(before)]
        parts.append(g[(*before, slice(start, stop))])
        start = stop
    return tuple(parts)


def stacked(g: Any, out: Any, arrays: Any, axis: Any = 0, *args: Any, **kwargs: Any) -> Any:
    before = (slice(None),) * normal_axis(axis, g.ndim)
    return tuple(g[(*before, place)] for place, _ in enumerate(arrays))


def where_true(g: Any, out: Any, condition: Any, *values: Any) -> Any:
    return np.where(condition, g, 0)


def where_false(g: Any, out: Any, condition: Any, *values: Any) -> Any:
    return np.where(condition, 0, g)


def chosen_true(g: Any, out: Any, condition: Any, *values: Any) -> Any:
    """Of one of two numbers."""
    return np.where(condition, g, 0.0)[()]


def chosen_false(g: Any, out: Any, condition: Any, *values: Any) -> Any:
    return np.where(condition, 0.0, g)[()]


def partitioned(
    g: Any, out: Any, x: Any, kth: Any, axis: Any = -1, *args: Any, **kwargs: Any
) -> Any:
    """The permutation is what sorts one and the other."""
    flat = np.reshape(x, (-1,)) if axis is None else x
    at = 0 if axis is None else axis
    ordered = call(np.take_along_axis, g, np.argsort(out, axis=at), at)
    places = np.argsort(np.argsort(flat, axis=at), axis=at)
    return np.reshape(call(np.take_along_axis, ordered, places, at), x.shape)


def in_segments(
    g: Any, out: Any, x: Any, indices: Any, axis: Any = 0, *args: Any, **kwargs: Any
) -> Any:
    """Of sums from one index up to the next; of one element, where the next is no larger. What is
    added at its beginning and taken off at its end is added up along the axis."""
    at = normal_axis(axis, x.ndim)
    size = x.shape[at]
    starts = call(np.add, made(x, np.zeros, (), np.dtype(np.intp)), indices)
    following = np.concatenate((starts[1:], call(np.full_like, starts[:1], size)))
    ends = np.where(np.less(starts, following), following, starts + 1)
    moved = np.moveaxis(g, at, 0)
    marks: Any = made(x, np.zeros, (size + 1, *moved.shape[1:]), g.dtype)
    for places, value in ((starts, moved), (ends, -moved)):
        marks = call(core.perform, np.add.at, marks, (), 0, (places, value), {})
    return np.moveaxis(np.cumsum(marks, axis=0)[:-1], 0, at)


def fraction(g: Any, out: Any, x: Any) -> Any:
    """Of `np.modf`, whose second result is an integer."""
    return g[0]


def mantissa(g: Any, out: Any, x: Any) -> Any:
    return None if g[0] is None else call(np.ldexp, g[0], -out[1])


def dividend(g: Any, out: Any, a: Any, b: Any) -> Any:
    """Of `np.divmod`, whose first result is an integer."""
    return g[1]


def divisor(g: Any, out: Any, a: Any, b: Any) -> Any:
    return None if g[1] is None else -g[1] * out[0]


def weights_of_counts(g: Any, out: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Of `np.bincount`."""
    return g[x]


def counted(g: Any, out: Any, *args: Any, **kwargs: Any) -> None:
    """Of what `np.histogram` counts: only the edges vary with it."""
    if g[1] is not None:
        raise Unsupported("the edges")


def weights_of_histogram(
    g: Any, out: Any, a: Any, bins: Any = 10, range: Any = None, density: Any = None,
    weights: Any = None,
) -> Any:
    """Each weight is in the bin of its number; the last bin has its upper edge as well."""
    if density:
        raise Unsupported("density=True")
    edges = out[1]
    places = call(np.searchsorted, edges, a, "right") - 1
    last = edges.shape[0] - 2
    places = np.where(np.equal(a, edges[-1]), last, places)
    inside = np.logical_and(places >= 0, places <= last)
    return np.where(inside, g[0][np.clip(places, 0, last)], 0.0)


def running(
    g: Any, out: Any, x: Any, axis: Any = None, *args: Any, **kwargs: Any
) -> Any:
    """Of a running sum: that of the cotangents from the other end."""
    at = 0 if axis is None else axis
    back = np.flip(np.cumsum(np.flip(g, at), axis=at), at)
    return np.reshape(back, x.shape) if axis is None else back


def conjugated(g: Any, out: Any, x: Any) -> Any:
    return np.conjugate(g)


def imaginary(g: Any, out: Any, x: Any) -> Any:
    return g * -1j if x.dtype.kind == "c" else np.zeros_like(x)
