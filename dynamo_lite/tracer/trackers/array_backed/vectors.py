"""Numbers of NumPy's that are gone through one by one, by a loop of the graph if they are many."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.types import Form
from ...object_model.constants import ZERO, ConstantVariable
from ...state.tracker import VariableTracker
from ..arrays.arrays import ArrayVariable
from .growing import GrowingVariable, expected

if TYPE_CHECKING:
    from ...state.tx import Tx

FEW = 16
"""Elements of an array that are gone through without a loop."""


def scalars_of(values: VariableTracker) -> np.dtype[Any] | None:
    """The type of the numbers in an array of one axis that may be long, or in a list that is an
    array of the graph; None for all else."""
    if isinstance(values, GrowingVariable):
        is_flat = values.layout is None and values.kinds[0].form is Form.SCALAR
        return values.kinds[0].dtype if is_flat else None
    if type(values) is not ArrayVariable or values.python_type() is not np.ndarray:
        return None
    kind = values.array_type
    if kind.ndim != 1 or (isinstance(kind.shape[0], int) and kind.shape[0] <= FEW):
        return None
    return kind.dtype


def is_not_empty(tx: Tx, values: Any) -> bool:
    """Whether there is a first one; a call for which data says otherwise bails out."""
    is_list = isinstance(values, GrowingVariable)
    length = values.length(tx) if is_list else values.call_method(tx, "__len__", (), {})
    if isinstance(length, ConstantVariable):
        return bool(length.value > 0)
    expected(tx, operator.gt, length, ZERO)
    return True


__all__ = ["FEW", "is_not_empty", "scalars_of"]
