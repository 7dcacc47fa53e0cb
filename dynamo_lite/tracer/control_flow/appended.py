"""Lists from outside that a loop of the graph appends to, and does nothing else with: the new items
wait in arrays, and the list is extended by them behind the graph."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import CodeType
from typing import TYPE_CHECKING

from ...errors import PlanLoop
from ...guards.sources import Pinned
from ...ir.sizes import Size
from ..object_model.lazy import realise
from ..state.trace import Appended, LoopPlan
from ..state.tracker import VariableTracker
from ..trackers.array_backed.layouts import layout_of
from ..trackers.array_backed.listed_arrays import in_memory, kinds_of_item
from ..trackers.containers.lists import ListVariable

if TYPE_CHECKING:
    from ..state.tx import Tx

MOST_KINDS = 2
"""Kinds of items that are tried: the first iterations may have others."""


def plan_appended(tx: Tx, value: VariableTracker, item: VariableTracker) -> None:
    """A loop appends an item to a list from outside: have the analysis start again, with room for
    it in the graph from the outermost loop on that can have it."""
    if not is_plain(value) or (kinds := kinds_of_item(tx, item := realise(tx, item))) is None:
        return
    layout = layout_of(item)
    assert isinstance(value, ListVariable) and value.source is not None
    for place, plan in loops_around(tx):
        known = [one for one in plan.appended if one.list.value is value.outside]
        tried = known[0].tried if known else 0
        if tried == MOST_KINDS or (known and value.run is None):
            continue
        new = Appended(Pinned(value.outside), value.source, kinds, layout, tried + 1)
        raise PlanLoop(place, replace(plan, appended=plan.appended.difference(known) | {new}))


def is_plain(value: VariableTracker) -> bool:
    """Whether it is a list from outside, of Python's own type, that nobody has looked into."""
    return (
        type(value) is ListVariable and value.source is not None and value.unread is not None
        and value.kind is list and value.whole is None
    )


def loops_around(tx: Tx) -> Iterator[tuple[tuple[CodeType, int], LoopPlan]]:
    """Those around the current instruction that may become nodes, from the outermost on."""
    frames: list[Tx] = []
    frame: Tx | None = tx
    while frame is not None:
        frames.insert(0, frame)
        frame = frame.parent
    for frame in frames:
        around = [loop for loop in frame.loops.values() if frame.current.index in loop.members]
        for loop in sorted(around, key=lambda loop: -len(loop.members)):
            place = frame.code, loop.head
            if not (plan := tx.state.options.loops.get(place, LoopPlan())).reason:
                yield place, plan


def make_room(tx: Tx, plan: LoopPlan, most: Size) -> None:
    """Have lists that a loop appends to be ready for it, with room for so many items; a call that
    appends more bails out."""
    if tx.graph.is_body:
        return
    for one in sorted(plan.appended, key=lambda one: str(one.source)):
        value = tx.wrap(one.list.value, one.source)
        if not is_plain(value) or not isinstance(value, ListVariable) or value.run is not None:
            continue
        name = f"appended{len(tx.state.list_lengths)}#length_{tx.state.steps}"
        value.run = in_memory(tx, name, ListVariable([]), one.kinds, one.layout, most)
        tx.side_effects.extends(value)


__all__ = ["make_room", "plan_appended"]
