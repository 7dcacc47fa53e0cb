"""Containers whose items lie in arrays, so that loops of the graph can use them."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...object_model.attributes import python_method
from ...object_model.constants import NONE
from ...state.tracker import Args, Kwargs, VariableTracker

if TYPE_CHECKING:
    from ...state.tx import Tx


class InArrays(VariableTracker):
    """A container of the frame's that data may index, fill or change. What it can do are its own
    methods; anything else, which would need the items one by one, breaks the graph."""

    def length(self, tx: Tx) -> VariableTracker:
        """How many items there are, a Python int."""
        raise NotImplementedError

    def as_argument(self, tx: Tx) -> Any:
        raise self.refusal(f"{self.describe()} is used as it is")

    def array(self, tx: Tx) -> VariableTracker:
        """What NumPy makes of it where it takes a sequence of numbers; itself if it is none."""
        return self

    def as_index(self, tx: Tx) -> VariableTracker:
        """What it is in the key of an array."""
        return self

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        raise self.refusal(f"iteration over {self.describe()}")
        yield NONE

    def truth(self, tx: Tx) -> bool:
        return self.length(tx).truth(tx)

    def expect(self, tx: Tx, outcome: bool) -> None:
        self.length(tx).expect(tx, outcome)

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        return python_method(tx, self, name)

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        if not hasattr(self, f"method_{name}"):
            raise self.refusal(f"method {name!r} of {self.describe()}")
        return super().call_method(tx, name, args, kwargs)

    def method___len__(self, tx: Tx) -> VariableTracker:
        return self.length(tx)
