"""Functions that fold axes: dtypes, axes, and the memory order that NumPy's iterator gives them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..facts import Facts, must
from ..sizes import Size
from ..types import ArrayType, Form, kind_of
from .layout import (
    axis_order,
    broadcast_strides,
    elementwise_strides,
    is_packed,
    packed_in_order,
    same_shape,
)
from .values import Wrong, as_array, as_dtype, normal_axes, normal_axis, result

MISSING: Any = np._NoValue


def accumulator(dtype: np.dtype) -> np.dtype:
    """The dtype in which sums and products of small integers are taken."""
    if dtype.kind in "bi" and dtype.itemsize < np.dtype(np.intp).itemsize:
        return np.dtype(np.intp)
    if dtype.kind == "u" and dtype.itemsize < np.dtype(np.uintp).itemsize:
        return np.dtype(np.uintp)
    return dtype


def same_dtype(dtype: np.dtype) -> np.dtype:
    return dtype


def boolean(dtype: np.dtype) -> np.dtype:
    return np.dtype(bool)


def fold_rule(
    dtype_of: Callable[[np.dtype], np.dtype], *, identity: bool = True, default_axis: Any = None,
    accepts: str = "biufc", retypes: bool = True,
) -> Callable[..., ArrayType]:
    """A fold called as `(a, axis, dtype, out, keepdims, initial, where)`."""

    def infer(
        a: Any, axis: Any = default_axis, dtype: Any = None, out: Any = None,
        keepdims: Any = MISSING, initial: Any = MISSING, where: Any = MISSING, *, facts: Facts,
    ) -> ArrayType:
        _plain(initial, where)
        kind = as_array(a)
        if kind_of(kind.dtype) not in accepts:
            raise Wrong
        if dtype is not None and not retypes:
            raise Unsupported("a logical or bitwise fold with dtype=")
        found = dtype_of(kind.dtype) if dtype is None else as_dtype(dtype)
        axes = normal_axes(axis, kind.ndim)
        folded = folded_type(kind, axes, found, truth(keepdims), facts)
        if not identity:
            _need_elements(kind, axes, facts)
        return folded if out is None else written(out, folded, facts)

    return infer


def fold_rule_without_dtype(
    dtype_of: Callable[[np.dtype], np.dtype], *, identity: bool = True
) -> Callable[..., ArrayType]:
    """A fold called as `(a, axis, out, keepdims, initial, where)`."""
    rule = fold_rule(dtype_of, identity=identity)

    def infer(
        a: Any, axis: Any = None, out: Any = None, keepdims: Any = MISSING,
        initial: Any = MISSING, where: Any = MISSING, *, facts: Facts,
    ) -> ArrayType:
        return rule(a, axis, None, out, keepdims, initial, where, facts=facts)

    return infer


def folded_type(
    kind: ArrayType, axes: tuple[int, ...], dtype: np.dtype, keepdims: bool, facts: Facts
) -> ArrayType:
    """A fresh result; axes that are folded away keep their place in the memory order."""
    kept = tuple(1 if i in axes else n for i, n in enumerate(kind.shape))
    order = list(range(kind.ndim))[::-1]
    if not is_packed(kind, "C"):
        order = axis_order([broadcast_strides(kind, kind.ndim, facts)], kind.ndim, facts)
    return _folded(kept, order, axes, dtype, keepdims)


def _folded(
    kept: tuple[Size, ...], order: list[int], axes: tuple[int, ...], dtype: np.dtype,
    keepdims: bool,
) -> ArrayType:
    strides = packed_in_order(kept, order, dtype.itemsize)
    if keepdims:
        return result(dtype, kept, strides)
    stay = [i for i in range(len(kept)) if i not in axes]
    return result(dtype, tuple(kept[i] for i in stay), tuple(strides[i] for i in stay))


def arg_rule(
    a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = MISSING, facts: Facts
) -> ArrayType:
    """`argmin` and `argmax`: positions along one axis, or in the flattened array; C order."""
    kind = as_array(a)
    if axis is not None and isinstance(axis, (tuple, list)):
        raise Wrong
    axes = normal_axes(axis, kind.ndim)
    kept = tuple(1 if i in axes else n for i, n in enumerate(kind.shape))
    order = list(range(kind.ndim))[::-1]
    folded = _folded(kept, order, axes, np.dtype(np.intp), truth(keepdims))
    _need_elements(kind, axes, facts)
    return folded if out is None else written(out, folded, facts)


def scan_rule(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, *, facts: Facts
) -> ArrayType:
    """`cumsum` and `cumprod`; without an axis over the flattened array."""
    kind = as_array(a)
    found = accumulator(kind.dtype) if dtype is None else as_dtype(dtype)
    if axis is None:
        scanned = result(found, (kind.size,))
    else:
        normal_axis(axis, max(kind.ndim, 1))
        if kind.ndim == 0:
            scanned = result(found, (1,))
        else:
            strides = elementwise_strides(kind.shape, [kind], found.itemsize, facts, casts=True)
            scanned = result(found, kind.shape, strides)
    return scanned if out is None else written(out, scanned, facts)


def written(out: Any, folded: ArrayType, facts: Facts) -> ArrayType:
    """The given output array, which must have exactly the result's shape."""
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if not isinstance(out, ArrayType) or out.form is not Form.ARRAY:
        raise Wrong
    if not out.writeable or not same_shape(out.shape, folded.shape, facts):
        raise Wrong
    return out


def truth(value: Any) -> bool:
    """A flag argument."""
    if value is MISSING:
        return False
    if isinstance(value, ArrayType):
        raise Unsupported("a flag that is not a constant")
    if isinstance(value, np._CopyMode):
        raise Unsupported("a copy mode as a flag")
    return bool(value)


def _plain(initial: Any, where: Any) -> None:
    if initial is not MISSING or where not in (MISSING, True):
        raise Unsupported("a fold with initial= or where=")


def _need_elements(kind: ArrayType, axes: tuple[int, ...], facts: Facts) -> None:
    """Minima and positions of nothing are errors; code for both cases finds out in the call."""
    for size in (kind.shape[axis] for axis in axes):
        if facts.varies("<", 0, size) and facts.hint(size) > 0:
            continue
        if not must(facts, "less", 0, size):
            raise Wrong


def count_of(kind: ArrayType, axes: tuple[int, ...]) -> Size:
    """How many elements are folded into one."""
    count: Size = 1
    for axis in axes:
        count = count * kind.shape[axis]
    return count
