"""The node that is made of a loop whose round has been traced."""
from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ..bytecode.flow import Loop, shape_of
from ..bytecode.liveness import live_locals
from ..errors import GraphBreak
from ..ir import control
from ..ir.node import Node
from ..ir.tree import map_leaves
from ..ir.types import ArrayType, python_number
from ..trace import Twin
from ..variables.arrays import ArrayVariable
from ..variables.base import VariableTracker
from ..variables.constants import ConstantVariable
from ..variables.either import EitherNumber, united
from .bodies import Body, Unsettled
from .branches import is_data, predicate
from .capture import (
    adding_to,
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
from .parts import identities_of, root_of, settled
from .rounds import Rounds

if TYPE_CHECKING:
    from ..frames import Translator


class Recording:
    """Makes the node of a loop: which variables it carries, and what it gives back."""

    def __init__(
        self, tx: Translator, loop: Loop, body: Body, rounds: Rounds | None, count: int
    ) -> None:
        self.tx, self.loop, self.body, self.count = tx, loop, body, count
        self.rounds, self.ends = rounds, None if rounds is None else rounds.ends
        self.leaves = is_data(body.going) or (
            body.going.as_constant(tx) is False
        )
        self.initial: list[Any] = []
        self.outputs: list[Any] = []
        self.kinds: list[ArrayType] = []
        self.names: list[str] = []
        self.kept: dict[str, VariableTracker] = {}
        self.broke: VariableTracker | None = None

    def record(self) -> None:
        tx, graph = self.tx, self.body.graph
        if not self.leaves and self.ends is None:
            raise GraphBreak("the loop has no end that depends on data")
        entangled = self.carry()
        lasts = self.last_values()
        going: Any = True
        if self.leaves:
            going = self.going()
        outputs = [going, *self.outputs, *lasts]
        entangled |= self.views([*self.outputs, *lasts])
        if self.leaves and self.ends is not None:
            outputs.insert(1 + len(self.initial), going)
            self.kinds.insert(len(self.initial), python_number(bool))
            self.initial.append(True)
            graph.placeholder("going", python_number(bool))
        graph.output(tuple(outputs))
        operands = checked_close(tx, [graph])
        self.check_memory(operands)
        args: tuple[Any, ...] = (graph, tuple(self.initial), operands)
        if self.ends is not None:
            made = results(tx, control.for_loop, (*self.ends, *args), self.kinds)
        else:
            made = results(tx, control.while_loop, (True, *args), self.kinds)
        if self.leaves and self.ends is not None:
            self.broke = tracker_of(made.pop(len(self.initial) - 1))
        for name, node in zip(self.names, made):
            self.kept[name] = tracker_of(node)
            if name in entangled:
                tx.state.entangled[node] = entangled[name]

    def going(self) -> Any:
        """Whether another round follows, as a Python bool."""
        if not is_data(self.body.going):
            return False
        with adding_to(self.tx, self.body.graph):
            return predicate(self.tx, self.body.going)

    def carry(self) -> dict[str, Twin]:
        """Which variables a round changes; those that stay what they are, are operands."""
        tx, body = self.tx, self.body
        entangled: dict[str, Twin] = {}
        moved: set[str] = set()
        unsettled: list[Unsettled] = []
        for name, placeholder in list(body.carried.items()):
            value = body.after.get(name)
            if value is None:
                raise GraphBreak(f"{name!r} is deleted in the loop")
            if getattr(value, "node", None) is placeholder:
                self.keep(name, placeholder)
                continue
            kind = type_of(value)
            if kind != placeholder.type or isinstance(value, EitherNumber):
                unsettled.append(self.changed(name, value))
                continue
            moved.add(name)
            self.names.append(name)
            self.initial.append(body.before[name].as_argument(tx))
            self.outputs.append(value.as_argument(tx))
            self.kinds.append(placeholder.type)
            if is_array(placeholder) and not is_fresh(tx, self.outputs[-1], body.graph):
                what = f"{name!r}, which may be an array from before the loop"
                entangled[name] = Twin(what, (tx.code, self.loop.head))
        if unsettled:
            either = {name: kinds for one in unsettled for name, kinds in one.either.items()}
            all_ = len(either) == len(unsettled)
            again = all(one.again for one in unsettled)
            raise Unsettled(str(unsettled[0]), either if all_ else None, again)
        if entangled:
            self.untangle(entangled)
        elif self.rounds is not None:
            entangled = self.left_alone(self.rounds)
        return entangled

    def views(self, outputs: list[Any]) -> dict[str, Twin]:
        """Results that are parts of other arrays, where the loop gives copies of these parts."""
        first = self.initial if self.rounds is None else []
        made = zip_longest(self.names, outputs, first)
        return {
            name: Twin(f"{name!r}, a view that a loop made", (self.tx.code, self.loop.head))
            for name, *values in made if any(is_view(self.tx, value) for value in values)
        }

    def left_alone(self, rounds: Rounds) -> dict[str, Twin]:
        """Which arrays are those from before where there is no round.

        One that was made in the graph, and has one name, is consumed. Of others, whether there is a
        round is guarded; where data says it, they are entangled.
        """
        tx, state = self.tx, self.tx.state
        starts = {
            name: owner(tx, value) for name, value in zip(self.names, self.initial)
            if isinstance(value, Node) and is_array(value)
        }
        held = [settled(v) for name, v in tx.locals.items() if name not in starts]
        held += map(settled, tx.stack)
        others = {owner(tx, value.node) for value in held if isinstance(value, ArrayVariable)}
        if not starts or rounds.always:
            return {}
        whole = not any(is_view(tx, value) for value in self.initial)
        if whole and len(set(starts.values())) == len(starts) and all(
            node.op == "call_function" and node not in state.entangled and node not in others
            for node in starts.values()
        ):
            state.consumed.update({node: self.taken(name) for name, node in starts.items()})
            return {}
        if rounds.certain(tx):
            return {}
        if rounds.known:
            raise GraphBreak("there may be no round")
        what = "which is an array from before the loop where there is no round"
        place = tx.code, self.loop.head
        sources = tuple(starts.values()) if whole and not tx.graph.is_body else ()
        for node in starts.values():
            state.sources.setdefault(node, self.taken("an array"))
        return {name: Twin(f"{name!r}, {what}", place, sources) for name in starts}

    def changed(self, name: str, value: VariableTracker) -> Unsettled:
        """A round gives a variable another type."""
        before = self.body.before[name]
        kinds = united(before, value) if name not in self.body.either else None
        kind = type_of(before)
        after = value.describe() if isinstance(value, EitherNumber) else type_of(value)
        return Unsettled(
            f"{name!r} is {kind} before a round of the loop, and {after or value.describe()} "
            "after it", {name: kinds} if kinds is not None else None,
            not isinstance(value, EitherNumber),
        )

    def untangle(self, entangled: dict[str, Twin]) -> None:
        """Arrays that are passed on from round to round, as when two take turns.

        Where all of them were made in the graph and nothing else needs them any more, nobody can
        tell which of them a result is: the loop has consumed them.
        """
        tx = self.tx
        starts = {
            name: owner(tx, value) for name, value in zip(self.names, self.initial)
            if isinstance(value, Node) and is_array(value)
        }
        state = tx.state
        made = all(node.op == "call_function" and node not in state.entangled
                   for node in starts.values())
        whole = all(
            not isinstance(out, Node) or not is_array(out) or out in self.body.carried.values()
            or is_fresh(tx, out, self.body.graph) for out in self.outputs
        )
        views = any(is_view(tx, value) for value in self.initial)
        if made and whole and not views and len(set(starts.values())) == len(starts):
            for name, node in starts.items():
                state.consumed[node] = self.taken(name)
            entangled.clear()
            return
        if self.leaves and not self.count and not made:
            raise Unsettled("a variable may be an array from before the loop")
        for name in entangled:
            sources = () if views else tuple(starts.values())
            entangled[name] = replace(entangled[name], sources=sources)
        for node in starts.values():
            state.sources.setdefault(node, self.taken("an array"))

    def taken(self, name: str) -> Twin:
        what = f"an array that was {name!r} before a loop which took its memory over"
        return Twin(what, (self.tx.code, self.loop.head))

    def keep(self, name: str, placeholder: Node) -> None:
        """A variable that has the same value in every round is read from around the loop."""
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
        self.kept[name] = body.before[name]

    def last_values(self) -> list[Any]:
        """Variables that the rest of the frame reads, with their values of the last round."""
        tx, body = self.tx, self.body
        after = live_locals(tx.code, tx.exits[self.loop.head][0])
        if self.ends is not None:
            after |= live_locals(tx.code, tx.instructions[self.loop.head].target or 0)
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
        for name in sorted(wanted - {*self.names} - {*self.kept} - {*body.fixed}):
            value = body.after[name]
            if not (self.rounds is None or self.rounds.certain(tx)):
                raise GraphBreak(f"{name!r} may have no value after the loop")
            kind = type_of(value)
            if kind is None or isinstance(value, ConstantVariable):
                self.check_outside(name, value)
                self.kept[name] = value
                continue
            found.append(value.as_argument(tx))
            if is_array(found[-1]) if isinstance(found[-1], Node) else False:
                if not is_fresh(tx, found[-1], body.graph):
                    raise GraphBreak(f"{name!r} may be an array from outside of the loop")
            self.names.append(name)
            self.kinds.append(kind)
        for name in stored - {*map(root_of, [*self.names, *self.kept])}:
            tx.locals.pop(name, None)
        return found

    def check_names(self, names: set[str]) -> None:
        """A list or dict that a round makes must have one name only after it."""
        body = self.body
        made = [
            id(value) for name in names
            for value in identities_of(body.left[name], body.since_of(name))
        ]
        if len({*made}) < len(made):
            raise GraphBreak("the loop makes a list or dict that has two names")

    def check_outside(self, name: str, value: VariableTracker) -> None:
        """What the graph cannot hold must not be made of what a round computes."""
        inside = {*self.body.graph.nodes}
        for tracker in reachable([value]):
            if getattr(tracker, "node", None) in inside or hasattr(tracker, "frame"):
                raise GraphBreak(f"{name!r} is {value.describe()} made in the loop")

    def check_memory(self, operands: tuple[Node, ...]) -> None:
        """Arrays that a round writes into must be known by one name only."""
        tx, graph = self.tx, self.body.graph
        from_carried = {
            node for name, node in self.body.carried.items() if node in written(graph, tx.shapes)
        }
        if not from_carried:
            return
        owners = [owner(tx, node) for node in operands if is_array(node)]
        starts = [owner(tx, v) for v in self.initial if isinstance(v, Node) and is_array(v)]
        if len(set(starts)) != len(starts) or set(starts) & set(owners):
            raise GraphBreak("the loop writes into an array that has two names")
        for name, start in zip(self.body.carried, starts):
            if start.op != "call_function" or start in tx.state.entangled:
                raise GraphBreak(f"the loop writes into {name!r}, and gives it another array")
            tx.state.consumed[start] = self.taken(name)
