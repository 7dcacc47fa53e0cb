"""The node that is made of a loop of which one iteration has been traced."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...bytecode.flow import Loop, shape_of
from ...bytecode.liveness import live_locals
from ...errors import GraphBreak
from ...ir import control
from ...ir.binding import bound_in, unbacked_in
from ...ir.graph import Graph
from ...ir.node import Node
from ...ir.tree import map_leaves
from ...ir.types import ArrayType, Form
from ..object_model.constants import ConstantVariable
from ..recording.nodes import adding_to
from ..state.tracker import VariableTracker
from ..trackers.array_backed.growing import GrowingVariable
from ..trackers.arrays.perhaps_bound import nothing
from ..trackers.arrays.unions import UnionNumber, types_together, united
from .bodies import Body, Unsettled, perhaps_bound
from .branches import is_data, predicate
from .capture import (
    checked_close,
    is_array,
    is_fresh,
    results,
    tracker_of,
    type_of,
)
from .escapes import reachable
from .iterations import Iterations
from .loop_endings import Endings
from .parts import identities_of, root_of
from .passed_arrays import Carried, PassedArrays

if TYPE_CHECKING:
    from ..state.tx import Tx



class LoopNode:
    """Makes the node of a loop: which variables it carries, and what it gives back. The program
    `breaks` it or not; `count` iterations were unrolled before it."""

    def __init__(
        self, tx: Tx, loop: Loop, body: Body, iterations: Iterations | None, count: int,
        breaks: bool,
    ) -> None:
        self.tx, self.loop, self.body, self.count = tx, loop, body, count
        self.iterations = iterations
        self.leaves = is_data(body.proceed) or (
            body.proceed.as_constant(tx) is False
        )
        self.carried = Carried()
        self.arrays = PassedArrays(tx, loop, body, self.carried, iterations)
        self.endings = Endings(tx, body, iterations, breaks)
        self.variables_after: dict[str, VariableTracker] = {}
        self.ending: dict[str, VariableTracker] = {}

    def record(self) -> None:
        tx, graph, carried = self.tx, self.body.graph, self.carried
        if not self.leaves and self.iterations is None:
            raise GraphBreak("the loop has no end that depends on data")
        self.carry()
        may_alias = self.arrays.may_alias(self.leaves and not self.count)
        n_carried, lasts = len(carried.initial), self.last_values()
        proceed: Any = self.proceed() if self.leaves else True
        may_alias |= self.arrays.views([*carried.outputs, *lasts])
        if self.leaves:
            self.endings.tell(proceed)
        told = self.endings.told.values()
        graph.output((proceed, *carried.outputs, *(one.output for one in told), *lasts))
        operands = checked_close(tx, [graph])
        self.arrays.check_memory(operands)
        initial = (*carried.initial, *(one.initial for one in told))
        kinds = carried.kinds[:n_carried], [one.kind for one in told], carried.kinds[n_carried:]
        made = self.results(graph, initial, operands, [kind for part in kinds for kind in part])
        behind = n_carried + len(told)
        self.ending, found = self.endings.answers(made[n_carried:behind])
        self.variables_after.update(found)
        for name, node in zip(carried.names, [*made[:n_carried], *made[behind:]]):
            self.variables_after[name] = tracker_of(node)
            if name in may_alias:
                tx.state.may_alias[node] = may_alias[name]

    def results(
        self, body: Graph, initial: tuple[Any, ...], operands: tuple[Node, ...],
        kinds: list[ArrayType],
    ) -> list[Node]:
        args = (body, initial, operands)
        if self.iterations is not None:
            return results(self.tx, control.for_loop, (*self.iterations.ends, *args), kinds)
        return results(self.tx, control.while_loop, (True, *args), kinds)

    def proceed(self) -> Any:
        """Whether another iteration follows, as a Python bool."""
        if not is_data(self.body.proceed):
            return False
        with adding_to(self.tx, self.body.graph):
            return predicate(self.tx, self.body.proceed)

    def carry(self) -> None:
        """Find which variables an iteration changes; those that stay what they are, are
        operands."""
        tx, body = self.tx, self.body
        unsettled: list[Unsettled] = []
        for name, placeholder in list(body.carried.items()):
            if getattr(body.after.get(name), "node", None) is placeholder:
                self.keep(name, placeholder)  # first: others may be given its value
        for name, placeholder in body.carried.items():
            value = body.after.get(name)
            if value is None:
                raise GraphBreak(f"{name!r} is deleted in the loop")
            if type_of(value) != placeholder.type or isinstance(value, UnionNumber):
                unsettled.append(self.changed(name, value))
                continue
            initial = body.before[name].as_argument(tx)
            self.carried.add(name, placeholder.type, initial, value.as_argument(tx))
        if unsettled:
            unions = {name: kinds for one in unsettled for name, kinds in one.unions.items()}
            all_ = len(unions) == len(unsettled)
            again = all(one.again for one in unsettled)
            around = next((one.around for one in unsettled if one.around), None)
            raise Unsettled(str(unsettled[0]), unions if all_ else None, again, around=around)

    def changed(self, name: str, value: VariableTracker) -> Unsettled:
        """An iteration gives a variable another type."""
        before = self.body.before[name]
        is_union = name in self.body.unions
        kinds = united(before, value) if not is_union else None
        wider = types_together(before, value) if not is_union and kinds is None else None
        kind = type_of(before)
        after = value.describe() if isinstance(value, UnionNumber) else type_of(value)
        return Unsettled(
            f"{name!r} is {kind} before an iteration, and {after or value.describe()} "
            "after it", {name: kinds} if kinds is not None else None,
            not isinstance(value, UnionNumber), around=(name, wider) if wider else None,
        )

    def keep(self, name: str, placeholder: Node) -> None:
        """A variable that has the same value in every iteration is read from around the loop."""
        body = self.body
        del body.carried[name]
        initial = body.before[name].as_argument(self.tx)
        body.graph.nodes.remove(placeholder)
        for node in body.graph.nodes:
            node.args, node.kwargs = map_leaves(
                lambda leaf: initial if leaf is placeholder else leaf, (node.args, node.kwargs)
            )
        for name_, value in body.after.items():
            if getattr(value, "node", None) is placeholder:
                body.after[name_] = body.before[name]
        self.variables_after[name] = body.before[name]

    def last_values(self) -> list[Any]:
        """Variables that are read after the loop, with their values of the last iteration."""
        tx, body = self.tx, self.body
        behind = live_locals(tx.code, tx.exits[self.loop.head][0])
        if self.iterations is not None:
            behind |= live_locals(tx.code, tx.instructions[self.loop.head].target or 0)
        after = behind if body.side_exits is None else behind | body.side_exits.names(tx.code)
        if left := sorted(body.by_value & after):
            raise GraphBreak(f"{left[0]!r} may be a list that the loop finds")
        found: list[Any] = []
        stored = {
            inst.argval for at in shape_of(tx.code).reach(self.loop)
            if (inst := tx.instructions[at]).opname == "STORE_FAST"
        }
        found_in = {*map(root_of, body.after)}
        if missing := sorted((stored & after) - found_in):
            raise GraphBreak(f"{missing[0]!r} may have no value after the loop")
        self.check_names(stored & after)
        known = {*self.carried.names, *self.variables_after, *body.fixed}
        behind |= self.lengths_of(stored & behind)
        wanted = (stored & after) | self.lengths_of(stored & after)
        for name in sorted({p for p in body.after if root_of(p) in wanted} - known):
            value = body.after[name]
            kind, is_needed = type_of(value), root_of(name) in behind
            if not is_needed and kind is not None and kind.form is not Form.ARRAY:
                self.endings.told_by(name, nothing(kind), kind).output = value.as_argument(tx)
                continue
            if not (self.iterations is None or self.iterations.certain(tx)):
                raise perhaps_bound(name, value)
            if kind is None or isinstance(value, ConstantVariable):
                self.check_outside(name, value)
                self.variables_after[name] = value
                continue
            found.append(value.as_argument(tx))
            if is_array(found[-1]) if isinstance(found[-1], Node) else False:
                if not is_fresh(tx, found[-1], body.graph):
                    raise GraphBreak(f"{name!r} may be an array from outside of the loop")
                if not bound_in(body.graph).isdisjoint(unbacked_in(kind)):
                    raise GraphBreak(f"{name!r} is an array of a length that only the loop knows")
            self.carried.names.append(name)
            self.carried.kinds.append(kind)
        for name in stored - {*map(root_of, [*self.carried.names, *self.variables_after])}:
            tx.locals.pop(name, None)
        return found

    def lengths_of(self, names: set[str]) -> set[str]:
        """The variables that are lengths of lists which an iteration makes."""
        body = self.body
        made = [
            value for name in names
            for value in identities_of(body.left[name], body.since_of(name))
        ]
        lists = [value for value in made if isinstance(value, GrowingVariable)]
        return {value.name for value in lists} - {*body.entered}

    def check_names(self, names: set[str]) -> None:
        """A list or dict that an iteration makes must have one name only after it."""
        body = self.body
        made = [
            id(value) for name in names
            for value in identities_of(body.left[name], body.since_of(name))
        ]
        if len({*made}) < len(made):
            raise GraphBreak("the loop makes a list or dict that has two names")

    def check_outside(self, name: str, value: VariableTracker) -> None:
        """What the graph cannot hold must not be made of what an iteration computes."""
        inside = {*self.body.graph.nodes}
        for tracker in reachable([value]):
            if getattr(tracker, "node", None) in inside or hasattr(tracker, "frame"):
                raise GraphBreak(f"{name!r} is {value.describe()} made in the loop")
