"""Sorting trackers."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..state.tracker import VariableTracker
from .constants import NONE, observe

if TYPE_CHECKING:
    from ..state.tx import Tx


def sorted_items(
    tx: Tx, items: list[VariableTracker], key: VariableTracker, reverse: VariableTracker
) -> list[VariableTracker]:
    """`sorted`."""
    ordered = list(items)
    sort(tx, ordered, key, reverse)
    return ordered


def sort(
    tx: Tx, items: list[VariableTracker], key: VariableTracker, reverse: VariableTracker
) -> None:
    """`list.sort`: Python itself sorts, by known keys or by asking the trace for `<`.

    Where a comparison raises, the items are in the order that they had come to.
    """
    backwards = reverse.as_constant(tx)
    observe(sorted, (), reverse=backwards)
    keys = items if key is NONE else [tx.call(key, item) for item in items]
    if all(value.is_constant() for value in keys):
        known: list[Any] = [value.as_constant(tx) for value in keys]
    else:
        known = [Sortable(tx, value) for value in keys]
    before, order = list(items), list(range(len(items)))
    try:
        observe(order.sort, key=known.__getitem__, reverse=backwards)
    finally:
        items[:] = [before[index] for index in order]


class Sortable:
    """A tracker that `sorted` may compare."""

    def __init__(self, tx: Tx, value: VariableTracker) -> None:
        self.tx = tx
        self.value = value

    def __lt__(self, other: Sortable) -> bool:
        return self.tx.is_less(self.value, other.value)
