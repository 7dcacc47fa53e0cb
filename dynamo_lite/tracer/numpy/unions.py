"""Operators on numbers whose type depends on data: the value as usual, the type from samples."""
from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import GraphBreak
from ...ir import control, core
from ...ir.types import ArrayType, Form
from ..recording.nodes import record
from ..state.tracker import VariableTracker
from ..trackers.arrays.unions import DTYPES, EXACT, UnionNumber, any_of

if TYPE_CHECKING:
    from ..state.tx import Tx

Operate = Callable[["Tx", Any, Sequence[VariableTracker]], VariableTracker]


def operate_union(
    tx: Tx, function: Any, operands: Sequence[VariableTracker], operate: Operate
) -> VariableTracker:
    """`function(*operands)`: Python tells the types of the results from those of the operands."""
    unions = [value for value in operands if isinstance(value, UnionNumber)]
    found = results(function, operands)
    plain = [value.plain() if isinstance(value, UnionNumber) else value for value in operands]
    made = operate(tx, function, plain)
    kind = getattr(made, "array_type", None)
    if len({*found}) == 1 and found[0] == described(kind):
        return made
    first, *middle, last = found
    kinds = first[0], last[0]
    same = all(other == first for other in middle)
    fits = same and not first[1] and not last[1] and frozenset(kinds) in DTYPES
    is_of_ints = int in kinds and kind is not None and kind.dtype.kind == "f"
    if not fits or kind is None or kind.form is not Form.PYTHON or (
        kind.dtype != DTYPES[frozenset(kinds)]
        or (is_of_ints and function not in EXACT_OF_INTS)
    ):
        raise GraphBreak(f"{function.__name__} of {unions[0].describe()}")
    is_first, number = any_of(tx, [one.test for one in unions]), made.as_argument(tx)
    if is_of_ints:
        number = whole_number(tx, number, is_first)
    return UnionNumber(number, is_first, kinds)


EXACT_OF_INTS = (operator.add, operator.sub, operator.mul)
"""What floats give for small ints as ints do."""


def whole_number(tx: Tx, number: Any, is_float: Any) -> Any:
    """A float that stands for an int unless `is_float`: none that floats round, and no -0.0."""
    size = record(tx, operator.abs, (number,)).as_argument(tx)
    is_small = record(tx, operator.le, (size, float(EXACT))).as_argument(tx)
    is_exact = record(tx, control.choose, (is_float, True, is_small)).as_argument(tx)
    record(tx, core.expect, (is_exact,))
    positive = record(tx, operator.add, (number, 0.0)).as_argument(tx)
    return record(tx, control.choose, (is_float, number, positive)).as_argument(tx)


Result = tuple[type, int, Any]


def results(function: Any, operands: Sequence[VariableTracker]) -> list[Result]:
    """The type of the result for each choice of operands' types, the first types first."""
    with np.errstate(all="ignore"):
        try:
            made = [function(*chosen) for chosen in itertools.product(*map(samples, operands))]
        except TypeError as error:
            raise GraphBreak(f"{function.__name__} raises TypeError: {error}") from None
    return [(type(one), np.ndim(one), getattr(one, "dtype", None)) for one in made]


def samples(value: VariableTracker) -> list[Any]:
    """A value of each type that an operand may have."""
    if isinstance(value, UnionNumber):
        return [kind(1) for kind in value.kinds]
    kind = getattr(value, "array_type", None)
    if not isinstance(kind, ArrayType):
        return [value.python_type()(1)]
    if kind.form is Form.PYTHON:
        return [kind.dtype.type(1).item()]
    one = np.ones((1,) * kind.ndim, kind.dtype)
    return [one if kind.form is Form.ARRAY else one[()]]


def described(kind: Any) -> Result | None:
    """What `results` says of a value of such a type."""
    if not isinstance(kind, ArrayType):
        return None
    if kind.form is Form.PYTHON:
        return type(kind.dtype.type(1).item()), 0, None
    made: Any = np.ndarray if kind.form is Form.ARRAY else kind.dtype.type
    return made, kind.ndim, kind.dtype
