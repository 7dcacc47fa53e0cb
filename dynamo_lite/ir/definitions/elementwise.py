"""Elementwise functions that NumPy writes in terms of ufuncs."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..rules.composite import Emit
from ..rules.layout import elementwise_strides, like_strides
from ..rules.pointwise import resolve
from ..rules.reductions import MISSING
from ..rules.values import Wrong, integer, is_constant, normal_axis
from ..types import Form


def clip(
    emit: Emit, a: Any, a_min: Any = MISSING, a_max: Any = MISSING, out: Any = None, *,
    min: Any = MISSING, max: Any = MISSING, **kwargs: Any,
) -> Any:
    """`minimum(maximum(a, low), high)` in the dtype common to all three."""
    low = _bound(a_min if a_min is not MISSING else min)
    high = _bound(a_max if a_max is not MISSING else max)
    if out is not None or kwargs or (a_min is MISSING) != (a_max is MISSING):
        raise Unsupported("clip with further arguments")
    if a_min is not MISSING and (min is not MISSING or max is not MISSING):
        raise Unsupported("clip with further arguments")
    kind = emit.type(a)
    if kind.dtype.kind not in "iuf":
        raise Unsupported("clip of booleans or complex numbers")
    low, high = (_redundant(bound, kind.dtype) for bound in (low, high))
    if low is None and high is None:
        return emit(np.positive, a)
    if low is None or high is None:
        return emit(np.minimum, a, high) if low is None else emit(np.maximum, a, low)
    bounds = [emit.type(bound) for bound in (low, high)]
    if any(b.form is not Form.PYTHON and b.dtype != kind.dtype for b in bounds):
        raise Unsupported("clip with bounds of another dtype")
    if kind.dtype.kind != "f" and any(b.dtype.kind not in "bi" for b in bounds
                                      if b.form is Form.PYTHON):
        raise Unsupported("clip of integers with float bounds")
    clipped = _clipped(emit, a, low, high)
    found = emit.type(clipped)
    if found.ndim < 2:
        return clipped
    order = elementwise_strides(found.shape, [kind, *bounds], found.dtype.itemsize, emit.facts)
    return emit.laid_out(clipped, order)


def _clipped(emit: Emit, a: Any, low: Any, high: Any) -> Any:
    """Bounds that are single numbers leave an equal element as it is, also a zero of other sign."""
    kinds = [emit.type(value) for value in (a, low, high)]
    if kinds[0].dtype.kind != "f":
        return emit(np.minimum, emit(np.maximum, a, low), high)
    if not any(kind.ndim for kind in kinds[1:]):
        within = _replaced(emit, np.greater, _replaced(emit, np.less, a, low), high)
        return within if kinds[0].ndim else emit(np.positive, within)  # a scalar, unlike np.where
    shape = emit.type(emit(np.maximum, a, low)).shape
    if any(kind.shape != shape or 0 in kind.strides for kind in kinds[1:]):
        raise Unsupported("clip of floats with bounds that are repeated along some dimensions")
    return emit(np.minimum, emit(np.maximum, a, low), high)


def _replaced(emit: Emit, beyond: np.ufunc, a: Any, bound: Any) -> Any:
    """The bound where `a` lies beyond it, everywhere if the bound is NaN."""
    outside = emit(beyond, a, bound)
    known = isinstance(bound, (int, float, np.number))
    if known and np.isnan(bound):
        raise Unsupported("clip with a bound that is NaN")
    if not known and emit.type(bound).dtype.kind == "f":
        outside = emit(np.logical_or, outside, emit(np.not_equal, bound, bound))
    return emit(np.where, outside, bound, a)


def _bound(value: Any) -> Any:
    return None if value is MISSING else value


def _redundant(bound: Any, dtype: np.dtype) -> Any:
    """NumPy ignores Python int bounds outside an integer dtype's range."""
    if dtype.kind not in "iu" or bound is None or not is_constant(bound):
        return bound
    if type(bound) is int and not np.iinfo(dtype).min < bound < np.iinfo(dtype).max:
        raise Unsupported("clip with a bound at the end of the dtype's range")
    return bound


def round_(emit: Emit, a: Any, decimals: Any = 0, out: Any = None) -> Any:
    """`rint(a * 10**d) / 10**d` for floats; integers only change for negative decimals."""
    kind = emit.type(a)
    places = integer(decimals)
    if out is not None and places < 0 and kind.dtype.kind in "iu":
        if emit.type(out).dtype.kind in "iu":
            raise Wrong  # NumPy divides, which gives floats
    if out is not None or kind.dtype.kind != "f" or not 0 <= places <= 22:
        raise Unsupported("round of this dtype or to these decimals")
    if kind.form is Form.PYTHON:
        raise Unsupported("np.round of a Python number")
    if places == 0:
        return emit(np.rint, a)
    scale = 10.0**places
    rounded = emit(np.true_divide, emit(np.rint, emit(np.multiply, a, scale)), scale)
    if kind.ndim < 2:
        return rounded
    return emit.laid_out(rounded, like_strides(kind, kind.dtype.itemsize, emit.facts, "A"))


def scaled_angle(numerator: float, denominator: float) -> Any:
    """`np.deg2rad` and the like: one multiplication by a quotient taken in the dtype."""

    def definition(emit: Emit, x: Any, /, **kwargs: Any) -> Any:
        kind = emit.type(x)
        dtype = kind.dtype
        if kwargs:
            raise Unsupported("angles with further arguments")
        if dtype.kind != "f" or dtype.itemsize not in (4, 8) or kind.form is Form.PYTHON:
            raise Unsupported("angles of this dtype")
        return emit(np.multiply, x, dtype.type(numerator) / dtype.type(denominator))

    return definition


POWER_HAS_SHORTCUTS = bool(np.signbit(np.power(np.array([-0.0, -0.0]), 0.5)).all())
"""Whether `np.power` computes `x**0.5` as a square root, as NumPy does since 2.3."""

SHORTCUTS = {2.0: np.square, 0.5: np.sqrt, -1.0: np.reciprocal, 1.0: np.positive}


def power(emit: Emit, x1: Any, x2: Any, /, **kwargs: Any) -> Any:
    """NumPy's loop replaces some powers by cheaper functions when the exponent is one number."""
    exact = isinstance(x2, (int, float, np.integer, np.floating)) and x2 in SHORTCUTS
    if kwargs or not exact or not POWER_HAS_SHORTCUTS:
        raise Unsupported("a general power")
    kind = emit.type(x1)
    dtype = resolve(np.power, (kind, emit.type(x2)), (None,))[-1]
    if dtype.kind not in "fiu" or (dtype.kind != "f" and x2 not in (1, 2)):
        raise Unsupported("a power of this dtype")
    if kind.form is Form.PYTHON:
        raise Unsupported("a power of a Python number")
    base = x1 if kind.dtype == dtype else emit(np.ndarray.astype, x1, dtype)
    return emit(SHORTCUTS[float(x2)], base)


ONE = np.complex128(0.1 + 0.3j)  # whose square is another one where a product is not rounded
SQUARES_ARE_PRODUCTS = bool(np.square(ONE) == ONE * ONE)
"""Whether NumPy squares one complex number as Python's operator multiplies it, and not as arrays
are squared."""


def square(emit: Emit, x: Any, /, **kwargs: Any) -> Any:
    kind = emit.type(x)
    is_number = kind.form is Form.SCALAR and kind.dtype.kind == "c"
    if kwargs or not is_number or not SQUARES_ARE_PRODUCTS:
        raise Unsupported("the square of an array")
    return emit(operator.mul, x, x)


def fix(emit: Emit, x: Any, out: Any = None) -> Any:
    if out is not None or emit.type(x).form is Form.PYTHON:
        raise Unsupported("fix with out=")
    return emit(np.trunc, x)


def diff(
    emit: Emit, a: Any, n: Any = 1, axis: Any = -1, prepend: Any = MISSING, append: Any = MISSING
) -> Any:
    kind = emit.type(a)
    times = integer(n)
    if prepend is not MISSING or append is not MISSING or not 0 < times < 8 or not kind.ndim:
        raise Unsupported("diff with prepend, append or a large n")
    place = normal_axis(axis, kind.ndim)
    lead = (slice(None),) * place
    minus = np.not_equal if kind.dtype == bool else np.subtract
    for _ in range(times):
        after = emit(operator.getitem, a, (*lead, slice(1, None)))
        a = emit(minus, after, emit(operator.getitem, a, (*lead, slice(None, -1))))
    return a


def triangle(lower: bool) -> Any:
    """`np.tril` and `np.triu`."""

    def definition(emit: Emit, m: Any, k: Any = 0) -> Any:
        kind = emit.type(m)
        if kind.ndim < 2:
            raise Unsupported("a triangle of a vector")
        shift = integer(k) if lower else integer(k) - 1
        mask = emit(np.tri, *kind.shape[-2:], k=shift, dtype=np.dtype(bool))
        zero = kind.dtype.type(0)
        return emit(np.where, mask, m, zero) if lower else emit(np.where, mask, zero, m)

    return definition
