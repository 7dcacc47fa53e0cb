"""Items of short lists and tuples at a place that data decides: the items are copied into an array
of the graph, from which one is read."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....base.records import dataclass
from ...object_model.lazy import realise_all
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from ..containers.lists import ListVariable
from ..containers.sequences import PLAIN_KINDS, SequenceVariable
from .growing import Kinds, fill, kinds_of, number_at
from .layouts import Layout, built, has_lists, layout_of, numbers_of
from .rows import place_among

if TYPE_CHECKING:
    from ...state.tx import Tx

MOST = 16
"""Items, each of which is stored whenever one is read."""


@dataclass(frozen=True, slots=True)
class AlikeItems:
    """Items that are numbers of one type, or tuples of numbers with the same types."""

    items: list[VariableTracker]
    kinds: Kinds
    layout: Layout


def alike_items(tx: Tx, container: VariableTracker) -> AlikeItems | None:
    """Those of a short list or tuple; None for others."""
    if not isinstance(container, SequenceVariable) or container.kind not in PLAIN_KINDS:
        return None
    if container.whole is not None or len(items := container.items(tx)) > MOST or not items:
        return None
    items = realise_all(tx, items)
    kinds, layout = kinds_of(items[0]), layout_of(items[0])
    if kinds is None or has_lists(layout):
        return None
    is_alike = all(kinds_of(item) == kinds and layout_of(item) == layout for item in items)
    return AlikeItems(items, kinds, layout) if is_alike else None


def chosen_item(
    tx: Tx, container: VariableTracker, key: VariableTracker
) -> VariableTracker | None:
    """The item at a place that data decides; None where the items are not alike. A list that a loop
    changes may become an array of its own."""
    if (held := alike_items(tx, container)) is None:
        return None
    if isinstance(container, ListVariable) and container.met_in_loop(tx, waits=True):
        return held.items[0]
    place = place_among(tx, key, len(held.items), container.describe())
    numbers = []
    for at, kind in enumerate(held.kinds):
        column = record(tx, np.empty, (len(held.items), kind.dtype))
        fill(tx, column.as_argument(tx), [numbers_of(item)[at] for item in held.items])
        numbers.append(number_at(tx, column, kind, place))
    return built(held.layout, iter(numbers), container.refusal)


__all__ = ["alike_items", "chosen_item"]
