"""What functions mean in terms of others that have rules, where only derivatives ask for it: the
value is NumPy's own."""
from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ...errors import Unsupported
from .. import core
from ..rules.reductions import MISSING
from ..rules.values import normal_axis
from .traced import Traced, call, real_positions, shape, step, zeros


def plain(given: Any, *usual: Any) -> None:
    """Decline calls with unusual arguments."""
    if given not in usual:
        raise Unsupported(f"{given!r}")


def kron(a: Any, b: Any) -> Any:
    if len(shape(a)) != 2 or len(shape(b)) != 2:
        raise Unsupported("arrays that are no matrices")
    (rows, columns), (high, wide) = shape(a), shape(b)
    product = call(np.reshape, a, (rows, 1, columns, 1)) * call(np.reshape, b, (1, high, 1, wide))
    return np.reshape(product, (rows * high, columns * wide))


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
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


def average(a: Any, axis: Any = None, weights: Any = None, **kwargs: Any) -> Any:
    plain(tuple(kwargs), ())
    if weights is None:
        return np.mean(a, axis=axis)
    if len(shape(weights)) != a.ndim:
        raise Unsupported("weights of another shape")
    return np.sum(a * weights, axis=axis) / np.sum(weights * np.ones_like(a), axis=axis)


def median(a: Any, axis: Any = None, out: Any = None, *args: Any, **kwargs: Any) -> Any:
    plain((args, kwargs, isinstance(axis, tuple)), ((), {}, False))
    flat: Any = np.reshape(a, (-1,)) if axis is None else a
    at = normal_axis(-1 if axis is None else axis, flat.ndim)
    n: Any = flat.shape[at]
    ordered: Any = np.sort(flat, axis=at)
    if not isinstance(n, int):
        raise Unsupported("a size that is not known")
    before = (slice(None),) * at
    return (ordered[(*before, n // 2)] + ordered[(*before, (n - 1) // 2)]) / 2


def take_along_axis(x: Any, indices: Any, axis: Any = -1) -> Any:
    """The element of each row at its own positions."""
    if axis is None:
        raise Unsupported("axis=None")
    at = normal_axis(axis, x.ndim)
    keys = [indices if place == at else real_positions(x, place) for place in range(x.ndim)]
    return x[tuple(keys)]


def sort(x: Any, axis: Any = -1, *args: Any, **kwargs: Any) -> Any:
    if axis is None:
        return sort(np.reshape(x, (-1,)))
    return take_along_axis(x, np.argsort(x, axis=axis), axis)


def clip(
    a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None,
    max: Any = None, **kwargs: Any,
) -> Any:
    low, high = a_min if min is None else min, a_max if max is None else max
    above = a if low is None else call(np.maximum, a, low)
    return above if high is None else call(np.minimum, above, high)


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    plain((left, right, period), (None, None, None))
    last = shape(xp)[0] - 1
    place = np.clip(call(np.searchsorted, xp, x, "right"), 1, last) if isinstance(
        xp, Traced) else np.minimum(np.maximum(call(np.searchsorted, xp, x, "right"), 1), last)
    x0, x1 = call(np.take, xp, place - 1), call(np.take, xp, place)
    f0, f1 = call(np.take, fp, place - 1), call(np.take, fp, place)
    share = np.clip((x - x0) / (x1 - x0), 0.0, 1.0)
    return f0 + (f1 - f0) * share


def windows(x: Any, window_shape: Any, axis: Any = None, **kwargs: Any) -> Any:
    size = window_shape if isinstance(window_shape, int) else window_shape[0]
    plain((x.ndim, tuple(kwargs), isinstance(size, int)), (1, (), True))
    plain(isinstance(x.shape[0], int), True)
    return np.take(x, np.arange(x.shape[0] - size + 1)[:, None] + np.arange(size))


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """A sum over windows of the longer one, padded."""
    (n,), (m,) = shape(a), shape(v)
    if not isinstance(n, int) or not isinstance(m, int):
        raise Unsupported("sizes that are not known")
    if m > n:
        a, v, n, m = v, a, m, n
    either = a if isinstance(a, Traced) else v
    padded = call(core.update, zeros(either, (n + 2 * m - 2,)),
                  (step(operator.getitem, slice(m - 1, m - 1 + n)),), a)
    whole = np.matmul(windows(padded, m), call(np.flip, v) if isinstance(v, Traced) else np.flip(v))
    first = {"full": 0, "same": (m - 1) // 2, "valid": m - 1}[mode]
    length = {"full": n + m - 1, "same": n, "valid": n - m + 1}[mode]
    return whole[first : first + length]


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    (n,), (m,) = shape(a), shape(v)
    if not isinstance(n, int) or not isinstance(m, int) or m > n:
        raise Unsupported("a second array that is the longer one")
    return convolve(a, np.flip(v), mode)


def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    plain(mode, "constant")
    widths = np.broadcast_to(pad_width, (array.ndim, 2)).tolist()
    sizes = [size + sum(pair) for size, pair in zip(array.shape, widths)]
    places = tuple(slice(pair[0], pair[0] + size) for pair, size in zip(widths, array.shape))
    return call(core.update, zeros(array, tuple(sizes)), (step(operator.getitem, places),), array)


def polyval(p: Any, x: Any) -> Any:
    plain(isinstance(shape(p)[0], int), True)
    total = x * 0
    for place in range(shape(p)[0]):
        total = total * x + p[place]
    return total


def append(arr: Any, values: Any, axis: Any = None) -> Any:
    if axis is None:
        arr, values = call(np.reshape, arr, (-1,)), call(np.reshape, values, (-1,))
    return np.concatenate((arr, values), axis=axis or 0)


def dstack(tup: Any) -> Any:
    if any(len(shape(each)) != 2 for each in tup):
        raise Unsupported("arrays that are no matrices")
    return np.stack(tup, axis=2)


def diagflat(v: Any, k: int = 0) -> Any:
    plain(k, 0)
    return np.diag(np.reshape(v, (-1,)))


def nansum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
           **kwargs: Any) -> Any:
    plain(tuple(kwargs), ())
    return np.sum(np.where(np.isnan(a), 0.0, a), axis=axis,
                  keepdims=keepdims not in (False, MISSING))


def nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
            **kwargs: Any) -> Any:
    keep = keepdims not in (False, MISSING)
    count = np.sum(np.where(np.isnan(a), 0.0, 1.0), axis=axis, keepdims=keep)
    return nansum(a, axis, None, None, keep, **kwargs) / count


def nan_to_num(x: Any, *args: Any, **kwargs: Any) -> Any:
    return np.where(np.isfinite(x), x, 0.0)


def angle(z: Any, deg: bool = False) -> Any:
    found = np.arctan2(np.imag(z), np.real(z)) if z.dtype.kind == "c" else z * 0
    return found * (180 / math.pi) if deg else found


def gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    plain((len(spacing) < 2, f.ndim, edge_order), (True, 1, 1))
    h = spacing[0] if spacing else 1.0
    plain(len(shape(h)), 0)
    inner = (f[2:] - f[:-2]) / (2.0 * h)
    return np.concatenate(((f[1:2] - f[:1]) / h, inner, (f[-1:] - f[-2:-1]) / h))


def matrix_power(a: Any, n: int) -> Any:
    plain(isinstance(n, int) and 0 < n <= 64, True)
    total = a
    for _ in range(n - 1):
        total = np.matmul(total, a)
    return total


def vecdot(x1: Any, x2: Any, /, **kwargs: Any) -> Any:
    plain(tuple(kwargs), ())
    return np.sum(call(np.conjugate, x1) * x2, axis=-1)


def least_squares(a: Any, b: Any, rcond: Any = None) -> Any:
    """Of as many independent columns as there are: the normal equations."""
    across = np.swapaxes(a, 0, 1)
    return np.linalg.solve(np.matmul(across, a), np.matmul(across, b)), None, None, None


def pseudo_inverse(a: Any, *args: Any, **kwargs: Any) -> Any:
    plain((args, kwargs), ((), {}))
    across = np.swapaxes(a, -1, -2)
    if a.shape[-2] >= a.shape[-1]:
        return np.matmul(np.linalg.inv(np.matmul(across, a)), across)
    return np.matmul(across, np.linalg.inv(np.matmul(a, across)))
