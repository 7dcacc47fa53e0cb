"""What functions of neighbouring elements mean in terms of others that have rules."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .. import core
from ..rules.values import normal_axes
from .statistics import plain, reshaped
from .traced import Traced, call, conjugate, count, made, shape, step, unlisted


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    if period is not None:
        return interp(*around(x, xp, fp, period))
    last = shape(xp)[0] - 1
    places = call(np.searchsorted, xp, x, "right") if isinstance(xp, Traced) or isinstance(
        x, Traced) else np.searchsorted(xp, x, "right")
    place = np.minimum(np.maximum(places, 1), last)
    x0, x1 = taken(xp, place - 1), taken(xp, place)
    f0, f1 = taken(fp, place - 1), taken(fp, place)
    share = np.clip((x - x0) / (x1 - x0), 0.0, 1.0)
    found = f0 + (f1 - f0) * share
    if left is not None:
        found = np.where(np.less(x, xp[0]), left, found)
    return found if right is None else np.where(np.greater(x, xp[-1]), right, found)


def around(x: Any, xp: Any, fp: Any, period: Any) -> Any:
    """The same without a period: one more place before all others and one behind them."""
    plain(isinstance(period, (int, float)), True)
    x, xp = (one % abs(period) for one in (x, xp))
    order = call(np.argsort, xp) if isinstance(xp, Traced) else np.argsort(xp)
    xp, fp = taken(xp, order), taken(fp, order)
    return x, *(
        (call if isinstance(one, Traced) else applied)(
            np.concatenate, (one[-1:] - step, one, one[:1] + step))
        for one, step in ((xp, abs(period)), (fp, 0)))


def applied(function: Any, *args: Any) -> Any:
    return function(*args)


def taken(values: Any, place: Any) -> Any:
    if isinstance(values, Traced) or isinstance(place, Traced):
        return call(np.take, values, place)
    return np.take(values, place)


def windows(x: Any, window_shape: Any, axis: Any = None, **kwargs: Any) -> Any:
    size = window_shape if not isinstance(window_shape, tuple) else window_shape[0]
    plain((x.ndim, tuple(kwargs)), (1, ()))
    first = count(x, x.shape[0] - size + 1)
    return np.take(x, np.expand_dims(first, 1) + count(x, size))


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """A sum over windows of the longer one, padded."""
    either = a if isinstance(a, Traced) else v
    (n,), (m,) = shape(a), shape(v)
    if either.emit.facts.less(n, m):
        a, v, n, m = v, a, m, n
    padded = call(core.update, made(either, np.zeros, (n + 2 * m - 2,), numbers(a, v)),
                  (step(operator.getitem, slice(m - 1, m - 1 + n)),), a)
    whole = np.matmul(windows(padded, m), flipped(v))
    first = {"full": 0, "same": (m - 1) // 2, "valid": m - 1}[mode]
    length = {"full": n + m - 1, "same": n, "valid": n - m + 1}[mode]
    return whole[first : first + length]


def numbers(*values: Any) -> Any:
    return np.result_type(*(getattr(each, "dtype", float) for each in values))


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """A convolution with the other one backwards; where that is the longer one, NumPy correlates it
    with this one, and what comes out backwards."""
    either = a if isinstance(a, Traced) else v
    if either.emit.facts.less(shape(a)[0], shape(v)[0]):
        return flipped(conjugate(correlate(v, a, mode)))
    return convolve(a, conjugate(flipped(v)), mode)


def flipped(x: Any) -> Any:
    return call(np.flip, x) if isinstance(x, Traced) else np.flip(x)


def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    widths = np.broadcast_to(pad_width, (array.ndim, 2)).tolist()
    if mode == "constant":
        return pad_with_constants(array, widths, **kwargs)
    plain((mode in ("edge", "reflect", "symmetric", "wrap"), kwargs), (True, {}))
    for axis, pair in enumerate(widths):
        if any(pair):
            places = call(np.pad, count(array, array.shape[axis]), pair, mode)
            array = np.take(array, places, axis=axis)
    return array


def pad_with_constants(array: Any, widths: Any, constant_values: Any = 0) -> Any:
    plain(len(shape(constant_values)), 0)
    sizes = tuple(size + sum(pair) for size, pair in zip(array.shape, widths))
    places = tuple(slice(pair[0], pair[0] + size) for pair, size in zip(widths, array.shape))
    around = made(array, np.zeros, sizes, array.dtype)
    if isinstance(constant_values, Traced) or constant_values != 0:
        around = call(np.add, around, constant_values)
    return call(core.update, around, (step(operator.getitem, places),), array)


def gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    axes = normal_axes(axis, f.ndim)
    spacing = tuple(map(unlisted, spacing))
    steps = spacing * len(axes) if len(spacing) == 1 else spacing or (1.0,) * len(axes)
    found = tuple(slope(f, h, at, edge_order) for at, h in zip(axes, steps))
    return found if len(found) > 1 else found[0]


def slope(f: Any, h: Any, axis: int, edge_order: int) -> Any:
    """Of the parabola through an element and its neighbours, at equal distances or at places `h`;
    at the ends, of the line through two elements or of the parabola next to it."""
    def part(x: Any, *ends: Any) -> Any:
        return x[(*(slice(None),) * axis, slice(*ends))]

    distance, before, after = h, 1.0, 1.0
    if len(shape(h)):
        distance = reshaped(h[1:] - h[:-1], tuple(-1 if at == axis else 1 for at in range(f.ndim)))
        before, after = part(distance, None, -1), part(distance, 1, None)
    slopes = (part(f, 1, None) - part(f, None, -1)) / distance
    inner = (part(slopes, None, -1) * after + part(slopes, 1, None) * before) / (before + after)
    first, last = part(slopes, None, 1), part(slopes, -1, None)
    if edge_order == 2:
        first, last = 2 * first - part(inner, None, 1), 2 * last - part(inner, -1, None)
    return np.concatenate((first, inner, last), axis=axis)
