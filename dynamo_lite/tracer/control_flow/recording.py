"""The node that is made of a loop of which one iteration has been traced."""
from __future__ import annotations

import operator
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ...base.records import dataclass
from ...bytecode.flow import Loop, shape_of
from ...bytecode.liveness import live_locals
from ...errors import GraphBreak
from ...ir import control
from ...ir.binding import bound_in, unbacked_in
from ...ir.node import Node
from ...ir.sizes import Size, SizeExpr
from ...ir.tree import map_leaves
from ...ir.types import ArrayType, Form, python_number
from ..object_model.constants import ConstantVariable
from ..recording.nodes import adding_to, record
from ..state.trace import AliasInfo
from ..state.tracker import VariableTracker
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.unions import UnionNumber, united
from .bodies import Body, Unsettled, identifier
from .branches import is_data, predicate
from .capture import (
    checked_close,
    is_array,
    is_fresh,
    is_view,
    owner,
    results,
    tracker_of,
    type_of,
    written,
)
from .escapes import reachable
from .iterations import Iterations
from .merging import nothing
from .parts import identities_of, root_of, settled
from .side_exits import COUNT, EXIT, LAST, PROCEED

if TYPE_CHECKING:
    from ..state.tx import Tx


TOLD = frozenset({PROCEED, LAST, EXIT, COUNT})


@dataclass(slots=True)
class Told:
    """What a loop carries along for who goes on behind it; `output` is the value after an
    iteration."""

    initial: Any
    kind: ArrayType
    placeholder: Node
    output: Any = None


class Recording:
    """Makes the node of a loop: which variables it carries, and what it gives back. The program
    `breaks` it or not."""

    def __init__(
        self, tx: Tx, loop: Loop, body: Body, iterations: Iterations | None, count: int,
        breaks: bool,
    ) -> None:
        self.tx, self.loop, self.body, self.count, self.breaks = tx, loop, body, count, breaks
        self.iterations, self.ends = iterations, None if iterations is None else iterations.ends
        self.leaves = is_data(body.proceed) or (
            body.proceed.as_constant(tx) is False
        )
        self.initial: list[Any] = []
        self.outputs: list[Any] = []
        self.kinds: list[ArrayType] = []
        self.names: list[str] = []
        self.variables_after: dict[str, VariableTracker] = {}
        self.told: dict[str, Told] = {}
        self.ending: dict[str, VariableTracker] = {}

    def record(self) -> None:
        tx, graph = self.tx, self.body.graph
        if not self.leaves and self.ends is None:
            raise GraphBreak("the loop has no end that depends on data")
        may_alias = self.carry()
        lasts = self.last_values()
        proceed: Any = True
        if self.leaves:
            proceed = self.proceed()
        outputs = [proceed, *self.outputs, *lasts]
        may_alias |= self.views([*self.outputs, *lasts])
        self.tell(proceed)
        place = len(self.initial)
        outputs[1 + place : 1 + place] = [told.output for told in self.told.values()]
        self.kinds[place:place] = [told.kind for told in self.told.values()]
        self.initial += [told.initial for told in self.told.values()]
        graph.output(tuple(outputs))
        operands = checked_close(tx, [graph])
        self.check_memory(operands)
        args: tuple[Any, ...] = (graph, tuple(self.initial), operands)
        if self.ends is not None:
            made = results(tx, control.for_loop, (*self.ends, *args), self.kinds)
        else:
            made = results(tx, control.while_loop, (True, *args), self.kinds)
        found = [*zip(self.told, map(tracker_of, made[place : len(self.initial)]))]
        del made[place : len(self.initial)]
        self.ending = {name: tracker for name, tracker in found if name in TOLD}
        self.variables_after.update(found[: len(found) - len(self.ending)])
        if self.is_left and COUNT not in self.ending:
            self.ending[COUNT] = self.counted(self.ending[LAST])
        for name, node in zip(self.names, made):
            self.variables_after[name] = tracker_of(node)
            if name in may_alias:
                tx.state.may_alias[node] = may_alias[name]

    def tell(self, proceed: Any) -> None:
        """Have the loop carry along what tells how it ended: whether the next iteration of a range
        was to follow, its last item where an iterator is to go on behind it, and at which side exit
        it was left."""
        if not self.leaves:
            return
        if self.iterations is not None:
            if self.breaks:
                self.told_by(PROCEED, True, python_number(bool)).output = proceed
            if self.is_left or self.iterations.is_outside:
                before = 0 if self.before_first is None else self.before_first
                self.told_by(LAST, before, python_number(int)).output = self.body.index
        if self.is_left:
            number = self.told_by(EXIT, 0, python_number(int))
            number.output = self.body.after[EXIT].as_argument(self.tx)
            if self.before_first is None:
                self.count_up()

    @property
    def before_first(self) -> Size | None:
        """What an iterator over a range would have given last, from which its last item tells how
        many there were; None where data decides, or there is no range."""
        if self.ends is None or not isinstance(self.ends[0], (int, SizeExpr)):
            return None
        first: Size = self.ends[0] - self.ends[2]
        return first

    def count_up(self) -> None:
        """Have the loop count its iterations."""
        count = self.told_by(COUNT, 0, python_number(int))
        with adding_to(self.tx, self.body.graph):
            more = record(self.tx, operator.add, (count.placeholder, 1))
        count.output = more.as_argument(self.tx)

    def counted(self, last: VariableTracker) -> VariableTracker:
        """How many iterations there were up to the item `last`."""
        assert self.ends is not None
        behind = record(self.tx, operator.sub, (last.as_argument(self.tx), self.before_first))
        return record(self.tx, operator.floordiv, (behind.as_argument(self.tx), self.ends[2]))

    def told_by(self, name: str, initial: Any, kind: ArrayType) -> Told:
        """One more number that the loop carries along."""
        placeholder = self.body.graph.placeholder(identifier(name), kind)
        told = self.told[name] = Told(initial, kind, placeholder)
        return told

    @property
    def is_left(self) -> bool:
        """Whether there is a side exit."""
        return bool(self.body.side_exits and self.body.side_exits.at)

    def proceed(self) -> Any:
        """Whether another iteration follows, as a Python bool."""
        if not is_data(self.body.proceed):
            return False
        with adding_to(self.tx, self.body.graph):
            return predicate(self.tx, self.body.proceed)

    def carry(self) -> dict[str, AliasInfo]:
        """Which variables an iteration changes; those that stay what they are, are operands."""
        tx, body = self.tx, self.body
        may_alias: dict[str, AliasInfo] = {}
        moved: set[str] = set()
        unsettled: list[Unsettled] = []
        for name, placeholder in list(body.carried.items()):
            if getattr(body.after.get(name), "node", None) is placeholder:
                self.keep(name, placeholder)  # first: others may be given its value
        for name, placeholder in body.carried.items():
            value = body.after.get(name)
            if value is None:
                raise GraphBreak(f"{name!r} is deleted in the loop")
            kind = type_of(value)
            if kind != placeholder.type or isinstance(value, UnionNumber):
                unsettled.append(self.changed(name, value))
                continue
            moved.add(name)
            self.names.append(name)
            self.initial.append(body.before[name].as_argument(tx))
            self.outputs.append(value.as_argument(tx))
            self.kinds.append(placeholder.type)
            if is_array(placeholder) and not is_fresh(tx, self.outputs[-1], body.graph):
                what = f"{name!r}, which may be an array from before the loop"
                may_alias[name] = AliasInfo(what, (tx.code, self.loop.head))
        if unsettled:
            unions = {name: kinds for one in unsettled for name, kinds in one.unions.items()}
            all_ = len(unions) == len(unsettled)
            again = all(one.again for one in unsettled)
            raise Unsettled(str(unsettled[0]), unions if all_ else None, again)
        if may_alias:
            self.consume(may_alias)
        elif self.iterations is not None:
            may_alias = self.aliases_without_iterations(self.iterations)
        return may_alias

    def views(self, outputs: list[Any]) -> dict[str, AliasInfo]:
        """Results that are parts of other arrays, where the loop gives copies of these parts."""
        first = self.initial if self.iterations is None else []
        made = zip_longest(self.names, outputs, first)
        return {
            name: AliasInfo(f"{name!r}, a view that a loop made", (self.tx.code, self.loop.head))
            for name, *values in made if any(is_view(self.tx, value) for value in values)
        }

    def aliases_without_iterations(self, iterations: Iterations) -> dict[str, AliasInfo]:
        """Which arrays are those from before where there is no iteration.

        One that was made in the graph, and has one name, is consumed. Of others, whether there is
        an iteration is guarded; where data says it, they may alias.
        """
        tx, state = self.tx, self.tx.state
        starts = {
            name: owner(tx, value) for name, value in zip(self.names, self.initial)
            if isinstance(value, Node) and is_array(value)
        }
        held = [settled(v) for name, v in tx.locals.items() if name not in starts]
        held += map(settled, tx.stack)
        others = {owner(tx, value.node) for value in held if isinstance(value, ArrayVariable)}
        if not starts or iterations.always:
            return {}
        whole = not any(is_view(tx, value) for value in self.initial)
        if whole and len(set(starts.values())) == len(starts) and all(
            node.op == "call_function" and node not in state.may_alias and node not in others
            for node in starts.values()
        ):
            state.consumed.update({node: self.taken(name) for name, node in starts.items()})
            return {}
        if iterations.certain(tx):
            return {}
        if iterations.known:
            raise GraphBreak("there may be no iteration")
        what = "which is an array from before the loop where there is no iteration"
        place = tx.code, self.loop.head
        sources = tuple(starts.values()) if whole and not tx.graph.is_body else ()
        for node in starts.values():
            state.sources.setdefault(node, self.taken("an array"))
        return {name: AliasInfo(f"{name!r}, {what}", place, sources) for name in starts}

    def changed(self, name: str, value: VariableTracker) -> Unsettled:
        """An iteration gives a variable another type."""
        before = self.body.before[name]
        kinds = united(before, value) if name not in self.body.unions else None
        kind = type_of(before)
        after = value.describe() if isinstance(value, UnionNumber) else type_of(value)
        return Unsettled(
            f"{name!r} is {kind} before an iteration, and {after or value.describe()} "
            "after it", {name: kinds} if kinds is not None else None,
            not isinstance(value, UnionNumber),
        )

    def consume(self, may_alias: dict[str, AliasInfo]) -> None:
        """Arrays that are passed on from iteration to iteration, as when two take turns.

        Where all of them were made in the graph and nothing else needs them any more, nobody can
        tell which of them a result is: the loop has consumed them.
        """
        tx = self.tx
        starts = {
            name: owner(tx, value) for name, value in zip(self.names, self.initial)
            if isinstance(value, Node) and is_array(value)
        }
        state = tx.state
        made = all(node.op == "call_function" and node not in state.may_alias
                   for node in starts.values())
        whole = all(
            not isinstance(out, Node) or not is_array(out) or out in self.body.carried.values()
            or is_fresh(tx, out, self.body.graph) for out in self.outputs
        )
        views = any(is_view(tx, value) for value in self.initial)
        if made and whole and not views and len(set(starts.values())) == len(starts):
            for name, node in starts.items():
                state.consumed[node] = self.taken(name)
            may_alias.clear()
            return
        if self.leaves and not self.count and not made:
            raise Unsettled("a variable may be an array from before the loop")
        for name in may_alias:
            sources = () if views else tuple(starts.values())
            may_alias[name] = replace(may_alias[name], sources=sources)
        for node in starts.values():
            state.sources.setdefault(node, self.taken("an array"))

    def taken(self, name: str) -> AliasInfo:
        what = f"an array that was {name!r} before a loop which took its memory over"
        return AliasInfo(what, (self.tx.code, self.loop.head))

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
        if self.ends is not None:
            behind |= live_locals(tx.code, tx.instructions[self.loop.head].target or 0)
        after = behind if body.side_exits is None else behind | body.side_exits.names(tx.code)
        found: list[Any] = []
        stored = {
            inst.argval for at in shape_of(tx.code).reach(self.loop)
            if (inst := tx.instructions[at]).opname == "STORE_FAST"
        }
        found_in = {*map(root_of, body.after)}
        if missing := sorted((stored & after) - found_in):
            raise GraphBreak(f"{missing[0]!r} may have no value after the loop")
        self.check_names(stored & after)
        wanted = {part for part in body.after if root_of(part) in stored & after}
        for name in sorted(wanted - {*self.names} - {*self.variables_after} - {*body.fixed}):
            value = body.after[name]
            kind, is_needed = type_of(value), root_of(name) in behind
            if not is_needed and kind is not None and kind.form is not Form.ARRAY:
                self.told_by(name, nothing(kind), kind).output = value.as_argument(tx)
                continue
            if not (self.iterations is None or self.iterations.certain(tx)):
                raise GraphBreak(f"{name!r} may have no value after the loop")
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
            self.names.append(name)
            self.kinds.append(kind)
        for name in stored - {*map(root_of, [*self.names, *self.variables_after])}:
            tx.locals.pop(name, None)
        return found

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

    def check_memory(self, operands: tuple[Node, ...]) -> None:
        """Arrays that an iteration writes into must be known by one name only."""
        tx, graph = self.tx, self.body.graph
        from_carried = {
            node for name, node in self.body.carried.items() if node in written(tx, graph)
        }
        if not from_carried:
            return
        owners = [owner(tx, node) for node in operands if is_array(node)]
        starts = [owner(tx, v) for v in self.initial if isinstance(v, Node) and is_array(v)]
        if len(set(starts)) != len(starts) or set(starts) & set(owners):
            raise GraphBreak("the loop writes into an array that has two names")
        for name, start in zip(self.body.carried, starts):
            if start.op != "call_function" or start in tx.state.may_alias:
                raise GraphBreak(f"the loop writes into {name!r}, and gives it another array")
            tx.state.consumed[start] = self.taken(name)
