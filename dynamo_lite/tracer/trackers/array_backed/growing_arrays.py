"""Arrays that loops of the graph join others to, `h = np.append(h, x)`: in memory that has room."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import GraphBreak, PlanLoop, Unsupported
from ....ir.node import Node
from ....ir.types import ArrayType
from ...object_model.constants import NONE, constant
from ...recording.nodes import record
from ...state.trace import AliasInfo, LoopPlan
from ...state.tracker import Args, Kwargs, VariableTracker
from ..arrays.arrays import ArrayVariable
from ..arrays.in_arrays import InArrays
from ..containers.sequences import TupleVariable
from ..containers.slices import SliceVariable
from .growing import added

if TYPE_CHECKING:
    from types import CodeType

    from ...state.emitter import Emitter
    from ...state.tx import Tx

ROOM = 1 << 20
"""Elements for which there is room, however often the loop iterates."""
MOST_JOINED = 8
"""Rows or columns that an iteration may join at once."""
ALL = SliceVariable(NONE, NONE, NONE)


class GrowingArray(InArrays):
    """What a variable has that only becomes longer along an `axis`; `name` is that of its length
    among `state.list_lengths`.

    Each time the program makes another array of it, which nobody could tell from the same one
    made longer: it has no other name, and nobody writes into it. Parts of it are views of
    `memory`; whatever else is done with it, is done with a copy. It is one in the loop at `place`
    only.
    """

    in_graph = True

    def __init__(
        self, kind: ArrayType, memory: VariableTracker, axis: int, name: str, variable: str,
        place: tuple[CodeType, int],
    ) -> None:
        self.kind = kind
        self.memory = memory
        self.axis = axis
        self.name = name
        self.variable = variable
        self.place = place
        self.final: VariableTracker = NONE

    def python_type(self) -> type:
        return np.ndarray

    def describe(self) -> str:
        return f"{self.variable!r}, an array that a loop of the graph makes longer"

    def count(self, tx: Tx) -> VariableTracker:
        """How long it is along its axis."""
        return tx.state.list_lengths[self.name]

    def length(self, tx: Tx) -> VariableTracker:
        return constant(self.kind.shape[0]) if self.axis else self.count(tx)

    def view(self, tx: Tx) -> VariableTracker:
        part = SliceVariable(NONE, self.count(tx), NONE)
        key = TupleVariable([ALL] * self.axis + [part])
        return self.memory.call_method(tx, "__getitem__", (key,), {})

    def copied(self, tx: Tx) -> VariableTracker:
        return self.view(tx).call_method(tx, "copy", (), {})

    def array(self, tx: Tx) -> VariableTracker:
        """What stands for it in other calls, which may only read it."""
        return self.noted(tx, self.copied(tx))

    def noted(self, tx: Tx, part: VariableTracker) -> VariableTracker:
        """A part of it, or a copy: nobody may write into that, and it does not leave the graph."""
        if isinstance(part, ArrayVariable):
            alias = AliasInfo(f"a part of {self.describe()}", self.place)
            tx.state.may_alias[part.node] = alias
        return part

    def as_argument(self, tx: Tx) -> Node:
        found: Node = self.array(tx).as_argument(tx)
        return found

    def as_index(self, tx: Tx) -> VariableTracker:
        return self.array(tx)

    def truth(self, tx: Tx) -> bool:
        return self.array(tx).truth(tx)

    def expect(self, tx: Tx, outcome: bool) -> None:
        self.array(tx).expect(tx, outcome)

    def iterate(self, tx: Tx) -> Any:
        return self.array(tx).iterate(tx)

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name == "shape":
            shape = [constant(size) for size in self.kind.shape]
            shape[self.axis] = self.count(tx)
            return TupleVariable(shape)
        return self.array(tx).getattr(tx, name)

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        if name == "__len__":
            return self.length(tx)
        if name == "__getitem__":
            return self.part(tx, args[0])
        if name in WRITING:
            raise self.refused(tx, f"method {name!r} of {self.describe()}")
        return self.array(tx).call_method(tx, name, args, kwargs)

    def refused(self, tx: Tx, what: str) -> Unsupported:
        """Up to the end of the loop, it is to be unrolled for that."""
        code, head = self.place
        is_behind = tx.code is code and tx.current.index > max(tx.loops[head].members)
        return GraphBreak(what) if is_behind else PlanLoop(self.place, LoopPlan(what))

    def part(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        return self.noted(tx, self.view(tx).call_method(tx, "__getitem__", (key,), {}))

    def join(self, tx: Tx, part: VariableTracker, many: int) -> VariableTracker:
        """Itself, to which so many rows or columns are joined."""
        node = self.memory.as_argument(tx)
        for place in range(many):
            at = added(tx, self.count(tx), place).as_argument(tx)
            row = part.call_method(tx, "__getitem__", (self.key(constant(place)),), {})
            where = (slice(None),) * self.axis + (at,)
            record(tx, operator.setitem, (node, where, row.as_argument(tx)))
        tx.state.list_lengths[self.name] = added(tx, self.count(tx), many)
        return self

    def key(self, place: VariableTracker) -> VariableTracker:
        return TupleVariable([*[ALL] * self.axis, place])

    # -- leaving the trace

    def settle(self, tx: Tx) -> None:
        """The trace is over, and the array leaves it."""
        self.final = self.copied(tx)

    def reconstruct(self, code: Emitter) -> None:
        self.final.reconstruct(code)


WRITING = frozenset({
    "__setitem__", "__delitem__", "fill", "sort", "partition", "resize", "put", "itemset",
    "setflags", "setfield", "byteswap",
    *(f"__i{name}__" for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
        "lshift", "rshift")),
})
"""Methods that may change an array."""


def growing_array(
    tx: Tx, variable: str, value: ArrayVariable, axis: int, place: tuple[CodeType, int]
) -> GrowingArray:
    """The array as one to which a loop may join others."""
    kind = value.array_type
    tx.state.in_arrays = True
    width, first = 1, kind.shape[axis]
    for at, size in enumerate(kind.shape):
        assert isinstance(size, int)
        width *= size if at != axis else 1
    shape = [*kind.shape]
    assert isinstance(first, int)
    shape[axis] = first + max(ROOM // max(width, 1), 1)
    memory = record(tx, np.empty, (tuple(shape), kind.dtype))
    if first:
        key = (slice(None),) * axis + (slice(0, first),)
        record(tx, operator.setitem, (memory.as_argument(tx), key, value.as_argument(tx)))
    name = f"{variable}#length_{tx.state.steps}"
    tx.state.list_lengths[name] = constant(first)
    return GrowingArray(kind, memory, axis, name, variable, place)


__all__ = ["MOST_JOINED", "GrowingArray", "growing_array"]
