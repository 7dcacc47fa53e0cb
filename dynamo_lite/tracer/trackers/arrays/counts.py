"""Integer scalars that are computed and only count: how many, how often, which axis."""
from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....base.signatures import positional_names
from ....ir.ops.columns import says
from ...state.tracker import Args, Kwargs, VariableTracker
from ..containers.lists import ListVariable
from ..containers.sequences import TupleVariable
from .indices import as_size
from .numbers import ComputedNumber

if TYPE_CHECKING:
    from ...state.tx import Tx

COUNTS = frozenset({
    "shape", "newshape", "dimensions", "reps", "repeats", "num", "N", "M", "n", "k", "kth", "shift",
    "axis", "axes", "axis1", "axis2", "source", "destination", "indices_or_sections",
    "minlength", "pad_width", "offset", "deg", "size",
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


def with_counts(
    tx: Tx, names: Sequence[str], args: Args, kwargs: Kwargs
) -> tuple[Args, Kwargs] | None:
    """The arguments of a call with such integers as sizes; None where there are none. `names` are
    those of the parameters that are given by position."""
    named = [*zip(names, args), *kwargs.items()]
    if not any(is_count(name, value) for name, value in named):
        return None
    counted = [counts(tx, name, value) for name, value in zip(names, args)]
    given = {name: counts(tx, name, value) for name, value in kwargs.items()}
    return [*counted, *args[len(counted) :]], given


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
