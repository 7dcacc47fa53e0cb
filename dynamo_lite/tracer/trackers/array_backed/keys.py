"""Keys of dicts and sets that data decides, as the numbers that they consist of."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....ir.sizes import depends_on_data
from ...object_model.constants import ConstantVariable
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from ..arrays.numbers import NumberVariable
from ..arrays.sizes import SizeVariable
from ..arrays.unions import as_int
from ..containers.sequences import TupleVariable
from .characters import CharacterVariable, code_of

if TYPE_CHECKING:
    from ...state.tx import Tx

INTEGERS = "bhilqBHI"
"""Types of keys that are equal if and only if they are equal as ints of 64 bits."""
INTS = frozenset({bool, int, *(np.dtype(code).type for code in INTEGERS)})


def is_data(key: VariableTracker) -> bool:
    """Whether data decides what a key is."""
    if type(key) is TupleVariable:
        return any(map(is_data, key.built_items()))
    if isinstance(key, SizeVariable):
        return depends_on_data(key.size)
    return isinstance(key, CharacterVariable) or (
        isinstance(key, NumberVariable) and not key.is_constant()
    )


def kind_and_parts(
    tx: Tx, key: VariableTracker
) -> tuple[type, list[VariableTracker]] | None:
    """The kind of a key, and the numbers that it consists of; None for other keys."""
    if (code := code_of(key)) is not None:
        return str, [code]
    if key.python_type() in (float, np.float64):
        return float, [key]
    is_tuple = type(key) is TupleVariable and key.is_exact_tuple
    parts = [as_int(tx, part) for part in (key.iterate(tx) if is_tuple else [key])]
    if not parts or not all(map(is_integer, parts)):
        return None
    return (tuple if is_tuple else int), [as_number(tx, part) for part in parts]


def as_number(tx: Tx, part: VariableTracker) -> VariableTracker:
    """A size as a number of the graph, whose bits the graph may look at."""
    if not isinstance(part, SizeVariable):
        return part
    return record(tx, np.add, (part.as_argument(tx), np.int64(0)))


def is_integer(part: VariableTracker) -> bool:
    """Whether a number is an integer that 64 bits hold."""
    if isinstance(part, ConstantVariable):
        return type(part.value) in (bool, int) and -(2**63) <= part.value < 2**63
    if isinstance(part, SizeVariable):
        return True
    kind = getattr(part, "array_type", None)
    return kind is not None and kind.dtype.char in "?" + INTEGERS


__all__ = ["INTS", "is_data", "kind_and_parts"]
