"""One iteration of a loop, traced as a body from variables of known types."""
from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...base.records import dataclass, field
from ...bytecode.flow import Loop, shape_of
from ...bytecode.liveness import live_locals
from ...errors import GraphBreak
from ...ir.graph import Graph
from ...ir.node import Node
from ...ir.types import ArrayType, Form, python_number
from ..object_model.constants import TRUE, ZERO, ConstantVariable
from ..object_model.lazy import realise
from ..recording.nodes import adding_to
from ..state.fields import Field, FieldName, NewField
from ..state.trace import LoopPlan
from ..state.tracker import COUNTER, VariableTracker
from ..trackers.array_backed.growing import GrowingVariable
from ..trackers.arrays.optional_numbers import OptionalNumber, is_none, optional
from ..trackers.arrays.perhaps_bound import PerhapsBound, never_bound
from ..trackers.arrays.unions import (
    Kinds,
    UnionNumber,
    is_exact,
    types_of,
    types_together,
    united,
    value_and_type,
)
from ..trackers.arrays.words import WordVariable, as_word
from ..trackers.containers.lists import ListByValue, ListVariable
from ..trackers.objects.objects import ObjectVariable
from .branches import run
from .capture import capturing, tracker_of, type_of
from .escapes import reachable
from .exits import live_behind
from .growing import has_one_name
from .iterations import Iterations, note_bounds
from .merging import Unmerged, same_constant
from .parts import (
    ALWAYS,
    NEVER,
    by_value,
    identities_of,
    leaves_of,
    root_of,
    settled,
    structure_of,
    with_leaves,
)
from .side_exits import EXIT, SideExits, names_at_side_exits, side_exits_of
from .variables import assign, find_field, planned_fields, variables

if TYPE_CHECKING:
    from ..state.tx import Tx


class Unsettled(GraphBreak):
    """An iteration changes the type of a variable.

    `unions` are variables that could have one of two types; `again`: perhaps types have settled an
    iteration later. `replaced` is a variable that has another object after each iteration, `word`
    one that has become an int of 64 bits. `bound` is one that had no value before, and the type of
    the number that it perhaps has. `around` is one that could have one of two types if it had them
    in the loop around this one, too.
    """

    def __init__(
        self, reason: str, unions: Unions | None = None, again: bool = True, replaced: str = "",
        word: str = "", bound: tuple[str, ArrayType] | None = None,
        around: tuple[str, Kinds] | None = None,
    ) -> None:
        super().__init__(reason)
        self.bound = bound
        self.around = around
        self.unions = unions or {}
        self.again = again
        self.replaced = replaced
        self.word = word


Unions = dict[str, Kinds]
REPLACED = (ObjectVariable, GrowingVariable, ListVariable)
"""What a variable may have another one of after each iteration, if nothing else leads to it."""


@dataclass(slots=True)
class Body:
    """One iteration of a loop, traced; `carried` are the placeholders of what it changes.

    A variable that is a tuple is as many variables as it has leaves, named by their paths.
    Of a variable in `unions` the number and its type are variables of their own, by the names
    `name` and `type_name(name)`; `whole` has the variable itself as it is before the loop.
    """

    graph: Graph
    since: int
    """What is made from then on is made in the iteration."""
    index: Node | None = None
    carried: dict[str, Node] = field(default_factory=dict)
    before: dict[str, VariableTracker] = field(default_factory=dict)
    after: dict[str, VariableTracker] = field(default_factory=dict)
    unions: Unions = field(default_factory=dict)
    whole: dict[str, VariableTracker] = field(default_factory=dict)
    fixed: dict[str, VariableTracker] = field(default_factory=dict)
    """What is no number or array, and stays what it is."""
    entered: dict[str, VariableTracker] = field(default_factory=dict)
    left: dict[str, VariableTracker] = field(default_factory=dict)
    """The variables of the frame before and after the iteration, in one piece."""
    proceed: VariableTracker = TRUE
    replaced: frozenset[str] = frozenset()
    """Variables whose objects are taken apart: nobody else has them."""
    by_value: frozenset[str] = frozenset()
    """Variables whose lists are handed on by value."""
    side_exits: SideExits | None = None

    def placed(
        self, tx: Tx, outer: Graph, name: str, value: VariableTracker, kinds: Kinds | None
    ) -> VariableTracker:
        """The tracker of a leaf in the iteration."""
        if isinstance(value, UnionNumber):
            kinds = value.kinds
        if kinds is not None and not is_exact(value, kinds):
            raise Unsettled(f"{name!r} is {value.describe()}", around=(name, kinds), again=False)
        if kinds is not None:
            with adding_to(tx, outer):
                self.split(tx, name, value, kinds)
            return UnionNumber(self.carried[name], self.carried[type_name(name)], kinds)
        if (kind := type_of(value)) is None or not fits(value):
            self.fixed[name] = value
            return value
        placeholder = self.graph.placeholder(identifier(name), kind)
        self.before[name], self.carried[name] = value, placeholder
        return tracker_of(placeholder)

    def split(self, tx: Tx, name: str, value: VariableTracker, kinds: Kinds) -> None:
        """Carry a variable of one of two types."""
        self.unions[name], self.whole[name] = kinds, value
        names = name, type_name(name)
        for part, before, kind in zip(names, value_and_type(tx, value, kinds), types_of(kinds)):
            self.before[part] = before
            self.carried[part] = self.graph.placeholder(identifier(part), kind)

    def begin(self, tx: Tx, outer: Graph, names: Iterable[str], plan: LoopPlan) -> None:
        """Make placeholders of the variables that iterations hand on."""
        unions = dict(plan.unions)

        def placed(part: str, leaf: VariableTracker) -> VariableTracker:
            return self.placed(tx, outer, part, realise(tx, leaf), unions.get(part))

        for name in sorted(names):
            value = realise(tx, variables(tx)[name])
            if name in plan.words:
                with adding_to(tx, outer):
                    value = as_word(tx, value)
            since = ALWAYS if name in self.replaced else NEVER
            self.entered[name] = value = with_leaves(name, value, since, placed)
            assign(tx, {name: value})

    def end(self, tx: Tx, loop: Loop) -> None:
        """The iteration is over: what it left in the variables of the frame."""
        self.left = {name: settled(value) for name, value in variables(tx).items()}
        self.left.update(self.exchanged(tx, loop))
        self.bind(tx, loop)
        for name, before in self.entered.items():
            since = self.since_of(name)
            if name in self.left and structure_of(self.left[name], since) != structure_of(
                before, since
            ):
                word = name if isinstance(self.left[name], WordVariable) else ""
                raise Unsettled(
                    f"{name!r} has other parts after an iteration than before", word=word)
        for name, value in self.left.items():
            self.after.update(leaves_of(name, value, self.since_of(name)))
        for name, value in list(self.after.items()):
            kinds = self.unions.get(name)
            if kinds is None and isinstance(value, UnionNumber) and name not in self.carried:
                kinds = self.unions[name] = value.kinds
            if kinds is None:
                continue
            inside = self.carried.get(name)
            if inside is not None and united(UnionNumber(inside, True, kinds), value) != kinds:
                raise Unsettled(f"{name!r} is {value.describe()} after an iteration of the loop")
            self.after[name], self.after[type_name(name)] = value_and_type(tx, value, kinds)
        for name, value in self.fixed.items():
            check_fixed(name, value, self.after.get(name))

    def bind(self, tx: Tx, loop: Loop) -> None:
        """Variables that perhaps have a number before the iteration perhaps have one after it."""
        for name, before in self.entered.items():
            value, kind = self.left.get(name), None
            if value is not None:
                self.left[name] = value = either(name, before, value)
            if isinstance(before, PerhapsBound) and not isinstance(value, PerhapsBound):
                kind = type_of(before.number)
                if value is None and kind is not None:
                    self.left[name] = never_bound(kind)
                elif value is not None and type_of(value) == kind:
                    self.left[name] = PerhapsBound(value, TRUE)
        for name in sorted(live_behind(tx, loop) & {*self.left} - {*self.entered}):
            value = self.left[name]
            if isinstance(value, PerhapsBound):
                raise perhaps_bound(name, value.number)
            if (tx.code, name) in tx.state.read_unbound:
                raise perhaps_bound(name, value)

    def exchanged(self, tx: Tx, loop: Loop) -> dict[str, VariableTracker]:
        """The lists that variables have after the iteration, where it may be another one than
        before: by the name that the length of each had then, or by value."""
        found: dict[str, VariableTracker] = {}
        for name, before in self.entered.items():
            value = self.left.get(name)
            if type(value) not in (GrowingVariable, ListVariable) or before is value:
                continue
            if name not in self.replaced | self.by_value:
                continue
            live = live_behind(tx, loop) | names_at_side_exits(tx)
            others = [one for key, one in self.left.items() if key in live - {name}]
            if value in [*reachable([*others, *tx.stack])]:
                raise GraphBreak(f"{name!r} is a list that has two names after an iteration")
            if isinstance(before, GrowingVariable) and isinstance(value, GrowingVariable):
                found |= {name: value.named(before.name), before.name: value.length(tx)}
            elif name in self.by_value and isinstance(value, ListVariable):
                found[name] = ListByValue(value.items(tx))
        return found

    def joined(self, found: dict[str, VariableTracker]) -> dict[str, VariableTracker]:
        """The variables of the frame, of what the loop has left."""
        for name in {*self.unions} & {*found}:
            number, test = found[name], found.pop(type_name(name))
            if number is self.before.get(name) and test is self.before[type_name(name)]:
                found[name] = self.whole[name]
                continue
            parts = [
                part.value if isinstance(part, ConstantVariable) else part.node  # type: ignore
                for part in (number, test)
            ]
            found[name] = UnionNumber(parts[0], parts[1], self.unions[name])
        leaves = {**self.fixed, **found}
        return {
            name: with_leaves(
                name, self.left[name], self.since_of(name), lambda part, _: leaves[part]
            )
            for name in {*map(root_of, leaves)}
        }

    def since_of(self, name: str) -> int:
        """From when on lists and dicts in a variable are taken apart, if made since."""
        return NEVER if name in self.entered and name not in self.replaced else self.since

    def with_both(self, stop: Unmerged) -> Unsettled | None:
        """Where the arms of a branch give a variable two types, the variable with either of them,
        where there are such numbers."""
        before, own = self.before.get(stop.name), self.carried.get(stop.name)
        others = [value for value in stop.values if getattr(value, "node", None) is not own]
        if before is None or len(others) != 1:
            return None
        if (kinds := united(before, others[0])) is not None:
            return Unsettled(str(stop), {stop.name: kinds}, again=False)
        if (kinds := types_together(before, others[0])) is not None:
            return Unsettled(str(stop), again=False, around=(stop.name, kinds))
        return None


def either(name: str, before: VariableTracker, after: VariableTracker) -> VariableTracker:
    """What an iteration leaves, as a number that may be None where it was one before; where it is
    one in an iteration only, it is to be one from the beginning."""
    if isinstance(before, OptionalNumber):
        return optional(after, type_of(before.number)) or after
    numbers = [one.number if isinstance(one, OptionalNumber) else one for one in (before, after)
               if not is_none(one)]
    is_optional = isinstance(after, OptionalNumber) or is_none(before) is not is_none(after)
    kinds = {type_of(one) for one in numbers}
    kind = kinds.pop() if is_optional and len(kinds) == 1 else None
    if kind is not None and kind.form is not Form.ARRAY:
        raise Unsettled(f"{name!r} is a number or None", bound=(name, kind))
    return after


def perhaps_bound(name: str, value: VariableTracker) -> GraphBreak:
    """An iteration gives a value to a variable that had none."""
    reason, kind = f"{name!r} may have no value in a loop", type_of(value)
    if kind is None or kind.form is Form.ARRAY or isinstance(value, UnionNumber):
        return GraphBreak(reason)
    return Unsettled(reason, bound=(name, kind))


def type_name(name: str) -> str:
    """The variable that says which type a variable of two types has."""
    return f"{name}:type"


def identifier(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_")


def trace_iteration(
    tx: Tx, loop: Loop, stack: tuple[VariableTracker, ...], iterations: Iterations | None,
    plan: LoopPlan,
) -> Body:
    """Trace one iteration from variables of known types."""
    outer, body = tx.graph, Body(tx.graph, next(COUNTER))
    body.replaced = frozenset(name for name in plan.replaced if has_one_name(tx, name))
    others = ((name, by_value(tx, realise(tx, tx.locals[name])))
              for name in sorted(plan.replaced - body.replaced) if name in tx.locals)
    lists = {name: value for name, value in others if value is not None}
    tx.locals |= lists
    body.by_value = frozenset(lists)
    around = tx.region, tx.stops, tx.side_exits
    tx.region, tx.proceed, tx.stops = loop, None, frozenset()
    tx.side_exits = body.side_exits = side_exits_of(tx, loop, stack, iterations)
    line, fields = tx.instructions[loop.head].line, known_fields(tx, plan, body.replaced)
    changed = tx.side_effects.fields.keys(fields.values())
    try:
        with (
            capturing(tx, f"the loop in line {line}", frozenset(fields)) as graph,
            planned_fields(tx, (tx.code, loop.head), plan),
        ):
            body.graph = graph
            if iterations is not None:
                body.index = graph.placeholder("index", python_number(int))
                note_bounds(tx, body.index, iterations)
            for name, kind in plan.bound:
                begin_without(tx, name, kind)
            names = handed_on(tx, loop) | {*tx.state.list_lengths} | changed
            body.begin(tx, outer, names, plan)
            if body.side_exits is not None:
                tx.locals[EXIT] = ZERO
            tx.stack, tx.index = list(stack), loop.head
            if iterations is not None and body.index is not None:
                tx.stack.append(iterations.item(tx, tracker_of(body.index)))
                tx.index += 1
            else:  # the head itself is no end yet
                tx.interpret()
            run(tx, loop, captured=True)
            assert tx.proceed is not None
            body.proceed = tx.proceed
            body.end(tx, loop)
            return body
    except NewField as stop:
        raise Unsettled(str(stop)) from None
    except Unmerged as stop:
        raise (body.with_both(stop) or stop) from None
    finally:
        (tx.region, tx.stops, tx.side_exits), tx.proceed = around, None


def begin_without(tx: Tx, name: str, kind: ArrayType) -> None:
    """A variable that perhaps has a number of a type in the loop: none before, or None."""
    if name in tx.locals:
        value = realise(tx, tx.locals[name])
        tx.locals[name] = optional(value, kind) or value
    elif tx.state.options.binds:
        tx.locals[name] = never_bound(kind)


def handed_on(tx: Tx, loop: Loop) -> set[str]:
    """The locals that an iteration may change and the next one read."""
    stored = {
        inst.argval for at in shape_of(tx.code).reach(loop)
        if (inst := tx.instructions[at]).opname in ("STORE_FAST", "DELETE_FAST")
    }
    return stored & live_locals(tx.code, loop.head) & {*tx.locals}


def known_fields(tx: Tx, plan: LoopPlan, replaced: frozenset[str]) -> dict[FieldName, Field]:
    """The fields that an iteration changes, but for those of objects that are taken apart."""
    apart = [one for name in replaced for one in identities_of(tx.locals[name], ALWAYS)]
    found = {name: find_field(tx, name) for name in plan.fields}
    return {
        name: one for name, one in found.items() if one is not None and one.owner not in apart
    }


def fits(value: VariableTracker) -> bool:
    """Whether an int has at most 64 bits."""
    if not isinstance(value, ConstantVariable) or value.python_type() is not int:
        return True
    return bool(-(2**62) < value.value < 2**62)


def check_fixed(name: str, before: VariableTracker, after: VariableTracker | None) -> None:
    """A variable that the graph cannot hold has to stay what it is."""
    before, after = settled(before), settled(after)
    if before is not after and not (after is not None and same_constant(before, after)):
        is_replaced = type(before) is type(after) and type(before) in REPLACED
        replaced = name if is_replaced else ""
        raise Unsettled(f"{name!r} changes, {before.describe()}", replaced=replaced)
