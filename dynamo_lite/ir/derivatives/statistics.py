"""What functions of statistics mean in terms of others that have rules."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import Unsupported
from ..pullback import detached
from ..rules.reductions import MISSING
from ..rules.values import normal_axes
from .traced import Traced, call, conjugate, count, shape, together


def plain(given: Any, *usual: Any) -> None:
    """Decline calls with unusual arguments."""
    if given not in usual:
        raise Unsupported(f"{given!r}")


def kept(found: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    """A result without the axes that were reduced, or with them as axes of 1."""
    return found if keepdims in (False, MISSING) else np.expand_dims(
        found, normal_axes(axis, a.ndim))


# -- means

def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False
) -> Any:
    plain(returned, False)
    if weights is None:
        return np.mean(a, axis=axis, keepdims=keepdims is True)
    if len(shape(weights)) != len(shape(a)):
        sides: list[Any] = [1] * len(shape(a))
        for at, size in zip(normal_axes(axis, len(sides)), shape(weights), strict=True):
            sides[at] = size
        weights = reshaped(weights, tuple(sides))
    either = a if isinstance(a, Traced) else weights
    ones = call(np.ones_like, call(np.multiply, a, weights))
    total = np.sum(ones * weights, axis=axis, keepdims=keepdims is True)
    return np.sum(either * (weights if either is a else a), axis=axis,
                  keepdims=keepdims is True) / total


def reshaped(x: Any, sides: tuple[Any, ...]) -> Any:
    return call(np.reshape, x, sides) if isinstance(x, Traced) else np.reshape(x, sides)


def counted(a: Any, axis: Any, where: Any) -> Any:
    """How many elements there are for each result, which keeps the axes."""
    flags = np.where(where, np.ones_like(a), 0)
    return np.sum(flags, axis=axis, keepdims=True)


def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
    *, where: Any = True,
) -> Any:
    found = np.sum(np.where(where, a, 0), axis=axis, keepdims=True) / counted(a, axis, where)
    return reduced(found, a, axis, keepdims)


def var(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0,
    keepdims: Any = False, *, where: Any = True, mean: Any = MISSING, correction: Any = MISSING,
) -> Any:
    plain((mean, correction), (MISSING, MISSING))
    number = counted(a, axis, where)
    total = np.sum(np.where(where, a, 0), axis=axis, keepdims=True)
    away = np.where(where, a - total / number, 0)
    squares = np.sum(np.real(away * conjugate(away)), axis=axis, keepdims=True)
    return reduced(squares / (np.real(number) - ddof), a, axis, keepdims)


def std(*args: Any, **kwargs: Any) -> Any:
    return np.sqrt(var(*args, **kwargs))


def reduced(found: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    """A result that keeps the axes, without them unless they are to be kept."""
    return found if keepdims not in (False, MISSING) else np.squeeze(
        found, normal_axes(axis, a.ndim))


def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None,
    fweights: Any = None, aweights: Any = None, *, dtype: Any = None,
) -> Any:
    plain(dtype, None)
    rows = [np.atleast_2d(each) for each in (m, y) if each is not None]
    if not rowvar:
        rows = [each if len(shape(given)) < 2 else np.transpose(each)
                for each, given in zip(rows, (m, y))]
    x: Any = call(np.concatenate, tuple(rows), axis=0) if len(rows) > 1 else rows[0]
    weights = np.ones_like(np.real(x[0]))
    for each in (fweights, aweights):
        weights = weights if each is None else weights * each
    total, delta = np.sum(weights), 1 - bias if ddof is None else ddof
    away = x - np.sum(x * weights, axis=1, keepdims=True) / total
    found = np.matmul(away * weights, conjugate(np.transpose(away)))
    lost = 1 if aweights is None else np.sum(weights * aweights) / total
    return np.squeeze(found) / (total - delta * lost)


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *args: Any, **kwargs: Any) -> Any:
    plain((args, kwargs), ((), {}))
    found = cov(x, y, rowvar)
    if found.ndim == 0:
        return found / found
    spread = np.sqrt(np.real(np.diagonal(found)))
    return found / np.expand_dims(spread, 1) / spread


# -- order

def between(ordered: Any, position: Any, method: str) -> Any:
    """Elements of the last axis, which keeps 1, at positions between two of them."""
    low, high = np.floor(position), np.ceil(position)
    one = {"lower": low, "higher": high, "nearest": np.rint(position)}
    if method in one:
        return element(ordered, one[method])
    share = (high - low) * 0.5 if method == "midpoint" else position - low
    first, second = element(ordered, low), element(ordered, high)
    return first + (second - first) * share


def element(ordered: Any, position: Any) -> Any:
    return np.take_along_axis(ordered, position.astype(np.dtype(np.intp)), -1)


def at_quantiles(a: Any, q: Any, axis: Any, keepdims: Any, last: Any, method: str) -> Any:
    """The quantiles of an array: one, or an array of them along new axes, which come first."""
    plain(method, "linear", "midpoint", "lower", "higher", "nearest")
    ordered = np.sort(together(a, axis), axis=-1)
    top = last(ordered)

    def one(share: Any) -> Any:
        return kept(between(ordered, top * share, method)[..., 0], a, axis, keepdims)

    sides = shape(q)
    if not sides:
        return one(q)
    if isinstance(q, Traced) or len(sides) > 1:
        raise Unsupported("quantiles that are computed, or of more than one axis")
    return np.stack([one(float(each)) for each in np.asarray(q)])


def to_last(ordered: Any) -> Any:
    """The place of the last element of each row."""
    places = count(ordered, ordered.shape[-1])
    last = np.max(places, keepdims=True).astype(np.dtype(float))
    return np.reshape(last, (1,) * ordered.ndim)


def to_last_number(ordered: Any) -> Any:
    """The place of the last element of each row that is a number: NaN come behind it."""
    numbers = np.where(np.isnan(ordered), 0.0, 1.0)
    return np.sum(numbers, axis=-1, keepdims=True) - 1.0


def quantile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
    method: Any = "linear", keepdims: Any = False, *, weights: Any = None,
) -> Any:
    plain(weights, None)
    return at_quantiles(a, q, axis, keepdims, to_last, method)


def nanquantile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
    method: Any = "linear", keepdims: Any = False, *, weights: Any = None,
) -> Any:
    plain(weights, None)
    return at_quantiles(a, q, axis, keepdims, to_last_number, method)


def of_hundred(q: Any) -> Any:
    return q / 100 if isinstance(q, Traced) else np.asarray(q) / 100


def percentile(a: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
    return quantile(a, of_hundred(q), *args, **kwargs)


def nanpercentile(a: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
    return nanquantile(a, of_hundred(q), *args, **kwargs)


def median(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
    keepdims: Any = False,
) -> Any:
    return at_quantiles(a, 0.5, axis, keepdims, to_last, "linear")


def nanmedian(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
    keepdims: Any = False,
) -> Any:
    return at_quantiles(a, 0.5, axis, keepdims, to_last_number, "linear")


# -- without NaN

def without(neutral: float, function: Any) -> Any:
    """The same function where NaN are a number that changes nothing."""

    def means(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
        initial: Any = MISSING, where: Any = MISSING,
    ) -> Any:
        given = {"initial": initial, "where": where}
        more = {name: value for name, value in given.items() if value is not MISSING}
        return function(np.where(np.isnan(a), neutral, a), axis=axis,
                        keepdims=keepdims not in (False, MISSING), **more)

    return means


def nancumsum(a: Any, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
    return np.cumsum(np.where(np.isnan(a), 0.0, a), axis=axis)


def nancumprod(a: Any, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
    return np.cumprod(np.where(np.isnan(a), 1.0, a), axis=axis)


def without_nan(function: Any) -> Any:
    """The same function of the elements that are numbers."""

    def means(a: Any, *args: Any, **kwargs: Any) -> Any:
        return function(np.where(np.isnan(a), 0.0, a), *args, **kwargs, where=~np.isnan(a))

    return means


def logaddexp(
    a: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: Any = False,
    **kwargs: Any,
) -> Any:
    """Of `np.logaddexp.reduce`."""
    plain(tuple(kwargs), ())
    top = np.max(a, axis=axis, keepdims=True)
    low = call(detached, np.where(np.isfinite(top), top, 0.0))
    found = np.log(np.sum(np.exp(a - low), axis=axis, keepdims=True)) + low
    return reduced(found, a, axis, keepdims)
