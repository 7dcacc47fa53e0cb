"""`np.array(x, copy=…, order=…, ndmin=…)` and its relatives, of one array of the graph.

They are recorded as what they come to: the array itself, a converted copy, axes in front.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.signatures import by_name
from ...errors import GraphBreak
from ...ir.node import Node
from ...ir.ops.columns import says
from ...ir.rules.layout import is_contiguous
from ...ir.sizes import SizeExpr
from ...ir.tree import leaves
from ..object_model.constants import NONE, constant, observe
from ..recording.nodes import record
from ..rules.dtypes import as_dtype
from ..state.tracker import Args, Kwargs, VariableTracker
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.graph_methods import record_call
from ..trackers.containers.sequences import TupleVariable

if TYPE_CHECKING:
    from ..state.tx import Tx

UNUSUAL = frozenset({"order", "ndmin", "copy"})


def taken_by(function: Any) -> frozenset[str]:
    """The options of a function that makes an array of anything."""
    if says(function, "itself") == "unless_copied":
        return UNUSUAL | {"dtype", "subok"}
    is_general = says(function, "sequences") is not None
    return frozenset({"dtype", "order", "copy"} if is_general else {"dtype"})


def of_constants(tx: Tx, value: VariableTracker, kwargs: Kwargs) -> VariableTracker:
    """`np.array([1, 2], ndmin=2)`: NumPy says what the numbers are, each call makes a new array."""
    known = {name: given.as_constant(tx) for name, given in kwargs.items()}
    given = value.as_argument(tx)
    if any(isinstance(leaf, Node | SizeExpr) for leaf in leaves(given)):
        raise GraphBreak(f"numpy.array of {value.describe()} with {', '.join(kwargs)}")
    found = observe(np.array, given, **known)
    if found.dtype.char not in "?lLdD":
        raise GraphBreak(f"numpy.array of constants of dtype {found.dtype}")
    if found.size > MOST_CONSTANTS or not found.flags.c_contiguous:
        raise GraphBreak("numpy.array of many constants, or in another memory order")
    return record(tx, np.array, (found.tolist(), found.dtype))


MOST_CONSTANTS = 1000
MOST_AXES = 64
ORDERS = {"c": "C", "f": "F", "k": "K", "a": "A"}


def is_unusual(function: Any, args: Args, kwargs: Kwargs) -> bool:
    """Whether a call asks for more than a dtype."""
    wants = function is np.asfortranarray or len(args) > 2 or not UNUSUAL.isdisjoint(kwargs)
    return wants and bool(args) and isinstance(args[0], ArrayVariable)


def made(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """The array that such a call gives."""
    names = ("dtype", "order") if function is not np.array else ("dtype",)
    given = by_name(names, args[1:], kwargs)
    if len(args) > len(names) + 1 or not given.keys() <= taken_by(function):
        raise GraphBreak(f"numpy.{function.__name__} with uncommon arguments")
    known = {name: value.as_constant(tx) for name, value in given.items()}
    copies = _copies(known.get("copy", True if function is np.array else None))
    order = _order(known.get("order"), "F" if function is np.asfortranarray else "K")
    array = args[0]
    assert isinstance(array, ArrayVariable)
    dtype = known.get("dtype")
    if copies or _differs(tx, array, dtype, order):
        if copies is False:
            raise GraphBreak(f"numpy.{function.__name__} raises ValueError: no copy is allowed")
        wanted = constant(array.array_type.dtype if dtype is None else as_dtype(dtype))
        array = record_call(tx, np.ndarray.astype, (array, wanted), {"order": constant(order)})
    return _with_axes(tx, array, known.get("ndmin", int(function is np.asfortranarray)))


def _copies(given: Any) -> bool | None:
    """Whether a copy is made: always, never, or (None) where there is need."""
    if isinstance(given, str):
        raise GraphBreak("copy= as a text, which NumPy refuses")
    return COPY_MODES[given] if isinstance(given, np._CopyMode) else given


COPY_MODES = {
    np._CopyMode.ALWAYS: True, np._CopyMode.NEVER: False, np._CopyMode.IF_NEEDED: None,
}  # fmt: skip


def _order(given: Any, default: str) -> str:
    if given is None:
        return default
    if not isinstance(given, str) or given.lower() not in ORDERS:
        raise GraphBreak(f"an unknown memory order, {given!r}")
    return ORDERS[given.lower()]


def _differs(tx: Tx, array: ArrayVariable, dtype: Any, order: str) -> bool:
    """Whether the array is not yet what is asked for."""
    kind = array.array_type
    if dtype is not None and as_dtype(dtype) != kind.dtype:
        return True
    if order == "A":
        raise GraphBreak("a memory order that depends on the array's")
    return order in "CF" and not is_contiguous(kind, tx.shapes, order)


def _with_axes(tx: Tx, array: VariableTracker, ndmin: int) -> VariableTracker:
    """Axes of one item in front."""
    assert isinstance(array, ArrayVariable)
    if not isinstance(ndmin, int) or ndmin > MOST_AXES:
        raise GraphBreak(f"{ndmin!r} as ndmin")
    missing = ndmin - array.array_type.ndim
    if missing <= 0:
        return array
    return array.method___getitem__(tx, TupleVariable([NONE] * missing))
