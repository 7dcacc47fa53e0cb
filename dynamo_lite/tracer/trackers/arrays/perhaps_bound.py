"""Numbers that a local has only if data decides so: `if x[i] > 0: last = i` gives one in one arm of
a branch, or in some iterations of a loop.

A tracker of it stands in the frame's locals and nowhere else. Where it is read the graph checks
that there is one; where there is none the call bails out, and Python raises.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import GraphBreak
from ....ir import core
from ....ir.types import ArrayType, Form
from ...object_model.cells import unbound
from ...object_model.constants import FALSE, ConstantVariable, observed
from ...recording.nodes import record
from ...state.tracker import VariableTracker

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


class PerhapsBound(VariableTracker):
    """What a local has (`number`) where the truth `is_bound` holds."""

    def __init__(self, number: VariableTracker, is_bound: VariableTracker) -> None:
        self.number = number
        self.is_bound = is_bound

    def python_type(self) -> type:
        return self.number.python_type()

    def describe(self) -> str:
        return "a variable that may have no value"

    def read(self, tx: Tx, name: str) -> VariableTracker:
        """The number; the graph checks that there is one."""
        if not isinstance(self.is_bound, ConstantVariable):
            record(tx, core.expect, (self.is_bound.as_argument(tx),))
        elif not self.is_bound.value:
            raise observed(unbound(name, free=False))
        return self.number

    def reconstruct(self, code: Emitter) -> None:
        raise GraphBreak(f"rebuilding {self.describe()}")


class Nothing(VariableTracker):
    """A number of which only the type matters, since nobody reads it."""

    def __init__(self, kind: ArrayType) -> None:
        self.array_type = kind

    def python_type(self) -> type:
        kind: type = type(nothing(self.array_type))
        return kind

    def as_argument(self, tx: Tx) -> Any:
        return nothing(self.array_type)

    def describe(self) -> str:
        return f"no {self.python_type().__name__}"


def nothing(kind: ArrayType) -> Any:
    """A number of a type, of which nobody reads the value."""
    zero = np.zeros((), kind.dtype)[()]
    return zero.item() if kind.form is Form.PYTHON else zero


def never_bound(kind: ArrayType) -> PerhapsBound:
    return PerhapsBound(Nothing(kind), FALSE)
