"""Views of other elements: another dtype, parts of complex numbers, sliding windows."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..facts import Facts
from ..types import Form
from .strided_views import StridedView, array_argument, diagonal, itself_as_view
from .values import Wrong, as_dtype, as_shape, as_type, normal_axes


def view(a: Any, dtype: Any = ..., *, facts: Facts) -> StridedView:
    """`x.view(dtype)` of elements that are as large."""
    kind = array_argument(a)
    if dtype is ...:
        return StridedView(kind.shape, kind.strides)
    found = as_dtype(dtype)
    if isinstance(dtype, type) and issubclass(dtype, np.ndarray):
        raise Unsupported("a view as a subclass of ndarray")
    if found.itemsize != kind.dtype.itemsize:
        raise Unsupported("a view with elements of another size")
    return StridedView(kind.shape, kind.strides, dtype=found)


def sliding_windows(
    x: Any, window_shape: Any, axis: Any = None, *, subok: Any = False, writeable: Any = False,
    facts: Facts,
) -> StridedView:
    """All windows of a size along some axes, whose places inside are axes at the end."""
    kind = array_argument(x)
    sizes = as_shape(window_shape)
    axes = normal_axes(axis, kind.ndim)
    if writeable or len(sizes) != len(axes):
        raise Unsupported("sliding windows that are writeable, or along other axes")
    shape = list(kind.shape)
    for place, size in zip(axes, sizes):
        if facts.less(size, 0) or facts.less(shape[place], size):
            raise Wrong
        shape[place] = shape[place] - size + 1
    strides = (*kind.strides, *(kind.strides[place] for place in axes))
    return StridedView((*shape, *sizes), strides, writeable=False)


def writeable_windows(array: Any, size: Any, axis: Any, *, facts: Facts) -> StridedView:
    """`core.sliding_windows`, which are writeable."""
    found = sliding_windows(array, size, axis, facts=facts)
    return replace(found, writeable=array_argument(array).writeable)


def writeable_diagonals(array: Any, axis1: Any, axis2: Any, *, facts: Facts) -> StridedView:
    """`core.diagonals`, which are writeable."""
    found = diagonal(array, 0, axis1, axis2, facts=facts)
    return replace(found, writeable=array_argument(array).writeable)


def part_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of the real and imaginary parts."""
    return np.zeros((), dtype).real.dtype


def diag(v: Any, k: Any = 0, *, facts: Facts) -> StridedView | None:
    """Of a matrix the diagonal; of a vector a new matrix."""
    return diagonal(v, k, facts=facts) if array_argument(v).ndim == 2 else None


def part(name: str) -> Callable[..., StridedView | None]:
    """`np.real` and `np.imag`: of real arrays the array itself, and new zeros."""

    def view(val: Any, *, facts: Facts) -> StridedView | None:
        kind = as_type(val)
        if kind.form is not Form.ARRAY:
            return None
        if kind.dtype.kind == "c":
            dtype = part_dtype(kind.dtype)
            offset = dtype.itemsize if name == "imag" else 0
            return StridedView(kind.shape, kind.strides, offset, dtype=dtype)
        return itself_as_view(kind) if name == "real" else None

    return view
