"""Type parameters and aliases that the frame makes (PEP 695): few programs look at them."""
from __future__ import annotations

import typing
from typing import TYPE_CHECKING

from ..state.tracker import VariableTracker

if TYPE_CHECKING:
    from ..state.tx import Tx


class TypeParameterVariable(VariableTracker):
    """A TypeVar, ParamSpec, TypeVarTuple or TypeAliasType, known by its name; it cannot leave."""

    def __init__(self, kind: str, name: VariableTracker) -> None:
        self.kind = kind
        self.name = name

    def python_type(self) -> type:
        kind: type = getattr(typing, self.kind)
        return kind

    def truth(self, tx: Tx) -> bool:
        return True

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        return self.name if name == "__name__" else super().getattr(tx, name)
