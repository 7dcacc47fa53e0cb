"""Types of functions whose results have sizes, or are ints, that depend on data."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..facts import Facts
from ..sizes import Size, SizeExpr
from ..types import ArrayType, Form, python_number, scalar
from .values import Wrong, as_array, as_type, normal_axis, result

INDEX = np.dtype(np.intp)
Rule = Callable[..., Any]


def data_argument(value: Any) -> ArrayType:
    """An operand whose elements decide."""
    if isinstance(value, (list, tuple)):
        raise Unsupported("a size that depends on a sequence")
    return as_type(value)


def nonzero_rule(a: Any, *, facts: Facts) -> tuple[ArrayType, ...]:
    """One array per axis, which NumPy makes as the columns of one block."""
    kind = data_argument(a)
    if not kind.ndim:
        raise Wrong
    count = facts.unbacked("nonzero elements", kind.size)
    return (result(INDEX, (count,), (kind.ndim * INDEX.itemsize,)),) * kind.ndim


def argwhere_rule(a: Any, *, facts: Facts) -> ArrayType:
    """The same, as the transpose of an array of them."""
    kind = data_argument(a)
    if not kind.ndim:
        raise Unsupported("argwhere of a number")
    count = facts.unbacked("nonzero elements", kind.size)
    return result(INDEX, (count, kind.ndim), (INDEX.itemsize, count * INDEX.itemsize))


def length_rule(array: Any, axis: int, *, facts: Facts) -> ArrayType:
    return python_number(int, as_type(array).shape[axis])


def within_rule(bound: Any, size: Any, *, facts: Facts) -> ArrayType:
    place = facts.unbacked("elements before the bound of a slice", size, (0, 1))
    return python_number(int, place)


def position_rule(index: Any, size: Any, *, facts: Facts) -> ArrayType:
    place = facts.unbacked("elements before an index", size - 1, (0, 1))
    return python_number(int, place)


def between_rule(number: Any, least: int, most: Any, *, facts: Facts) -> ArrayType:
    return python_number(int, facts.unbacked("", most, lower=least))


def unique_rule(
    ar: Any, return_index: Any = False, return_inverse: Any = False, return_counts: Any = False,
    axis: Any = None, *, equal_nan: Any = True, sorted: Any = True, facts: Facts,
) -> Any:
    """The values, and what else is asked for."""
    kind = data_argument(ar)
    if axis is not None or not sorted or kind.form is not Form.ARRAY or kind.dtype.kind == "c":
        raise Unsupported("unique along an axis, of a number or not sorted")
    count = facts.unbacked(f"unique elements (equal_nan={bool(equal_nan)})", kind.size)
    counted = result(INDEX, (count,))
    inverse = result(INDEX, kind.shape if INVERSE_HAS_SHAPE else (kind.size,))
    asked = ((return_index, counted), (return_inverse, inverse), (return_counts, counted))
    more = tuple(type_ for flag, type_ in asked if flag)
    values = result(kind.dtype, (count,))
    return (values, *more) if more else values


INVERSE_HAS_SHAPE = np.unique(np.zeros((1, 1)), return_inverse=True)[1].ndim == 2
"""Whether this NumPy gives the inverse of `unique` the shape of the argument."""


def bincount_rule(
    x: Any, /, weights: Any = None, minlength: Any = 0, *, facts: Facts
) -> ArrayType:
    kind = data_argument(x)
    if kind.ndim != 1 or kind.dtype.kind not in "biu" or not (
        isinstance(minlength, (int, SizeExpr))
    ):
        raise Unsupported("bincount of anything but integers in one dimension")
    if kind.dtype == np.uint64 or facts.less(minlength, 0) or (
        weights is not None and data_argument(weights).dtype.kind not in "biuf"
    ):
        raise Unsupported("bincount of such numbers")
    least = minlength if isinstance(minlength, int) else 0
    bins = facts.unbacked(f"bins (at least {minlength})", None, lower=least)
    return result(INDEX if weights is None else np.dtype(float), (bins,))


def set_rule(name: str, takes_first: bool) -> Rule:
    """Set operations on two arrays; `takes_first`: the result is a part of the first one."""

    def infer(ar1: Any, ar2: Any, assume_unique: Any = False, *, facts: Facts) -> ArrayType:
        first, second = data_argument(ar1), data_argument(ar2)
        if first.form is not Form.ARRAY or second.form is not Form.ARRAY:
            raise Unsupported("a set operation on numbers")
        dtype = first.dtype if takes_first else np.result_type(first.dtype, second.dtype)
        if dtype.kind == "c":
            raise Unsupported("a set operation on complex numbers")
        role = f"elements of {name} (assume_unique={bool(assume_unique)})"
        return result(dtype, (facts.unbacked(role, first.size + second.size, (0, 1)),))

    return infer


def repeat_rule(otherwise: Rule) -> Rule:
    """`np.repeat` with an array of counts; any other call follows its definition."""

    def infer(a: Any, repeats: Any, axis: Any = None, *, facts: Facts) -> Any:
        if not isinstance(repeats, ArrayType) or not repeats.ndim:
            return otherwise(a, repeats, axis, facts=facts)
        kind, counts = as_array(a), data_argument(repeats)
        if counts.ndim != 1 or counts.dtype.kind not in "bi":
            raise Unsupported("repeat with counts that are not integers in one dimension")
        place = 0 if axis is None else normal_axis(axis, kind.ndim)
        shape: tuple[Size, ...] = (kind.size,) if axis is None else kind.shape
        same_length = counts.shape[0] == shape[place]
        total = facts.unbacked("elements with counts", None, (1,) if same_length else (0, 1))
        return result(kind.dtype, (*shape[:place], total, *shape[place + 1 :]))

    return infer


# -- Python numbers


def int_rule(x: Any, /, *, facts: Facts) -> ArrayType:
    """`int(x)`: from here on a size like any other."""
    kind = _one_element(x)
    if kind.dtype.kind not in "biuf":
        raise Wrong
    lower, upper = LIMITS.get(kind.dtype, (None, None))
    return python_number(int, facts.unbacked("", upper, lower=lower))


LIMITS: dict[np.dtype, tuple[int, int]] = {
    np.dtype(bool): (0, 1),
    **{np.dtype(c): (int(np.iinfo(c).min), int(np.iinfo(c).max)) for c in "bhiBHI"},
}


def fitting_rule(number: Any, dtype: np.dtype, *, facts: Facts) -> ArrayType:
    return scalar(dtype)


def plain_rule(value: Any, /, *, facts: Facts) -> ArrayType:
    kind = _one_element(value)
    if kind.dtype.char not in "?ld":
        raise Wrong
    return python_number(type(kind.dtype.type(0).item()))


def complex_rule(real: Any, imag: Any, /, *, facts: Facts) -> ArrayType:
    """A Python complex number of two floats."""
    if any(as_type(part) != python_number(float) for part in (real, imag)):
        raise Unsupported("a complex number of something else than two floats")
    return python_number(complex)


def number_rule(kind: type, accepted: str) -> Rule:
    """`float(x)` and the like."""

    def infer(x: Any, /, *, facts: Facts) -> ArrayType:
        if _one_element(x).dtype.kind not in accepted:
            raise Wrong
        return python_number(kind)

    return infer


def _one_element(value: Any) -> ArrayType:
    kind = data_argument(value)
    if kind.ndim:
        if type(kind.size) is int and kind.size > 1:
            raise Wrong
        raise Unsupported("a Python number made of an array with dimensions")
    return kind


def expect_rule(condition: Any, reason: str = "", /, *, facts: Facts) -> ArrayType:
    return python_number(bool)
