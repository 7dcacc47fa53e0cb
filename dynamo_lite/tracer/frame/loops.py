"""A frame's loops, and the one whose body is being traced as a graph of its own."""
from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Any

from ...bytecode.flow import Loop, shape_of
from ..control_flow.exits import Exit
from ..control_flow.growing import is_unshared, may_join, plan_list
from ..control_flow.joined_arrays import plan_joined
from ..control_flow.side_exits import SideExits
from ..control_flow.tables import plan_table
from ..state.trace import Progress
from ..state.tracker import VariableTracker
from ..trackers.array_backed.answers import QUESTIONS, answer
from ..trackers.array_backed.lookups import Lookup, look_up
from ..trackers.array_backed.tables import TableVariable

if TYPE_CHECKING:
    from ..state.tx import Tx


class FrameLoops:
    """`region` is the innermost loop whose body is being traced, `proceed` whether that goes on
    when the end of an iteration has been reached, and `exits` where a loop is left, by its head:
    the instruction and the height of the stack, there and behind what only leaves the loop. An arm
    of a branch that is being traced ends at one of the `stops`, or in one of several exits that are
    `pending`.
    """

    def __init__(self, code: CodeType) -> None:
        self.loops = shape_of(code).loops
        self.arrivals: dict[int, int] = {}
        self.sizes: dict[int, Progress] = {}
        self.depths: dict[int, int] = {}
        self.region: Loop | None = None
        self.proceed: VariableTracker | None = None
        self.exits: dict[int, tuple[int, int, tuple[int, int]]] = {}
        self.stops: frozenset[int] = frozenset()
        self.pending: list[Exit] = []
        self.side_exits: SideExits | None = None

    def plan_list(
        self: Tx, value: VariableTracker, item: VariableTracker | None, *, waits: bool = False
    ) -> bool:
        """A list that a loop of the graph uses like an array may become one."""
        return plan_list(self, value, item, waits=waits)

    def is_unshared(self: Tx, value: VariableTracker) -> bool:
        return is_unshared(self, value)

    def plan_joined(self: Tx, value: Any, axis: int, settles: bool) -> None:
        """An array that a loop of the graph joins others to may become one that has room."""
        plan_joined(self, value, axis, settles)

    def may_join(self: Tx, value: VariableTracker, name: str) -> bool:
        return may_join(self, value, name)

    def plan_table(
        self: Tx, container: VariableTracker, key: VariableTracker, value: VariableTracker | None
    ) -> None:
        """A dict or set that a loop of the graph fills, by keys that data decides, may become one
        of arrays."""
        plan_table(self, container, key, value)

    def answer(
        self: Tx, method: str, values: VariableTracker, *operands: VariableTracker
    ) -> VariableTracker | None:
        """What Python answers about a long list of numbers from outside; None of other lists."""
        return answer(self, QUESTIONS[method], values, *operands)

    def look_up(self: Tx, container: VariableTracker, key: VariableTracker) -> Lookup | None:
        """What the graph finds where data decides the key; None where it cannot look for it."""
        if isinstance(container, TableVariable):
            return container.look_up(self, key)
        plan_table(self, container, key, None)
        return look_up(self, container, key)
