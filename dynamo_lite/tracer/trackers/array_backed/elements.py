"""Lists of numbers, texts and bytes from outside, of which the graph reads elements: long ones, and
short ones at a place that data tells.

Other calls have other ones, and more or fewer. So an array of elements is an input of the graph,
made anew for each call, and the value itself is not looked at.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ....base.records import dataclass
from ....guards.kinds import EQUALS
from ....guards.sources import ConstSource, DependentSource, Pinned, Source
from ....ir import core
from ....ir.types import ArrayType, python_number, scalar
from ....native import first_kind_in, mixed_in, number_kinds, numbers_in, scalars_in
from ...object_model.constants import ConstantVariable
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from ..arrays.arrays import ArrayVariable
from ..arrays.long_lists import SHORTEST
from ..arrays.numbers import python_number_of
from ..arrays.unions import DTYPES, ORDER, UnionNumber
from ..containers.sequences import PLAIN_KINDS, SequenceVariable
from .characters import character
from .outside_rows import rows_of_outside

if TYPE_CHECKING:
    from ...state.tx import Tx


def numbers_of(data: bytes) -> np.ndarray[Any, Any]:
    """The numbers that bytes are."""
    return np.asarray(memoryview(data))


def codes_in(text: str) -> np.ndarray[Any, Any]:
    """The code points of a text."""
    encoded = text.encode("utf-32-le", "surrogatepass")
    return np.asarray(memoryview(encoded)).view("<u4")


def itself(tx: Tx, value: VariableTracker) -> VariableTracker:
    """A number of NumPy's in a list is one of an array."""
    return value


Item = Callable[["Tx", VariableTracker], VariableTracker]
NUMBERS: tuple[tuple[Callable[[Any], Any], Item], ...] = (
    (numbers_in, python_number_of), (scalars_in, itself),
)
ARRAYS: dict[type, tuple[tuple[Callable[[Any], Any], Item], ...]] = {
    list: NUMBERS, tuple: NUMBERS,
    bytes: ((numbers_of, python_number_of),), str: ((codes_in, character),),
}
"""Type → functions that make an array of the elements, or None, and what an element of that array
stands for."""
KINDS: dict[str, type] = dict(zip("dl?fib", ORDER))
"""The letters of `number_kinds`, in their order."""


class Elements(Protocol):
    """The elements of a value, as inputs of the graph."""

    @property
    def array(self) -> ArrayVariable: ...

    @property
    def kinds(self) -> tuple[ArrayType, ...]:
        """The types of the numbers of a list or tuple, where all have one."""
        ...

    @property
    def count(self) -> Any: ...

    def at(self, tx: Tx, place: VariableTracker) -> VariableTracker: ...


@dataclass(frozen=True, slots=True)
class ElementsOfOneType:
    array: ArrayVariable
    item: Item

    @property
    def count(self) -> Any:
        return self.array.array_type.shape[0]

    @property
    def kinds(self) -> tuple[ArrayType, ...]:
        dtype = self.array.array_type.dtype
        if self.item is itself:
            return (scalar(dtype),)
        return (python_number({"b": bool, "i": int, "f": float}[dtype.kind]),)

    def at(self, tx: Tx, place: VariableTracker) -> VariableTracker:
        return self.item(tx, element_at(tx, self.array, place))


@dataclass(frozen=True, slots=True)
class MixedElements:
    """Of two types, as of `[0.0]` to which NumPy's numbers were appended: data says which of them
    an element has."""

    array: ArrayVariable
    are_first: ArrayVariable
    union: tuple[type, ...]
    kinds: tuple[ArrayType, ...] = ()

    @property
    def count(self) -> Any:
        return self.array.array_type.shape[0]

    def at(self, tx: Tx, place: VariableTracker) -> VariableTracker:
        parts = (element_at(tx, array, place) for array in (self.array, self.are_first))
        number, is_first = (
            record(tx, core.plain, (part.as_argument(tx),)).as_argument(tx) for part in parts)
        return UnionNumber(number, is_first, self.union)


def element_at(tx: Tx, array: ArrayVariable, place: VariableTracker) -> VariableTracker:
    return record(tx, operator.getitem, (array.as_argument(tx), place.as_argument(tx)))


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
        known[value.source] = _elements(tx, value, outside, value.source)
    found: Elements | None = known[value.source]
    return found


def numpy_vector(tx: Tx, value: VariableTracker) -> ArrayVariable | None:
    """The array of a long list of numbers of one of NumPy's types; None of other values."""
    elements = elements_of(tx, value)
    is_one = isinstance(elements, ElementsOfOneType) and elements.item is itself
    return elements.array if elements is not None and is_one else None


def _elements(
    tx: Tx, value: VariableTracker, outside: Any, source: Source
) -> Elements | None:
    for function, item in ARRAYS[type(outside)]:
        if (array := _array(tx, function, outside, source)) is not None:
            return ElementsOfOneType(array, item)
    if type(outside) not in (list, tuple):
        return None
    return _mixed(tx, outside, source) or rows_of_outside(tx, value, outside, source)


def _mixed(tx: Tx, outside: Any, source: Source) -> Elements | None:
    union = tuple(KINDS[letter] for letter in number_kinds(outside) or "")
    if frozenset(union) not in DTYPES:
        return None
    array, first = (_array(tx, make, outside, source) for make in (mixed_in, first_kind_in))
    if array is None or first is None:
        return None
    kinds = DependentSource(Pinned(number_kinds), (source,))
    tx.guards.install(kinds, EQUALS, number_kinds(outside), tx.location())
    return MixedElements(array, first, union)


def _array(
    tx: Tx, function: Callable[[Any], Any], outside: Any, source: Source
) -> ArrayVariable | None:
    if (made := function(outside)) is None:
        return None
    array = tx.wrap(made, DependentSource(Pinned(function), (source,)))
    return array if isinstance(array, ArrayVariable) else None


def outside_of(tx: Tx, value: VariableTracker) -> Any:
    """The value itself, of one of these types; None where the program has changed it."""
    if isinstance(value, ConstantVariable):
        return value.value if type(value.value) in ARRAYS else None
    if not isinstance(value, SequenceVariable) or value.kind not in PLAIN_KINDS:
        return None
    is_as_before = not tx.side_effects.has_changed(value)
    return value.outside if is_as_before and type(value.outside) in ARRAYS else None
