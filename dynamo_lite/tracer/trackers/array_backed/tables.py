"""Dicts and sets of numbers that loops of the graph fill: keys and values are in arrays."""
from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....base.records import dataclass
from ....errors import GraphBreak
from ....ir.node import Node
from ....ir.types import Form
from ...object_model.constants import NONE, ConstantVariable, constant
from ...polyfills.tables import FEWEST, find, find_or_add, grow, store
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from ..arrays.in_arrays import InArrays
from ..arrays.numbers import python_number_of
from ..containers.sequences import TupleVariable
from ..containers.slices import SliceVariable
from .growing import Kinds, fill, kinds_of, number_kind
from .keys import kind_and_parts
from .layouts import is_flat, is_tuple, layout_of, numbers_of
from .lookups import Lookup

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

LARGEST = 1 << 20
"""Keys for which there is room. Memory that is not written costs nothing, and a call that needs
more bails out."""


@dataclass(frozen=True, slots=True)
class TableKinds:
    """What a table holds: a dict, defaultdict or set (`container`) of keys of a `key` class, whose
    parts have the types `keys`; `values` are those of the parts of a value, a tuple or a number."""

    container: type
    key: type
    keys: Kinds
    values: Kinds
    of_tuples: bool


class TableVariable(InArrays):
    """A dict or set made by the frame, whose keys are ints, characters or tuples of ints of one
    type each, and whose values are numbers of one type, or tuples of numbers.

    The arrays are those of `polyfills.tables`; whatever happens to a table happens in their memory.
    `factory` is what makes the value of a new key of a defaultdict.
    """

    def __init__(
        self, kinds: TableKinds, arrays: Sequence[VariableTracker],
        columns: Sequence[VariableTracker], values: Sequence[VariableTracker],
        factory: VariableTracker = NONE,
    ) -> None:
        self.kinds = kinds
        self.slots, self.sizes = arrays
        self.columns = TupleVariable(columns)
        self.values = TupleVariable(values)
        self.factory = factory
        self.final: list[VariableTracker] = []

    def python_type(self) -> type:
        return self.kinds.container

    def describe(self) -> str:
        return f"a {self.kinds.container.__name__} that a loop of the graph fills"

    def length(self, tx: Tx) -> VariableTracker:
        return python_number_of(tx, self.sizes.call_method(tx, "__getitem__", (constant(0),), {}))

    # -- keys and values

    def parts(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        """The ints that a key consists of, one of this table's kind."""
        parsed = kind_and_parts(tx, key)
        if parsed is None or parsed[0] is not self.kinds.key or (
            len(parsed[1]) != len(self.kinds.keys)
        ):
            raise GraphBreak(f"{self.describe()} has keys of several kinds")
        return TupleVariable(parsed[1])

    def run(
        self, tx: Tx, function: Callable[..., Any], wanted: VariableTracker, *more: VariableTracker
    ) -> VariableTracker:
        args = (self.slots, self.sizes, self.columns, wanted, *more)
        return tx.known(function).call(tx, args, {})

    def changed(
        self, tx: Tx, function: Callable[..., Any], key: VariableTracker,
        value: VariableTracker | None,
    ) -> VariableTracker:
        """Call a function that may add a key, which becomes one with just the type that it has."""
        if key_types(tx, key) != self.kinds.keys:
            raise GraphBreak(f"{self.describe()} has keys of several types")
        items = [] if value is None else numbers_of(value)
        if value is not None and (kinds_of_value(value) != self.kinds.values
                                  or is_tuple(value) is not self.kinds.of_tuples):
            raise GraphBreak(f"{self.describe()} has values of several types")
        given = TupleVariable(items)
        return self.run(tx, function, self.parts(tx, key), self.values, given)

    def look_up(self, tx: Tx, key: VariableTracker) -> Lookup:
        _, place = self.run(tx, find, self.parts(tx, key)).iterate(tx)
        found = record(tx, operator.ge, (place.as_argument(tx), 0))
        return Lookup(found, lambda: self.at(tx, place))

    def at(self, tx: Tx, place: VariableTracker) -> VariableTracker:
        """The value at a place; some value where that is -1."""
        items = [
            column.call_method(tx, "__getitem__", (place,), {}) for column in self.values._items
        ]
        items = [
            python_number_of(tx, item) if kind.form is Form.PYTHON else item
            for item, kind in zip(items, self.kinds.values)
        ]
        return TupleVariable(items) if self.kinds.of_tuples else items[0]

    # -- methods

    def method___contains__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        return self.look_up(tx, key).found

    def method_add(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        return self.changed(tx, store, key, None)

    def method___setitem__(
        self, tx: Tx, key: VariableTracker, value: VariableTracker
    ) -> VariableTracker:
        return self.changed(tx, store, key, value)

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        if self.factory is not NONE:
            return self.method_setdefault(tx, key, tx.call(self.factory))
        return self.look_up(tx, key).expected(tx)

    def method_get(
        self, tx: Tx, key: VariableTracker, default: VariableTracker = NONE
    ) -> VariableTracker:
        return self.look_up(tx, key).otherwise(tx, default)

    def method_setdefault(
        self, tx: Tx, key: VariableTracker, default: VariableTracker = NONE
    ) -> VariableTracker:
        return self.at(tx, self.changed(tx, find_or_add, key, default))

    # -- leaving the trace

    def settle(self, tx: Tx) -> None:
        """The trace is over, and the table leaves it."""
        if tx.graph.is_body:
            raise GraphBreak(f"all of {self.describe()}, in a loop")
        part = SliceVariable(NONE, self.length(tx), NONE)
        self.final = [
            column.call_method(tx, "__getitem__", (part,), {}).call_method(tx, "copy", (), {})
            for column in (*self.columns._items, *self.values._items)
        ]

    def reconstruct(self, code: Emitter) -> None:
        count = len(self.columns._items)
        is_set = self.kinds.container is set
        if self.kinds.container is defaultdict:
            code.load_const(defaultdict)
            code.build(self.factory)
        code.load_const(set_of if is_set else dict_of)
        self.load(code, self.final[:count], self.kinds.keys, self.kinds.key)
        if not is_set:
            kind = tuple if self.kinds.of_tuples else int
            self.load(code, self.final[count:], self.kinds.values, kind)
        code.call(1 if is_set else 2)
        if self.kinds.container is defaultdict:
            code.call(2)

    def load(
        self, code: Emitter, columns: Sequence[VariableTracker], kinds: Kinds, kind: type
    ) -> None:
        """Push the list of all keys or values."""
        if kind is not int:
            code.load_const(MADE[kind])
        for column, type_ in zip(columns, kinds):
            code.load_const(np.ndarray.tolist if type_.form is Form.PYTHON else list)
            code.build(column)
            code.call(1)
        if kind is not int:
            code.call(len(columns))


def tuples_of(*columns: list[Any]) -> list[Any]:
    return list(zip(*columns))


def characters_of(codes: list[int]) -> list[str]:
    return list(map(chr, codes))


def dict_of(keys: list[Any], values: list[Any]) -> dict[Any, Any]:
    return dict(zip(keys, values))


def set_of(keys: list[Any]) -> set[Any]:
    """A set to which members were added one by one: its order is theirs."""
    return set(keys)


MADE: dict[type, Callable[..., list[Any]]] = {tuple: tuples_of, str: characters_of}


def key_types(tx: Tx, key: VariableTracker) -> Kinds | None:
    """The types of the parts of a key, as they are found again when the table leaves the graph."""
    if (parsed := kind_and_parts(tx, key)) is None:
        return None
    parts = parsed[1] if parsed[0] is str else numbers_of(key)
    kinds = tuple([number_kind(part) for part in parts])
    return None if None in kinds else kinds  # type: ignore[return-value]


def kinds_of_value(value: VariableTracker) -> Kinds | None:
    """The types of a number, or of a tuple of numbers."""
    return kinds_of(value) if is_flat(layout_of(value)) else None


def kinds_of_entry(
    tx: Tx, container: type, key: VariableTracker, value: VariableTracker | None
) -> TableKinds | None:
    """What a table holds that has such a key and value; None where no table can."""
    parsed, types = kind_and_parts(tx, key), key_types(tx, key)
    values: Kinds | None = () if value is None else kinds_of_value(value)
    if parsed is None or parsed[0] is float or types is None or values is None:
        return None
    return TableKinds(container, parsed[0], types, values, value is not None and is_tuple(value))


def table(
    tx: Tx, kinds: TableKinds, entries: Sequence[tuple[VariableTracker, VariableTracker | None]],
    factory: VariableTracker,
) -> TableVariable | None:
    """A dict or set that the frame has made, as one that loops may fill; None where some entries
    are of other types, or data decides their keys."""
    if any(kinds_of_entry(tx, kinds.container, *entry) != kinds for entry in entries):
        return None
    keys = [kind_and_parts(tx, key)[1] for key, _ in entries]  # type: ignore[index]
    if not all(isinstance(part, ConstantVariable) for key in keys for part in key):
        return None
    columns, values = (
        [column_of(tx, kind.dtype) for kind in parts]
        for parts in (kinds.keys, kinds.values)
    )
    known = [np.array([getattr(key[at], "value", 0) for key in keys], kind.dtype)
             for at, kind in enumerate(kinds.keys)]
    for at, column in enumerate(columns):
        fill(tx, node_of(tx, column), [key[at] for key in keys])
    for at, column in enumerate(values):
        items = [numbers_of(value)[at] for _, value in entries if value is not None]
        fill(tx, node_of(tx, column), items)
    slots = record(tx, np.empty, (4 * LARGEST, np.dtype(np.int32)))
    used = known_slots(known, len(keys))
    record(tx, operator.setitem, (node_of(tx, slots), slice(0, len(used)), 0))
    for slot, place in enumerate(used.tolist()):
        if place:
            record(tx, operator.setitem, (node_of(tx, slots), slot, place))
    sizes = record(tx, np.zeros, (2, np.dtype(np.int64)))
    for at, size in enumerate((len(keys), len(used) - 1)):
        record(tx, operator.setitem, (node_of(tx, sizes), at, size))
    return TableVariable(kinds, (slots, sizes), columns, values, factory)


def column_of(tx: Tx, dtype: np.dtype[Any]) -> VariableTracker:
    """Room for keys or values. The first place may be read before there is anything in it."""
    column = record(tx, np.empty, (LARGEST, dtype))
    record(tx, operator.setitem, (node_of(tx, column), 0, dtype.type(0).item()))
    return column


def known_slots(columns: Sequence[np.ndarray[Any, Any]], count: int) -> np.ndarray[Any, Any]:
    """The slots in use of a table of known keys."""
    mask = FEWEST
    while 2 * count > mask:
        mask = 2 * mask + 1
    slots, sizes = np.zeros(mask + 1, np.int32), np.array([count, mask >> 1])
    grow(slots, sizes, columns)
    return slots


def node_of(tx: Tx, column: VariableTracker) -> Node:
    found: Node = column.as_argument(tx)
    return found


__all__ = ["TableKinds", "TableVariable", "kinds_of_entry", "table"]
