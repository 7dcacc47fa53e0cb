"""Polyfills of NumPy's functions that call a function of the user's, or look at elements one by
one, in the words that the tracer follows best.

As in `polyfills`, what is made here must not leave the trace where it is a function or an object.
"""
from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .library import POLYFILLS, polyfill_of

__all__ = ["POLYFILLS", "appended", "counts_between", "dtype_of_result", "left_to_python",
           "only_where", "shuffle_by", "store_by_steps", "stored", "weighted_choice",
           "weighted_place"]

NEAR_ONE = 1.4e-8
"""How far a sum of probabilities is from 1 where NumPy takes them, however it adds them up."""


def left_to_python(reason: Any) -> Any:
    """End the graph before the call that is being followed; answered by the tracer."""
    raise NotImplementedError(reason)


def only_where(condition: Any, reason: Any) -> None:
    """Bail out of calls whose data does not meet a condition; answered by the tracer."""
    assert condition, reason


def dtype_of_result(value: Any) -> Any:
    """The dtype of the array that NumPy makes of one number; answered by the tracer."""
    return np.asarray(value).dtype


def stored(value: Any, dtype: Any) -> Any:
    """A number that an array of some dtype holds as it is; answered by the tracer."""
    return value


def store_by_steps(array: Any, start: Any, stop: Any, step: Any, value: Any) -> None:
    """`array[start:stop:step] = value` of a number, as `slice.indices` has it."""
    size = len(array)
    if step > 0:
        lowest, highest, first, last = 0, size, 0, size
    else:
        lowest, highest, first, last = -1, size - 1, size - 1, -1
    if start is not None:
        first = min(max(start + size if start < 0 else start, lowest), highest)
    if stop is not None:
        last = min(max(stop + size if stop < 0 else stop, lowest), highest)
    for place in range(first, last, step):
        array[place] = value


def weighted_place(count: Any, p: Any, draw: Any) -> Any:
    """`choice(count, p=p)`: the first place up to which the probabilities sum to more than is
    drawn."""
    size = len(p)
    total = p.sum()
    only_where(0 < size == count, "another number of probabilities")
    only_where(abs(total - 1.0) < NEAR_ONE and p.min() >= 0, "no probabilities that sum to 1")
    upper = p.cumsum()
    upper /= upper[-1]
    drawn = draw()
    first, last = 0, size
    while first < last:
        middle = (first + last) // 2
        if drawn < upper[middle]:
            last = middle
        else:
            first = middle + 1
    return first


def weighted_choice(values: Any, p: Any, draw: Any) -> Any:
    """`choice(values, p=p)`"""
    return values[weighted_place(len(values), p, draw)]


@polyfill_of(np.vectorize._vectorize_call)  # type: ignore[attr-defined]
def vectorize_call(self: Any, func: Any, args: Any) -> Any:
    """The function sees Python's numbers; its first result says the dtype, unless `otypes` does.

    The call bails out where there is a NaN: comparing it raises a flag, which NumPy reports.
    """
    if self.signature is not None:
        return self._vectorize_call_with_signature(func, args)
    if not args:
        return func()
    if self.cache or (self.otypes is not None and len(self.otypes) > 1):
        left_to_python("np.vectorize with a cache or several results")
    arrays = [np.asarray(arg) for arg in args]
    if not all(array.ndim < 2 or array.flags.c_contiguous for array in arrays):
        left_to_python("np.vectorize over an array that is not packed in C order")
    for array in arrays:
        if array.dtype.kind in "fc" and np.isnan(array).any():
            raise FloatingPointError("NumPy warns where the function compares a NaN")
    shape = np.broadcast_shapes(*[array.shape for array in arrays])
    if self.otypes is not None:
        dtype = np.dtype(self.otypes[0])
    else:
        if any(array.size == 0 for array in arrays):
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        dtype = dtype_of_result(func(*[array.reshape(-1)[0] for array in arrays]))
    result = np.empty(shape, dtype)
    items = [np.broadcast_to(array, shape).reshape(-1) for array in arrays]
    flat = result.reshape(-1)
    for i in range(flat.size):
        flat[i] = stored(func(*[item[i].item() for item in items]), dtype)
    return result


@polyfill_of(np.polymul)
def polymul(a1: Any, a2: Any) -> Any:
    """How many leading zeros are cut off only data says: calls with any are left to Python."""
    if isinstance(a1, np.poly1d) or isinstance(a2, np.poly1d):
        return np.polymul.__wrapped__(a1, a2)  # type: ignore[attr-defined]
    first, second = np.atleast_1d(a1), np.atleast_1d(a2)
    if first.ndim > 1 or second.ndim > 1 or len(first) == 0 or len(second) == 0:
        return np.polymul.__wrapped__(a1, a2)  # type: ignore[attr-defined]
    only_where((first[0] != 0) & (second[0] != 0),
               "np.polymul cuts off leading zeros, and data decides how many")
    return np.convolve(first, second)


@polyfill_of(np.apply_along_axis)
def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    array = np.asarray(arr)
    axes = list(range(array.ndim))
    axis = normalize_axis_index(axis, array.ndim)
    rows = np.transpose(array, axes[:axis] + axes[axis + 1 :] + [axis])
    sizes = rows.shape[:-1]
    if any(size == 0 for size in sizes):
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    places: Any = itertools.product(*[range(size) for size in sizes])
    start: Any = (0,) * len(sizes)
    first = np.asarray(func1d(rows[(*start, ...)], *args, **kwargs))
    if first.ndim > 1:
        left_to_python("np.apply_along_axis of a function that gives arrays of two dimensions")
    found = np.zeros(sizes + first.shape, first.dtype)
    found[(*start, ...)] = first
    if len(sizes) == 1:
        for i in range(1, sizes[0]):
            found[i] = np.asarray(func1d(rows[i], *args, **kwargs))
    else:
        for place in places:
            if place != start:
                found[(*place, ...)] = np.asarray(func1d(rows[(*place, ...)], *args, **kwargs))
    order = list(range(found.ndim))
    inner = found.ndim - first.ndim
    return np.transpose(found, order[:axis] + order[inner:] + order[axis:inner])


@polyfill_of(np.fromiter)
def fromiter(iter: Any, dtype: Any, count: Any = -1) -> Any:
    if count != -1:
        left_to_python("np.fromiter with a count")
    dtype = float if dtype is None else dtype
    items = list(iter)
    if not items:
        return np.empty(0, dtype)
    if not all(isinstance(item, NUMBERS) for item in items):
        left_to_python("np.fromiter of something else than numbers")
    return np.array(items, dtype)


NUMBERS = (bool, int, float, complex, np.number, np.bool_)


@polyfill_of(np.broadcast_arrays)
def broadcast_arrays(*args: Any, subok: Any = False) -> Any:
    arrays = tuple([np.asarray(arg) for arg in args])
    shape = np.broadcast_shapes(*[array.shape for array in arrays])
    if not all(array.shape == shape for array in arrays):
        left_to_python("np.broadcast_arrays of several shapes, whose results warn when they are "
                       "written; np.broadcast_to is followed")
    return arrays


def counts_between(a: Any, edges: Any) -> Any:
    """`np.histogram(a, edges)`: sorted once, and each edge looked up."""
    if np.any(edges[:-1] > edges[1:]):
        raise ValueError("`bins` must increase monotonically, when an array")
    values = np.sort(np.ravel(a))
    left = np.searchsorted(values, edges[:-1], "left")
    right = np.searchsorted(values, edges[-1:], "right")
    return np.diff(np.concatenate([left, right])), edges


def appended(arr: Any, values: Any, axis: Any) -> Any:
    """`np.append`, of an array of one axis where none is given."""
    values = np.asarray(values)
    if axis is None:
        return np.concatenate((arr, np.ravel(values)))
    return np.concatenate((arr, values), axis=axis)


@polyfill_of(np.random.shuffle)
def shuffle(x: Any) -> None:
    shuffle_by(x, np.random.permutation)


def shuffle_by(x: Any, permutation: Any) -> None:
    """What a generator's `shuffle` does, which draws the numbers that its `permutation` draws."""
    if type(x) is not np.ndarray or x.ndim == 0:
        left_to_python("shuffling what is no array")
    if not x.flags.writeable:
        left_to_python("shuffling an array that is read-only")
    x[...] = permutation(x)
