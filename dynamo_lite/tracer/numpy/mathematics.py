"""The functions of `math` on numbers that the graph computes.

What raises an error in `math` gives NaN or an infinity in NumPy: where a result is not finite, the
call is left to Python.
"""
from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import GraphBreak
from ...ir import core
from ...ir.ops.columns import having
from ...ir.row import row_of
from ..object_model.constants import constant, fold, observe
from ..object_model.dependent import dependent
from ..recording.nodes import record
from ..state.tracker import Args, Kwargs, VariableTracker
from ..trackers.arrays.numbers import ComputedNumber, InputNumber
from ..trackers.arrays.unions import UnionNumber

if TYPE_CHECKING:
    from ..state.tx import Tx

UFUNCS: dict[Any, Any] = {row.math: row.target for row in having("math")}
"""Function → the same of NumPy's."""
INTS = frozenset({math.floor, math.ceil, math.trunc})
TESTS = frozenset({math.isnan, math.isinf, math.isfinite})


def is_computed(value: VariableTracker) -> bool:
    """A number whose value only the graph has: NumPy's from outside have no guard of theirs."""
    if isinstance(value, InputNumber):
        return not value.is_python
    return isinstance(value, (ComputedNumber, UnionNumber))


def mathematics(tx: Tx, function: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
    """`function(*args)`, of the module `math`."""
    ufunc = UFUNCS[function]
    if function is math.trunc and args and not hasattr(args[0].python_type(), "__trunc__"):
        raise GraphBreak(f"math.trunc of {args[0].describe()}")
    if kwargs or len(args) != ufunc.nin or not any(map(is_computed, args)):
        if not kwargs and (made := dependent(tx, function, args)) is not None:
            return made
        known = [constant(arg.as_constant(tx)) if arg.in_graph else arg for arg in args]
        return fold(tx, function, known, kwargs)
    floats = [as_float(tx, arg) for arg in args]
    if function not in INTS and function not in TESTS:
        return finite(tx, ufunc if row_of(function) is None else function, floats)
    found = record(tx, ufunc, floats).as_argument(tx)
    return record(tx, core.plain if function in TESTS else int, (found,))


def as_float(tx: Tx, value: VariableTracker) -> Any:
    """A number as the argument of a function of floats."""
    argument = value.as_argument(tx)
    if not (is_computed(value) or isinstance(value, InputNumber)):
        known = value.as_constant(tx)
        observe(math.fabs, known)  # text is no number for the module's functions
        return float(known)
    return record(tx, float, (argument,)).as_argument(tx)


def finite(tx: Tx, function: Callable[..., Any], args: Sequence[Any]) -> VariableTracker:
    """A Python float, which is expected to be finite."""
    found = record(tx, function, args).as_argument(tx)
    record(tx, core.expect, (record(tx, np.isfinite, (found,)).as_argument(tx),))
    return record(tx, core.plain, (found,))


def rounded(tx: Tx, value: VariableTracker) -> VariableTracker:
    """`round(value)`, an int."""
    if value.array_type.dtype.kind != "f":  # type: ignore[attr-defined]
        raise GraphBreak(f"round of {value.describe()}")
    return record(tx, int, (record(tx, np.rint, (as_float(tx, value),)).as_argument(tx),))


def power(tx: Tx, base: VariableTracker, exponent: VariableTracker) -> VariableTracker:
    """`base ** exponent` of Python's numbers, one of which the graph computes."""
    kinds = [value.array_type.dtype.kind if is_computed(value)  # type: ignore[attr-defined]
             else np.asarray(value.as_constant(tx)).dtype.kind for value in (base, exponent)]
    if "f" in kinds:
        return finite(tx, math.pow, [as_float(tx, value) for value in (base, exponent)])
    times = exponent.as_constant(tx)
    if times not in (1, 2, 3, 4):
        return record(tx, operator.pow, [value.as_argument(tx) for value in (base, exponent)])
    found = node = base.as_argument(tx)
    for _ in range(times - 1):
        found = record(tx, operator.mul, (found, node)).as_argument(tx)
    return ComputedNumber(found)


HANDLERS = dict.fromkeys(UFUNCS, mathematics)
