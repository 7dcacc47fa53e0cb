"""`id(value)`: a number that nobody knows while tracing, but equal for the same object alone."""
from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from ....base.records import dataclass
from ....errors import GraphBreak
from ....guards.kinds import IS
from ...state.tracker import VariableTracker
from .objects import identity_key

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


class IdVariable(VariableTracker):
    """The id of a list, an object, an array: a key, or one side of `==`."""

    def __init__(self, value: VariableTracker) -> None:
        self.value = value

    def python_type(self) -> type:
        return int

    def hash_key(self, tx: Tx) -> Hashable:
        """Among numbers from outside that may be ids the object's own counts, which fixes it."""
        if not tx.state.ids.met or self.value.source is None:
            tx.state.ids.used = True
            return IdKey(identity_key(tx, self.value))
        known = {id(tx.state.tracked.get(id(value))): value for value in tx.state.keep_alive}
        if (value := known.get(id(self.value))) is None:
            raise GraphBreak(self.describe())
        tx.guards.install(self.value.source, IS, value, tx.location())
        return id(value)

    def truth(self, tx: Tx) -> bool:
        return True

    def as_constant(self, tx: Tx) -> int:
        raise GraphBreak(self.describe())

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(id)
        code.build(self.value)
        code.call(1)

    def describe(self) -> str:
        return f"the id of {self.value.describe()}"


@dataclass(frozen=True)
class IdKey:
    """Stands for an id in a dict or set."""

    value: VariableTracker
