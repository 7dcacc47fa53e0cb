"""What both arms of a branch leave, as results of one node."""
from __future__ import annotations

import operator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...base.records import dataclass
from ...bytecode.flow import Loop
from ...bytecode.liveness import live_locals
from ...errors import GraphBreak
from ...ir import control
from ...ir.graph import Graph
from ...ir.node import Node
from ...ir.types import ArrayType, Form
from ..object_model.constants import NONE, ConstantVariable
from ..state.trace import AliasInfo
from ..state.tracker import VariableTracker
from ..trackers.arrays.arrays import ArrayVariable, PhiVariable
from ..trackers.arrays.graph_values import record
from ..trackers.arrays.phi import (
    ChosenNumber,
    Kinds,
    PhiNumber,
    is_object,
    python_value,
    types_of,
    united,
    which,
)
from .capture import (
    adding_to,
    checked_close,
    is_fresh,
    is_view,
    owner,
    results,
    tracker_of,
    type_of,
)
from .parts import Parts, parts_of, settled

if TYPE_CHECKING:
    from ..state.tx import Tx

JOINED, ITERATION, RETURNED, RAISED = "joined", "iteration", "returned", "raised"


@dataclass(slots=True)
class Arm:
    """One arm of a branch: the body that was traced, how it ended, and what it left."""

    graph: Graph
    end: str
    index: int
    locals: dict[str, VariableTracker]
    stack: list[VariableTracker]
    since: int
    """What is made from then on is made in the arm."""
    result: VariableTracker | None = None
    """What is returned (RETURNED), or whether the loop goes on (ITERATION)."""


def merge(tx: Tx, test: Any, arms: list[Arm], loop: Loop | None, at: int) -> None:
    """The state after both arms."""
    merging = Merging(tx, test, arms, at)
    end = arms[0].end
    if end == RETURNED:
        value = merging.merged("the result", arms[0].result, arms[1].result)
        merging.record()
        tx.returned = merging.tracker(value)
        return
    lengths = {*tx.state.list_lengths}
    live = live_locals(tx.code, arms[0].index) | lengths
    if end == ITERATION:
        assert loop is not None
        live = live_locals(tx.code, loop.head) | lengths | (
            live_locals(tx.code, tx.exits[loop.head][0]) if loop.head in tx.exits else frozenset()
        )
    found = {name: merging.local(name) for name in sorted(live & merging.names())}
    proceed: Any = None
    if end == ITERATION:
        proceed = decided(tx, test, arms) or merging.merged("", arms[0].result, arms[1].result)
    stack: list[Any] = []
    if len(arms[0].stack) == len(arms[1].stack):
        stack = [merging.merged("a value", *pair) for pair in zip(arms[0].stack, arms[1].stack)]
    elif end == JOINED:
        raise GraphBreak("the arms of a branch leave different stacks")
    merging.record()
    tx.locals = {
        name: value for name, value in tx.locals.items() if name not in live or name in found
    }
    for name, value in found.items():
        (tx.state.list_lengths if name in lengths else tx.locals)[name] = merging.tracker(value)
    tx.stack = [merging.tracker(value) for value in stack]
    if proceed is not None:
        tx.proceed = merging.tracker(proceed)
        tx.region = loop if tx.region is loop else tx.region
        if tx.region is not loop:  # the loop is unrolled, and both arms iterate again
            assert loop is not None
            tx.proceed = None
    tx.index = arms[0].index


class Unmerged(GraphBreak):
    """A variable (`name`) that has values of types which cannot be one after the two arms."""

    def __init__(
        self, reason: str, name: str, values: tuple[VariableTracker, VariableTracker]
    ) -> None:
        super().__init__(reason)
        self.name = name
        self.values = values


@dataclass(frozen=True, slots=True)
class Slot:
    """A result of the node that the branch becomes; `choices` are arrays that it may be, or NONE
    for one that cannot be named."""

    place: int
    choices: tuple[VariableTracker | None, ...]


@dataclass(frozen=True, slots=True)
class PhiSlot:
    """The place of a number whose type the arms decide; the next place says which type it is."""

    place: int
    kinds: Kinds


@dataclass(eq=False, slots=True)
class Tree:
    """A container of merged values; `made` is its one tracker."""

    whole: Parts
    items: list[Any]
    made: VariableTracker | None = None


class Merging:
    """Collects what differs between the two arms, as results of a `control.cond`."""

    def __init__(self, tx: Tx, test: Any, arms: list[Arm], at: int) -> None:
        self.tx, self.test, self.arms = tx, test, arms
        self.alias = AliasInfo(
            "an array that is another one, or not, after a branch on data", (tx.code, at)
        )
        self.kinds: list[ArrayType] = []
        self.outputs: tuple[list[Any], list[Any]] = ([], [])
        self.made: list[Node] = []
        self.may_alias: dict[int, tuple[Node, ...]] = {}
        self.slots: dict[Any, Slot] = {}
        self.trees: dict[tuple[int, int], Tree] = {}
        self.trackers: dict[int, VariableTracker] = {}

    def names(self) -> set[str]:
        return {*self.arms[0].locals, *self.arms[1].locals}

    def local(self, name: str) -> Any:
        first, second = (arm.locals.get(name) for arm in self.arms)
        if first is None or second is None:
            raise GraphBreak(f"{name!r} has a value in only one arm of a branch on data")
        return self.merged(repr(name), first, second)

    def merged(self, name: str, first: Any, second: Any) -> Any:
        """A tracker, a Slot, or a Tree of these for a container."""
        first, second = settled(first), settled(second)
        if first is second or same_constant(first, second):
            return first
        if (tree := self.tree(name, first, second)) is not None:
            return tree
        kinds = type_of(first), type_of(second)
        is_phi = any(isinstance(value, PhiNumber) for value in (first, second))
        if (is_phi or kinds[0] != kinds[1]) and (phis := united(first, second)) is not None:
            return self.phis((first, second), phis)
        if is_phi or kinds[0] is None or kinds[0] != kinds[1]:
            told = [
                value.describe() if kind is None or is_phi else str(kind)
                for kind, value in zip(kinds, (first, second))
            ]
            raise Unmerged(
                f"{name or 'a value'} is {told[0]} in one arm of a branch on data, and "
                f"{told[1]} in the other", name.strip("'"), (first, second),
            )
        pair = first.as_argument(self.tx), second.as_argument(self.tx)
        if isinstance(first, ArrayVariable) and pair in self.slots:
            return self.slots[pair]
        place = len(self.kinds)
        self.kinds.append(kinds[0])
        choices: list[VariableTracker | None] = []
        for outputs, value, arm in zip(self.outputs, (first, second), self.arms):
            outputs.append(value.as_argument(self.tx))
            inside = getattr(value, "node", None) in arm.graph.nodes
            is_number = not isinstance(value, ArrayVariable)
            choices.append(value if is_number and is_object(value) and not inside else None)
            if isinstance(value, ArrayVariable):
                alias = self.tx.state.may_alias.get(owner(self.tx, value.node))
                if alias is not None and alias.sources:
                    self.may_alias[place] = self.may_alias.get(place, ()) + alias.sources
            if isinstance(value, ArrayVariable) and not is_fresh(self.tx, value.node, arm.graph):
                self.note_alias(place, value.node)
                choices[-1] = NONE if inside else value
        if isinstance(first, ArrayVariable):
            self.slots[pair] = Slot(place, tuple(choices))
            self.check_aliases()
            return self.slots[pair]
        return Slot(place, tuple(choices))

    def tree(self, name: str, first: VariableTracker, second: VariableTracker) -> Tree | None:
        """Two containers of the same structure that the arms have made, leaf by leaf."""
        one, other = parts_of(first, self.arms[0].since), parts_of(second, self.arms[1].since)
        if one is None or other is None:
            return None
        if one.structure != other.structure:
            raise GraphBreak(
                f"{name or 'a value'} has the parts {', '.join(one.keys)} in one arm of a "
                f"branch on data, and {', '.join(other.keys)} in the other"
            )
        if not one.has_identity:
            return Tree(one, self.leaves(name, one, other))
        sides = id(first), id(second)
        if (known := self.trees.get(sides)) is not None:
            return known
        if any(side in pair for pair in self.trees for side in sides):
            raise GraphBreak(f"{name} is one with another variable in one arm of a branch only")
        tree = self.trees[sides] = Tree(one, [])
        tree.items += self.leaves(name, one, other)
        return tree

    def leaves(self, name: str, first: Parts, second: Parts) -> list[Any]:
        name = name.strip("'")
        pairs = zip(first.items, second.items)
        return [self.merged(name + key, *pair) for key, pair in zip(first.keys, pairs)]

    def phis(self, values: tuple[VariableTracker, VariableTracker], kinds: Kinds) -> PhiSlot:
        """Two results: the number, and which type it has."""
        for outputs, value, arm in zip(self.outputs, values, self.arms):
            with adding_to(self.tx, arm.graph):
                outputs += [python_value(self.tx, value, kinds), which(value, kinds)]
        self.kinds += types_of(kinds)
        return PhiSlot(len(self.kinds) - 2, kinds)

    def check_aliases(self) -> None:
        """Two variables that are one array in one arm only cannot be told."""
        for side in (0, 1):
            owners = [owner(self.tx, pair[side]) for pair in self.slots]
            if len(set(owners)) < len(owners):
                raise GraphBreak("two variables are one array in one arm of a branch on data")

    def note_alias(self, place: int, node: Node) -> None:
        self.may_alias.setdefault(place, ())
        self.tx.state.sources.setdefault(owner(self.tx, node), self.alias)

    def record(self) -> None:
        """Add the node, unless the arms do nothing."""
        for arm, outputs in zip(self.arms, self.outputs):
            arm.graph.output(tuple(outputs))
        if not self.kinds and not any(arm.graph.calls for arm in self.arms):
            return
        operands = checked_close(self.tx, [arm.graph for arm in self.arms])
        bodies = tuple(arm.graph for arm in self.arms)
        self.made = results(
            self.tx, control.cond, (self.test, *bodies, operands), self.kinds
        )
        for place, values in enumerate(zip(*self.outputs)):
            if any(is_view(self.tx, value) for value in values):
                self.may_alias[place] = ()
        for place, sources in self.may_alias.items():
            self.tx.state.may_alias[self.made[place]] = replace(self.alias, sources=sources)

    def tracker(self, value: Any) -> VariableTracker:
        if isinstance(value, Slot):
            if value.place not in self.trackers:
                made = self.chosen(self.made[value.place], value.choices)
                self.trackers[value.place] = made
            return self.trackers[value.place]
        if isinstance(value, PhiSlot):
            number, test = self.made[value.place : value.place + 2]
            return PhiNumber(number, test, value.kinds)
        if isinstance(value, Tree):
            if value.made is None:
                value.made = value.whole.build([self.tracker(item) for item in value.items])
            return value.made
        found: VariableTracker = value
        return found

    def chosen(self, made: Node, choices: tuple[VariableTracker | None, ...]) -> VariableTracker:
        if all(choice is None for choice in choices):
            return tracker_of(made)
        phis = PhiVariable if made.type.form is Form.ARRAY else ChosenNumber
        return phis(made, self.test, choices)


def decided(tx: Tx, test: Any, arms: list[Arm]) -> VariableTracker | None:
    """Whether the loop goes on, where that is just which arm was taken."""
    goes_on = [
        arm.result.value if isinstance(arm.result, ConstantVariable) else None for arm in arms
    ]
    if goes_on == [True, False]:
        return tracker_of(test)
    return record(tx, operator.not_, (test,)) if goes_on == [False, True] else None


def same_constant(first: VariableTracker, second: VariableTracker) -> bool:
    """Two constants that no one can tell apart."""
    if not isinstance(first, ConstantVariable) or not isinstance(second, ConstantVariable):
        return False
    values = first.value, second.value
    return type(values[0]) is type(values[1]) and repr(values[0]) == repr(values[1]) and (
        first.source == second.source
    )
