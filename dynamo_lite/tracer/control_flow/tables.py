"""Dicts and sets that a loop of the graph fills, by keys that data decides."""
from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...errors import PlanLoop
from ..object_model.constants import NONE
from ..object_model.lazy import realise
from ..rules.set_order import is_alike
from ..state.tracker import VariableTracker
from ..trackers.array_backed.keys import is_data
from ..trackers.array_backed.tables import TableKinds, TableVariable, kinds_of_entry, table
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.sets import SetVariable
from .variables import planned_places

if TYPE_CHECKING:
    from ..state.tx import Tx

Entry = tuple[VariableTracker, VariableTracker | None]
CONTAINERS = (dict, defaultdict, set)
LONGEST = 64
"""Entries before the loop, each of which is stored."""


def plan_table(
    tx: Tx, value: VariableTracker, key: VariableTracker, item: VariableTracker | None
) -> None:
    """A loop cannot go on with a dict or set as it is, in which it looks for `key`, perhaps to give
    it `item`: have the analysis start again, with the keys in memory of the graph from the
    outermost loop on that can do it."""
    if not is_data(key) or (tx.graph.is_body and value.born >= tx.side_effects.since):
        return
    if (known := entries_of(tx, value)) is None:
        return
    if known:
        key, item = known[0]
    elif item is None and value.python_type() is not set:
        return
    kinds = kinds_of_entry(tx, value.python_type(), key, item)
    for _, place, plan, name in planned_places(tx, value) if kinds is not None else ():
        if name not in [one[0] for one in plan.tables]:
            raise PlanLoop(place, replace(plan, tables=plan.tables | {(name, kinds)}))


def entries_of(tx: Tx, value: VariableTracker) -> list[Entry] | None:
    """The keys and values of a plain dict or set that the frame has made; None for others."""
    if value.source is not None or value.python_type() not in CONTAINERS:
        return None
    if isinstance(value, DictVariable) and value.whole is None:
        return [(key, realise(tx, item)) for key, item in value.built_entries()]
    if isinstance(value, SetVariable) and value.whole is None:
        keys = [*value.real]
        has_texts = len(keys) > 1 and any(isinstance(key, str) for key in keys)
        if has_texts or not is_alike(value.real, keys):  # the order may be another one
            return None
        return [(value.tracker_of(key), None) for key in keys]
    return None


def as_table(tx: Tx, value: VariableTracker, kinds: Any) -> TableVariable | None:
    """A dict or set as one that the loop may fill; None where it cannot be one."""
    entries = entries_of(tx, value)
    if entries is None or len(entries) > LONGEST or not isinstance(kinds, TableKinds):
        return None
    tx.state.in_arrays = True
    return table(tx, kinds, entries, getattr(value, "factory", NONE))


__all__ = ["as_table", "plan_table"]
