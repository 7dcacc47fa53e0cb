"""Values that Python is to show as text: objects that answer as the traced program's do."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import GraphBreak
from ..object_model.constants import ConstantVariable
from ..object_model.lazy import realise
from ..object_model.refusals import name_in_c
from ..rules.mro import MISSING, lookup
from ..state.tracker import VariableTracker
from ..trackers.containers.sequences import TupleVariable

if TYPE_CHECKING:
    from ..state.tx import Tx


def presented(tx: Tx, value: VariableTracker, unindexed: tuple[Any, ...] = ()) -> Any:
    """The value, or an object that shows itself as the traced program shows it; it has no items
    where its class has one of `unindexed` for `__getitem__`.
    """
    value = realise(tx, value)
    if value.is_constant():
        return value.as_constant(tx)
    if isinstance(value, TupleVariable) and value.python_type() is tuple:
        return tuple([presented(tx, item) for item in value.iterate(tx)])
    kind = value.python_type()
    is_indexed = lookup(kind, "__getitem__") not in (MISSING, *unindexed)
    base = Indexed if is_indexed else Presented
    return type(name_in_c(kind), (base,), {})(tx, value)


class Presented:
    """What `str.format` and `%` may ask of an object, asked of its tracker."""

    def __init__(self, tx: Tx, value: VariableTracker) -> None:
        STATE[self] = tx, value

    def __getattribute__(self, name: str) -> Any:
        tx, value = STATE[self]
        return presented(tx, tx.getattr(value, name))

    def __str__(self) -> str:
        return _shown(self, str)

    def __repr__(self) -> str:
        return _shown(self, repr)

    def __format__(self, spec: str) -> str:
        return _shown(self, format, ConstantVariable(spec))

    def __index__(self) -> int:
        raise GraphBreak(f"{STATE[self][1].describe()} written as a number")

    __float__: Any = __index__


class Indexed(Presented):
    def __getitem__(self, key: Any) -> Any:
        tx, value = STATE[self]
        return presented(tx, value.call_method(tx, "__getitem__", (ConstantVariable(key),), {}))


class States:
    """What presented objects stand for: their own attributes are those of the traced object."""

    def __getitem__(self, key: Presented) -> tuple[Tx, VariableTracker]:
        state: tuple[Tx, VariableTracker] = object.__getattribute__(key, "_state")
        return state

    def __setitem__(self, key: Presented, state: tuple[Tx, VariableTracker]) -> None:
        object.__setattr__(key, "_state", state)


STATE = States()


def _shown(value: Presented, function: Any, *spec: VariableTracker) -> str:
    tx, tracker = STATE[value]
    text: str = tx.call_builtin(function, tracker, *spec).as_constant(tx)
    return text
