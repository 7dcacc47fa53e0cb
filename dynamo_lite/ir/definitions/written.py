"""NumPy's functions written again in terms of others, as one graph. They are followed where arrays
are in blocks; elsewhere NumPy's own are called."""
from __future__ import annotations

from typing import Any

import numpy as np


def nansum(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False) -> Any:
    return np.sum(np.where(np.isnan(a), 0, a), axis=axis, dtype=dtype, keepdims=keepdims)


def nanprod(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False) -> Any:
    return np.prod(np.where(np.isnan(a), 1, a), axis=axis, dtype=dtype, keepdims=keepdims)


def nancumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return np.cumsum(np.where(np.isnan(a), 0, a), axis=axis, dtype=dtype)


def nanmax(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    missing = np.isnan(a)
    found = np.max(np.where(missing, -np.inf, a), axis=axis, keepdims=keepdims)
    return np.where(np.all(missing, axis=axis, keepdims=keepdims), np.nan, found)


def nanmin(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    missing = np.isnan(a)
    found = np.min(np.where(missing, np.inf, a), axis=axis, keepdims=keepdims)
    return np.where(np.all(missing, axis=axis, keepdims=keepdims), np.nan, found)


def nanmean(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    missing = np.isnan(a)
    count = np.sum(~missing, axis=axis, keepdims=keepdims)
    total = np.sum(np.where(missing, 0, a), axis=axis, keepdims=keepdims)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (total / count).astype(total.dtype)


def nanvar(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False) -> Any:
    missing = np.isnan(a)
    apart = np.where(missing, 0, a - np.nanmean(a, axis, keepdims=True))
    squares = np.sum(apart * apart, axis=axis, keepdims=keepdims)
    free = np.sum(~missing, axis=axis, keepdims=keepdims) - ddof
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(free > 0, squares / free, np.nan).astype(squares.dtype)


def nanstd(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False) -> Any:
    return np.sqrt(np.nanvar(a, axis, ddof=ddof, keepdims=keepdims))


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False
) -> Any:
    """NumPy's own raises where weights sum to zero."""
    if weights is None:
        found = np.mean(a, axis=axis, keepdims=keepdims)
        return (found, np.full_like(found, a.size / found.size)) if returned else found
    if weights.ndim != a.ndim:
        sides = [1] * a.ndim
        sides[axis] = a.shape[axis]
        weights = weights.reshape(tuple(sides))
    total = np.sum(a * weights, axis=axis, keepdims=keepdims)
    weight = np.sum(weights + np.zeros_like(a), axis=axis, keepdims=keepdims)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.asarray(total / weight)[None]
    found = np.average(found, axis=0, weights=np.asarray(weight)[None])
    return (found, weight) if returned else found
