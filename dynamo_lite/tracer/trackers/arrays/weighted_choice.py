"""`choice(a, p=p)` of a random generator, one item: the draw and the search that NumPy makes, which
a loop of the graph can do. NumPy itself needs ten microseconds for them."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...object_model.constants import NONE, ConstantVariable
from ...object_model.lazy import realise
from ...polyfills.numpy import weighted_choice, weighted_place
from ...state.tracker import Args, Kwargs, VariableTracker
from ..containers.sequences import PLAIN_KINDS, SequenceVariable
from .arrays import ArrayVariable
from .in_arrays import InArrays
from .numbers import NumberVariable
from .sizes import SizeVariable

if TYPE_CHECKING:
    from ...state.tx import Tx

NAMES = "a", "size", "replace", "p"
"""Parameters of `choice`; others, as those of a `Generator` for several items, are left to it."""


def weighted(
    tx: Tx, draw: VariableTracker, args: Args, kwargs: Kwargs
) -> VariableTracker | None:
    """By `draw`, which gives a float below 1. None where nothing is said of probabilities, or
    several items are wanted, or no vectors of numbers are given."""
    given = dict(zip(NAMES, args)) | dict(kwargs)
    if len(args) > len(NAMES) or {"a", "p"} - {*given} or {*given} - {*NAMES}:
        return None
    replaces = given.get("replace", NONE)
    if given.get("size", NONE) is not NONE or (
        replaces is not NONE and not (replaces.is_constant() and replaces.as_constant(tx) is True)
    ):
        return None
    chances = vector(tx, realise(tx, given["p"]))
    if chances is None or chances.array_type.dtype != np.float64:
        return None
    values = realise(tx, given["a"])
    if is_count(values):
        return tx.known(weighted_place).call(tx, (values, chances, draw), {})
    if (found := vector(tx, values)) is None:
        return None
    return tx.known(weighted_choice).call(tx, (found, chances, draw), {})


def is_count(value: VariableTracker) -> bool:
    is_number = isinstance(value, ConstantVariable | NumberVariable | SizeVariable)
    return is_number and value.python_type() is int


def vector(tx: Tx, value: VariableTracker) -> ArrayVariable | None:
    """What NumPy makes of a vector, or a list or tuple of numbers; None of all else."""
    is_list = isinstance(value, SequenceVariable) and value.kind in PLAIN_KINDS
    if is_list or isinstance(value, InArrays):
        value = tx.known(np.array).call(tx, (value,), {})
    if not isinstance(value, ArrayVariable) or value.python_type() is not np.ndarray:
        return None
    return value if value.array_type.ndim == 1 else None


__all__ = ["weighted"]
