"""Values that nobody has looked at yet: nothing about them is guarded."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...guards.sources import Source
from ..state.tracker import VariableTracker
from .constants import ATOMS

if TYPE_CHECKING:
    from ..state.tx import Tx


class LazyVariable(VariableTracker):
    """Stands in containers and locals for an outside value until it is read."""

    def __init__(self, value: Any, source: Source) -> None:
        self.value = value
        self.source: Source = source
        self.realised: VariableTracker | None = None

    def realise(self, tx: Tx) -> VariableTracker:
        """The real tracker; from here on the kind of the value is guarded."""
        if self.realised is None:
            self.realised = tx.wrap(self.value, self.source)
        return self.realised

    def python_type(self) -> type:
        return type(self.value)

    def is_constant(self) -> bool:
        return type(self.value) in ATOMS if self.realised is None else self.realised.is_constant()

    def as_constant(self, tx: Tx) -> Any:
        return self.realise(tx).as_constant(tx)

    def as_argument(self, tx: Tx) -> Any:
        return self.realise(tx).as_argument(tx)


def realise(tx: Tx, value: VariableTracker) -> VariableTracker:
    """`value`, looked at."""
    return value.realise(tx) if isinstance(value, LazyVariable) else value


def realise_at(tx: Tx, items: list[VariableTracker], index: int) -> VariableTracker:
    """The item at `index`, looked at and kept so."""
    item = items[index]
    if isinstance(item, LazyVariable):
        item = items[index] = item.realise(tx)
    return item


def realise_all(tx: Tx, items: Iterable[VariableTracker]) -> list[VariableTracker]:
    return [realise(tx, item) for item in items]
