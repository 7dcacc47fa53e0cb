"""Lists of numbers, texts and bytes from outside, of which the graph reads elements: long ones, and
short ones at a place that data tells.

Other calls have other ones, and more or fewer. So an array of elements is an input of the graph,
made anew for each call, and the value itself is not looked at.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....base.records import dataclass
from ....guards.sources import ConstSource, DependentSource, Pinned, Source
from ....ir.types import ArrayType, python_number
from ....native import numbers_in
from ...object_model.constants import ConstantVariable
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from ..arrays.arrays import ArrayVariable
from ..arrays.long_lists import SHORTEST
from ..arrays.numbers import python_number_of
from ..containers.sequences import PLAIN_KINDS, SequenceVariable
from .characters import character

if TYPE_CHECKING:
    from ...state.tx import Tx

def numbers_of(data: bytes) -> np.ndarray[Any, Any]:
    """The numbers that bytes are."""
    return np.asarray(memoryview(data))


def codes_in(text: str) -> np.ndarray[Any, Any]:
    """The code points of a text."""
    encoded = text.encode("utf-32-le", "surrogatepass")
    return np.asarray(memoryview(encoded)).view("<u4")


Item = Callable[["Tx", VariableTracker], VariableTracker]
ARRAYS: dict[type, tuple[Callable[[Any], Any], Item]] = {
    list: (numbers_in, python_number_of), tuple: (numbers_in, python_number_of),
    bytes: (numbers_of, python_number_of), str: (codes_in, character),
}
"""Type → the array of its elements, and what an element of that array stands for."""


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of a value, as an array that is an input of the graph."""

    array: ArrayVariable
    item: Item

    @property
    def count(self) -> Any:
        return self.array.array_type.shape[0]

    @property
    def kinds(self) -> tuple[ArrayType, ...]:
        """The types of the numbers of a list or tuple."""
        return (python_number({"b": bool, "i": int, "f": float}[self.array.array_type.dtype.kind]),)

    def at(self, tx: Tx, place: VariableTracker) -> VariableTracker:
        args = self.array.as_argument(tx), place.as_argument(tx)
        return self.item(tx, record(tx, operator.getitem, args))


def elements_of(
    tx: Tx, value: VariableTracker | None, shortest: int = SHORTEST
) -> Elements | None:
    """Those of a value from outside that has so many, else None."""
    if value is None or value.source is None or isinstance(value.source, ConstSource):
        return None
    outside, known = outside_of(tx, value), tx.state.elements
    if outside is None or len(outside) < shortest:
        return None
    if value.source not in known:
        known[value.source] = _elements(tx, outside, value.source)
    found: Elements | None = known[value.source]
    return found


def _elements(tx: Tx, outside: Any, source: Source) -> Elements | None:
    function, item = ARRAYS[type(outside)]
    if (made := function(outside)) is None:
        return None
    array = tx.wrap(made, DependentSource(Pinned(function), (source,)))
    return Elements(array, item) if isinstance(array, ArrayVariable) else None


def outside_of(tx: Tx, value: VariableTracker) -> Any:
    """The value itself, of one of these types; None where the program has changed it."""
    if isinstance(value, ConstantVariable):
        return value.value if type(value.value) in ARRAYS else None
    if not isinstance(value, SequenceVariable) or value.kind not in PLAIN_KINDS:
        return None
    is_as_before = not tx.side_effects.has_changed(value)
    return value.outside if is_as_before and type(value.outside) in ARRAYS else None
