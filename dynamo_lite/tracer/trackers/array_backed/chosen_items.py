"""Items of short lists and tuples at a place that data decides: the items are copied into an array
of the graph, from which one is read."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...object_model.lazy import realise_all
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from ..containers.lists import ListVariable
from ..containers.sequences import PLAIN_KINDS, SequenceVariable, TupleVariable
from .growing import fill, is_tuple, item_of, kinds_of, leaves_of
from .rows import place_among

if TYPE_CHECKING:
    from ...state.tx import Tx

MOST = 16
"""Items, each of which is stored whenever one is read."""


def chosen_item(
    tx: Tx, container: VariableTracker, key: VariableTracker
) -> VariableTracker | None:
    """The item at a place that data decides; None where the items are not numbers, or tuples of
    numbers, of the same types. A list that a loop changes may become an array of its own."""
    if not isinstance(container, SequenceVariable) or container.kind not in PLAIN_KINDS:
        return None
    if container.whole is not None or len(items := container.items(tx)) > MOST or not items:
        return None
    if isinstance(container, ListVariable):
        container.met_in_loop(tx)
    items = realise_all(tx, items)
    kinds, of_tuples = kinds_of(items[0]), is_tuple(items[0])
    if kinds is None or any(
        kinds_of(item) != kinds or is_tuple(item) is not of_tuples for item in items
    ):
        return None
    place = place_among(tx, key, len(items), container.describe())
    parts = []
    for at, kind in enumerate(kinds):
        column = record(tx, np.empty, (len(items), kind.dtype))
        fill(tx, column.as_argument(tx), [leaves_of(item)[at] for item in items])
        parts.append(item_of(tx, column, kind, place))
    return TupleVariable(parts) if of_tuples else parts[0]


__all__ = ["chosen_item"]
