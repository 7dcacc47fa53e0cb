"""Dicts from outside in which a program looks up keys that data decides.

Their sorted keys, and the values in that order, are arrays that each call makes anew. So other
calls may have other keys and other values.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....base.records import dataclass
from ....errors import GraphBreak
from ....guards.sources import DependentSource, Pinned, Source
from ....native import row_layout, table_in
from ...object_model.constants import FALSE
from ...polyfills.tables import place_among, place_of_tuple
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from ..arrays.arrays import ArrayVariable
from ..arrays.numbers import python_number_of
from ..arrays.unions import chosen
from ..containers.dicts import DictVariable
from ..containers.sequences import TupleVariable
from ..containers.sets import SetVariable
from .characters import character
from .elements import Item, codes_in, numbers_in
from .keys import INTS, is_data, kind_and_parts

if TYPE_CHECKING:
    from ...state.tx import Tx

Table = Mapping[Any, Any]


def plain_keys(table: Table) -> np.ndarray[Any, Any] | None:
    """The keys of a dict, where they are Python's ints of up to 64 bits, or tuples of these."""
    keys = [*table]
    if keys and type(keys[0]) is int:
        found = numbers_in(keys)
        return found if found is not None and found.dtype == np.int64 else None
    layout = row_layout(keys)
    return table_in(keys) if layout is not None and {*layout} == {"(", "i"} else None


def order_of(keys: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.argsort(keys) if keys.ndim == 1 else np.lexsort(keys.T[::-1])


def int_keys(table: Table) -> np.ndarray[Any, Any] | None:
    """The sorted keys of a dict whose keys are ints of up to 64 bits."""
    if (keys := plain_keys(table)) is not None:
        return np.sort(keys) if keys.ndim == 1 else None
    return sorted_keys(table) if INTS.issuperset(map(type, table)) else None


def tuple_keys(table: Table) -> np.ndarray[Any, Any] | None:
    """The same of tuples of such ints, all of one length."""
    if (keys := plain_keys(table)) is not None:
        return keys[order_of(keys)] if keys.ndim == 2 else None
    if {*map(type, table)} != {tuple} or len({*map(len, table)}) != 1:
        return None
    parts = {type(part) for key in table for part in key}
    return sorted_keys(table) if parts and INTS.issuperset(parts) else None


def character_keys(table: Table) -> np.ndarray[Any, Any] | None:
    """The sorted code points of texts of one character."""
    if {*map(type, table)} != {str} or {*map(len, table)} != {1}:
        return None
    return codes_in("".join(sorted(table)))


def float_keys(table: Table) -> np.ndarray[Any, Any] | None:
    """The sorted keys of a dict whose keys are floats; one that is no number has no place."""
    if not {float, np.float64}.issuperset(map(type, table)) or any(key != key for key in table):
        return None
    return np.array(sorted(table), np.float64)


def sorted_keys(table: Table) -> np.ndarray[Any, Any] | None:
    try:
        return np.array(sorted(table), np.int64)
    except OverflowError:
        return None


def python_values(table: Table) -> np.ndarray[Any, Any] | None:
    """The values in the order of the keys, where all are numbers of one of Python's types."""
    if (keys := plain_keys(table)) is not None:
        values = numbers_in([*table.values()])
        return None if values is None else values[order_of(keys)]
    return numbers_in(values_in_order(table))


def numpy_values(table: Table) -> np.ndarray[Any, Any] | None:
    """The same, of NumPy's types."""
    values = values_in_order(table)
    kinds = {*map(type, values)}
    known = kinds <= {np.float64, np.float32, np.int64, np.bool_} and len(kinds) == 1
    return np.array(values) if known else None


def character_values(table: Table) -> np.ndarray[Any, Any] | None:
    values = values_in_order(table)
    are_characters = all(type(value) is str and len(value) == 1 for value in values)
    return codes_in("".join(values)) if are_characters else None


def values_in_order(table: Table) -> list[Any]:
    try:
        return [table[key] for key in sorted(table)]
    except TypeError:  # of keys that have no order
        return []


VALUES: Sequence[tuple[Callable[[Table], Any], Item]] = (
    (python_values, python_number_of), (numpy_values, lambda tx, value: value),
    (character_values, character),
)
KEYS: Mapping[type, tuple[Callable[[Table], Any], Callable[..., Any]]] = {
    int: (int_keys, place_among), str: (character_keys, place_among),
    float: (float_keys, place_among), tuple: (tuple_keys, place_of_tuple),
}


@dataclass(frozen=True, slots=True)
class Lookup:
    """What came of looking for a key; `value` gives the value that it has, if it is there."""

    found: VariableTracker
    value: Callable[[], VariableTracker]

    def expected(self, tx: Tx) -> VariableTracker:
        """The value; the call bails out where the key is missing."""
        if self.found is not FALSE:
            self.found.expect(tx, True)
        return self.value()

    def otherwise(self, tx: Tx, default: VariableTracker) -> VariableTracker:
        """The value, or what stands for it where the key is missing."""
        if self.found is FALSE:
            return default
        value = self.value()
        found = chosen(tx, self.found.as_argument(tx), value, default)
        if found is None:
            raise GraphBreak(f"{value.describe()} or {default.describe()}, as data decides")
        return found


def look_up(tx: Tx, container: VariableTracker, key: VariableTracker) -> Lookup | None:
    """Look for a key that data decides in a dict of numbers from outside; None for others."""
    if is_empty(container) and is_data(key):
        return Lookup(FALSE, lambda: missing(container))
    if type(container) is not DictVariable or container.source is None:
        return None
    if container.unread is None or not is_data(key):
        return None
    if (parsed := kind_and_parts(tx, key)) is None:
        return None
    kind, parts = parsed
    make_keys, find = KEYS[kind]
    keys = column(tx, container, make_keys)
    if keys is None or (kind is tuple and not has_parts(tx, keys, len(parts))):
        return None
    if (held := values_of(tx, container)) is None:
        return None
    values, item = held
    wanted = TupleVariable(parts) if kind is tuple else parts[0]
    place, found = tx.known(find).call(tx, (keys, wanted), {}).iterate(tx)
    args = values.as_argument(tx), place.as_argument(tx)
    return Lookup(found, lambda: item(tx, record(tx, operator.getitem, args)))


def values_of(tx: Tx, container: DictVariable) -> tuple[ArrayVariable, Item] | None:
    """The values of a dict from outside, and what an element of that array stands for."""
    for make, item in VALUES:
        if (values := column(tx, container, make)) is not None:
            return values, item
    return None


def is_empty(container: VariableTracker) -> bool:
    """Whether the frame has made a dict or set that nothing has come into yet."""
    if container.source is not None or container.contents is not None:
        return False
    if isinstance(container, DictVariable):
        return container.whole is None and not container.built_entries()
    return isinstance(container, SetVariable) and container.whole is None and not container.real


def missing(container: VariableTracker) -> VariableTracker:
    raise GraphBreak(f"a key that data decides is looked up in {container.describe()}, empty yet")


def has_parts(tx: Tx, keys: ArrayVariable, count: int) -> bool:
    return bool(tx.shapes.specialize(keys.array_type.shape[1]) == count)


def column(
    tx: Tx, container: DictVariable, make: Callable[[Table], Any]
) -> ArrayVariable | None:
    """An array made of a dict from outside, which is an input of the graph."""
    source, known = container.source, tx.state.elements
    assert source is not None
    if (source, make) not in known:
        known[source, make] = wrapped(tx, make(container.unread or {}), make, source)
    found: ArrayVariable | None = known[source, make]
    return found


def wrapped(tx: Tx, made: Any, make: Callable[[Table], Any], source: Source) -> Any:
    if made is None or not len(made):
        return None
    array = tx.wrap(made, DependentSource(Pinned(make), (source,)))
    return array if isinstance(array, ArrayVariable) else None


__all__ = ["Lookup", "look_up"]
