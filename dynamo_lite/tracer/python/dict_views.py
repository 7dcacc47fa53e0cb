"""Views of dicts as sets: what they have in common with other values."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import GraphBreak
from ..state.tracker import VariableTracker
from ..trackers.containers.dict_views import DictViewVariable
from ..trackers.containers.sets import SetVariable

if TYPE_CHECKING:
    from ..state.tx import Tx


def view_as_set(tx: Tx, value: VariableTracker) -> VariableTracker:
    """A view of a dict's keys or items as the set that it stands for; anything else as it is."""
    if isinstance(value, DictViewVariable) and value.which != "values":
        return SetVariable.of(tx, value.iterate(tx))
    return value


def view_operation(
    tx: Tx, method: str, left: VariableTracker, right: VariableTracker
) -> VariableTracker:
    """`&`, `|`, `-` and `^` where one side is a view: the other may be any iterable."""
    if method == "__and__":
        return _shared(tx, left, right)
    made = SetVariable(set())
    start = left
    if isinstance(left, DictViewVariable) and left.which == "keys" and left.owner.whole is None:
        start = left.owner
    made.change(tx, "update", start, single=False)
    made.change(tx, BY_VIEW[method], right, single=False)
    return made


BY_VIEW = {
    "__or__": "update", "__sub__": "difference_update", "__xor__": "symmetric_difference_update",
}  # fmt: skip


def _shared(tx: Tx, left: VariableTracker, right: VariableTracker) -> VariableTracker:
    """The items of one side, in its order, that the other has: those of the smaller view, of what
    is no view, or of a set where that is the larger."""
    view, other = (left, right) if isinstance(left, DictViewVariable) else (right, left)
    both = [
        len(list(side.iterate(tx))) if isinstance(side, DictViewVariable | SetVariable) else -1
        for side in (view, other)
    ]
    if isinstance(other, SetVariable) and other.real.__class__ is set and both[0] <= both[1]:
        return other.call_method(tx, "intersection", (view,), {})
    if isinstance(other, DictViewVariable) and both[1] > both[0]:
        view, other = other, view
    if isinstance(view, DictViewVariable) and view.which == "items":
        raise GraphBreak("the items that a dict and other values share")
    found = (item for item in tx.iterate(other)
             if view.call_method(tx, "__contains__", (item,), {}).truth(tx))  # fmt: skip
    return SetVariable.of(tx, found)
