"""Arrays and scalars made from Python values: `np.array`, `np.asarray`, `np.float32(x)` …"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import GraphBreak
from ..ir.ops import row_of
from ..ir.types import Form
from ..variables.arrays import ArrayVariable
from ..variables.base import VariableTracker
from ..variables.constants import NONE, constant
from ..variables.graph_methods import converted, record_call
from ..variables.numbers import ConstantNumber, NumberVariable
from ..variables.sequences import ListVariable, TupleVariable
from ..variables.sizes import SizeVariable

if TYPE_CHECKING:
    from ..translator import Translator

def as_array(
    tx: Translator,
    function: Any,
    args: Sequence[VariableTracker],
    kwargs: Mapping[str, VariableTracker],
) -> VariableTracker:
    """`np.array` and the `np.as…array` functions."""
    if not args:
        raise GraphBreak(f"numpy.{function.__name__} without positional arguments")
    value = args[0]
    if isinstance(value, (ListVariable, TupleVariable)) and not is_constant_nest(tx, value):
        made = stacked(tx, value, args[1:], kwargs)
        return record_call(tx, np.ascontiguousarray, (made,), {})  # whatever the items' layout is
    return record_call(tx, function, args, kwargs)


def is_constant_nest(tx: Translator, value: VariableTracker) -> bool:
    """Whether a nested list holds nothing that the graph computes."""
    if isinstance(value, (ListVariable, TupleVariable)):
        return all(is_constant_nest(tx, item) for item in value.iterate(tx))
    return not value.in_graph or isinstance(value, ConstantNumber)


def stacked(
    tx: Translator,
    nest: VariableTracker,
    args: Sequence[VariableTracker],
    kwargs: Mapping[str, VariableTracker],
) -> VariableTracker:
    """`np.array([a, [b, c]])`: NumPy's rules for items of equal shape are those of `np.stack`."""
    if len(args) > 1 or set(kwargs) - {"dtype"}:
        raise GraphBreak("numpy.array of a list of arrays, with options")
    dtype = args[0] if args else kwargs.get("dtype", NONE)
    items = []
    for item in nest.iterate(tx):
        is_nest = isinstance(item, (ListVariable, TupleVariable))
        items.append(stacked(tx, item, args, kwargs) if is_nest else item)
    if dtype is NONE:
        return record_call(tx, np.stack, (ListVariable(items),), {})
    named = {"dtype": dtype, "casting": constant("unsafe")}
    return record_call(tx, np.stack, (ListVariable(items),), named)


def scalar_type(
    tx: Translator,
    function: Any,
    args: Sequence[VariableTracker],
    kwargs: Mapping[str, VariableTracker],
) -> VariableTracker:
    """`np.float32(x)`: a constant, or a conversion in the graph."""
    if len(args) == 1 and not kwargs and args[0].is_constant() and not args[0].in_graph:
        return constant(_converted(function, args[0].as_constant(tx)))
    if row_of(function) is not None:
        return record_call(tx, function, args, kwargs)
    if len(args) == 1 and not kwargs and isinstance(args[0], SizeVariable):
        return converted(tx, args[0], constant(np.dtype(function)))
    if len(args) != 1 or kwargs or not isinstance(args[0], (ArrayVariable, NumberVariable)):
        raise GraphBreak(f"numpy.{function.__name__} of these arguments")
    kind = args[0].array_type
    if kind.form is Form.PYTHON:
        return constant(_converted(function, args[0].as_constant(tx)))
    return converted(tx, args[0], constant(np.dtype(function)))


def _converted(function: type[np.generic], value: Any) -> Any:
    try:
        return function(value)
    except (TypeError, ValueError, OverflowError) as error:
        reason = f"numpy.{function.__name__} raises {type(error).__name__}: {error}"
        raise GraphBreak(reason) from None


CREATION: dict[Any, Callable[..., VariableTracker]] = dict.fromkeys(
    (np.array, np.asarray, np.asanyarray, np.ascontiguousarray), as_array
)
