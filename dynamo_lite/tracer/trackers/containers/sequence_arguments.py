"""Deques and named tuples as arguments of NumPy.

In the graph they are plain lists and tuples, which NumPy takes for the same only where it asks for
a sequence of numbers or arrays.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....errors import GraphBreak
from ...state.tracker import VariableTracker

FIRST: frozenset[Callable[..., Any]] = frozenset({
    np.array, np.asarray, np.asanyarray, np.stack, np.concatenate, np.vstack, np.hstack, np.dstack,
    np.column_stack, np.sum, np.prod, np.mean, np.median, np.std, np.var, np.max, np.min, np.ptp,
    np.any, np.all, np.sort, np.argmax, np.argmin, np.cumsum, np.diff, np.average, np.percentile,
    np.quantile, np.count_nonzero, np.unique, np.dot, np.zeros, np.ones, np.empty, np.linalg.norm,
})  # fmt: skip
"""Functions whose first argument may be one."""


def check_sequence(
    value: VariableTracker, target: Callable[..., Any], args: Sequence[VariableTracker]
) -> None:
    """Refuse calls that look at what kind of sequence `value` is."""
    is_first = target in FIRST and bool(args) and args[0] is value
    if not is_first and not isinstance(target, np.ufunc):
        raise GraphBreak(f"{value.describe()} as an argument of {target.__name__}")
