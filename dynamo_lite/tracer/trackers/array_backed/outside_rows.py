"""Lists of rows of numbers from outside, such as points and grids, of which the graph reads items.

Other calls have other ones, and more or fewer. What the rows are is guarded, and their numbers are
inputs of the graph, which each call makes anew: one array of all of them where they have one type,
else one for each column. Rows that are lists could change: `reads_rows` of the options says that
the program changes no list from outside.
"""
from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....base.records import dataclass
from ....guards.kinds import EQUALS
from ....guards.sources import DependentSource, LiteralSource, Pinned, Source
from ....ir.types import ArrayType
from ....native import column_in, row_layout, table_in
from ...object_model.constants import ConstantVariable, constant
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from ..arrays.arrays import ArrayVariable
from ..arrays.in_arrays import InArrays
from ..arrays.numbers import python_number_of
from ..containers.sequences import TupleVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

MOST_COLUMNS = 8
"""Arrays that a call makes of rows of numbers of several types."""
WIDEST_TUPLE = 16
"""Numbers of a tuple that is taken apart wherever the graph reads it."""
LISTS, PYTHONS = "[", frozenset("fib")
"""The letters of `row_layout`: of rows that are lists, and of Python's own numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a list or tuple: its `layout`, and the arrays of their numbers."""

    container: VariableTracker
    layout: str
    arrays: Sequence[ArrayVariable]
    kinds: tuple[ArrayType, ...] = ()

    @property
    def array(self) -> ArrayVariable:
        return self.arrays[0]

    @property
    def count(self) -> Any:
        return self.array.array_type.shape[0]

    @property
    def width(self) -> int:
        return len(self.layout) - 1

    def at(self, tx: Tx, place: VariableTracker) -> VariableTracker:
        if self.layout[0] == LISTS or self.width > WIDEST_TUPLE:
            return OutsideRow(self, place)
        return TupleVariable([self.number(tx, place, constant(at)) for at in range(self.width)])

    def number(self, tx: Tx, row: VariableTracker, column: VariableTracker) -> VariableTracker:
        if self.array.array_type.ndim == 2:
            place = row.as_argument(tx), column.as_argument(tx)
            found = record(tx, operator.getitem, (self.array.as_argument(tx), place))
            return python_number_of(tx, found) if self.layout[1] in PYTHONS else found
        at = column.as_constant(tx)
        args = self.arrays[at].as_argument(tx), row.as_argument(tx)
        found = record(tx, operator.getitem, args)
        return python_number_of(tx, found) if self.layout[at + 1] in PYTHONS else found


class OutsideRow(InArrays):
    """The row at a place that data tells."""

    def __init__(self, rows: Rows, at: VariableTracker) -> None:
        self.rows = rows
        self.at = at
        self.many = rows.width

    def python_type(self) -> type:
        return list if self.rows.layout[0] == LISTS else tuple

    def describe(self) -> str:
        return "a row of a list from outside"

    def length(self, tx: Tx) -> VariableTracker:
        return constant(self.many)

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        for place in range(self.many):
            yield self.rows.number(tx, self.at, constant(place))

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        if isinstance(key, ConstantVariable):
            known = key.value
            if type(known) is not int or not -self.many <= known < self.many:
                raise self.refusal(f"the item {known!r} of {self.describe()}")
            return self.rows.number(tx, self.at, constant(known % self.many))
        if len(self.rows.arrays) > 1 or key.python_type() not in (int, np.int64):
            raise self.refusal(f"an item of {self.describe()} that data decides")
        return self.rows.number(tx, self.at, key)

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(operator.getitem)
        code.build(self.rows.container)
        code.build(self.at)
        code.call(2)


def rows_of_outside(
    tx: Tx, value: VariableTracker, outside: Any, source: Source
) -> Rows | None:
    """The rows of a list or tuple from outside; None where it has others."""
    layout = row_layout(outside)
    if layout is None or (layout[0] == LISTS and not tx.state.options.reads_rows):
        return None
    if len({*layout[1:]}) == 1:
        made = [(table_in(outside), DependentSource(Pinned(table_in), (source,)))]
    elif len(layout) - 1 <= MOST_COLUMNS:
        made = [
            (column_in(outside, at),
             DependentSource(Pinned(column_in), (source, LiteralSource(at))))
            for at in range(len(layout) - 1)
        ]
    else:
        return None
    if any(array is None for array, _ in made):
        return None
    guarded = DependentSource(Pinned(row_layout), (source,))
    tx.guards.install(guarded, EQUALS, layout, tx.location())
    arrays = [tx.wrap(array, place) for array, place in made]
    found = [array for array in arrays if isinstance(array, ArrayVariable)]
    if len(found) < len(arrays):
        return None
    tx.state.reads_lists |= layout[0] == LISTS
    return Rows(value, layout, found)


__all__ = ["OutsideRow", "Rows", "rows_of_outside"]
