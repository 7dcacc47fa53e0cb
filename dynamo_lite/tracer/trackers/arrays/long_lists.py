"""Long lists of numbers from outside, where NumPy takes one for an array.

Other calls have other numbers, and more or fewer. So the array that NumPy makes of the list is an
input of the graph, made anew for each call; only short lists are constants.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....guards.sources import DependentSource, Pinned
from ....ir.ops.columns import UFUNC_OF, says
from ....native import mixed_in, number_kinds, numbers_in, scalars_in
from ...state.tracker import Args, VariableTracker
from ..containers.sequences import PLAIN_KINDS, SequenceVariable
from .in_arrays import InArrays

if TYPE_CHECKING:
    from ...state.tx import Tx

SHORTEST = 32
"""Items of a list that is long."""
DTYPES = frozenset({np.bool_, np.int64, np.float64})


def array_of(items: Any) -> np.ndarray[Any, Any] | None:
    """What NumPy makes of a list or tuple of numbers; None where it holds others."""
    for function in (numbers_in, scalars_in, mixed_in):
        if (made := function(items)) is not None:
            return made
    return None if number_kinds(items) is None else np.array(items)


def unread(value: VariableTracker) -> Any:
    """The list or tuple, if that is what it is and nobody has looked into it; else None."""
    if not isinstance(value, SequenceVariable) or value.kind not in PLAIN_KINDS:
        return None
    is_longer = value.built_items() or getattr(value, "run", None) is not None
    return None if is_longer else value.unread


def as_input(tx: Tx, value: VariableTracker) -> VariableTracker | None:
    """The array of a long list that nobody has looked into; None for other values."""
    if (items := unread(value)) is None or value.source is None:
        return None
    if len(items) < SHORTEST or (made := array_of(items)) is None:
        return None
    if made.dtype.type not in DTYPES:
        return None
    return tx.wrap(made, DependentSource(Pinned(array_of), (value.source,)))


def shared_input(tx: Tx, value: VariableTracker) -> VariableTracker | None:
    """The same where nobody gets hold of the array: one for all uses of the list."""
    known, key = tx.state.computed, ("index", value.source)
    if key in known:
        return known[key] if unread(value) is not None else None
    if (found := as_input(tx, value)) is not None:
        known[key] = found
    return found


def arrays_of(tx: Tx, function: Any, args: Args) -> Args:
    """The arguments of a function, or those after the first of a method: where it makes arrays of
    sequences of numbers, the arrays of long lists, and of lists in arrays."""
    if function not in UFUNC_OF and says(function, "sequences") != "numbers":
        return args
    return [value.array(tx) if isinstance(value, InArrays) else as_input(tx, value) or value
            for value in args]
