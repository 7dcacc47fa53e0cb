"""Numbers that may be None, as data decides: `best = None`, and then perhaps a number; a function
that returns None for what it has no answer to.

Whether there is a number, `x is None`, is a number of the graph like any other. Operators read the
number: the graph checks that there is one, and where there is none the call bails out, and Python
raises or goes on.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....errors import GraphBreak
from ....ir import core
from ....ir.types import ArrayType, python_number
from ...object_model.constants import FALSE, NONE, TRUE, ConstantVariable
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from .numbers import NumberVariable
from .perhaps_bound import Nothing

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


class OptionalNumber(VariableTracker):
    """The `number` where the truth `is_there` holds, and else None."""

    def __init__(self, number: VariableTracker, is_there: VariableTracker) -> None:
        self.number = number
        self.is_there = is_there

    def python_type(self) -> type:
        raise GraphBreak(f"the type of {self.describe()}")

    def describe(self) -> str:
        kind = self.number.python_type().__name__
        return f"a {kind} or None, as data decides"

    def as_constant(self, tx: Tx) -> object:
        raise GraphBreak(f"Python needs the value of {self.describe()}")

    def read(self, tx: Tx) -> VariableTracker:
        """The number; the graph checks that there is one."""
        if not isinstance(self.is_there, ConstantVariable):
            record(tx, core.expect, (self.is_there.as_argument(tx),))
        elif not self.is_there.value:
            return NONE
        return self.number

    def reconstruct(self, code: Emitter) -> None:
        if isinstance(self.is_there, ConstantVariable):
            return (self.number if self.is_there.value else NONE).reconstruct(code)
        test = self.is_there.node  # type: ignore[attr-defined]
        code.choose(test, lambda: code.build(self.number), lambda: code.load_const(None))


def read_all(tx: Tx, values: Sequence[VariableTracker]) -> list[VariableTracker]:
    """Operands, of which those that may be None are read as numbers."""
    return [one.read(tx) if isinstance(one, OptionalNumber) else one for one in values]


def is_none(value: VariableTracker | None) -> bool:
    return isinstance(value, ConstantVariable) and value.value is None


def not_none(lhs: VariableTracker, rhs: VariableTracker) -> VariableTracker | None:
    """Of a number and None, which may be one, whether that is not so: `is not` and `!=` agree.
    None for other operands."""
    for value, other in ((lhs, rhs), (rhs, lhs)):
        if is_none(other) and isinstance(value, OptionalNumber):
            return value.is_there
        if is_none(other) and isinstance(value, NumberVariable):
            return TRUE
    return None


def optional(value: VariableTracker, kind: ArrayType | None) -> OptionalNumber | None:
    """A number of a type, or None, as what may be either; None for all else."""
    if kind is None:
        return None
    if isinstance(value, OptionalNumber):
        return value
    if is_none(value):
        return OptionalNumber(Nothing(kind), FALSE)
    is_number = getattr(value, "array_type", None) == kind or (
        isinstance(value, ConstantVariable) and value.python_type() in (bool, int, float)
        and kind == python_number(value.python_type()))
    return OptionalNumber(value, TRUE) if is_number else None
