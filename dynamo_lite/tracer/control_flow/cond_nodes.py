"""The `cond` node that a branch on data becomes, while it is made."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...base.records import dataclass
from ...ir import control
from ...ir.node import Node
from ...ir.types import ArrayType, Form
from ..object_model.constants import FALSE, ConstantVariable
from ..recording.nodes import record
from ..state.trace import AliasInfo
from ..state.tracker import VariableTracker
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.numbers import ComputedNumber
from ..trackers.arrays.phi import Choices, Phi
from ..trackers.arrays.unions import Kinds, UnionNumber
from .capture import PYTHON_TYPES, checked_close, is_view, owner, results, tracker_of
from .exits import Arm, Key
from .parts import Parts

if TYPE_CHECKING:
    from ..state.tx import Tx


@dataclass(frozen=True, slots=True)
class Slot:
    """A result of the node that the branch becomes; `choices` are arrays that it may be, or NONE
    for one that cannot be named."""

    place: int
    choices: Choices


@dataclass(frozen=True, slots=True)
class UnionSlot:
    """The place of a number whose type the arms decide; the next place says which type it is."""

    place: int
    kinds: Kinds


@dataclass(eq=False, slots=True)
class Tree:
    """A container of merged values; `made` is its one tracker."""

    whole: Parts
    items: list[Any]
    made: VariableTracker | None = None


class Cond:
    """A `control.cond` in the making: what differs between two arms are its results."""

    def __init__(self, tx: Tx, test: Any, arms: list[Arm], at: int) -> None:
        self.tx, self.test, self.arms = tx, test, arms
        self.alias = AliasInfo(
            "an array that is another one, or not, after a branch on data", (tx.code, at)
        )
        self.kinds: list[ArrayType] = []
        self.outputs: tuple[list[Any], list[Any]] = ([], [])
        self.made: list[Node] = []
        self.may_alias: dict[int, tuple[Node, ...]] = {}
        self.trackers: dict[int, VariableTracker] = {}

    def taken(self, key: Key) -> Any:
        """Whether an exit is taken: a tracker, or a Slot."""
        first, second = (arm.takes(key) or FALSE for arm in self.arms)
        known = decided(self.tx, self.test, [first, second])
        return known or self.result([value.as_argument(self.tx) for value in (first, second)],
                                    PYTHON_TYPES[bool])

    def result(
        self, values: Sequence[Any], kind: ArrayType,
        choices: Choices = (None, None),
    ) -> Slot:
        """One more result, given what it is after each arm."""
        for outputs, value in zip(self.outputs, values):
            outputs.append(value)
        self.kinds.append(kind)
        return Slot(len(self.kinds) - 1, choices)

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
        """What stands for a merged value, when the node has been made."""
        if isinstance(value, Slot):
            if value.place not in self.trackers:
                made = self.chosen(self.made[value.place], value.choices)
                self.trackers[value.place] = made
            return self.trackers[value.place]
        if isinstance(value, UnionSlot):
            number, test = self.made[value.place : value.place + 2]
            return UnionNumber(number, test, value.kinds)
        if isinstance(value, Tree):
            if value.made is None:
                value.made = value.whole.build([self.tracker(item) for item in value.items])
            return value.made
        found: VariableTracker = value
        return found

    def chosen(self, made: Node, choices: Choices) -> VariableTracker:
        if all(choice is None for choice in choices):
            return tracker_of(made)
        kind = ArrayVariable if made.type.form is Form.ARRAY else ComputedNumber
        return kind(made, phi=Phi(self.test, choices))


def decided(tx: Tx, test: Any, values: Sequence[Any]) -> VariableTracker | None:
    """A truth after both arms, where that is just which arm was taken."""
    known = [value.value if isinstance(value, ConstantVariable) else None for value in values]
    if known == [True, False]:
        return tracker_of(test)
    return record(tx, operator.not_, (test,)) if known == [False, True] else None
