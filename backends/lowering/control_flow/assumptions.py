"""What is known of numbers in part of a program: in a version of a loop, or in an arm of a branch,
where the condition holds or fails."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from ....base.records import dataclass, field
from ...loop_ir.loops import (
    Apply,
    Buffer,
    Const,
    Convert,
    Expr,
    Gather,
    Load,
    Offset,
    walk,
)
from ...loop_ir.simplify import value_of
from ..scalars.intervals import Interval, first_of, fits, interval, of_difference, of_sum
from ..state.context import Lowering


@dataclass(frozen=True, slots=True)
class Assumption:
    """Between what variables lie, and what each of them is at least."""

    intervals: Mapping[Buffer, Interval]
    at_least: Mapping[Buffer, Expr] = field(default_factory=dict)

    @contextmanager
    def made(self, low: Lowering) -> Iterator[None]:
        """It holds of what is lowered meanwhile."""
        with known(low.intervals, self.intervals), known(low.at_least, self.at_least):
            yield


T = TypeVar("T")


@contextmanager
def known(facts: dict[Buffer, T], more: Mapping[Buffer, T]) -> Iterator[None]:
    """More facts about variables hold meanwhile, or other ones."""
    before = {buffer: facts.get(buffer) for buffer in more}
    facts.update(more)
    try:
        yield
    finally:
        for buffer, fact in before.items():
            facts.pop(buffer)
            if fact is not None:
                facts[buffer] = fact


def of_arm(low: Lowering, condition: Expr, holds: bool) -> Assumption:
    """What is known where a condition holds, or where it does not."""
    facts = Facts(low)
    facts.learn(condition, holds)
    return Assumption(facts.found, facts.at_least)


@dataclass(frozen=True, slots=True)
class Facts:
    low: Lowering
    found: dict[Buffer, Interval] = field(default_factory=dict)
    at_least: dict[Buffer, Expr] = field(default_factory=dict)

    def learn(self, condition: Expr, holds: bool) -> None:
        if isinstance(condition, Load) and condition.buffer in self.low.defined:
            condition = self.low.defined[condition.buffer]
        if not isinstance(condition, Apply):
            return
        if condition.op == "logical_not":
            self.learn(condition.args[0], not holds)
        elif condition.op == ("logical_and" if holds else "logical_or"):
            for part in condition.args:
                self.learn(part, holds)
        elif condition.op in OPPOSITES and all(arg.dtype.kind in "iu" for arg in condition.args):
            self.compare(condition.op if holds else OPPOSITES[condition.op], *condition.args)

    def compare(self, op: str, left: Expr, right: Expr) -> None:
        """Learn from how two ints compare."""
        between = interval(self.low, left), interval(self.low, right)
        self.narrow(left, WITHIN[op](*between))
        self.narrow(right, WITHIN[MIRRORED[op]](*between[::-1]))
        for larger, smaller, orders in (
            (left, right, ("greater", "greater_equal")), (right, left, ("less", "less_equal"))
        ):
            if op in orders and is_number(self.low, larger) and stays(self.low, smaller):
                assert isinstance(larger, Load)
                self.at_least[larger.buffer] = first_of(self.low, smaller)

    def narrow(self, expr: Expr, found: Interval) -> None:
        """Note between what an int lies, and what follows for the number that it is made of."""
        match expr:
            case Load() if is_number(self.low, expr):
                least, most = self.found.get(expr.buffer, interval(self.low, expr))
                found = max(least, found[0]), min(most, found[1])
                if found[0] <= found[1]:
                    self.found[expr.buffer] = found
                if (defined := self.low.defined.get(expr.buffer)) is not None:
                    self.narrow(defined, found)
            case Convert() if expr.arg.dtype.kind in "iu" and fits(
                interval(self.low, expr.arg), expr.dtype
            ):
                self.narrow(expr.arg, found)
            case Apply() if expr.op in INVERSES:
                self.narrow_operand(expr, found)

    def narrow_operand(self, expr: Apply, found: Interval) -> None:
        """Of the number to which a constant is added."""
        number, constant = expr.args
        if isinstance(constant, Const):
            added = (int(value_of(constant)),) * 2
            rule, inverse = INVERSES[expr.op]
            if fits(rule(interval(self.low, number), added), expr.dtype):
                self.narrow(number, inverse(found, added))


def is_number(low: Lowering, expr: Expr) -> bool:
    return isinstance(expr, Load) and expr.offset is Offset() and expr.buffer in low.numbers


def stays(low: Lowering, expr: Expr) -> bool:
    """Whether a number is the same wherever it is read in an arm: of arrays that nobody writes to,
    and of numbers that are stored once."""
    return all(
        one.buffer in low.unwritten or one.buffer in low.defined
        for one in walk((expr,)) if isinstance(one, (Load, Gather))
    )


Rule = Callable[[Interval, Interval], Interval]
INVERSES: Mapping[str, tuple[Rule, Rule]] = {
    "add": (of_sum, of_difference), "subtract": (of_difference, of_sum),
}
OPPOSITES: Mapping[str, str] = {
    "less": "greater_equal", "greater_equal": "less", "greater": "less_equal",
    "less_equal": "greater", "equal": "not_equal", "not_equal": "equal",
}
MIRRORED: Mapping[str, str] = {
    "less": "greater", "greater": "less", "less_equal": "greater_equal",
    "greater_equal": "less_equal", "equal": "equal", "not_equal": "not_equal",
}


def _apart(left: Interval, right: Interval) -> Interval:
    """Of what is another number: one that is known cannot be at an end."""
    least, most = left
    if right == (least, least):
        return least + 1, most
    return (least, most - 1) if right == (most, most) else left


WITHIN: Mapping[str, Rule] = {
    "less": lambda left, right: (left[0], min(left[1], right[1] - 1)),
    "less_equal": lambda left, right: (left[0], min(left[1], right[1])),
    "greater": lambda left, right: (max(left[0], right[0] + 1), left[1]),
    "greater_equal": lambda left, right: (max(left[0], right[0]), left[1]),
    "equal": lambda left, right: (max(left[0], right[0]), min(left[1], right[1])),
    "not_equal": _apart,
}
"""Between what the left operand lies where a comparison holds."""
