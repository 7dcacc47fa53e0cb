"""Deques of numbers that loops of the graph change: items come at the end and go at both."""
from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ....errors import GraphBreak
from ....ir import control
from ...object_model.constants import LAST, NONE, ZERO, ConstantVariable
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from ..containers.deques import DequeVariable
from ..containers.slices import SliceVariable
from .growing import GrowingVariable, Kinds, added
from .layouts import Layout

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


class QueueVariable(GrowingVariable):
    """A deque made by the frame. Its items are in the places from `first` on, up to the length that
    a list would have from which nothing was taken; `maxlen` is at least 1."""

    def __init__(
        self, name: str, kinds: Kinds, columns: Sequence[VariableTracker], layout: Layout,
        maxlen: int | None,
    ) -> None:
        super().__init__(name, kinds, columns, layout)
        self.maxlen = maxlen
        self.first_name = name.replace("#length", "#first")

    def python_type(self) -> type:
        return deque

    def describe(self) -> str:
        return "a deque that a loop of the graph changes"

    def end(self, tx: Tx) -> VariableTracker:
        return super().length(tx)

    def first(self, tx: Tx) -> VariableTracker:
        return tx.state.list_lengths[self.first_name]

    def length(self, tx: Tx) -> VariableTracker:
        return combined(tx, operator.sub, self.end(tx), self.first(tx))

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        return ConstantVariable(self.maxlen) if name == "maxlen" else super().getattr(tx, name)

    def store(self, tx: Tx, place: VariableTracker, item: VariableTracker) -> None:
        super().store(tx, combined(tx, operator.add, place, self.first(tx)), item)

    def at(self, tx: Tx, place: VariableTracker) -> VariableTracker:
        return super().at(tx, combined(tx, operator.add, place, self.first(tx)))

    def resize(self, tx: Tx, more: int) -> None:
        self.check_not_walked()
        tx.state.list_lengths[self.name] = added(tx, self.end(tx), more)

    def drop(self, tx: Tx, count: VariableTracker) -> None:
        """So many items go at the left end."""
        self.check_not_walked()
        first = combined(tx, operator.add, self.first(tx), count)
        tx.state.list_lengths[self.first_name] = first

    def check_not_walked(self) -> None:
        if self.walks:
            raise GraphBreak(f"{self.describe()} while it is gone through")

    def method_append(self, tx: Tx, item: VariableTracker) -> VariableTracker:
        super().method_append(tx, item)
        if self.maxlen is not None:
            self.drop(tx, surplus(tx, self.length(tx), self.maxlen))
        return NONE

    def method_pop(self, tx: Tx) -> VariableTracker:  # type: ignore[override]
        return super().method_pop(tx, LAST)

    def method_popleft(self, tx: Tx) -> VariableTracker:
        item = self.method___getitem__(tx, ZERO)
        self.drop(tx, ConstantVariable(1))
        return item

    def copied(self, tx: Tx, column: VariableTracker) -> VariableTracker:
        if tx.graph.is_body:
            raise GraphBreak(f"all of {self.describe()}, in a loop")
        part = SliceVariable(self.first(tx), self.end(tx), NONE)
        view = column.call_method(tx, "__getitem__", (part,), {})
        return view.call_method(tx, "copy", (), {})

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(deque)
        super().reconstruct(code)
        code.load_const(self.maxlen)
        code.call(2)


def combined(
    tx: Tx, operation: Callable[[int, int], int], left: VariableTracker, right: VariableTracker
) -> VariableTracker:
    """A sum or difference of places."""
    if isinstance(left, ConstantVariable) and isinstance(right, ConstantVariable):
        return ConstantVariable(operation(left.value, right.value))
    if isinstance(right, ConstantVariable) and right.value == 0:
        return left
    return record(tx, operation, (left.as_argument(tx), right.as_argument(tx)))


def surplus(tx: Tx, length: VariableTracker, maxlen: int) -> VariableTracker:
    """1 where there is an item too many, else 0."""
    if isinstance(length, ConstantVariable):
        return ConstantVariable(int(length.value > maxlen))
    is_longer = record(tx, operator.gt, (length.as_argument(tx), maxlen))
    return record(tx, control.choose, (is_longer.as_argument(tx), 1, 0))


def as_queue(tx: Tx, made: GrowingVariable, value: DequeVariable) -> QueueVariable:
    """A deque whose items are in arrays."""
    queue = QueueVariable(made.name, made.kinds, made.columns, made.layout, value.maxlen)
    tx.state.list_lengths[queue.first_name] = ZERO
    return queue


__all__ = ["QueueVariable", "as_queue"]
