"""Slices of which data decides the step, as what is written to: a loop over the elements."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....ir.types import Form, python_number
from ...object_model.constants import ConstantVariable
from ...polyfills.numpy import store_by_steps
from ...state.tracker import VariableTracker
from ..containers.slices import SliceVariable
from .numbers import ComputedNumber

if TYPE_CHECKING:
    from ...state.tx import Tx
    from .arrays import ArrayVariable

HELD = {bool: np.dtype(bool), int: np.dtype(np.int64), float: np.dtype(np.float64)}
"""What an array has to have that holds such numbers as they are."""
FITTING = 2**62


def stores_by_steps(
    tx: Tx, array: ArrayVariable, key: VariableTracker, value: VariableTracker
) -> bool:
    """Store a number in the elements of a slice with a computed step; False for all else."""
    if not isinstance(key, SliceVariable) or len(array.array_type.shape) != 1:
        return False
    step = key.parts[2]
    if not isinstance(step, ComputedNumber) or step.array_type != python_number(int):
        return False
    if not is_held(value, array.array_type.dtype):
        return False
    tx.known(store_by_steps).call(tx, (array, *key.parts, value), {})
    return True


def is_held(value: VariableTracker, dtype: np.dtype) -> bool:
    """Whether arrays of the dtype hold a number as it is: what may not fit, NumPy refuses even
    where no element is written."""
    if isinstance(value, ConstantVariable):
        fits = type(value.value) is not int or abs(value.value) < FITTING
        return fits and HELD.get(type(value.value)) == dtype
    kind = getattr(value, "array_type", None)
    if kind is None or kind.form is Form.ARRAY or kind.shape:
        return False
    return kind.dtype == dtype and dtype.kind in "bif"


__all__ = ["stores_by_steps"]
