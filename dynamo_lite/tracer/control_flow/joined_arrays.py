"""Arrays that a loop joins others to and puts into the same variable again: which ones, and when
they are plain arrays."""
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...errors import PlanLoop
from ...ir import memory
from ..state.trace import LoopPlan
from ..trackers.array_backed.growing_arrays import GrowingArray, growing_array
from ..trackers.arrays.arrays import ArrayVariable
from .escapes import reachable
from .variables import held, hold, is_of_body, planned_places

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType

    from ..state.tx import Tx

PEELED = 2
"""Iterations that are unrolled for the type of the array to settle."""


def plan_joined(tx: Tx, value: ArrayVariable, axis: int, settles: bool) -> None:
    """A loop joins something to an older array, along an axis: have the analysis start again, with
    memory that has room for it. Where the type has not settled yet, an iteration later."""
    for frame, place, plan, name in planned_places(tx, value):
        if frame is not tx or not goes_to(tx, name):
            continue
        if not settles and plan.peeled < PEELED:
            raise PlanLoop(place, replace(plan, peeled=plan.peeled + 1))
        if settles and name not in [one[0] for one in plan.joined]:
            found = name, axis, value.array_type.ndim
            raise PlanLoop(place, replace(plan, joined=plan.joined | {found}))


def goes_to(tx: Tx, name: str) -> bool:
    """Whether the current instruction's result is stored in a local next."""
    at = tx.current.index + 1
    following = tx.instructions[at] if at < len(tx.instructions) else None
    return following is not None and following.opname == "STORE_FAST" and following.argval == name


def make_joined(
    tx: Tx, plan: LoopPlan, place: tuple[CodeType, int], others: Callable[[Tx, str], list[object]]
) -> None:
    """Give the arrays that the loop at a place joins others to memory that has room, where nobody
    else has them."""
    for name, axis, ndim in sorted(plan.joined):
        value = held(tx, name)
        if not isinstance(value, ArrayVariable) or not is_of_body(tx, value):
            continue
        if value.array_type.ndim != ndim:  # it is yet to become the array that the loop has
            continue
        if is_plain(tx, value, axis) and not has_other_names(tx, value, others(tx, name)):
            hold(tx, name, growing_array(tx, name, value, axis, place))


def is_plain(tx: Tx, value: ArrayVariable, axis: int) -> bool:
    """Whether the graph has made an array of known sizes, in memory of its own."""
    kind, node, state = value.array_type, value.node, tx.state
    is_known = value.python_type() is np.ndarray and axis < kind.ndim <= 2 and all(
        isinstance(size, int) for size in kind.shape
    )
    is_own = node.op == "call_function" and memory.owner_of(node, tx.shapes) is node
    is_one = node not in state.may_alias and node not in state.consumed
    return is_known and is_own and is_one and kind.is_c_contiguous and kind.library == "numpy"


def has_other_names(tx: Tx, value: ArrayVariable, others: list[object]) -> bool:
    """Whether somebody else has an array, or a view of it."""
    return bool(tx.state.suspended) or any(
        isinstance(one, ArrayVariable) and memory.owner_of(one.node, tx.shapes) is value.node
        for one in reachable(others)
    )


def end_joined(tx: Tx, place: tuple[CodeType, int]) -> None:
    """The loop at a place is over: what it has made longer are arrays as all others; in an arm of a
    branch they are not, since the other arm would have to have the same."""
    for name in [*tx.locals] if not tx.graph.is_body else []:
        value = held(tx, name)
        if isinstance(value, GrowingArray) and value.place == place:
            hold(tx, name, value.copied(tx))


__all__ = ["end_joined", "goes_to", "has_other_names", "make_joined", "plan_joined"]
