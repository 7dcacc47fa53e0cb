"""Closure cells, of outside functions and of the frame itself."""
from __future__ import annotations

from types import CellType
from typing import TYPE_CHECKING

from ...guards.kinds import CALL
from ...guards.sources import CellContentsSource, Source
from ..state.fields import Field
from ..state.tracker import VariableTracker
from .constants import observed
from .lazy import LazyVariable, realise

if TYPE_CHECKING:
    from ..state.emitter import Emitter
    from ..state.tx import Tx


CONTENTS = "cell_contents"


class CellVariable(VariableTracker):
    """A cell; `bound` is None while it is empty. `value` is a cell that existed before the frame,
    and `source` its source."""

    def __init__(
        self, bound: VariableTracker | None = None, source: Source | None = None,
        value: CellType | None = None,
    ) -> None:
        self.bound = bound
        self.source = source
        self.value = value

    def python_type(self) -> type:
        return CellType

    def load(self, tx: Tx, name: str, free: bool) -> VariableTracker:
        """What the variable `name` is; `free` says whose words an unbound one is reported in."""
        if self.bound is None:
            raise observed(unbound(name, free))
        self.bound = realise(tx, self.bound)
        return self.bound

    def own(self, tx: Tx, name: str) -> VariableTracker | None:
        """What the cell holds, its only attribute."""
        if self.bound is not None:
            self.bound = realise(tx, self.bound)
        return self.bound

    def held(self, name: str) -> VariableTracker | None:
        return self.bound

    def hold(self, name: str, value: VariableTracker) -> None:
        self.bound = value

    def store_held(self, tx: Tx, name: str, value: VariableTracker) -> None:
        self.store(tx, value)

    def store(self, tx: Tx, value: VariableTracker) -> None:
        fields = tx.side_effects.fields
        if fields.is_in_older(self):
            fields.change(Field(self, CONTENTS), self.own(tx, CONTENTS))
        else:
            tx.side_effects.store_cell(self, value)
        self.bound = value

    def delete(self, tx: Tx, name: str, free: bool) -> None:
        self.load(tx, name, free)
        tx.side_effects.delete_cell(self)
        self.bound = None

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name == CONTENTS and self.bound is not None:
            return self.load(tx, name, free=True)
        return super().getattr(tx, name)

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(CellType)
        if self.bound is not None:
            code.build(self.bound)
        code.call(0 if self.bound is None else 1)


def outside_cell(tx: Tx, cell: CellType, source: Source, name: str = "") -> CellVariable:
    """A cell that existed before the frame, of a variable called `name`."""
    if is_empty(cell):
        tx.guards.install(source, CALL, is_empty, tx.location())
        return CellVariable(None, source, cell)
    held = LazyVariable(cell.cell_contents, CellContentsSource(source, name))
    return CellVariable(held, source, cell)


def is_empty(cell: CellType) -> bool:
    """Whether the variable has no value yet."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False


def unbound(name: str, free: bool) -> NameError:
    if free:
        return NameError(
            f"cannot access free variable {name!r} where it is not associated with a value "
            "in enclosing scope", name=name,
        )  # fmt: skip
    return UnboundLocalError(
        f"cannot access local variable {name!r} where it is not associated with a value"
    )
