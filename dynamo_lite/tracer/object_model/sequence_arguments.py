"""Deques and named tuples as arguments of NumPy.

In the graph they are plain lists and tuples, which NumPy takes for the same only where it asks for
a sequence of numbers or arrays.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import GraphBreak
from ...ir.ops.columns import says
from ..state.tracker import Args, VariableTracker


def check_sequence(value: VariableTracker, target: Callable[..., Any], args: Args) -> None:
    """Refuse calls that look at what kind of sequence `value` is."""
    is_first = says(target, "sequences") is not None and bool(args) and args[0] is value
    if not is_first and not isinstance(target, np.ufunc):
        raise GraphBreak(f"{value.describe()} as an argument of {target.__name__}")
