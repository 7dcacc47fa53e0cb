"""What functions mean in terms of others that have rules, where only derivatives ask for it: the
value is NumPy's own."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..rules.reductions import MISSING
from ..rules.values import normal_axis
from ..sizes import Size
from .statistics import plain, reshaped
from .traced import (
    Traced,
    call,
    count,
    identity,
    known,
    made,
    ndim,
    real_positions,
    shape,
    unlisted,
    zeros,
)


def kron(a: Any, b: Any) -> Any:
    """Each element of the first one times all of the second one."""
    ndim = max(len(shape(a)), len(shape(b)))
    sides = [(1,) * (ndim - len(shape(each))) + shape(each) for each in (a, b)]
    high = tuple(each for size in sides[0] for each in (size, 1))
    low = tuple(each for size in sides[1] for each in (1, size))
    product = call(np.multiply, reshaped(a, high), reshaped(b, low))
    return np.reshape(product, tuple(one * other for one, other in zip(*sides)))


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    x, y = unlisted(x), unlisted(y)
    at = (slice(None),) * normal_axis(axis, y.ndim)
    if x is None:
        steps = dx
    else:
        along = 0 if x.ndim == 1 else normal_axis(axis, x.ndim)
        before = (slice(None),) * along
        steps = x[(*before, slice(1, None))] - x[(*before, slice(None, -1))]
        if x.ndim == 1:
            steps = np.reshape(steps, (-1, *(1,) * (y.ndim - 1 - len(at))))
    pairs = y[(*at, slice(1, None))] + y[(*at, slice(None, -1))]
    return np.sum(steps * pairs / 2.0, axis=axis)


def sinc(x: Any) -> Any:
    """At 0 by its series."""
    angle = np.pi * np.where(np.equal(x, 0), 1.0, x)
    return np.where(np.equal(x, 0), 1 - (np.pi * x) ** 2 / 6, np.sin(angle) / angle)


def take_along_axis(x: Any, indices: Any, axis: Any = -1) -> Any:
    """The element of each row at its own positions."""
    if axis is None:
        return np.reshape(x, (-1,))[indices]
    at = normal_axis(axis, x.ndim)
    keys = [indices if place == at else real_positions(x, place) for place in range(x.ndim)]
    return x[tuple(keys)]


def sort(x: Any, axis: Any = -1, *args: Any, **kwargs: Any) -> Any:
    """Elements that are equal stay in their order."""
    if axis is None:
        return sort(np.reshape(x, (-1,)))
    return take_along_axis(x, np.argsort(x, axis=axis, kind="stable"), axis)


def clip(
    a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None,
    max: Any = None, **kwargs: Any,
) -> Any:
    low, high = a_min if min is None else min, a_max if max is None else max
    above = a if low is None else call(np.maximum, a, low)
    return above if high is None else call(np.minimum, above, high)


def append(arr: Any, values: Any, axis: Any = None) -> Any:
    if axis is None:
        arr, values = call(np.reshape, arr, (-1,)), call(np.reshape, values, (-1,))
    return np.concatenate((arr, values), axis=axis or 0)


def dstack(tup: Any) -> Any:
    parts = []
    for each in tup:
        sides = shape(each)
        thick = {0: (1, 1, 1), 1: (1, *sides, 1), 2: (*sides, 1)}.get(len(sides), sides)
        parts.append(reshaped(each, thick))
    return call(np.concatenate, tuple(parts), axis=2)


def block(arrays: Any) -> Any:
    """Lists of the last depth are joined along the last axis, those around them along others."""
    depth = depth_of(arrays)
    return joined(arrays, depth, max(depth, most_axes(arrays)))


def depth_of(part: Any) -> int:
    return 1 + depth_of(part[0]) if isinstance(part, list) else 0


def most_axes(part: Any) -> int:
    return max(map(most_axes, part)) if isinstance(part, list) else len(shape(part))


def joined(part: Any, depth: int, axes: int) -> Any:
    if not isinstance(part, list):
        sides = (1,) * (axes - len(shape(part))) + shape(part)
        return reshaped(part, sides) if shape(part) else call(np.broadcast_to, part, sides)
    parts = [joined(each, depth - 1, axes) for each in part]
    return call(np.concatenate, tuple(parts), axis=-depth)


def diagflat(v: Any, k: int = 0) -> Any:
    plain(k, 0)
    return np.diag(np.reshape(v, (-1,)))


def nan_to_num(x: Any, *args: Any, **kwargs: Any) -> Any:
    return np.where(np.isfinite(x), x, 0.0)


def angle(z: Any, deg: bool = False) -> Any:
    found = np.arctan2(np.imag(z), np.real(z)) if z.dtype.kind == "c" else z * 0
    return found * (180 / math.pi) if deg else found


# -- choosing

def choose(a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    several = isinstance(choices, (list, tuple))
    number = len(choices) if several else known(choices, choices.shape[0])
    if mode != "raise":
        a = call(np.clip, a, 0, number - 1) if mode == "clip" else call(np.remainder, a, number)
    found = choices[number - 1]
    for place in range(number - 1):
        found = call(np.where, call(np.equal, a, place), choices[place], found)
    return found


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    found = default
    for condition, choice in reversed(list(zip(condlist, choicelist))):
        found = call(np.where, condition, choice, found)
    return found


def maximum_so_far(a: Any, axis: int = 0, *args: Any, **kwargs: Any) -> Any:
    return farthest(a, np.maximum, axis)


def minimum_so_far(a: Any, axis: int = 0, *args: Any, **kwargs: Any) -> Any:
    return farthest(a, np.minimum, axis)


def farthest(a: Any, function: Any, axis: int) -> Any:
    """The last element that was as extreme as all before it."""
    places = real_positions(a, normal_axis(axis, a.ndim))
    is_extreme = np.equal(a, call(function.accumulate, a, axis))
    last = call(np.maximum.accumulate, np.where(is_extreme, places, 0), axis)
    return np.take_along_axis(a, last, axis)


# -- other elements, or in another order

def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    plain(isinstance(obj, Traced), False)
    flat: Any = np.reshape(arr, (-1,)) if axis is None else arr
    at = 0 if axis is None else normal_axis(axis, arr.ndim)
    return np.take(flat, call(np.delete, count(flat, flat.shape[at]), obj), axis=at)


def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """What NumPy puts where, of the old elements and of the new ones behind them."""
    plain(isinstance(obj, Traced), False)
    if axis is None:
        arr, axis = call(np.reshape, arr, (-1,)), 0
    at = normal_axis(axis, arr.ndim)
    size = known(arr, arr.shape[at]) if isinstance(obj, slice) else arr.shape[at]
    number = len(range(size)[obj]) if isinstance(obj, slice) else np.size(obj)
    if np.ndim(obj) == 0 and not isinstance(obj, slice) and ndim(values):
        values = call(np.moveaxis, call(np.expand_dims, values, tuple(
            range(arr.ndim - ndim(values)))), 0, at)
        number = known(arr, shape(values)[at])
    sides = (*arr.shape[:at], number, *arr.shape[at + 1 :])
    new = call(np.add, made(arr, np.zeros, sides, arr.dtype), values)
    order = call(np.insert, count(arr, size), obj, made(arr, np.arange, size, size + number))
    return np.take(np.concatenate((arr, new), axis=at), order, axis=at)


def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """With a count for each element."""
    plain(isinstance(repeats, Traced), False)
    flat: Any = np.reshape(a, (-1,)) if axis is None else a
    at = 0 if axis is None else normal_axis(axis, a.ndim)
    return np.take(flat, call(np.repeat, count(flat, flat.shape[at]), repeats), axis=at)


def resize(a: Any, new_shape: Any) -> Any:
    flat: Any = np.reshape(a, (-1,))
    return np.take(flat, call(np.resize, count(flat, flat.shape[0]), new_shape))


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: Any = "xy") -> Any:
    order = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        order[:2] = 1, 0
    sides = [1] * len(xi)
    for each, place in zip(xi, order):
        sides[place] = shape(each)[0] if shape(each) else 1
    found = []
    for each, place in zip(xi, order):
        own = [1] * len(xi)
        own[place] = sides[place]
        thin = call(np.reshape, each, tuple(own)) if isinstance(each, Traced) else (
            np.reshape(each, tuple(own)))
        found.append(thin if sparse or not isinstance(thin, Traced) else
                     call(np.broadcast_to, thin, tuple(sides)))
    return tuple(each if isinstance(each, Traced) else None for each in found)


# -- sequences of numbers

def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, *args: Any, axis: int = 0,
    **kwargs: Any,
) -> Any:
    plain((args, kwargs, axis, isinstance(num, int)), ((), {}, 0, True))
    shares = np.arange(num) / max(num - bool(endpoint), 1)
    axes = max(len(shape(start)), len(shape(stop)))
    shares = np.reshape(shares, (num, *(1,) * axes))
    return call(np.multiply, start, 1 - shares) + call(np.multiply, stop, shares) if (
        isinstance(start, Traced) and isinstance(stop, Traced)) else (
        start * (1 - shares) + stop * shares)


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0,
    *args: Any, **kwargs: Any,
) -> Any:
    plain((args, kwargs), ((), {}))
    return call(np.power, base, linspace(start, stop, num, endpoint))


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, *args: Any, **kwargs: Any
) -> Any:
    plain((args, kwargs), ((), {}))
    return np.exp(linspace(np.log(start), np.log(stop), num, endpoint))


def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    powers = down_to_one(x, x.shape[0] if N is None else N) - 1
    return np.expand_dims(x, 1) ** (powers[::-1] if increasing else powers)


def running_total(
    x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None,
    include_initial: bool = False,
) -> Any:
    at = 0 if axis is None else normal_axis(axis, x.ndim)
    found = np.cumsum(x, axis=at)
    return after(np.zeros_like(x), found, at) if include_initial else found


def running_products(
    x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None,
    include_initial: bool = False,
) -> Any:
    at = 0 if axis is None else normal_axis(axis, x.ndim)
    found = np.cumprod(x, axis=at)
    return after(np.ones_like(x), found, at) if include_initial else found


def after(first: Any, x: Any, axis: int) -> Any:
    """An array with one element of another one before it."""
    return np.concatenate((first[(*(slice(None),) * axis, slice(0, 1))], x), axis=axis)


def diff(
    a: Any, n: int = 1, axis: int = -1, prepend: Any = MISSING, append: Any = MISSING
) -> Any:
    """With values before the first and after the last one."""
    at = normal_axis(axis, ndim(a))
    one = (*shape(a)[:at], 1, *shape(a)[at + 1 :])
    ends = [end if end is MISSING or ndim(end) else call(np.broadcast_to, end, one)
            if isinstance(end, Traced) else np.broadcast_to(end, one) for end in (prepend, append)]
    parts = [each for each in (ends[0], a, ends[1]) if each is not MISSING]
    found, before = call(np.concatenate, tuple(parts), axis=at), (slice(None),) * at
    for _ in range(n):
        found = found[(*before, slice(1, None))] - found[(*before, slice(None, -1))]
    return found


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    plain((to_end, to_begin), (None, None))
    flat = np.reshape(ary, (-1,))
    return flat[1:] - flat[:-1]


# -- polynomials

def polyval(p: Any, x: Any) -> Any:
    """By Horner's rule; where the number of coefficients varies, as a sum of powers."""
    number = p.shape[0] if isinstance(p, Traced) else len(p)
    if not isinstance(number, int):
        wide = call(np.expand_dims, x, -1) if ndim(x) else x
        return np.sum(p * wide ** (down_to_one(p, number) - 1), axis=-1)
    total = x * 0
    for place in range(number):
        total = total * x + p[place]
    return total


def down_to_one(like: Traced, number: Size) -> Any:
    """As many integers: …, 3, 2, 1."""
    if isinstance(number, int):
        return np.arange(number, 0, -1)
    return np.flip(count(like, number) + 1, 0)


def polyder(p: Any, m: int = 1) -> Any:
    for _ in range(m):
        p = p[:-1] * down_to_one(p, p.shape[0] - 1)
    return p


def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    plain((isinstance(m, int), k), (True, None))
    for _ in range(m):
        p = np.concatenate((p / down_to_one(p, p.shape[0]), np.zeros_like(p[:1])))
    return p


def poly(seq_of_zeros: Any) -> Any:
    """One factor after the other."""
    zeros = seq_of_zeros
    if zeros.dtype.kind == "c":
        raise Unsupported("complex numbers")
    if zeros.ndim == 2:
        return characteristic(zeros)
    found: Any = np.ones_like(zeros[:1])
    for place in range(known(zeros, zeros.shape[0])):
        nothing = np.zeros_like(zeros[:1])
        found = np.concatenate((found, nothing)) - np.concatenate((nothing, found * zeros[place]))
    return found


def characteristic(matrix: Any) -> Any:
    """The polynomial of a matrix, by Faddeev and LeVerrier."""
    unit: Any = identity(matrix)
    product, found = unit, [np.sum(unit[0, :1])]
    for power in range(1, known(matrix, matrix.shape[0]) + 1):
        product = np.matmul(matrix, product)
        found.append(-np.sum(np.diagonal(product)) / power)
        product = product + found[-1] * unit
    return call(np.stack, found)


def polyadd(a1: Any, a2: Any) -> Any:
    return polynomial_sum(a1, a2, np.add)


def polysub(a1: Any, a2: Any) -> Any:
    return polynomial_sum(a1, a2, np.subtract)


def polynomial_sum(a1: Any, a2: Any, function: Any) -> Any:
    """Coefficients of the same powers come together: the last ones."""
    first, second = shape(a1)[0], shape(a2)[0]
    like = a1 if isinstance(a1, Traced) else a2
    longest = second if like.emit.facts.less(first, second) else first
    filled = [
        call(np.concatenate, (zeros(like, (longest - size,)), each)) if longest != size else each
        for each, size in ((a1, first), (a2, second))]
    return call(function, *filled)
