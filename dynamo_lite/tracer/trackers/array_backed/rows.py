"""Lists of lists of numbers that loops of the graph index: the items are in an array."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import GraphBreak
from ....ir.types import ArrayType, Form
from ...object_model.constants import NONE, ConstantVariable, constant
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from ..arrays.in_arrays import InArrays
from ..arrays.numbers import python_number_of
from ..arrays.unions import as_int
from ..containers.lists import ListVariable
from ..containers.sequences import TupleVariable
from .growing import PYTHON_NUMBERS, expected, number_kind, runs

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

LONGEST = 256
"""Stores that fill the array with what the rows hold before the loop."""


class FixedList(InArrays):
    """A list of a known length, whose items lie in an array of the graph; `what` it is."""

    what = ""
    many: int

    def python_type(self) -> type:
        return list

    def describe(self) -> str:
        return f"{self.what} that a loop of the graph indexes"

    def length(self, tx: Tx) -> VariableTracker:
        return constant(self.many)

    def place(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        """An index of the list; the call bails out where Python would raise."""
        return place_among(tx, key, self.many, self.describe())


class RowsVariable(FixedList):
    """A list made by the frame, of lists of equal length of numbers of one type, which nobody else
    has. `table` holds the numbers, and what happens to a row happens in that memory."""

    what = "a list of lists"

    def __init__(self, kind: ArrayType, table: VariableTracker, many: int, width: int) -> None:
        self.kind = kind
        self.table = table
        self.many = many
        self.width = width
        self.known: dict[int, RowVariable] = {}

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        place = self.place(tx, key)
        if isinstance(place, ConstantVariable):  # one tracker for one object
            return self.known.setdefault(place.value, RowVariable(self, place))
        return RowVariable(self, place)

    def reconstruct(self, code: Emitter) -> None:
        is_python = self.kind.form is Form.PYTHON
        code.load_const(np.ndarray.tolist if is_python else lists_of_scalars)
        code.build(self.table)
        code.call(1)


class RowVariable(FixedList):
    """The list at a `place` in such a list."""

    what = "a row of a list of lists"

    def __init__(self, rows: RowsVariable, at: VariableTracker) -> None:
        self.rows = rows
        self.at = at
        self.many = rows.width

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        place = TupleVariable([self.at, self.place(tx, key)])
        found = self.rows.table.call_method(tx, "__getitem__", (place,), {})
        return python_number_of(tx, found) if self.rows.kind.form is Form.PYTHON else found

    def method___setitem__(
        self, tx: Tx, key: VariableTracker, value: VariableTracker
    ) -> VariableTracker:
        place = self.place(tx, key)
        if number_kind(value) != self.rows.kind:
            raise GraphBreak(f"{self.rows.describe()} has items of several types")
        where = self.at.as_argument(tx), place.as_argument(tx)
        record(tx, operator.setitem, (self.rows.table.as_argument(tx), where,
                                      value.as_argument(tx)))
        return NONE

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(operator.getitem)
        code.build(self.rows)
        code.build(self.at)
        code.call(2)


def place_among(tx: Tx, key: VariableTracker, many: int, what: str) -> VariableTracker:
    """An index of a sequence of so many items; the call bails out where Python would raise."""
    key = as_int(tx, key)
    if number_kind(key) != PYTHON_NUMBERS[int]:
        raise GraphBreak(f"an index of {what} that is not an int")
    expected(tx, operator.ge, key, ConstantVariable(-many))
    expected(tx, operator.lt, key, ConstantVariable(many))
    return constant(key.value % many) if isinstance(key, ConstantVariable) else key


def lists_of_scalars(table: np.ndarray[Any, Any]) -> list[list[Any]]:
    return [list(row) for row in table]


def rows_of(value: VariableTracker) -> Sequence[ListVariable] | None:
    """The rows of a list that the frame has made; None where they are not of equal length, or one
    of them stands there twice."""
    if not is_plain(value):
        return None
    rows = value.built_items()  # type: ignore[attr-defined]
    if len(rows) < 2 or not all(map(is_plain, rows)) or len({*map(id, rows)}) < len(rows):
        return None
    widths = {len(row.built_items()) for row in rows}
    return rows if len(widths) == 1 and 0 not in widths else None


def is_plain(value: VariableTracker) -> bool:
    is_list = type(value) is ListVariable and value.source is None
    return is_list and value.whole is None  # type: ignore[attr-defined]


def as_rows(
    tx: Tx, rows: Sequence[ListVariable], kind: ArrayType
) -> RowsVariable | None:
    """The list of these rows as one that loops may index; None where some items are of other
    types, or too different ones to be stored."""
    items = [item for row in rows for item in row.built_items()]
    if any(number_kind(item) != kind for item in items):
        return None
    width = len(rows[0].built_items())
    stores: list[tuple[Any, int, int, int]] = [
        (at, *one) for at, row in enumerate(rows) for one in runs(row.built_items())
    ]
    whole = runs(items)
    if len(whole) == 1 and whole[0][2] == 0:
        stores = [(..., *whole[0])]
    if len(stores) > LONGEST:
        return None
    table = record(tx, np.empty, ((len(rows), width), kind.dtype))
    for at, start, stop, step in stores:
        row = items if at is ... else rows[at].built_items()
        where = at if at is ... else (at, start if stop - start == 1 else slice(start, stop))
        value = row[start].as_argument(tx)
        if step:
            value = record(tx, np.arange, (value, value + step * (stop - start), step))
            value = value.as_argument(tx)
        record(tx, operator.setitem, (table.as_argument(tx), where, value))
    return RowsVariable(kind, table, len(rows), width)


__all__ = ["FixedList", "RowVariable", "RowsVariable", "as_rows", "place_among", "rows_of"]
