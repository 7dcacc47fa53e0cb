"""Values that are passed along only."""
from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from ....base.classes import a_kind
from ....errors import GraphBreak
from ....guards.sources import Source, in_users_words
from ...state.tracker import VariableTracker

if TYPE_CHECKING:
    from ...state.tx import Tx


class OpaqueVariable(VariableTracker):
    """A value that may be passed along; looking into it breaks the graph."""

    def __init__(self, value: Any, source: Source, reason: str) -> None:
        self.value = value
        self.source = source
        self.reason = reason

    def python_type(self) -> type:
        return type(self.value)

    def hash_key(self, tx: Tx) -> Hashable:
        raise GraphBreak(f"the hash of {self.describe()}")

    def as_argument(self, tx: Tx) -> Any:
        raise GraphBreak(f"an operation of NumPy on {self.describe()}")

    def describe(self) -> str:
        name, kind = in_users_words(self.source), type(self.value)
        return f"{name or a_kind(kind)} ({kind.__name__ + ': ' if name else ''}{self.reason})"
