"""Operators on numbers whose type depends on data: the value as usual, the type from samples."""
from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import GraphBreak
from ...ir.types import ArrayType, Form
from ..state.tracker import VariableTracker
from ..trackers.arrays.unions import DTYPES, UnionNumber, any_of

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
    if not fits or kind is None or kind.form is not Form.PYTHON or (
        kind.dtype != DTYPES[frozenset(kinds)] or (int in kinds and kind.dtype.kind == "f")
    ):
        raise GraphBreak(f"{function.__name__} of {unions[0].describe()}")
    return UnionNumber(made.as_argument(tx), any_of(tx, [one.test for one in unions]), kinds)


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
