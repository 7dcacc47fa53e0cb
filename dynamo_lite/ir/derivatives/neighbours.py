"""What functions of neighbouring elements mean in terms of others that have rules."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...errors import Unsupported
from .. import core
from ..rules.values import normal_axis
from .statistics import plain
from .traced import Traced, call, count, known, made, shape, step


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    plain(period, None)
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
    whole = np.matmul(windows(padded, m), call(np.flip, v) if isinstance(v, Traced) else np.flip(v))
    first = {"full": 0, "same": (m - 1) // 2, "valid": m - 1}[mode]
    length = {"full": n + m - 1, "same": n, "valid": n - m + 1}[mode]
    return whole[first : first + length]


def numbers(*values: Any) -> Any:
    return np.result_type(*(getattr(each, "dtype", float) for each in values))


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    either = a if isinstance(a, Traced) else v
    (n,), (m,) = shape(a), shape(v)
    if either.emit.facts.less(n, m):
        raise Unsupported("a second array that is the longer one")
    back = call(np.flip, v) if isinstance(v, Traced) else np.flip(v)
    return convolve(a, call(np.conjugate, back) if numbers(v).kind == "c" else back, mode)


def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    widths = np.broadcast_to(pad_width, (array.ndim, 2)).tolist()
    if mode == "constant":
        return pad_with_constants(array, widths, **kwargs)
    plain((mode in ("edge", "reflect", "symmetric", "wrap"), kwargs), (True, {}))
    for axis, pair in enumerate(widths):
        if any(pair):
            places = np.arange(known(array, array.shape[axis]))
            array = np.take(array, np.pad(places, pair, mode), axis=axis)
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
    plain((edge_order, isinstance(axis, tuple)), (1, False))
    axes = range(f.ndim) if axis is None else (normal_axis(axis, f.ndim),)
    steps = spacing * len(axes) if len(spacing) == 1 else spacing or (1.0,) * len(axes)
    found = tuple(slope(f, h, at) for at, h in zip(axes, steps))
    return found if len(found) > 1 else found[0]


def slope(f: Any, h: Any, axis: int) -> Any:
    """Differences of the neighbours on both sides; at the ends, of the one that there is."""
    plain(len(shape(h)), 0)

    def part(*ends: Any) -> Any:
        return f[(*(slice(None),) * axis, slice(*ends))]

    inner = (part(2, None) - part(None, -2)) / (2.0 * h)
    first, last = (part(1, 2) - part(0, 1)) / h, (part(-1, None) - part(-2, -1)) / h
    return np.concatenate((first, inner, last), axis=axis)
