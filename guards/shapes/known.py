"""What is known of the symbols of one trace: bounds, equalities, answers, and the relations that
they rely on.

Each conclusion is told to `ir.steps`, with all that it is drawn from.
"""
from __future__ import annotations

import math
from collections.abc import Callable

from ...errors import GraphBreak, Unsupported
from ...ir import steps
from ...ir.graph import Assertion, Location
from ...ir.sizes import Size, SizeExpr, is_unbacked, substitute, symbol, symbols
from ...ir.steps import Asked
from . import reasoning
from .guarded import GuardedRelations
from .relations import (
    COMPARE,
    GREATEST_INT,
    LEAST_INT,
    Relation,
    alone_on_a_side,
    bounds_in,
    has_64_bits,
    newest,
    question,
    sign_beyond_64_bits,
    solve,
)
from .totals import Totals


class Known:
    """`lower` and `upper` are bounds of symbols, `replaced` the symbols that equal another size.

    `specialised` is told of every symbol before it is replaced, and may refuse.
    """

    def __init__(
        self, locate: Callable[[], Location | None], specialised: Callable[[str, Size], None]
    ) -> None:
        self.locate = locate
        self.specialised = specialised
        self.closed = False
        self.until = math.inf
        """When (`time.monotonic`) all questions are to be answered."""
        self.lower: dict[str, int] = {}
        self.upper: dict[str, Size] = {}
        self.replaced: dict[str, Size] = {}
        self.guarded = GuardedRelations(self.lower, self.upper)
        self._answers: dict[tuple[str, Size], bool] = {}
        self._reasoned: dict[tuple[str, Size], bool | None] = {}
        self._open: set[tuple[str, Size]] = set()  # no answer follows from the bounds so far
        self.totals = Totals(self.lower, self.upper, self.guarded.premises)

    def introduce(self, name: str, lower: int | None, upper: Size | None) -> None:
        """A new symbol, between bounds that hold whatever is asked later."""
        size = symbol(name)
        low = LEAST_INT if lower is None else lower
        self.guarded.suppose(Asked(">=", size, low))
        self.guarded.suppose(Asked("<=", size, GREATEST_INT))
        if lower is not None:
            self.lower[name] = lower
        if upper is not None:
            self.upper[name] = upper
            self.guarded.suppose(Asked("<=", size, upper))

    def define(self, size: SizeExpr) -> str:
        """A symbol that stands for a sum."""
        name = self.totals.define(size)
        self.guarded.suppose(Asked("==", symbol(name), size))
        if (least := self.totals.least(size)) is not None:
            self._bound("bounds of a sum", name, ">=", least)
        return name

    # -- questions

    def settled(self, op: str, left: Size, right: Size) -> bool | None:
        """The answer where it follows from what is known without a new relation."""
        if isinstance(left, int) and isinstance(right, int):
            return COMPARE[op](left, right)
        difference = self.difference(left, right)
        if isinstance(difference, int):
            answer: bool | None = COMPARE[op](difference, 0)
        else:
            asked = question(op, difference)
            answer = self._answers.get(asked)
            if answer is None and asked not in self._open:
                if (answer := self._from_ranges(*asked)) is None:
                    self._open.add(asked)
                else:
                    self._answers[asked] = answer
        if steps.watcher is not None and answer is not None:
            self._tell("answer", Asked(op, left, right), answer)
        return answer

    def reasoned(self, op: str, left: Size, right: Size) -> bool | None:
        """The answer where sympy finds one, to what is not settled; see `reasoning`."""
        difference = self.difference(left, right)
        if isinstance(difference, int):
            return COMPARE[op](difference, 0)
        asked = kind, size = question(op, difference)
        if isinstance(size, int):
            return COMPARE[kind](size, 0)
        answer = self._reasoned.get(asked)
        if asked not in self._reasoned:
            if not reasoning.has_time(self.until):
                return None
            answer = self._reasoned[asked] = reasoning.answer(kind, size, self.lower, self.upper)
        if answer is not None:
            self._answers[asked] = answer
            if steps.watcher is not None:
                self._tell("answer by sympy", Asked(op, left, right), answer)
        return answer

    def difference(self, left: Size, right: Size) -> Size:
        return self.simplify(left) - self.simplify(right)

    def simplify(self, size: Size) -> Size:
        """`size` with the equalities that were found put in."""
        while self.replaced and not self.replaced.keys().isdisjoint(symbols(size)):
            size = substitute(size, self.replaced)
        return size

    def _from_ranges(self, op: str, difference: Size) -> bool | None:
        if (sign := sign_beyond_64_bits(difference)) is not None:
            return op == "<" and sign < 0
        try:
            return (self.totals.equal if op == "==" else self.totals.less)(difference, 0)
        except Unsupported:
            return None

    # -- new knowledge

    def require(self, op: str, left: Size, right: Size) -> Relation:
        """Guard a relation."""
        if self.closed:
            raise Unsupported(f"nothing says whether {left} {op} {right}")
        if not (has_64_bits(left) and has_64_bits(right)):
            raise GraphBreak(f"the relation {left} {op} {right} needs more than 64 bits")
        left, right = self.totals.expanded(left), self.totals.expanded(right)
        return self.guarded.add(op, left, right, self.locate())

    def require_bound(self, name: str, op: str, bound: int) -> None:
        """Guard a bound of a symbol; a stronger one takes its place later."""
        self.guarded.bounding[name, op] = self.require(op, symbol(name), bound)
        self._bound("marked bound", name, op, bound)

    def decided(self, op: str, difference: SizeExpr, answer: bool) -> None:
        """The newest relation answers `difference op 0`."""
        asked = question(op, difference)
        self._answers[asked] = answer
        self._learn(*asked, answer, of_data=False)

    def assume(self, assertion: Assertion) -> None:
        """Rely on what is checked when the graph runs."""
        self.guarded.assume(assertion)
        difference = self.difference(assertion.left, assertion.right)
        if isinstance(difference, SizeExpr):
            asked = question(assertion.relation, difference)
            self._answers[asked] = True
            self._learn(*asked, True, of_data=True)

    def _learn(self, op: str, difference: Size, answer: bool, *, of_data: bool) -> None:
        """Put an answer to use: an equality replaces a symbol, an order bounds it."""
        if op == "<":
            self._learn_order(-difference - 1 if answer else difference, of_data)
        elif not answer:
            self._exclude(difference)
        elif isinstance(difference, SizeExpr):
            self._replace_symbol(difference, of_data)

    def _replace_symbol(self, zero: SizeExpr, of_data: bool) -> None:
        """Solve `zero == 0` for the newest symbol that it can be solved for; what equals a sum of
        others is replaced rather than one of these."""
        alone = alone_on_a_side(zero)
        order = sorted(set(symbols(zero)), key=lambda name: (name in alone, newest(name)))
        for name in reversed(order):
            if name in self.totals.definitions:
                continue
            if of_data and not is_unbacked(name):
                return
            solved = solve(zero, name)
            if solved is not None and name not in symbols(solved):
                self.specialised(name, solved)
                self.replaced[name] = solved
                self._tell("solved for a symbol", Asked("==", symbol(name), solved))
                if isinstance(solved, int) and not of_data:
                    self.guarded.fixes(name)
                return

    def _exclude(self, difference: Size) -> None:
        """A symbol that is not its least value is larger; likewise at the other end."""
        for name, bound in bounds_in(difference):
            if self.lower.get(name) == bound:
                self._bound("excluded value", name, ">=", bound + 1)
            elif self.upper.get(name) == bound:
                self._bound("excluded value", name, "<=", bound - 1)

    def _learn_order(self, positive: Size, of_data: bool) -> None:
        """`positive` is at least 0: a symbol plus a number is a lower bound, and what a symbol is
        subtracted from is an upper bound."""
        for name in set(filter(is_unbacked, symbols(positive))) - self.upper.keys():
            solved = positive + symbol(name)
            if name not in symbols(solved):
                self._bound("order", name, "<=", solved)
        for name, bound in bounds_in(positive):
            if bound > self.lower.get(name, bound - 1):
                self._bound("order", name, ">=", bound)
                if not of_data:
                    self.guarded.bounds(name, ">=")
        for name, bound in bounds_in(-positive):
            known = self.upper.get(name)
            if not is_unbacked(name) and not (isinstance(known, int) and known <= bound):
                self._bound("order", name, "<=", bound)
                if not of_data:
                    self.guarded.bounds(name, "<=")

    def _bound(self, rule: str, name: str, op: str, bound: Size) -> None:
        self._open.clear()
        if op == "<=":
            self.upper[name] = bound
        elif isinstance(bound, int):
            self.lower[name] = bound
        self._tell(rule, Asked(op, symbol(name), bound))

    def _tell(self, rule: str, asked: Asked, answer: bool = True) -> None:
        if steps.watcher is not None:
            steps.watcher.step(rule, asked, answer, self.totals.given())
