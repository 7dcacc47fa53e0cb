"""NumPy functions that give back the very object they were given: then so does the tracker.

A row is asked with the array's type and the call's further arguments.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.row import row_of
from ...ir.rules.layout import is_contiguous
from ...ir.types import ArrayType
from ..object_model.constants import NONE
from ..rules.dtypes import as_dtype
from ..state.tracker import Args, Kwargs

if TYPE_CHECKING:
    from ..state.tx import Tx

Rule = Callable[["Tx", ArrayType, Args, Kwargs], bool]


def _alone(is_same: Callable[[Tx, ArrayType], bool]) -> Rule:
    """A rule for calls with the array as the only argument."""
    return lambda tx, kind, args, kwargs: not args and not kwargs and is_same(tx, kind)


def _converted(tx: Tx, kind: ArrayType, args: Args, kwargs: Kwargs) -> bool:
    """`np.asarray(x, dtype)`: the same when the dtype is."""
    if len(args) > 1 or set(kwargs) - {"dtype"}:
        return False
    wanted = args[0] if args else kwargs.get("dtype", NONE)
    return wanted is NONE or as_dtype(wanted.as_constant(tx)) == kind.dtype


def _unless_copied(tx: Tx, kind: ArrayType, args: Args, kwargs: Kwargs) -> bool:
    """Functions with `copy=`, which make a new array unless it says otherwise."""
    if "copy" not in kwargs or kwargs["copy"].as_constant(tx) not in (False, None):
        return False
    others = {name: value for name, value in kwargs.items() if name != "copy"}
    return _converted(tx, kind, args, others)


def _cast(tx: Tx, kind: ArrayType, args: Args, kwargs: Kwargs) -> bool:
    """`x.astype(dtype, copy=False)`, where None is a dtype too: float64."""
    given = args[0] if args else kwargs.get("dtype")
    if given is None or (given is NONE and kind.dtype != np.float64):
        return False
    return _unless_copied(tx, kind, args, kwargs)


def _squeezes_nothing(tx: Tx, kind: ArrayType, args: Args, kwargs: Kwargs) -> bool:
    """`np.squeeze(x, axis)` without an axis to remove."""
    if len(args) + len(kwargs) > 1 or kwargs.keys() - {"axis"}:
        return False
    given = args[0] if args else kwargs.get("axis", NONE)
    axis = given.as_constant(tx)
    if axis is None:
        return _has_no_axis_of_one(tx, kind)
    return isinstance(axis, tuple) and not axis


def _has_no_axis_of_one(tx: Tx, kind: ArrayType) -> bool:
    return not any(tx.shapes.equal(size, 1) for size in kind.shape)


def _is_contiguous(tx: Tx, kind: ArrayType, args: Args, kwargs: Kwargs) -> bool:
    return kind.ndim > 0 and _converted(tx, kind, args, kwargs) and is_contiguous(kind, tx.shapes)


RULES: dict[str, Rule] = {
    "converted": _converted,
    "made_contiguous": _is_contiguous,
    "unless_copied": _unless_copied,
    "cast": _cast,
    "squeezes_nothing": _squeezes_nothing,
    "of_real_numbers": _alone(lambda tx, kind: kind.dtype.kind != "c"),
}
"""What rows call the questions whether a result is the array that was given."""


def is_same_object(tx: Tx, target: Any, kind: ArrayType, args: Args, kwargs: Kwargs) -> bool:
    """Whether `target(array, *args, **kwargs)` is the array itself."""
    row = row_of(target)
    if row is None or row.itself is None:
        return False
    if row.itself == "has_dimensions":
        return not args and not kwargs and kind.ndim >= row.least_ndim
    return RULES[row.itself](tx, kind, args, kwargs)
