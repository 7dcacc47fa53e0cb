"""The real values of trackers, for pure functions of Python that only look at their arguments."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....errors import GraphBreak
from ...object_model.lazy import realise
from ...state.tracker import VariableTracker
from .dicts import DictVariable
from .iterators import IteratorVariable
from .lists import ListVariable
from .sequences import TupleVariable
from .sets import SetVariable

if TYPE_CHECKING:
    from ...state.tx import Tx


def known_value(
    tx: Tx, value: VariableTracker, purpose: str, exhausts: bool = False
) -> Any:
    """A value, or a container of Python's own with equal contents.

    An iterator is known by the items it still has where the function goes to its end (`exhausts`).
    """
    value = realise(tx, value)
    if value.is_constant():
        return value.as_constant(tx)
    for kind, tracker, build in CONTAINERS:
        if isinstance(value, tracker) and value.python_type() is kind:
            return build([known_value(tx, item, purpose) for item in value.iterate(tx)])
    if isinstance(value, DictVariable) and value.python_type() is dict:
        return {
            known_value(tx, key, purpose): known_value(tx, item, purpose)
            for key, item in value.pairs(tx)
        }
    if exhausts and isinstance(value, IteratorVariable):
        return tuple([known_value(tx, item, purpose) for item in value.iterate(tx)])
    raise GraphBreak(f"{purpose} of {value.describe()}")


CONTAINERS: tuple[tuple[type, type[VariableTracker], Callable[[list[Any]], Any]], ...] = (
    (list, ListVariable, list), (tuple, TupleVariable, tuple), (set, SetVariable, set),
)  # fmt: skip
