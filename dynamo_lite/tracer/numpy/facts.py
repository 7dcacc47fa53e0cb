"""NumPy functions that only ask for facts about types: answered while tracing."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ...errors import GraphBreak
from ...ir.facts import STATIC
from ...ir.fake_arrays import fake_array
from ...ir.node import Node
from ...ir.rules.values import is_warned_about
from ...ir.sizes import SizeExpr
from ...ir.tree import map_leaves
from ..object_model.callables import KnownVariable
from ..object_model.constants import NONE, TypedConstant, constant, observe, without_warning
from ..state.tracker import Args, Kwargs, VariableTracker, call_handler
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.numbers import NumberVariable
from ..trackers.arrays.sizes import SizeVariable

if TYPE_CHECKING:
    from ..state.tx import Tx

ATTRIBUTES: dict[Any, str] = {np.shape: "shape", np.ndim: "ndim", np.size: "size", len: "__len__"}

BY_TYPE: tuple[Any, ...] = (
    np.result_type, np.can_cast, np.iscomplexobj, np.isrealobj, np.isscalar, np.common_type,
)  # fmt: skip
"""Functions whose answer depends on the types of arrays only."""

BY_VALUE: tuple[Any, ...] = (
    np.dtype, np.finfo, np.iinfo, np.promote_types, np.issubdtype, np.min_scalar_type,
    np.broadcast_shapes, np.isdtype, np.typename, normalize_axis_index,
)  # fmt: skip
"""Functions of constants."""


def attribute(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """`np.shape(x)`, `np.ndim(x)`, `np.size(x)`."""
    name = ATTRIBUTES[function]
    if name == "size" and args and isinstance(args[0], ArrayVariable):
        return call_handler(tx, size_along, args, kwargs, "numpy.size")
    if len(args) != 1 or kwargs or not isinstance(args[0], ArrayVariable):
        numbers = len(args) == 1 and not kwargs and isinstance(args[0], NUMBERS)
        return known(function(0)) if numbers else by_value(tx, function, args, kwargs)
    return args[0].getattr(tx, name)


NUMBERS = (NumberVariable, SizeVariable)


def size_along(
    tx: Tx, array: VariableTracker, axis: VariableTracker = NONE
) -> VariableTracker:
    """`np.size(x, axis)`."""
    if axis is NONE:
        return array.getattr(tx, "size")
    return array.getattr(tx, "shape").call_method(tx, "__getitem__", (axis,), {})


def by_type(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """Run the function on fake arrays of one element that have the right types."""
    arguments, named = map_leaves(
        _fake,
        (
            [value.as_argument(tx) for value in args],
            {name: value.as_argument(tx) for name, value in kwargs.items()},
        ),
    )
    return known(observe(without_warning, function, *arguments, **named))


def _fake(leaf: Any) -> Any:
    """Of the value, for an int of 64 bits 0 is as good as any."""
    if isinstance(leaf, SizeExpr):
        return 0
    if not isinstance(leaf, Node):
        return leaf
    ones = (1,) * len(leaf.type.shape)
    return fake_array(replace(leaf.type, shape=ones, strides=(0,) * len(ones)), STATIC)


def by_value(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    if not all(value.is_constant() for value in (*args, *kwargs.values())):
        raise GraphBreak(f"numpy.{function.__name__} of a value that is not constant")
    arguments = [value.as_constant(tx) for value in args]
    named = {name: value.as_constant(tx) for name, value in kwargs.items()}
    if any(map(is_warned_about, arguments)):
        raise GraphBreak(f"NumPy warns about {arguments[0]!r}")
    return known(observe(without_warning, function, *arguments, **named))


def known(value: Any) -> VariableTracker:
    """Results that stay what they are: dtypes, finfo and iinfo objects, plain constants."""
    if isinstance(value, (np.dtype, np.finfo, np.iinfo)):
        return TypedConstant(value)
    return KnownVariable(value) if isinstance(value, type) else constant(value)


def _table() -> dict[Any, Callable[..., VariableTracker]]:
    return {
        **dict.fromkeys(ATTRIBUTES.keys() - {len}, attribute),
        **dict.fromkeys(BY_TYPE, by_type),
        **dict.fromkeys(BY_VALUE, by_value),
    }


FACTS = _table()
