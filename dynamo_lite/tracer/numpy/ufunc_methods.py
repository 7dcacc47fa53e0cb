"""Methods of ufuncs: `np.add.reduce`, `np.add.accumulate`, `np.multiply.outer`."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import GraphBreak
from ...ir.ops.columns import folds_of
from ...ir.row import Kind, row_of
from ...ir.rules.values import PYTHON_KINDS
from ..object_model.constants import NONE, ConstantVariable, constant
from ..state.tracker import Args, Kwargs, VariableTracker
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.graph_methods import converted, record_call
from ..trackers.arrays.long_lists import shared_input
from ..trackers.arrays.numbers import NumberVariable
from ..trackers.containers.sequences import TupleVariable
from ..trackers.containers.slices import SliceVariable

if TYPE_CHECKING:
    from ..state.tx import Tx

REDUCTIONS = folds_of(Kind.REDUCTION)
SCANS = folds_of(Kind.SCAN)
ZERO = ConstantVariable(0)


def ufunc_method(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """A bound method of a ufunc, as the public function that does the same."""
    if function.__name__ == "at" and kwargs:
        raise GraphBreak("ufunc.at() takes no keyword arguments")
    args = [shared_input(tx, value) or value for value in args]
    if row_of(function) is not None:
        return record_call(tx, function, args, kwargs)
    handler = METHODS.get(function.__name__)
    if handler is None:
        raise GraphBreak(f"numpy.{function.__self__.__name__}.{function.__name__}")
    return handler(tx, function.__self__, args, kwargs)


def _reduce(tx: Tx, ufunc: np.ufunc, args: Args, kwargs: Kwargs) -> VariableTracker:
    return _along_first_axis(tx, REDUCTIONS.get(ufunc), ufunc, args, kwargs)


def _accumulate(tx: Tx, ufunc: np.ufunc, args: Args, kwargs: Kwargs) -> VariableTracker:
    if args and isinstance(args[0], ArrayVariable) and not args[0].array_type.ndim:
        raise GraphBreak(f"numpy.{ufunc.__name__}.accumulate of a 0-d array")
    axis = kwargs.get("axis", ZERO)
    if axis.python_type() is not int:
        raise GraphBreak(f"numpy.{ufunc.__name__}.accumulate along {axis.describe()}")
    return _along_first_axis(tx, SCANS.get(ufunc), ufunc, args, kwargs)


def _along_first_axis(
    tx: Tx, function: Callable[..., Any] | None, ufunc: np.ufunc, args: Args, kwargs: Kwargs
) -> VariableTracker:
    """The methods work along axis 0 where the functions take all axes together."""
    if function is None or not args or not isinstance(args[0], ArrayVariable):
        raise GraphBreak(f"a method of numpy.{ufunc.__name__}")
    if len(args) > 1 or set(kwargs) - {"axis", "keepdims", "dtype"}:
        raise GraphBreak(f"a method of numpy.{ufunc.__name__} with these arguments")
    return record_call(tx, function, args, {"axis": ZERO} | dict(kwargs))


def _outer(tx: Tx, ufunc: np.ufunc, args: Args, kwargs: Kwargs) -> VariableTracker:
    """`ufunc.outer(a, b)` is `ufunc(a[..., None, None], b)` with one new axis per axis of b."""
    if ufunc.nin != 2 or ufunc.signature is not None:
        raise GraphBreak(f"numpy.{ufunc.__name__} has no outer product")
    if len(args) == 2 and isinstance(args[0], ArrayVariable) and is_number(args[1]):
        return record_call(tx, ufunc, (args[0], as_element(tx, args[1])), kwargs)
    if len(args) != 2 or not all(isinstance(value, ArrayVariable) for value in args):
        raise GraphBreak(f"numpy.{ufunc.__name__}.outer of other arguments than arrays")
    left, right = args
    assert isinstance(left, ArrayVariable) and isinstance(right, ArrayVariable)
    every = SliceVariable(NONE, NONE, NONE)
    key = TupleVariable([every] * left.array_type.ndim + [NONE] * right.array_type.ndim)
    return record_call(tx, ufunc, (left.method___getitem__(tx, key), right), kwargs)


def as_element(tx: Tx, number: VariableTracker) -> VariableTracker:
    """A number as the element of the 0-d array that NumPy makes of it, which has a dtype."""
    if (dtype := PYTHON_KINDS.get(number.python_type())) is None:
        return number
    if isinstance(number, ConstantVariable) and np.asarray(number.value).dtype != dtype:
        raise GraphBreak(f"{number.describe()} as an array")
    return converted(tx, number, constant(dtype))


def is_number(value: VariableTracker) -> bool:
    if isinstance(value, NumberVariable):
        return True
    return isinstance(value, ConstantVariable) and value.python_type() in (int, float, complex)


METHODS: dict[str, Callable[..., VariableTracker]] = {
    "reduce": _reduce, "accumulate": _accumulate, "outer": _outer,
}  # fmt: skip
