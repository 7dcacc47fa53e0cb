"""Arrays and scalars made from Python values: `np.array`, `np.asarray`, `np.float32(x)` …"""
from __future__ import annotations

from collections.abc import Callable
from string import ascii_letters
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.signatures import by_name
from ...errors import GraphBreak
from ...ir import core
from ...ir.ops.columns import says
from ...ir.row import row_of
from ...ir.types import Form
from ..object_model.constants import NONE, ConstantVariable, constant
from ..object_model.lazy import realise_all
from ..rules.dtypes import as_dtype
from ..state.tracker import Args, Kwargs, VariableTracker
from ..trackers.array_backed.growing import GrowingVariable
from ..trackers.arrays.arrays import ArrayVariable, is_constant_nest
from ..trackers.arrays.graph_methods import converted, record_call, type_of
from ..trackers.arrays.long_lists import as_input
from ..trackers.arrays.numbers import NumberVariable
from ..trackers.arrays.sizes import SizeVariable
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.sequences import TupleVariable
from .making import UNUSUAL, is_unusual, made, of_constants
from .symbolic import is_symbolic

if TYPE_CHECKING:
    from ..state.tx import Tx

def as_array(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """`np.array` and the `np.as…array` functions."""
    if not args:
        raise GraphBreak(f"numpy.{function.__name__} without positional arguments")
    if is_unusual(function, args, kwargs):
        return made(tx, function, args, kwargs)
    value = args[0]
    if isinstance(value, GrowingVariable):
        options = by_name(("dtype",), args[1:], kwargs)
        if options and len({kind.dtype for kind in value.kinds}) > 1:
            raise value.refusal("an array of numbers of several types, with a dtype")
        value = value.array(tx)
        check_dtype(tx, value, options)
        return record_call(tx, np.asarray, (value,), options)
    if len(args) == 1 and not kwargs and (array := as_input(tx, value)) is not None:
        return record_call(tx, np.array, (array,), {})
    if isinstance(value, (ListVariable, TupleVariable)) and not is_constant_nest(tx, value):
        joined = stacked(tx, value, args[1:], kwargs)
        if function is np.asfortranarray:
            return made(tx, function, (joined,), {})
        return record_call(tx, np.ascontiguousarray, (joined,), {})  # whatever the items' layout is
    if function is np.array and len(args) == 1 and not UNUSUAL.isdisjoint(kwargs):
        return of_constants(tx, value, kwargs)
    return record_call(tx, function, args, kwargs)


def written_out(tx: Tx, value: VariableTracker) -> VariableTracker:
    """A long list, or one of computed numbers, as the array that a ufunc makes of it."""
    if (array := as_input(tx, value)) is not None:
        return array
    if isinstance(value, (ListVariable, TupleVariable)) and value.kind in (list, tuple):
        items = realise_all(tx, value.items(tx))
        if any(is_symbolic(item) or item.in_graph for item in items):
            return as_array(tx, np.array, (ListVariable(items),), {})
    return value


def check_dtype(tx: Tx, array: VariableTracker, kwargs: Kwargs) -> None:
    """NumPy converts the items of a list one by one, and refuses what casting does not."""
    dtype = as_dtype(kwargs["dtype"].as_constant(tx)) if "dtype" in kwargs else None
    kind = type_of(array).dtype
    if set(kwargs) - {"dtype"} or (dtype is not None and dtype != kind and dtype.kind != "f"):
        raise GraphBreak(f"an array of {dtype} of a list of {kind}")


def stacked(tx: Tx, nest: VariableTracker, args: Args, kwargs: Kwargs) -> VariableTracker:
    """`np.array([a, [b, c]])`: NumPy's rules for items of equal shape are those of `np.stack`."""
    if len(args) > 1 or set(kwargs) - {"dtype"}:
        raise GraphBreak("numpy.array of a list of arrays, with options")
    dtype = args[0] if args else kwargs.get("dtype", NONE)
    items = []
    for item in nest.iterate(tx):
        is_nest = isinstance(item, (ListVariable, TupleVariable))
        items.append(stacked(tx, item, args, kwargs) if is_nest else item)
    if any(is_long(item) for item in items):
        raise GraphBreak("numpy.array of an int that has more than 64 bits")
    if dtype is not NONE and as_dtype(dtype.as_constant(tx)).kind == "O":
        raise GraphBreak("numpy.array of dtype object")
    if dtype is NONE:
        return record_call(tx, np.stack, (ListVariable(items),), {})
    if any(is_asked_for_int(item, as_dtype(dtype.as_constant(tx))) for item in items):
        raise GraphBreak("numpy.array asks a number for its int")
    named = {"dtype": dtype, "casting": constant("unsafe")}
    return record_call(tx, np.stack, (ListVariable(items),), named)


def is_long(item: VariableTracker) -> bool:
    """Whether a number is a known int that no int64 holds."""
    return isinstance(item, ConstantVariable) and type(item.value) is int and not (
        -(2**63) <= item.value < 2**63
    )


def is_asked_for_int(item: VariableTracker, dtype: np.dtype[Any]) -> bool:
    """Whether NumPy takes `int(item)`, which may raise, where it casts an array."""
    if dtype.kind not in "iu":
        return False
    if isinstance(item, SizeVariable):
        return dtype != np.int64
    if not isinstance(item, (ArrayVariable, NumberVariable)):
        return False
    kind = item.array_type
    fits = kind.dtype.kind in "biu" and kind.dtype != np.uint64
    return kind.form is not Form.ARRAY and (kind.form is Form.PYTHON or not fits)


def scalar_type(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """`np.float32(x)`: a constant, or a conversion in the graph."""
    if len(args) == 1 and not kwargs and args[0].is_constant() and not args[0].in_graph:
        return constant(_converted(function, args[0].as_constant(tx)))
    if row_of(function) is not None:
        return record_call(tx, function, args, kwargs)
    if len(args) == 1 and not kwargs and isinstance(args[0], SizeVariable):
        return converted(tx, args[0], constant(np.dtype(function)))
    if len(args) != 1 or kwargs or not isinstance(args[0], (ArrayVariable, NumberVariable)):
        told = ", ".join(each.describe() for each in args)
        raise GraphBreak(f"numpy.{function.__name__} of {told}" if told else (
            f"numpy.{function.__name__} without arguments"))
    kind = args[0].array_type
    if kind.form is Form.PYTHON:
        return constant(_converted(function, args[0].as_constant(tx)))
    return converted(tx, args[0], constant(np.dtype(function)))


def _converted(function: type[np.generic], value: Any) -> Any:
    """A conversion that reports something, `np.float32(1e300)`, is left to the program."""
    try:
        with np.errstate(all="raise"):
            return function(value)
    except (TypeError, ValueError, OverflowError, FloatingPointError) as error:
        reason = f"numpy.{function.__name__} raises {type(error).__name__}: {error}"
        raise GraphBreak(reason) from None


def at_least(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """`np.atleast_1d` and the like: of several arrays one after the other, and of numbers."""
    if len(args) > 1:
        return TupleVariable([at_least(tx, function, (value,), kwargs) for value in args])
    if args and isinstance(args[0], NumberVariable) and not kwargs:
        ones = TupleVariable([constant(1)] * says(function, "least_ndim"))
        return record_call(tx, np.reshape, (record_call(tx, np.asarray, args, {}), ones), {})
    return record_call(tx, function, args, kwargs)


def einsum(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """All axes of one array, in another order or along diagonals, are a view."""
    if len(args) == 2 and not kwargs and isinstance(args[1], ArrayVariable):
        text = args[0].as_constant(tx)
        ndim = args[1].array_type.ndim
        given, arrow, wanted = without_dots(text, ndim) if type(text) is str else "   "
        if arrow == "->" and given.isalpha() and len(given) == ndim and (
            sorted(set(given)) == sorted(wanted)
        ):
            return rearranged(tx, args[1], given, wanted)
    return record_call(tx, function, args, kwargs)


def without_dots(text: str, ndim: int) -> tuple[str, str, str]:
    """The subscripts of one array; letters stand for "..."."""
    text = text.replace(" ", "")
    count = ndim - len(text.partition("->")[0].replace("...", ""))
    spare = [letter for letter in ascii_letters if letter not in text]
    return text.replace("...", "".join(spare[:count]) if count > 0 else "").partition("->")


def rearranged(tx: Tx, array: VariableTracker, given: str, wanted: str) -> VariableTracker:
    """An array whose axes have letters, with one axis for each of the letters that are wanted."""
    for letter in wanted:
        while given.count(letter) > 1:
            first = given.index(letter)
            second = given.index(letter, first + 1)
            array = record_call(tx, core.diagonals, (array, constant(first), constant(second)), {})
            given = given[:first] + given[first + 1 : second] + given[second + 1 :] + letter
    order = TupleVariable([constant(given.index(letter)) for letter in wanted])
    return record_call(tx, np.transpose, (array, order), {})


UNNAMED: dict[Any, Callable[..., VariableTracker]] = {np.asfortranarray: as_array}
"""What is no operation of its own, so that no row names its handler."""
