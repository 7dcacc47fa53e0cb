"""New arrays from sizes and constants, copies and conversions."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..facts import Facts, at_least
from ..sizes import Size, SizeExpr, floordiv
from ..types import ArrayType, Form, contiguous_strides
from .layout import broadcast_shapes, is_contiguous, like_strides, same_shape
from .reductions import truth
from .trials import run_on_samples
from .values import (
    Wrong,
    as_array,
    as_dtype,
    as_shape,
    as_size,
    as_type,
    check_size,
    integer,
    is_constant,
    result,
)


def plain_rule(
    shape: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None,
    facts: Facts,
) -> ArrayType:
    """`zeros`, `ones`, `empty`."""
    _host(device, like)
    found = np.dtype(float) if dtype is None else as_dtype(dtype)
    return _new(as_shape(shape), found, order, facts)


def full_rule(
    shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", *, device: Any = None,
    like: Any = None, facts: Facts,
) -> ArrayType:
    _host(device, like)
    fill = as_type(fill_value)
    found = fill.dtype if dtype is None else as_dtype(dtype)
    made = _new(as_shape(shape), found, order, facts)
    _check_fill(fill_value, fill, made, facts)
    return made


def _check_fill(value: Any, fill: ArrayType, made: ArrayType, facts: Facts) -> None:
    broadcast = broadcast_shapes((fill.shape, made.shape), facts)
    if not same_shape(broadcast, made.shape, facts):
        raise Wrong
    if fill.form is Form.PYTHON and fill.dtype.kind == "i" and made.dtype.kind in "iu":
        if not is_constant(value):
            if made.dtype != np.dtype(np.intp):
                raise Unsupported("filling with a Python int that may not fit")
            return
        limits = np.iinfo(made.dtype)
        if not limits.min <= value <= limits.max:
            raise Wrong
    kinds = made.dtype.kind, fill.dtype.kind
    if (kinds[0] in "biu" and kinds[1] in "fc") or kinds == ("f", "c"):
        raise Unsupported("filling with a value of a wider kind")


def _new(shape: tuple[Size, ...], dtype: np.dtype, order: Any, facts: Facts) -> ArrayType:
    shape = tuple(check_size(size, facts) for size in shape)
    if order not in ("C", "F"):
        raise Unsupported(f"order={order!r}")
    strides = contiguous_strides(shape, dtype.itemsize, order)
    return result(dtype, shape, strides, scalar=False)


def like_rule(
    a: Any, dtype: Any = None, order: Any = "K", subok: Any = True, shape: Any = None, *,
    device: Any = None, facts: Facts,
) -> ArrayType:
    """`zeros_like`, `ones_like`, `empty_like`."""
    _host(device, None)
    kind = as_array(a)
    found = kind.dtype if dtype is None else as_dtype(dtype)
    if shape is None:
        strides = like_strides(kind, found.itemsize, facts, _order(order))
        return result(found, kind.shape, strides, scalar=False)
    raise Unsupported("shape= in a *_like function")


def full_like_rule(
    a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: Any = True,
    shape: Any = None, *, device: Any = None, facts: Facts,
) -> ArrayType:
    made = like_rule(a, dtype, order, subok, shape, device=device, facts=facts)
    _check_fill(fill_value, as_type(fill_value), made, facts)
    return made


def arange_ends(
    start_or_stop: Any = ..., /, stop: Any = None, step: Any = None, *, start: Any = ...
) -> tuple[Any, Any, Any]:
    """First, stop and step of a call of `np.arange`: an end of None is missing."""
    first = start if start_or_stop is ... else start_or_stop
    if stop is None:
        return 0, None if first is ... else first, 1 if step is None else step
    return 0 if first is ... else first, stop, 1 if step is None else step


def arange_rule(
    start_or_stop: Any = ..., /, stop: Any = None, step: Any = None, *, dtype: Any = None,
    start: Any = ..., device: Any = None, like: Any = None, facts: Facts,
) -> ArrayType:
    _host(device, like)
    first, stop, step = arange_ends(start_or_stop, stop, step, start=start)
    if first is None or stop is None:
        raise Wrong
    if not any(isinstance(part, (SizeExpr, ArrayType)) for part in (first, stop, step)):
        return _constant_arange(first, stop, step, dtype)
    if dtype is None and any(map(_is_real, (first, stop, step))):
        return _arange_of_numbers(first, stop, step, facts)
    return _integer_arange(as_size(first), as_size(stop), integer(step), dtype, facts)


def _constant_arange(first: Any, stop: Any, step: Any, dtype: Any) -> ArrayType:
    """Length as NumPy computes it, dtype from NumPy itself on an empty range."""
    try:
        length = math.ceil((stop - first) / step)
        found = np.arange(first, first + (stop - stop), step, dtype=dtype).dtype
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise Wrong from None
    if not isinstance(first, (int, float)) or length > 2**53 or found.kind == "b":
        raise Unsupported("an arange of unusual bounds")
    limits = np.iinfo(found) if found.kind in "iu" else None
    if limits and not all(
        isinstance(part, int) and limits.min <= part <= limits.max
        for part in (first, stop, step, first + step)
    ):
        raise Unsupported("an arange of integers whose bounds do not fit")
    if dtype is None:
        found = np.result_type(
            *(np.min_scalar_type(part) if abs(part) >= 2**63 else np.asarray(part).dtype
              for part in (first, stop, step))
        )
    return result(found, (max(length, 0),), scalar=False)


def _is_real(part: Any) -> bool:
    """Whether it is a float, which only the run knows."""
    return isinstance(part, ArrayType) and not part.ndim and part.dtype == np.float64


def _arange_of_numbers(first: Any, stop: Any, step: Any, facts: Facts) -> ArrayType:
    """As many steps as there are between floats."""
    for part in (first, stop, step):
        if not (_is_real(part) or isinstance(part, (int, float, SizeExpr))):
            raise Unsupported("an arange of such bounds")
        if isinstance(part, int) and abs(part) > 2**53:
            raise Unsupported("an arange of unusual bounds")
    length = facts.unbacked("steps of an arange", None, (0, 1, 2))
    return result(np.dtype(float), (length,), scalar=False)


def _integer_arange(first: Size, stop: Size, step: int, dtype: Any, facts: Facts) -> ArrayType:
    if step == 0:
        raise Wrong
    found = np.dtype(np.intp) if dtype is None else as_dtype(dtype)
    if found.kind == "b" or (found.kind in "iu" and found.itemsize < 8):
        raise Unsupported(f"an arange of {found} whose length is symbolic")
    distance = stop - first if step > 0 else first - stop
    distance = at_least(0, distance, facts)
    if isinstance(distance, int) and distance <= 0:
        return result(found, (0,), scalar=False)
    length = distance if abs(step) == 1 else floordiv(distance + abs(step) - 1, abs(step))
    return result(found, (length,), scalar=False)


def linspace_rule(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False,
    dtype: Any = None, axis: Any = 0, *, device: Any = None, facts: Facts,
) -> ArrayType:
    _host(device, None)
    kinds = (as_type(start), as_type(stop))
    if any(type(end) is int and abs(end) >= 2**63 for end in (start, stop)):
        raise Unsupported("linspace between huge integers")
    if any(kind.ndim for kind in kinds) or truth(retstep):
        raise Unsupported("linspace between arrays, or with retstep")
    found = np.result_type(*(kind.dtype for kind in kinds), float(1))
    if found.kind != "f":
        raise Unsupported("a complex linspace")
    found = found if dtype is None else as_dtype(dtype)
    return result(found, (check_size(as_size(num), facts),), scalar=False)


def eye_rule(
    N: Any, M: Any = None, k: Any = 0, dtype: Any = float, order: Any = "C", *,
    device: Any = None, like: Any = None, facts: Facts,
) -> ArrayType:
    _host(device, like)
    integer(k)
    shape = (as_size(N), as_size(N if M is None else M))
    return _new(shape, as_dtype(dtype), order, facts)


def identity_rule(n: Any, dtype: Any = None, *, like: Any = None, facts: Facts) -> ArrayType:
    return eye_rule(n, dtype=float if dtype is None else dtype, like=like, facts=facts)


def tri_rule(
    N: Any, M: Any = None, k: Any = 0, dtype: Any = float, *, like: Any = None, facts: Facts
) -> ArrayType:
    if isinstance(k, int) and abs(k) >= 2**62:
        raise Unsupported("a diagonal that NumPy may not be able to count to")
    return eye_rule(N, M, k, dtype, like=like, facts=facts)


def copy_rule(a: Any, order: Any = "K", subok: Any = False, *, facts: Facts) -> ArrayType:
    """`np.copy`: always an array."""
    kind = as_array(a)
    strides = like_strides(kind, kind.dtype.itemsize, facts, _order(order))
    return result(kind.dtype, kind.shape, strides, scalar=False)


def method_copy_rule(a: Any, order: Any = "C", *, facts: Facts) -> ArrayType:
    """`x.copy()`: a scalar's copy is the scalar."""
    kind = as_type(a)
    return kind if kind.form is not Form.ARRAY else copy_rule(a, order, facts=facts)


def flatten_rule(a: Any, order: Any = "C", *, facts: Facts) -> ArrayType:
    kind = as_array(a)
    return result(kind.dtype, (kind.size,))


def astype_rule(
    a: Any, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: Any = True,
    copy: Any = True, *, facts: Facts,
) -> ArrayType:
    """`x.astype`; without `copy` the array itself may come back, which is an alias."""
    kind = as_type(a)
    found = as_dtype(dtype)
    if not np.can_cast(kind.dtype, found, casting):
        raise Wrong
    if kind.form is not Form.ARRAY:
        return replace(kind, dtype=found, form=Form.SCALAR)
    if not truth(copy) and found == kind.dtype:
        if _order(order) != "K" and not is_contiguous(kind, facts, _order(order)):
            raise Unsupported("astype with copy=False and another memory order")
        return kind
    strides = like_strides(kind, found.itemsize, facts, _order(order))
    return result(found, kind.shape, strides, scalar=False)


def same_or_copy(copy_default: bool) -> Callable[..., ArrayType]:
    """`np.array`, `np.asarray`: of one array, or of constants."""

    def infer(
        a: Any, dtype: Any = None, order: Any = "K", *, copy: Any = copy_default,
        ndmin: Any = 0, device: Any = None, like: Any = None, facts: Facts, **unknown: Any,
    ) -> ArrayType:
        _host(device, like)
        if copy_default:  # of `np.array`
            unknown.pop("subok", None)
        if unknown or integer(ndmin) or order not in ("K", None):
            raise Unsupported("array() with uncommon arguments")
        kind = as_array(a)
        found = kind.dtype if dtype is None else as_dtype(dtype)
        if isinstance(a, ArrayType) and found == kind.dtype and not copy and \
                a.form is Form.ARRAY:
            return kind
        strides = like_strides(kind, found.itemsize, facts)
        return result(found, kind.shape, strides, scalar=False)

    return infer


def contiguous_rule(a: Any, dtype: Any = None, *, like: Any = None, facts: Facts) -> ArrayType:
    """`np.ascontiguousarray`: at least 1-d; the array itself when it is packed already."""
    _host(None, like)
    kind = as_array(a)
    found = kind.dtype if dtype is None else as_dtype(dtype)
    if kind.ndim == 0:
        raise Unsupported("ascontiguousarray of a 0-d array")
    if found == kind.dtype and isinstance(a, ArrayType) and is_contiguous(kind, facts):
        return a
    return result(found, kind.shape)


def _order(order: Any) -> str:
    if order not in ("C", "F", "A", "K"):
        raise Unsupported(f"order={order!r}")
    return str(order)


def _host(device: Any, like: Any) -> None:
    if device not in (None, "cpu") or like is not None:
        raise Unsupported("device= or like=")


def triangle_indices(target: Callable[..., Any], *, lower: bool) -> Callable[..., Any]:
    """`np.tril_indices` and `np.triu_indices` of a square of symbolic size."""

    def infer(n: Any, k: Any = 0, m: Any = None, *, facts: Facts) -> Any:
        if not isinstance(n, SizeExpr) or type(k) is not int or (m is not None and m != n):
            return run_on_samples(target, (n, k, m), {}, facts)
        away = -k if lower else k
        corner = at_least(0, n - away if away >= 0 else n + away - 1, facts)
        count = floordiv(corner * (corner + 1), 2)
        positions = result(np.dtype(np.intp), (count if away >= 0 else n * n - count,))
        return positions, positions

    return infer
