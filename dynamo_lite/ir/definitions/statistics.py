"""Means, variances, ranges, counts and norms (numpy/_core/_methods.py, numpy/linalg)."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import Unsupported
from ..facts import must
from ..rules.composite import Emit
from ..rules.layout import is_contiguous
from ..rules.reductions import MISSING, count_of, truth
from ..rules.values import Wrong, as_dtype, integer, normal_axes
from ..sizes import Size
from ..types import ArrayType, Form, is_half


def mean(
    emit: Emit, a: Any, axis: Any = None, dtype: Any = None, out: Any = None,
    keepdims: Any = MISSING, *, where: Any = MISSING,
) -> Any:
    _only_plain(out, where)
    kind = emit.type(a)
    count = count_of(kind, normal_axes(axis, kind.ndim))
    if not must(emit.facts, "less", 0, count):
        raise Unsupported("the mean of an empty slice, which warns")
    wide = _working_dtype(kind, dtype, half=np.dtype(np.float32))
    total = emit(np.sum, a, axis=axis, dtype=wide, keepdims=truth(keepdims))
    average = divided(emit, total, count)
    if dtype is None and is_half(kind.dtype):
        return emit(np.ndarray.astype, average, kind.dtype)
    return average


def var(
    emit: Emit, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0,
    keepdims: Any = MISSING, *, where: Any = MISSING, mean: Any = MISSING,
    correction: Any = MISSING,
) -> Any:
    _only_plain(out, where)
    if mean is not MISSING:
        raise Unsupported("var with mean=")
    if correction is not MISSING:
        if ddof != 0:
            raise Wrong
        ddof = correction
    kind = emit.type(a)
    if kind.dtype.kind == "c":
        raise Unsupported("the variance of complex numbers")
    if kind.ndim == 0:
        raise Unsupported("the variance of a scalar")
    axes = normal_axes(axis, kind.ndim)
    count = count_of(kind, axes)
    freedom = count - integer(ddof)
    if not all(must(emit.facts, "less", 0, number) for number in (freedom, count)):
        raise Unsupported("a variance without degrees of freedom, which warns")
    wide = _working_dtype(kind, dtype)
    total = emit(np.sum, a, axis=axis, dtype=wide, keepdims=len(axes) < kind.ndim)  # as `mean`
    distance = emit(np.subtract, a, divided(emit, total, count))
    squares = emit(np.square, distance)
    spread = emit(np.sum, squares, axis=axis, dtype=wide, keepdims=truth(keepdims))
    return divided(emit, spread, freedom)


def std(emit: Emit, *args: Any, **kwargs: Any) -> Any:
    spread = var(emit, *args, **kwargs)
    root = emit(np.sqrt, spread)
    kind = emit.type(spread)
    return root if kind.form is Form.SCALAR else emit.laid_out(root, kind.strides)


def _only_plain(out: Any, where: Any) -> None:
    if out is not None or where not in (MISSING, True):
        raise Unsupported("a statistic with out= or where=")


def _working_dtype(
    kind: ArrayType, dtype: Any, half: np.dtype | None = None
) -> np.dtype | None:
    """The dtype NumPy sums in: float64 for integers, float32 for the mean of halves."""
    if dtype is not None:
        found = as_dtype(dtype)
        if found.kind not in "fc":
            raise Unsupported("a mean or variance in integers")
        return found
    if kind.dtype.kind in "biu":
        return np.dtype(np.float64)
    return half if half is not None and is_half(kind.dtype) else kind.dtype


def divided(emit: Emit, total: Any, count: Size) -> Any:
    """`total / np.intp(count)` in float64, back in the dtype of `total`.

    NumPy's count is a strong integer: float32 is divided in float64 and rounded once more. It
    writes the quotient over the total.
    """
    kind = emit.type(total)
    narrow = kind.dtype.itemsize < (16 if kind.dtype.kind == "c" else 8)
    if narrow:
        wide = np.dtype(np.complex128 if kind.dtype.kind == "c" else np.float64)
        total = emit(np.ndarray.astype, total, wide)
    quotient = emit(np.true_divide, total, count)
    if narrow:
        quotient = emit(np.ndarray.astype, quotient, kind.dtype)
    return quotient if kind.form is Form.SCALAR else emit.laid_out(quotient, kind.strides)


def ptp(
    emit: Emit, a: Any, axis: Any = None, out: Any = None, keepdims: Any = MISSING
) -> Any:
    _only_plain(out, MISSING)
    keep = truth(keepdims)
    highest = emit(np.max, a, axis=axis, keepdims=keep)
    return emit(np.subtract, highest, emit(np.min, a, axis=axis, keepdims=keep))


def count_nonzero(emit: Emit, a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    keep = truth(keepdims)
    flags = a if emit.type(a).dtype == bool else emit(np.ndarray.astype, a, np.dtype(bool))
    return emit(np.sum, flags, axis=axis, dtype=np.dtype(np.intp), keepdims=keep)


def norm(
    emit: Emit, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False
) -> Any:
    kind = emit.type(x)
    if kind.dtype.kind == "c" or kind.dtype == np.float16:
        raise Unsupported("the norm of complex or half precision numbers")
    if kind.dtype.kind in "biu":
        x = emit(np.ndarray.astype, x, np.dtype(np.float64))
    keep = truth(keepdims)
    if axis is None:
        if ord is None or (ord == 2 and kind.ndim == 1) or (ord == "fro" and kind.ndim == 2):
            return _length(emit, x, keep)
        if kind.ndim != 1:
            raise Unsupported("a matrix norm")
        axis = 0
    if isinstance(axis, (tuple, list)):
        if len(axis) == 2 and ord in (None, "fro"):
            return _root_of_squares(emit, x, tuple(axis), keep)
        if len(axis) != 1:
            raise Unsupported("a matrix norm")
        axis = axis[0]
    return _vector_norm(emit, x, ord, integer(axis), keep)


def _length(emit: Emit, x: Any, keep: bool) -> Any:
    """The norm of all elements, in the order in which they lie in memory."""
    kind = emit.type(x)
    order = "C" if kind.ndim == 1 or is_contiguous(kind, emit.facts) else "K"
    flat, ndim = emit(np.ravel, x, order=order), kind.ndim
    root = emit(np.sqrt, emit(np.dot, flat, flat))
    return emit(np.reshape, emit(np.asarray, root), (1,) * ndim) if keep else root


def _root_of_squares(emit: Emit, x: Any, axis: Any, keep: bool) -> Any:
    squares = emit(np.multiply, x, x)
    return emit(np.sqrt, emit(np.add.reduce, squares, axis=axis, keepdims=keep))


def _vector_norm(emit: Emit, x: Any, ord: Any, axis: int, keep: bool) -> Any:
    """The norms of `np.linalg.norm` along one axis."""
    if ord is None or ord == 2:
        return _root_of_squares(emit, x, axis, keep)
    if ord == 0:
        flags = emit(np.not_equal, x, 0)
        counted = emit(np.ndarray.astype, flags, emit.type(x).dtype)
        return emit(np.sum, counted, axis=axis, keepdims=keep)
    size = emit(np.absolute, x)
    if ord in (np.inf, -np.inf):
        return emit(np.max if ord > 0 else np.min, size, axis=axis, keepdims=keep)
    if ord == 1:
        return emit(np.add.reduce, size, axis=axis, keepdims=keep)
    raise Unsupported("a general p-norm")
