"""Arrays that a loop passes on from iteration to iteration: whose memory they are behind it."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ...base.records import dataclass, field
from ...bytecode.flow import Loop
from ...errors import GraphBreak
from ...ir import control
from ...ir.control import all_nodes
from ...ir.node import Node
from ...ir.types import ArrayType
from ..state.trace import AliasInfo
from ..trackers.arrays.arrays import ArrayVariable
from .bodies import Body, Unsettled
from .capture import is_array, is_fresh, is_view, owner, written
from .iterations import Iterations
from .parts import settled

if TYPE_CHECKING:
    from ..state.tx import Tx


@dataclass(slots=True)
class Carried:
    """The variables that a loop carries, with their values before it and after an iteration;
    behind them come names and types of others that it gives back."""

    names: list[str] = field(default_factory=list)
    initial: list[Any] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    kinds: list[ArrayType] = field(default_factory=list)

    def add(self, name: str, kind: ArrayType, initial: Any, output: Any) -> None:
        self.names.append(name)
        self.kinds.append(kind)
        self.initial.append(initial)
        self.outputs.append(output)

    def owners(self, tx: Tx) -> dict[str, Node]:
        """Whose memory the arrays of these variables are, before the loop."""
        return {
            name: owner(tx, value) for name, value in zip(self.names, self.initial)
            if isinstance(value, Node) and is_array(value)
        }


class PassedArrays:
    """Which results of a loop may be arrays from before it, and which arrays it has consumed."""

    def __init__(
        self, tx: Tx, loop: Loop, body: Body, carried: Carried, iterations: Iterations | None
    ) -> None:
        self.tx, self.body, self.carried, self.iterations = tx, body, carried, iterations
        self.place = tx.code, loop.head

    def may_alias(self, must_settle: bool) -> dict[str, AliasInfo]:
        """Variables that may be arrays from before the loop, and why; `must_settle`: iterations
        that differ are not made one."""
        found: dict[str, AliasInfo] = {}
        for name, output in zip(self.carried.names, self.carried.outputs):
            if is_array(self.body.carried[name]) and not is_fresh(
                self.tx, output, self.body.graph
            ):
                what = f"{name!r}, which may be an array from before the loop"
                found[name] = AliasInfo(what, self.place)
        if found:
            return self.consume(found, must_settle)
        if self.iterations is not None:
            return self.without_iterations(self.iterations)
        return {}

    def consume(self, may_alias: dict[str, AliasInfo], must_settle: bool) -> dict[str, AliasInfo]:
        """Arrays that are passed on from iteration to iteration, as when two take turns.

        Where all of them were made in the graph and nothing else needs them any more, nobody can
        tell which of them a result is: the loop has consumed them.
        """
        state, starts = self.tx.state, self.carried.owners(self.tx)
        made = all(self.is_made(node) for node in starts.values())
        whole = all(
            not isinstance(out, Node) or not is_array(out) or out in self.body.carried.values()
            or is_fresh(self.tx, out, self.body.graph) for out in self.carried.outputs
        )
        views = self.begins_with_views()
        if made and whole and not views and len(set(starts.values())) == len(starts):
            self.take(starts)
            return {}
        if must_settle and not made:
            raise Unsettled("a variable may be an array from before the loop")
        nodes = (*starts.values(), *self.from_outside())
        sources = () if views else nodes
        for node in nodes:
            state.sources.setdefault(node, self.taken("an array"))
        return {name: replace(info, sources=sources) for name, info in may_alias.items()}

    def from_outside(self) -> list[Node]:
        """Whose memory the arrays are that iterations find around the loop, and pass on."""
        inside = {*self.body.carried.values(), *all_nodes(self.body.graph)}
        passed = [out for out in self.carried.outputs if isinstance(out, Node) and is_array(out)]
        found: dict[Node, set[Node]] = {}
        origins = {one for out in passed for one in origins_of(self.tx, out, found)}
        known = self.tx.state.may_alias
        return [
            one for one in origins
            if one not in inside or (one in known and not known[one].sources)
        ]

    def without_iterations(self, iterations: Iterations) -> dict[str, AliasInfo]:
        """Which arrays are those from before where there is no iteration.

        One that was made in the graph, and has one name, is consumed. Of others, whether there is
        an iteration is guarded; where data says it, they may alias.
        """
        tx, state, starts = self.tx, self.tx.state, self.carried.owners(self.tx)
        held = [settled(v) for name, v in tx.locals.items() if name not in starts]
        held += map(settled, tx.stack)
        others = {owner(tx, value.node) for value in held if isinstance(value, ArrayVariable)}
        if not starts or iterations.always:
            return {}
        whole = not self.begins_with_views()
        if whole and len(set(starts.values())) == len(starts) and all(
            self.is_made(node) and node not in others for node in starts.values()
        ):
            self.take(starts)
            return {}
        if iterations.certain(tx):
            return {}
        if iterations.known:
            raise GraphBreak("there may be no iteration")
        what = "which is an array from before the loop where there is no iteration"
        sources = tuple(starts.values()) if whole and not tx.graph.is_body else ()
        for node in starts.values():
            state.sources.setdefault(node, self.taken("an array"))
        return {name: AliasInfo(f"{name!r}, {what}", self.place, sources) for name in starts}

    def views(self, outputs: list[Any]) -> dict[str, AliasInfo]:
        """Results that are parts of other arrays, where the loop gives copies of these parts."""
        first = self.carried.initial if self.iterations is None else []
        made = zip_longest(self.carried.names, outputs, first)
        return {
            name: AliasInfo(f"{name!r}, a view that a loop made", self.place)
            for name, *values in made if any(is_view(self.tx, value) for value in values)
        }

    def begins_with_views(self) -> bool:
        return any(is_view(self.tx, value) for value in self.carried.initial)

    def is_made(self, node: Node) -> bool:
        """Whether the graph made an array, which is no other."""
        return node.op == "call_function" and node not in self.tx.state.may_alias

    def take(self, starts: dict[str, Node]) -> None:
        self.tx.state.consumed.update({node: self.taken(name) for name, node in starts.items()})

    def taken(self, name: str) -> AliasInfo:
        what = f"an array that was {name!r} before a loop which took its memory over"
        return AliasInfo(what, self.place)

    def stay_apart(self) -> bool:
        """Whether what an iteration passes on is new, or in memory of one of the arrays that it was
        passed, and no two variables share memory."""
        passed = [out for out in self.carried.outputs if isinstance(out, Node) and is_array(out)]
        homes = [owner(self.tx, out) for out in passed]
        mine = {*self.body.carried.values()}
        return len({*homes}) == len(homes) and all(
            home in mine or is_fresh(self.tx, out, self.body.graph)
            for home, out in zip(homes, passed)
        )

    def check_memory(self, operands: tuple[Node, ...]) -> None:
        """Arrays that an iteration writes into must be known by one name only."""
        tx = self.tx
        if written(tx, self.body.graph).isdisjoint(self.body.carried.values()):
            return
        if not self.stay_apart():
            raise GraphBreak("the loop writes into an array that may be part of another one")
        starts = self.carried.owners(tx)
        mine, others = {*starts.values()}, {owner(tx, node) for node in operands if is_array(node)}
        if len(mine) != len(starts) or mine & others:
            raise GraphBreak("the loop writes into an array that has two names")
        for name, start in starts.items():
            if not self.is_made(start):
                raise GraphBreak(f"the loop writes into {name!r}, and gives it another array")
        self.take(starts)


def origins_of(tx: Tx, node: Node, known: dict[Node, set[Node]]) -> set[Node]:
    """Whose memory an array may be, as far as it is not `known` yet."""
    found = owner(tx, node)
    if found not in known:
        known[found] = set(found_origins(tx, found, known))
    return known[found]


def found_origins(tx: Tx, node: Node, known: dict[Node, set[Node]]) -> Iterator[Node]:
    """That of a result of a branch is what its arms give. What a loop gives is its own, or noted as
    `may_alias`."""
    alias, call = tx.state.may_alias.get(node), node.args[0] if node.args else None
    if not isinstance(call, Node) or call.target is not control.cond:
        yield node
        yield from () if alias is None else alias.sources
        return
    for arm in control.bodies(call):
        for own, given in zip(arm.placeholders, control.given(call)):
            if isinstance(given, Node) and is_array(given):
                known[own] = origins_of(tx, given, known)
        yield from origins_of(tx, arm.outputs[node.args[1]], known)
