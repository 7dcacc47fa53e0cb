"""Numbers and sizes that could be constants: symbolic first, fixed where an operation needs it."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.signatures import positional_names
from ...errors import GraphBreak
from ...ir.ops.columns import says
from ..object_model.constants import constant
from ..state.tracker import Args, Kwargs, VariableTracker
from ..trackers.arrays.indices import as_size
from ..trackers.arrays.numbers import ComputedNumber, InputNumber
from ..trackers.arrays.sizes import SizeVariable
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.sequences import TupleVariable

if TYPE_CHECKING:
    from ..state.tx import Tx

Attempt = Callable[[Args, Kwargs], VariableTracker]


COUNTS = frozenset({
    "shape", "newshape", "dimensions", "reps", "repeats", "num", "N", "M", "n", "k", "kth", "shift",
    "axis", "axes", "axis1", "axis2", "source", "destination", "indices_or_sections",
    "minlength", "pad_width", "offset", "deg",
})  # fmt: skip
"""Parameters that are counts or positions: an integer scalar is as good as a Python int there."""
BOUNDS = frozenset({"start", "stop", "step"})
"""Those of `np.arange`, of which int64 is all that makes the array that an int makes."""


@functools.lru_cache(500)
def parameters(function: Any) -> tuple[str, ...]:
    """The names of a function's parameters that can be given by position."""
    if known := says(function, "parameters"):
        return tuple(known)
    return () if isinstance(function, np.ufunc) else positional_names(function)


def symbolic_first(
    tx: Tx, attempt: Attempt, args: Args, kwargs: Kwargs,
    names_of: Callable[[], Sequence[str]] = tuple,
) -> VariableTracker:
    """Try with symbols; if that breaks the graph, again with sizes as counts, which the names of
    the parameters tell, or else with the values of symbols, guarded. Of `np.linspace` nothing is
    known without the count."""
    try:
        if any(isinstance(value, ComputedNumber) for value in (*args, *kwargs.values())):
            named = [*zip(names_of(), args), *kwargs.items()]
            if any(name == "num" and is_count(name, value) for name, value in named):
                raise GraphBreak("a count that is computed")
        return attempt(args, kwargs)
    except GraphBreak:
        named = [*zip(names := names_of(), args), *kwargs.items()]
        if any(is_count(name, value) for name, value in named):
            counted = [counts(tx, name, value) for name, value in zip(names, args)]
            args = [*counted, *args[len(counted) :]]
            kwargs = {name: counts(tx, name, value) for name, value in kwargs.items()}
            return attempt(args, kwargs)
        if not any(map(is_symbolic, (*args, *kwargs.values()))):
            raise
    fixed = [specialised(tx, value) for value in args]
    return attempt(fixed, {name: specialised(tx, value) for name, value in kwargs.items()})


def is_symbolic(value: VariableTracker) -> bool:
    """Whether the value is known but held as a symbol or an input number (or contains such)."""
    if isinstance(value, (TupleVariable, ListVariable)):
        return value.unread is None and any(map(is_symbolic, value.built_items()))
    return isinstance(value, SizeVariable) or (isinstance(value, InputNumber) and value.is_python)


def is_count(name: str, value: VariableTracker) -> bool:
    """Whether the value is, or contains, an integer scalar that is computed and only counts."""
    if isinstance(value, (TupleVariable, ListVariable)):
        return value.unread is None and any(is_count(name, v) for v in value.built_items())
    if not isinstance(value, ComputedNumber) or value.array_type.dtype.kind not in "iu":
        return False
    return name in COUNTS or (name in BOUNDS and value.array_type.dtype == np.int64)


def counts(tx: Tx, name: str, value: VariableTracker) -> VariableTracker:
    """The same value with such integers as sizes."""
    if not is_count(name, value):
        return value
    if isinstance(value, (TupleVariable, ListVariable)):
        return type(value)([counts(tx, name, item) for item in value.built_items()])
    return as_size(tx, value)


def specialised(tx: Tx, value: VariableTracker) -> VariableTracker:
    """The same value as a constant."""
    if not is_symbolic(value):
        return value
    if isinstance(value, (TupleVariable, ListVariable)):
        return type(value)([specialised(tx, item) for item in value.built_items()])
    return constant(value.as_constant(tx))
