"""Lists of lists of numbers that a loop of the graph indexes by data: which ones."""
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import PlanLoop
from ..object_model.lazy import realise, realise_all
from ..state.trace import LoopPlan
from ..state.tracker import VariableTracker
from ..trackers.array_backed.growing import number_kind
from ..trackers.array_backed.rows import as_rows, rows_of
from .parts import settled
from .variables import held, hold, is_of_body, planned_places

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..state.tx import Tx


def plan_rows(tx: Tx, value: VariableTracker) -> None:
    """A loop cannot go on with a list as it is: if that is a list of rows, or one of them, have the
    analysis start again, with the rows in an array from the outermost loop on that can do it."""
    for owner in owners_of(tx, value):
        rows = rows_of(owner)
        first = rows and realise(tx, rows[0].built_items()[0])
        kind = number_kind(first) if first else None
        if kind is None:
            continue
        for _, place, plan, name in planned_places(tx, owner):
            if name not in [one for one, _ in plan.rows]:
                raise PlanLoop(place, replace(plan, rows=plan.rows | {(name, kind)}))


def owners_of(tx: Tx, value: VariableTracker) -> list[VariableTracker]:
    """The lists in variables that are this one, or have it as a row."""
    found: list[VariableTracker] = []
    frame: Tx | None = tx
    while frame is not None:
        lists = [settled(local) for local in frame.locals.values()]
        found += [one for one in lists if (rows := rows_of(one)) and (
            one is value or any(row is value for row in rows)) and one not in found]
        frame = frame.parent
    return found


def make_rows(
    tx: Tx, plan: LoopPlan, has_no_other_name: Callable[..., bool]
) -> None:
    """Have the lists of rows that a loop is planned with be arrays, where nobody but a variable
    leads to them or their rows."""
    for name, kind in sorted(plan.rows, key=lambda one: one[0]):
        value = held(tx, name)
        if value is None or (rows := rows_of(value)) is None or not is_of_body(tx, value):
            continue
        if has_no_other_name(tx, name, value, *rows):
            for row in rows:
                row._items = realise_all(tx, row.items(tx))
            hold(tx, name, as_rows(tx, rows, kind) or value)


__all__ = ["make_rows", "plan_rows"]
