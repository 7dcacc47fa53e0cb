"""Lists of arrays that loops of the graph append to: the arrays are rows of one larger array."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir import memory
from ....ir.sizes import minimum
from ....ir.types import NUMBERS, ArrayType, Form
from ...object_model.constants import NONE, ConstantVariable, constant
from ...object_model.lazy import realise_all
from ...recording.nodes import record
from ...state.trace import AliasInfo
from ...state.tracker import VariableTracker
from ..arrays.arrays import ArrayVariable
from ..containers.lists import ListVariable
from .growing import CHANGED, GrowingVariable, Kinds, expected, growing, kinds_of
from .layouts import Layout

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

ROOM, MOST = 1 << 20, 1 << 26
"""Elements for which there is room where it is not known how many arrays there will be, and at most
where it is: a loop may end before all its iterations. A call that needs more bails out."""


class ListOfArrays(GrowingVariable):
    """A list made by the frame, of new arrays of one type that have no other name. The list only
    becomes longer, and nobody writes into its arrays: the `loop` is unrolled where that is asked
    for."""

    def made(self, name: str, columns: Sequence[VariableTracker]) -> GrowingVariable:
        raise self.refusal(f"{CHANGED} is replaced")

    def store(self, tx: Tx, place: VariableTracker, item: VariableTracker) -> None:
        if array_kind(tx, item) != self.kinds[0] or not tx.is_unshared(item):
            raise self.refusal(f"{CHANGED} is given an array of another type, or with another name")
        args = self.columns[0].as_argument(tx), place.as_argument(tx), item.as_argument(tx)
        record(tx, operator.setitem, args)

    def at(self, tx: Tx, place: VariableTracker) -> VariableTracker:
        """A view, which must not leave the graph."""
        if self.loop is None:
            raise self.refusal(f"an array in {CHANGED}")
        found = self.columns[0].call_method(tx, "__getitem__", (place,), {})
        tx.state.may_alias[found.as_argument(tx)] = AliasInfo(f"an array in {CHANGED}", self.loop)
        return found

    def asked(self, tx: Tx, question: Any, value: VariableTracker) -> VariableTracker:
        raise self.refusal(f"looking for {value.describe()} in {CHANGED}")

    def method_pop(self, tx: Tx, index: VariableTracker = NONE) -> VariableTracker:
        raise self.refusal(f"an array that is taken from {CHANGED}")

    def method___setitem__(
        self, tx: Tx, key: VariableTracker, value: VariableTracker
    ) -> VariableTracker:
        raise self.refusal(f"an array that is replaced in {CHANGED}")

    def array(self, tx: Tx) -> VariableTracker:
        """NumPy makes float64[0] of a list without items."""
        expected(tx, operator.gt, self.length(tx), ConstantVariable(0))
        return self.copied(tx, self.columns[0])

    def as_index(self, tx: Tx) -> VariableTracker:
        return self

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(separate)
        code.build(self.final[0])
        code.call(1)


def separate(rows: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    return [row.copy() for row in rows]


def array_kind(tx: Tx, value: VariableTracker) -> ArrayType | None:
    """The type of an array that the graph has just made, in memory of its own; else None."""
    if type(value) is not ArrayVariable or value.python_type() is not np.ndarray:
        return None
    kind, node = value.array_type, value.node
    if node.op != "call_function" or memory.owner_of(node, tx.shapes) is not node:
        return None
    is_plain = kind.ndim and kind.is_c_contiguous and kind.dtype.char in NUMBERS
    if not is_plain or kind.library != "numpy" or node in tx.state.may_alias:
        return None
    return replace(kind, writeable=True, aligned=True) if all_known(kind) else None


def all_known(kind: ArrayType) -> bool:
    return all(isinstance(size, int) and size > 0 for size in kind.shape)


def kinds_of_item(tx: Tx, item: VariableTracker) -> Kinds | None:
    """The types of the numbers that an item of a list consists of; that of an array if it is one
    that the graph has just made."""
    kind = array_kind(tx, item)
    return kinds_of(item) if kind is None else (kind,)


def in_memory(
    tx: Tx, name: str, value: ListVariable, kinds: Kinds, layout: Layout, capacity: Any
) -> GrowingVariable | None:
    """As `growing`, for lists of arrays too."""
    if kinds[0].form is not Form.ARRAY:
        return growing(tx, name, value, kinds, layout, capacity)
    items = value._items = realise_all(tx, value.built_items())
    if any(array_kind(tx, item) != kinds[0] for item in items):
        return None
    tx.state.in_arrays = True
    size = kinds[0].size
    assert isinstance(size, int)
    is_known = not isinstance(capacity, int) or capacity < ROOM
    capacity = minimum(capacity, len(items) + (MOST if is_known else ROOM) // size + 1)
    column = record(tx, np.empty, ((capacity, *kinds[0].shape), kinds[0].dtype))
    for place, item in enumerate(items):
        args = column.as_argument(tx), place, item.as_argument(tx)
        record(tx, operator.setitem, args)
    tx.state.list_lengths[name] = constant(len(items))
    return ListOfArrays(name, kinds, [column], layout)


__all__ = ["ListOfArrays", "in_memory", "kinds_of_item"]
