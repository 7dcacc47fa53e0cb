"""What both arms of a branch leave, as results of one node."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...bytecode.flow import Loop
from ...errors import GraphBreak
from ...ir import core
from ...ir.node import Node
from ...ir.types import Form
from ..object_model.constants import FALSE, NONE, TRUE, ConstantVariable
from ..recording.nodes import adding_to, record
from ..state.tracker import VariableTracker
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.numbers import NumberVariable
from ..trackers.arrays.optional_numbers import OptionalNumber, is_none
from ..trackers.arrays.perhaps_bound import PerhapsBound, nothing
from ..trackers.arrays.phi import Choices
from ..trackers.arrays.unions import (
    Kinds,
    UnionNumber,
    is_object,
    python_value,
    types_of,
    united,
    which,
)
from ..trackers.arrays.words import WordVariable, as_word
from ..trackers.objects.objects import ObjectVariable
from .capture import (
    is_made,
    owner,
    type_of,
)
from .cond_nodes import Cond, Slot, Tree, UnionSlot, decided
from .exits import ITERATION, JOINED, RETURNED, Arm, Exit, keys_of, live_at, only_at_side_exits
from .growing import has_one_name
from .parts import ALWAYS, NEVER, Parts, by_value, identities_of, parts_of, settled
from .variables import is_in_loop, shared

if TYPE_CHECKING:
    from ..state.tx import Tx

def merge(tx: Tx, test: Any, arms: list[Arm], loop: Loop | None, at: int) -> list[Exit]:
    """Where both arms lead, with what they leave there as results of one node."""
    made, keys = Cond(tx, test, arms, at), keys_of(arms)
    places = [Merging(made, [arm.exit(key) for arm in arms], loop) for key in keys]
    taken = [made.taken(key) for key in keys[:-1]]
    made.record()
    exits = [place.exit() for place in places]
    for exit_, found in zip(exits, taken):
        exit_.taken = made.tracker(found)
    return exits


class Unmerged(GraphBreak):
    """A variable (`name`) that has values of types which cannot be one after the two arms."""

    def __init__(
        self, reason: str, name: str, values: tuple[VariableTracker, VariableTracker]
    ) -> None:
        super().__init__(reason)
        self.name = name
        self.values = values


class Merging:
    """What is found at one exit, to which both arms lead, or only one of them: then what the
    other one would leave is zero, and nobody reads it."""

    def __init__(self, cond: Cond, exits: list[Exit | None], loop: Loop | None) -> None:
        self.cond, self.tx, self.exits = cond, cond.tx, [e for e in exits if e is not None]
        self.sides = [side for side, exit_ in enumerate(exits) if exit_ is not None]
        self.slots: dict[Any, Slot] = {}
        self.trees: dict[tuple[int, int], Tree] = {}
        self.live, self.outer = live_at(self.tx, self.exits[0], loop), shared(self.tx)
        names = {name for exit_ in self.exits for name in exit_.locals}
        self.extra = only_at_side_exits(self.tx, self.exits[0], loop)
        found = {name: self.local(name) for name in sorted(self.live & names)}
        self.found = {name: value for name, value in found.items() if value is not None}
        self.result = self.end()
        self.stack: list[Any] = []
        depths = {len(exit_.stack) for exit_ in self.exits}
        if len(depths) == 1 and self.exits[0].end != RETURNED:
            stacks = zip(*(exit_.stack for exit_ in self.exits))
            self.stack = [self.value("a value", *values) for values in stacks]
        elif self.exits[0].end == JOINED:
            raise GraphBreak("the arms of a branch leave different stacks")

    def exit(self) -> Exit:
        """The exit of the branch, when its node has been made."""
        first, tracker = self.exits[0], self.cond.tracker
        locals_ = {
            name: value for name, value in self.tx.locals.items() if name not in self.live
        } | {name: tracker(value) for name, value in self.found.items()}
        return Exit(
            first.end, first.index, first.order, locals_, [tracker(value) for value in self.stack],
            first.current, self.result and tracker(self.result),
        )

    def local(self, name: str) -> Any:
        before = self.outer.get(name)
        values = [exit_.locals.get(name, before) for exit_ in self.exits]
        if None in values and name in self.extra:
            return half(self.cond, values)
        is_perhaps = any(isinstance(value, PerhapsBound) for value in values)
        if None in values or (is_perhaps and len(values) == 2):
            return perhaps(self, name, values)
        return self.value(repr(name), *values)

    def end(self) -> Any:
        """What is returned, or whether another iteration follows."""
        values = [exit_.result for exit_ in self.exits]
        if self.exits[0].end == RETURNED:
            return self.value("the result", *values)
        if self.exits[0].end != ITERATION:
            return None
        known = decided(self.tx, self.cond.test, values) if len(values) == 2 else None
        return known or self.value("", *values)

    def value(self, name: str, *values: Any) -> Any:
        """A tracker, a Slot, or a Tree of these for a container."""
        return self.merged(name, *values) if len(values) == 2 else self.only(name, *values)

    def only(self, name: str, value: Any) -> Any:
        """The same for what is found after one arm alone."""
        value, arm = settled(value), self.cond.arms[self.sides[0]]
        if value.born < arm.since:
            return value
        if (parts := parts_of(value, arm.since)) is not None:
            items = zip(parts.keys, parts.items)
            return self.once(parts, value, value, lambda: [
                self.only(name.strip("'") + key, item) for key, item in items
            ])
        if isinstance(value, UnionNumber):
            return self.unions([value], value.kinds)
        kind, node = type_of(value), getattr(value, "node", None)
        if kind is not None and kind.form is not Form.ARRAY and node in arm.graph.nodes:
            found = [nothing(kind), nothing(kind)]
            found[self.sides[0]] = node
            return self.cond.result(found, kind)
        if node in arm.graph.nodes or not (value.is_constant() or value.source is not None):
            raise GraphBreak(f"{name or 'a value'} is {value.describe()} in one arm of a branch")
        return value

    def merged(self, name: str, first: Any, second: Any) -> Any:
        first, second = settled(first), settled(second)
        if first is second or same_constant(first, second):
            return first
        if isinstance(first, WordVariable) is not isinstance(second, WordVariable):
            first, second = words(self.cond, first, second)
        if (found := optional(self, name, first, second)) is not None:
            return found
        if (tree := self.tree(name, first, second)) is not None:
            return tree
        kinds = type_of(first), type_of(second)
        is_union = any(isinstance(value, UnionNumber) for value in (first, second))
        if (is_union or kinds[0] != kinds[1]) and (union := united(first, second)) is not None:
            return self.unions([first, second], union)
        if is_union or kinds[0] is None or kinds[0] != kinds[1]:
            shapes = self.tx.shapes
            told = [
                value.describe() if kind is None or is_union else shapes.type_described(kind)
                for kind, value in zip(kinds, (first, second))
            ]
            raise Unmerged(
                f"{name or 'a value'} is {told[0]} in one arm of a branch on data, and "
                f"{told[1]} in the other", name.strip("'"), (first, second),
            )
        pair = first.as_argument(self.tx), second.as_argument(self.tx)
        if isinstance(first, ArrayVariable):
            return self.array(pair, first, second)
        return self.cond.result(pair, kinds[0], objects_of(self.cond, (first, second)))

    def array(self, pair: tuple[Node, Node], *values: ArrayVariable) -> Slot:
        """An array that is one of two, each new or one that there was before."""
        if pair in self.slots:
            return self.slots[pair]
        cond, place = self.cond, len(self.cond.kinds)
        choices: list[VariableTracker | None] = []
        for value, arm in zip(values, cond.arms):
            alias = self.tx.state.may_alias.get(owner(self.tx, value.node))
            if alias is not None and alias.sources:
                cond.may_alias[place] = cond.may_alias.get(place, ()) + alias.sources
            choices.append(None)
            if value.phi is not None or not is_made(self.tx, value.node, arm.graph):
                cond.note_alias(place, value.node)
                choices[-1] = NONE if value.node in arm.graph.nodes else value
        if NONE in choices:  # whatever else it may be
            cond.may_alias[place] = ()
        self.slots[pair] = cond.result(pair, values[0].array_type, (choices[0], choices[1]))
        self.check_aliases()
        return self.slots[pair]

    def tree(self, name: str, first: VariableTracker, second: VariableTracker) -> Tree | None:
        """Two containers of the same structure that the arms have made, leaf by leaf."""
        if (both := parts_of_both(self.tx, name, (first, second), self.cond.arms)) is None:
            return None
        one, other = both
        if one.structure != other.structure:
            raise GraphBreak(
                f"{name or 'a value'} has the parts {', '.join(one.keys)} in one arm of a "
                f"branch on data, and {', '.join(other.keys)} in the other"
            )
        items = zip(one.keys, one.items, other.items)
        return self.once(one, first, second, lambda: [
            self.merged(name.strip("'") + key, *pair) for key, *pair in items
        ])

    def once(self, parts: Parts, first: Any, second: Any, items: Callable[[], list[Any]]) -> Tree:
        """A container, which is one Tree wherever it is found."""
        if not parts.has_identity:
            return Tree(parts, items())
        sides = id(first), id(second)
        if (known := self.trees.get(sides)) is not None:
            return known
        if any(side in pair for pair in self.trees for side in sides):
            raise GraphBreak("a container is one with another in one arm of a branch only")
        tree = self.trees[sides] = Tree(parts, [])
        tree.items += items()
        return tree

    def unions(self, values: list[Any], kinds: Kinds) -> UnionSlot:
        """Two results: the number, and which type it has."""
        types, found = types_of(kinds), []
        for side, arm in enumerate(self.cond.arms):
            if side not in self.sides:
                found.append((nothing(types[0]), False))
                continue
            value = values[self.sides.index(side)]
            with adding_to(self.tx, arm.graph):
                found.append((python_value(self.tx, value, kinds), which(value, kinds)))
        slots = [self.cond.result(pair, kind) for pair, kind in zip(zip(*found), types)]
        return UnionSlot(slots[0].place, kinds)

    def check_aliases(self) -> None:
        """Two variables that are one array after one arm only cannot be told."""
        for side in (0, 1):
            owners = [owner(self.tx, pair[side]) for pair in self.slots]
            if len(set(owners)) < len(owners):
                raise GraphBreak("two variables are one array in one arm of a branch on data")


def perhaps(merging: Merging, name: str, values: list[Any]) -> Any:
    """A number, and whether a variable has it: in one arm at least it may have none."""
    first, second = values
    if first is second:
        return first
    numbers = [one.number if isinstance(one, PerhapsBound) else settled(one) for one in values]
    bound = [
        FALSE if one is None else one.is_bound if isinstance(one, PerhapsBound) else TRUE
        for one in values
    ]
    found = with_truth(merging, repr(name), PerhapsBound, numbers, bound)
    if found is None or not merging.tx.state.options.binds:
        raise GraphBreak(f"{name!r} has a value in only one arm of a branch on data")
    return found


def optional(merging: Merging, name: str, *values: VariableTracker) -> Tree | None:
    """A number that is None in one arm at least, or may be."""
    is_there = [
        FALSE if is_none(one) else one.is_there if isinstance(one, OptionalNumber) else TRUE
        for one in values
    ]
    if all(one is TRUE for one in is_there):
        return None
    numbers = [one.number if isinstance(one, OptionalNumber) else None if is_none(one) else one
               for one in values]
    return with_truth(merging, name, OptionalNumber, numbers, is_there)


def with_truth(
    merging: Merging, name: str, kind: type[PerhapsBound] | type[OptionalNumber],
    numbers: list[Any], truths: list[Any],
) -> Tree | None:
    """A number, which may be missing in one arm, and the truth that says whether there is one;
    None where numbers have several types."""
    if (number := one_number(merging.cond, numbers)) is None:
        return None
    truth = decided(merging.tx, merging.cond.test, truths) or merging.merged(name, *truths)
    if isinstance(truth, NumberVariable) and not truth.is_python:  # a bool of NumPy's
        truth = record(merging.tx, core.plain, (truth.as_argument(merging.tx),))
    known = next(one for one in numbers if one is not None)
    parts = parts_of(kind(known, TRUE), NEVER)
    assert parts is not None
    return Tree(parts, [number, truth])


def one_number(cond: Cond, numbers: Sequence[VariableTracker | None]) -> Slot | None:
    """A number that may be missing in one arm, which then is zero; None where numbers have several
    types."""
    known = [number for number in numbers if number is not None]
    kinds = {type_of(number) for number in known}
    kind = kinds.pop() if len(kinds) == 1 else None
    is_union = any(isinstance(number, UnionNumber) for number in known)
    if kind is None or kind.form is Form.ARRAY or is_union:
        return None
    found = [nothing(kind) if one is None else one.as_argument(cond.tx) for one in numbers]
    return cond.result(found, kind, objects_of(cond, numbers))


def objects_of(cond: Cond, values: Sequence[VariableTracker | None]) -> Choices:
    """Of what both arms leave, the objects that there were before."""
    one, other = (
        value if value is not None and is_object(value)
        and getattr(value, "node", None) not in arm.graph.nodes else None
        for value, arm in zip(values, cond.arms)
    )
    return one, other


def half(cond: Cond, values: list[Any]) -> Slot | None:
    """A number that a variable has in one arm, for a side exit there: nobody reads it if the other
    one is taken."""
    value = next(settled(value) for value in values if value is not None)
    kind = type_of(value)
    if kind is None or kind.form is Form.ARRAY or isinstance(value, UnionNumber):
        return None
    found = [nothing(kind) if known is None else value.as_argument(cond.tx) for known in values]
    return cond.result(found, kind)


def words(cond: Cond, *values: VariableTracker) -> Iterator[VariableTracker]:
    """Both as ints of 64 bits, where one is in one arm."""
    for value, arm in zip(values, cond.arms):
        with adding_to(cond.tx, arm.graph):
            yield as_word(cond.tx, value)


def parts_of_both(
    tx: Tx, name: str, values: tuple[VariableTracker, VariableTracker], arms: list[Arm]
) -> tuple[Parts, Parts] | None:
    """Those of what both arms have made; in a loop, which may hand it on by value, also of a list
    of a few numbers that one of them has found."""
    one, other = (parts_left(tx, name, value, arm) for value, arm in zip(values, arms))
    if one is not None and other is not None:
        return one, other
    lists = [by_value(tx, value) for value in values] if is_in_loop(tx) else []
    found = [parts for value in lists if value is not None
             if (parts := parts_of(value, NEVER)) is not None]
    if len(found) < 2 or found[0].structure != found[1].structure:
        return None
    return replace(found[0], has_identity=True), found[1]


def parts_left(tx: Tx, name: str, value: VariableTracker, arm: Arm) -> Parts | None:
    """Those of what an arm has made; and of an object that both have left as it was, where
    nobody can tell whether it is another one."""
    found, name = parts_of(value, arm.since), name.strip("'")
    if found is not None or type(value) is not ObjectVariable:
        return found
    changed = [known.owner for known in tx.side_effects.fields.known.values()]
    is_own = value is tx.locals.get(name) and has_one_name(tx, name)
    if not is_own or any(one in changed for one in identities_of(value, ALWAYS)):
        return None
    return parts_of(value, ALWAYS)


def same_constant(first: VariableTracker, second: VariableTracker) -> bool:
    """Two constants that no one can tell apart."""
    if not isinstance(first, ConstantVariable) or not isinstance(second, ConstantVariable):
        return False
    values = first.value, second.value
    return type(values[0]) is type(values[1]) and repr(values[0]) == repr(values[1]) and (
        first.source == second.source
    )
