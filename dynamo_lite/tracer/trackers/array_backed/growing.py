"""Lists of numbers that loops of the graph change: the items are in arrays, the length is data."""
from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import GraphBreak, PlanLoop, Unsupported
from ....guards.sources import ItemSource
from ....ir import control, core
from ....ir.node import Node
from ....ir.types import DUPLICATES, NUMBERS, ArrayType, Form, python_number
from ...object_model.constants import FALSE, LAST, NONE, ConstantVariable, constant
from ...object_model.lazy import realise_all
from ...polyfills.lists import count_of, extend, ordered, place_of, put_in_order, pythons
from ...recording.nodes import record
from ...state.trace import LoopPlan
from ...state.tracker import VariableTracker
from ..arrays.arrays import ArrayVariable
from ..arrays.in_arrays import InArrays
from ..arrays.numbers import ConstantNumber, NumberVariable, python_number_of
from ..arrays.sizes import SizeVariable
from ..arrays.unions import UnionNumber, as_int
from ..containers.lists import ListVariable
from ..containers.slices import SliceVariable
from .elements import Elements, elements_of
from .layouts import (
    Layout,
    built,
    is_list,
    is_row,
    is_tuple,
    items_of,
    layout_of,
    lists_in,
    numbers_of,
)

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

Kinds = tuple[ArrayType, ...]
PYTHON_NUMBERS = {kind: python_number(kind) for kind in (bool, int, float)}
POSITIONS = PYTHON_NUMBERS[int], ArrayType(np.dtype(np.int64), form=Form.SCALAR)
"""Of lists of which NumPy makes arrays of positions."""
FITTING = 2**62
"""Ints from outside below this size are computed with in 64 bits."""


def number_kind(value: VariableTracker) -> ArrayType | None:
    """The type of a number that an array can hold, and give back as it was; else None."""
    if isinstance(value, ConstantVariable):
        fits = type(value.value) is not int or -FITTING < value.value < FITTING
        return PYTHON_NUMBERS.get(type(value.value)) if fits else None
    if isinstance(value, SizeVariable):
        return PYTHON_NUMBERS[int]
    if not isinstance(value, NumberVariable) or isinstance(value, UnionNumber):
        return None
    kind = replace(value.array_type, value=None)
    known = kind.dtype.char in NUMBERS and kind.dtype.char not in DUPLICATES
    return kind if known and kind.dtype.kind in "biuf" else None


def kinds_of(item: VariableTracker) -> Kinds | None:
    """The types of the numbers that an item consists of."""
    kinds = [number_kind(part) for part in numbers_of(item)]
    found = tuple(kind for kind in kinds if kind is not None)
    return found if found and len(found) == len(kinds) else None


CHANGED = "a list that a loop of the graph changes"
OF_SEVERAL_TYPES = f"{CHANGED} has items of several types"


class GrowingVariable(InArrays):
    """A list made by the frame, of numbers of one type, or of tuples and lists of numbers.

    `columns` hold the items, or their numbers, in the first places; `name` is that of the list's
    length among `state.list_lengths`: arms of a branch and iterations of a loop differ in that
    alone. While a loop `walks` through the list, it keeps its length. The `loop` (as in
    `TraceOptions.loops`) of a comprehension, and the one that appends lists, is unrolled where the
    list is asked for what it does not know.
    """

    loop: tuple[CodeType, int] | None = None

    def __init__(
        self, name: str, kinds: Kinds, columns: Sequence[VariableTracker], layout: Layout
    ) -> None:
        self.name = name
        self.kinds = kinds
        self.columns = columns
        self.layout = layout
        self.walks = 0
        self.final: list[VariableTracker] = []

    def python_type(self) -> type:
        return list

    def describe(self) -> str:
        return CHANGED

    def named(self, name: str) -> GrowingVariable:
        """The same, whose length goes by another name."""
        return self.made(name, self.columns)

    def with_columns(self, columns: Sequence[VariableTracker]) -> GrowingVariable:
        """A list of other items, whose length goes by the same name."""
        return self.made(self.name, columns)

    def made(self, name: str, columns: Sequence[VariableTracker]) -> GrowingVariable:
        found = GrowingVariable(name, self.kinds, columns, self.layout)
        found.loop = self.loop
        return found

    def refusal(self, what: str) -> Unsupported:
        return GraphBreak(what) if self.loop is None else PlanLoop(self.loop, LoopPlan(what))

    def length(self, tx: Tx) -> VariableTracker:
        found = tx.state.list_lengths.get(self.name)
        if found is None:
            raise GraphBreak(f"{self.describe()}, after the loop in which it was made")
        return found

    def method_append(self, tx: Tx, item: VariableTracker) -> VariableTracker:
        length = self.length(tx)
        self.store(tx, length, item)
        self.resize(tx, 1)
        return NONE

    def method_extend(self, tx: Tx, items: VariableTracker) -> VariableTracker:
        if is_tuple(items) or is_list(items):
            for item in items.built_items():  # type: ignore[attr-defined]
                self.method_append(tx, item)
            return NONE
        if items is self or not isinstance(items, ArrayVariable | GrowingVariable):
            raise self.refusal(f"method 'extend' of {self.describe()} by {items.describe()}")
        return tx.known(extend).call(tx, (self, items), {})

    def method___iadd__(self, tx: Tx, items: VariableTracker) -> VariableTracker:
        self.method_extend(tx, items)
        return self

    def method_pop(self, tx: Tx, index: VariableTracker = LAST) -> VariableTracker:
        if index is not LAST and not (index.is_constant() and index.as_constant(tx) == -1):
            raise self.refusal(f"pop() from the middle of {self.describe()}")
        item = self.method___getitem__(tx, LAST)
        self.resize(tx, -1)
        return item

    def method_sort(
        self, tx: Tx, *, key: VariableTracker = NONE, reverse: VariableTracker = FALSE
    ) -> VariableTracker:
        if key is not NONE or self.layout is not None or not reverse.is_constant():
            raise self.refusal(f"sorting {self.describe()}, by keys or of no numbers")
        inside = tx.known(ordered).call(tx, (self.array(tx), reverse), {})
        if self.kinds[0].form is Form.PYTHON:
            inside = tx.known(pythons).call(tx, (inside,), {})
        return tx.known(put_in_order).call(tx, (self, inside), {})

    def method_index(self, tx: Tx, value: VariableTracker) -> VariableTracker:
        """Calls for which there is none bail out: Python says so, or finds a NaN."""
        place = self.asked(tx, place_of, value)
        expected(tx, operator.ge, place, ConstantVariable(0))
        return place

    def method_count(self, tx: Tx, value: VariableTracker) -> VariableTracker:
        if value.python_type() in (float, np.float64):
            compared = tx.call_builtin(operator.eq, value, value)
            record(tx, core.expect, (compared.as_argument(tx),))
        return self.asked(tx, count_of, value)

    def asked(
        self, tx: Tx, question: Callable[..., Any], value: VariableTracker
    ) -> VariableTracker:
        """Where numbers are that are equal to one."""
        if self.layout is not None or number_kind(value) is None:
            raise self.refusal(f"looking for {value.describe()} in {self.describe()}")
        return tx.known(question).call(tx, (self, value), {})

    def resize(self, tx: Tx, more: int) -> None:
        if self.walks:
            raise GraphBreak(f"{self.describe()} while it is gone through")
        tx.state.list_lengths[self.name] = added(tx, self.length(tx), more)

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        return self.at(tx, self.place(tx, key))

    def at(self, tx: Tx, place: VariableTracker) -> VariableTracker:
        """The item at an index that is one."""
        numbers = [number_at(tx, *part, place) for part in zip(self.columns, self.kinds)]
        return built(self.layout, iter(numbers), self.refusal)

    def method___setitem__(
        self, tx: Tx, key: VariableTracker, value: VariableTracker
    ) -> VariableTracker:
        self.store(tx, self.place(tx, key), value)
        return NONE

    def store(self, tx: Tx, place: VariableTracker, item: VariableTracker) -> None:
        if kinds_of(item) != self.kinds or layout_of(item) != self.layout:
            raise self.refusal(OF_SEVERAL_TYPES)
        if not all(map(tx.is_unshared, lists_in(item))):
            raise self.refusal(f"{self.describe()} holds a list that has another name")
        for column, part in zip(self.columns, numbers_of(item)):
            args = column.as_argument(tx), place.as_argument(tx), part.as_argument(tx)
            record(tx, operator.setitem, args)

    def place(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        """An index as one from the start; the call bails out where Python would raise."""
        key, length = as_int(tx, key), self.length(tx)
        if number_kind(key) != PYTHON_NUMBERS[int]:
            raise self.refusal(f"an index of {self.describe()} that is not an int")
        if isinstance(key, ConstantVariable):
            known = key.as_constant(tx)
            found = key if known >= 0 else added(tx, length, known)
        else:
            index = key.as_argument(tx)
            back = record(tx, core.wrapped_sum, (index, length.as_argument(tx))).as_argument(tx)
            negative = record(tx, operator.lt, (index, 0)).as_argument(tx)
            found = record(tx, control.choose, (negative, back, index))
        expected(tx, operator.ge, found, ConstantVariable(0))
        expected(tx, operator.lt, found, length)
        return found

    # -- the items, all at once

    def array(self, tx: Tx) -> VariableTracker:
        """What `np.array` makes of the list; NumPy makes float64[0] of one without items."""
        if self.layout is not None and not is_row(self.layout):
            raise self.refusal("an array of tuples or lists of several kinds")
        if self.layout is not None or self.kinds[0].dtype != np.float64:
            expected(tx, operator.gt, self.length(tx), ConstantVariable(0))
        columns = [self.copied(tx, column) for column in self.columns]
        return columns[0] if self.layout is None else together(tx, columns)

    def as_index(self, tx: Tx) -> VariableTracker:
        """The positions that the list is as an index."""
        is_plain = type(self) is GrowingVariable and self.layout is None
        return self.copied(tx, self.columns[0]) if is_plain and self.kinds[0] in POSITIONS else self

    def copied(self, tx: Tx, column: VariableTracker) -> VariableTracker:
        part = SliceVariable(NONE, self.length(tx), NONE)
        view = column.call_method(tx, "__getitem__", (part,), {})
        return view.call_method(tx, "copy", (), {})

    def settle(self, tx: Tx) -> None:
        """The trace is over, and the list leaves it."""
        self.final = [self.copied(tx, column) for column in self.columns]

    def reconstruct(self, code: Emitter) -> None:
        if self.layout is not None:
            code.load_const(items_of)
            code.load_const(self.layout)
        for column, kind in zip(self.final, self.kinds):
            code.load_const(np.ndarray.tolist if kind.form is Form.PYTHON else list)
            code.build(column)
            code.call(1)
        if self.layout is not None:
            code.call(1 + len(self.final))


def together(tx: Tx, columns: Sequence[VariableTracker]) -> VariableTracker:
    """The array of these columns."""
    nodes = tuple(column.as_argument(tx) for column in columns)
    return record(tx, np.stack, (nodes, 1))


def number_at(
    tx: Tx, column: VariableTracker, kind: ArrayType, place: VariableTracker
) -> VariableTracker:
    """The number of this kind that lies at a place of an array."""
    found = column.call_method(tx, "__getitem__", (place,), {})
    return python_number_of(tx, found) if kind.form is Form.PYTHON else found


def added(tx: Tx, number: VariableTracker, more: int) -> VariableTracker:
    if isinstance(number, ConstantVariable):
        return constant(number.value + more)
    return record(tx, operator.add, (number.as_argument(tx), more))


def expected(
    tx: Tx, test: Callable[[Any, Any], bool], left: VariableTracker, right: VariableTracker
) -> None:
    """Bail out of the call where a comparison of ints does not hold."""
    if isinstance(left, ConstantVariable) and isinstance(right, ConstantVariable):
        if not test(left.value, right.value):
            raise GraphBreak("an index out of the range of a list")
        return
    found = record(tx, test, (left.as_argument(tx), right.as_argument(tx)))
    record(tx, core.expect, (found.as_argument(tx),))


def growing(
    tx: Tx, name: str, value: ListVariable, kinds: Kinds, layout: Layout, capacity: Any
) -> GrowingVariable | None:
    """The list as one that loops may change, with room for `capacity` items; None where its items
    are not all of these types."""
    tx.state.in_arrays = True
    items = value.built_items()
    if (elements := copied_elements(tx, value)) is not None and kinds == elements.kinds:
        column = record(tx, np.empty, (capacity, kinds[0].dtype))
        args = column.as_argument(tx), slice(0, len(items)), elements.array.as_argument(tx)
        record(tx, operator.setitem, args)
        tx.state.list_lengths[name] = constant(len(items))
        return GrowingVariable(name, kinds, [column], layout)
    items = value._items = realise_all(tx, items)
    fit = all(kinds_of(item) == kinds and layout_of(item) == layout for item in items)
    if not fit:
        return None
    columns = []
    for place, kind in enumerate(kinds):
        column = record(tx, np.empty, (capacity, kind.dtype))
        fill(tx, column.as_argument(tx), [numbers_of(item)[place] for item in items])
        columns.append(column)
    tx.state.list_lengths[name] = constant(len(items))
    return GrowingVariable(name, kinds, columns, layout)


def copied_elements(tx: Tx, value: ListVariable) -> Elements | None:
    """The elements of a long list from outside of which this one is a copy."""
    if (of := value.copied) is None or (source := of.source) is None:
        return None
    is_copy = all(
        getattr(item, "source", None) == ItemSource(source, place, of.python_type())
        for place, item in enumerate(value.built_items())
    )
    return elements_of(tx, of) if is_copy else None


def fill(tx: Tx, column: Node, items: Sequence[VariableTracker]) -> None:
    """Store what a list holds before the loop."""
    for start, stop, step in runs(items):
        first, place = items[start], start if stop - start == 1 else slice(start, stop)
        value = first.as_argument(tx)
        if step:
            value = record(tx, np.arange, (value, value + step * (stop - start), step))
            value = value.as_argument(tx)
        record(tx, operator.setitem, (column, place, value))


def runs(items: Sequence[VariableTracker]) -> list[tuple[int, int, int]]:
    """Where equal items stand in a row, or ints that grow by one step: the first place, the one
    behind the last, and the step."""
    found, start = [], 0
    while start < len(items):
        stop, step = start + 1, step_between(items, start)
        while step is not None and stop < len(items) and step_between(items, stop - 1) == step:
            stop += 1
        if step and stop - start < 3:
            stop, step = start + 1, 0
        found.append((start, stop, step or 0))
        start = stop
    return found


def step_between(items: Sequence[VariableTracker], place: int) -> int | None:
    """From an item to the next one: 0 where they are the same, None where there is no such step."""
    if place + 1 == len(items):
        return None
    item, following = items[place : place + 2]
    if identity(item) == identity(following):
        return 0
    ints = [one.value for one in (item, following) if isinstance(one, ConstantVariable)]
    if len(ints) < 2 or not all(type(one) is int for one in ints):
        return None
    step: int = ints[1] - ints[0]
    return step


def identity(item: VariableTracker) -> Hashable:
    """Equal for items that are the same number."""
    if isinstance(item, (ConstantVariable, ConstantNumber)):
        return type(item.value), repr(item.value)
    return item
