"""NumPy's callables on graph values: recorded, folded, answered from types, or a graph break.

A callable is looked up in `HANDLERS`; what has no special handler is recorded when the registry
has a row for it.
"""
from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, MethodDescriptorType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.signatures import by_name, in_position
from ...errors import GraphBreak
from ...ir.ops.columns import UFUNC_OF
from ...ir.ops.foreign import take_ufunc
from ...ir.row import row_of
from ..object_model.constants import constant, fold
from ..object_model.dependent import dependent
from ..polyfills.numpy import counts_between
from ..recording.nodes import name_of
from ..state.tracker import Args, Kwargs, VariableTracker
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.complex_numbers import complex_of
from ..trackers.arrays.counts import parameters
from ..trackers.arrays.graph_methods import record_call
from ..trackers.arrays.indices import is_mask
from ..trackers.arrays.long_lists import arrays_of
from ..trackers.arrays.sizes import SizeVariable
from ..trackers.arrays.weighted_choice import weighted
from ..trackers.objects.errstates import describe_state, error_state, looked_at, make_state
from ..trackers.objects.functions import UserFunctionVariable
from .creation import UNNAMED, as_array, at_least, einsum, scalar_type, written_out
from .facts import FACTS
from .joining import joined
from .mathematics import HANDLERS as MATHEMATICS
from .mathematics import is_computed, rounded
from .operators import IN_PLACE, is_python_number, operate
from .recording import recorded
from .symbolic import symbolic_first
from .ufunc_methods import ufunc_method

if TYPE_CHECKING:
    from ..state.tx import Tx

Handler = Callable[["Tx", Any, Args, Kwargs], VariableTracker]


def call(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """`function(*args, **kwargs)` for a NumPy callable or a Python operator."""
    if _is_method(function) and args and not issubclass(args[0].python_type(), np.ndarray):
        raise GraphBreak(f"{name_of(function)} is called with {args[0].describe()}, no array")
    args, kwargs = in_position(function, args, kwargs)
    if (longer := joined(tx, function, args, kwargs)) is not None:
        return longer
    args = arrays_of(tx, function, args)
    if (handler := handler_of(function)) is not None:
        if isinstance(function, np.ufunc):
            args = [written_out(tx, value) for value in args]
        return symbolic_first(
            tx, lambda args, kwargs: handler(tx, function, args, kwargs), args, kwargs,
            lambda: parameters(function),
        )
    if _is_method(function) and args and args[0].in_graph:
        return args[0].call_method(tx, function.__name__, args[1:], kwargs)
    if (python := python_code_of(function)) is not None:
        return tx.inline(UserFunctionVariable(python), args, kwargs)
    others = [arg for arg in args if issubclass(kind := arg.python_type(), np.ndarray)
              and kind is not np.ndarray]
    if others:
        raise GraphBreak(f"{name_of(function)} of {others[0].describe()}")
    raise GraphBreak(f"{name_of(function)} is not supported in a graph")


def _is_method(function: Any) -> bool:
    """`np.ndarray.sum`, to be called with an array."""
    return isinstance(function, MethodDescriptorType) and function.__objclass__ is np.ndarray


def python_code_of(function: Any) -> FunctionType | None:
    """The Python function behind a NumPy callable, when it is written in Python."""
    implementation = getattr(function, "_implementation", function)
    return implementation if isinstance(implementation, FunctionType) else None


def handles(function: Any) -> bool:
    """Whether `call` knows the callable (the call may still break the graph)."""
    return handler_of(function) is not None


def handler_of(function: Any) -> Handler | None:
    try:
        handler = HANDLERS.get(function)
    except TypeError:
        return None
    if handler is None and isinstance(getattr(function, "__self__", None), np.ufunc):
        handler = ufunc_method
    if handler is None and isinstance(function, type) and issubclass(function, np.generic):
        handler = scalar_type
    if handler is None and type(function) is np.ufunc:
        take_ufunc(function)
    if handler is None and (row := row_of(function)) is not None:
        handler = recorded if row.handler is None else NAMED[row.handler]
    return handler


def _conversion(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """`int(n)`, `float(x)`, `round(x)`: Python needs the value, unless it is an int already."""
    if function is int and len(args) == 1 and isinstance(args[0], SizeVariable):
        return args[0]
    computed = any(map(is_computed, args))
    if function is complex and not kwargs and (made := complex_of(tx, args)) is not None:
        return made
    if function is round and len(args) == 1 and computed and not kwargs:
        return rounded(tx, args[0])
    if row_of(function) is not None and (computed or not all(map(is_python_number, args))):
        return record_call(tx, function, args, kwargs)
    if not kwargs and (made := dependent(tx, function, args)) is not None:
        return made
    known = [constant(value.as_constant(tx)) if value.in_graph else value for value in args]
    return fold(tx, function, known)


def _operator(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    return operate(tx, function, args)


def _where(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """`np.where(condition)` is another name of `np.nonzero`."""
    if len(args) == 1 and not kwargs and args[0].in_graph:
        return record_call(tx, np.nonzero, args, {})
    return recorded(tx, function, args, kwargs)


def _compress(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """`np.compress(condition, a, axis=None)`."""
    if len(args) < 2 or not isinstance(args[1], ArrayVariable):
        raise GraphBreak("numpy.compress without two arrays")
    return args[1].call_method(tx, "compress", (args[0], *args[2:]), kwargs)


def _delete(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """`np.delete(a, mask)` is `a[~mask]`."""
    if len(args) != 2 or kwargs or not isinstance(args[0], ArrayVariable) or not is_mask(args[1]):
        return recorded(tx, function, args, kwargs)
    array, mask = args
    if array.array_type.ndim != 1 or mask.array_type.ndim != 1:  # type: ignore[attr-defined]
        raise GraphBreak("numpy.delete with a mask of an array with several dimensions")
    kept = record_call(tx, np.logical_not, (mask,), {})
    return array.call_method(tx, "__getitem__", (kept,), {})


def _histogram(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """The edges of bins that are given come back themselves."""
    given = by_name(("a", "bins"), args, kwargs)
    arrays = [value for value in given.values() if isinstance(value, ArrayVariable)]
    if len(args) > 2 or {*given} != {"a", "bins"} or len(arrays) < 2:
        return recorded(tx, function, args, kwargs)
    if arrays[0].array_type.dtype.kind == "b" or given["bins"].array_type.ndim != 1:
        return recorded(tx, function, args, kwargs)
    return tx.known(counts_between).call(tx, (given["a"], given["bins"]), {})


def _choice(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    found = weighted(tx, tx.known(np.random.random_sample), args, kwargs)
    return recorded(tx, function, args, kwargs) if found is None else found


def _node(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """A node also where everything is known."""
    return record_call(tx, function, args, kwargs)


NAMED: dict[str, Handler] = {
    "node": _node, "choice": _choice,
    "where": _where, "compress": _compress, "delete": _delete, "histogram": _histogram,
    "as_array": as_array, "at_least": at_least, "einsum": einsum,
}
"""What rows call the handlers of their calls."""

HANDLERS: dict[Any, Handler] = {
    **dict.fromkeys(UFUNC_OF, _operator),
    **dict.fromkeys(IN_PLACE, _operator),
    **dict.fromkeys((bool, int, float, complex, round), _conversion),
    **UNNAMED,
    **FACTS,
    **MATHEMATICS,
    make_state: error_state,
    describe_state: looked_at,
}
