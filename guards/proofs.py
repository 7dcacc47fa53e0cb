"""Proofs that two sizes, or a question and its answer, are equal, by z3 over the integers.

z3 is the extra `validate`, and is imported when something is first to be proved.
"""
from __future__ import annotations

import enum
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..errors import ValidationError
from ..ir.sizes import Opaque, SizeExpr, Symbol, evaluate, symbols
from ..ir.steps import Asked, Term
from ..records import dataclass

MILLISECONDS = 300
"""What one question to z3 may take; then it is not decided."""


class Verdict(enum.Enum):
    PROVED = "proved"
    WRONG = "wrong"
    UNDECIDED = "not decided"


@dataclass(frozen=True, slots=True)
class Equation:
    """`before` and `after` are equal wherever `given` holds and no divisor of `before` is zero."""

    before: Term
    after: Term
    given: tuple[Asked, ...] = ()

    def applies(self, values: Mapping[str, int]) -> bool:
        """Whether all that is given holds for these values of the symbols."""
        try:
            return all(value_of(premise, values) for premise in self.given)
        except ZeroDivisionError:
            return False

    def holds(self, values: Mapping[str, int]) -> bool:
        """Whether it does for these values."""
        if not self.applies(values):
            return True
        try:
            before = value_of(self.before, values)
        except ZeroDivisionError:
            return True
        return before == value_of(self.after, values)


def names_in(term: Term) -> Iterator[str]:
    """The symbols of a term, repeated as they occur."""
    if isinstance(term, Asked):
        yield from names_in(term.left)
        yield from names_in(term.right)
    else:
        yield from symbols(term)


def value_of(term: Term, values: Mapping[str, int]) -> int:
    """What a term stands for, as Python computes it; ZeroDivisionError where it does not."""
    if isinstance(term, Asked):
        return OPERATORS[term.op](value_of(term.left, values), value_of(term.right, values))
    return evaluate(term, values)


OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": int.__add__, "-": int.__sub__, "*": int.__mul__, "//": int.__floordiv__,
    "%": int.__mod__, "min": min, "max": max, "==": int.__eq__, "!=": int.__ne__,
    "<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__,
}  # fmt: skip


def prove(equations: Iterable[Equation]) -> tuple[Verdict, dict[str, int]]:
    """Whether all hold for all integers; where one does not, values of the symbols."""
    z3 = solver()
    translator = _Translator(z3)
    violated = z3.Or([translator.violated(equation) for equation in equations])
    attempt = _asked(z3.Solver(), violated)
    answer = attempt.check()
    if answer == z3.unknown:  # what no real numbers violate, no integers do
        reals = _asked(z3.Then("simplify", "qfnra-nlsat").solver(), violated)
        return (Verdict.PROVED if reals.check() == z3.unsat else Verdict.UNDECIDED), {}
    if answer == z3.unsat:
        return Verdict.PROVED, {}
    model = attempt.model()
    found = {
        name: model.eval(unknown, model_completion=True).as_long()
        for name, unknown in translator.unknowns.items()
    }
    return Verdict.WRONG, found


def _asked(attempt: Any, violated: Any) -> Any:
    attempt.set("timeout", MILLISECONDS)
    attempt.add(violated)
    return attempt


def is_linear(equation: Equation) -> bool:
    """Whether z3 certainly decides it: no symbols are multiplied, nor divided by."""
    return all(map(_is_linear, (equation.before, equation.after, *equation.given)))


def _is_linear(term: Term) -> bool:
    if isinstance(term, SizeExpr) and any(len(monomial) > 1 for monomial, _ in term.terms):
        return False
    for part in _parts(term):
        variable = [side for side in (part.left, part.right) if not isinstance(side, int)]
        is_product = part.op == "*" and len(variable) == 2
        divides = part.op in ("//", "%") and not isinstance(part.right, int)
        if is_product or divides or not all(map(_is_linear, variable)):
            return False
    return True


def solver() -> Any:
    """The module z3; ValidationError names the extra where it is not installed."""
    try:
        return importlib.import_module("z3")
    except ImportError as error:
        raise ValidationError(
            "config.validate needs z3: pip install 'dynamo-lite[validate]'"
        ) from error


def _divisors(term: Term) -> Iterator[Term]:
    """What is divided by in a term; numbers are not zero."""
    for part in _parts(term):
        if part.op in ("//", "%") and not isinstance(part.right, int):
            yield part.right
        yield from _divisors(part.left)
        yield from _divisors(part.right)


def _parts(term: Term) -> list[Asked]:
    """The operators in a term that are not within others; sums and products of sizes are none."""
    if isinstance(term, Asked):
        return [term]
    atoms = [atom for monomial, _ in getattr(term, "terms", ()) for atom in monomial]
    return [Asked(atom.op, atom.left, atom.right) for atom in atoms if isinstance(atom, Opaque)]


class _Translator:
    """Terms as z3 has them. Its division rounds so that the rest is not negative; Python's rounds
    down."""

    def __init__(self, z3: Any) -> None:
        self.z3 = z3
        self.unknowns: dict[str, Any] = {}
        self.made: dict[Term | Opaque, Any] = {}
        self.operators: dict[str, Callable[[Any, Any], Any]] = {
            **OPERATORS, "+": lambda a, b: a + b, "-": lambda a, b: a - b,
            "*": lambda a, b: a * b, "//": self._floor, "%": self._modulo,
            "min": lambda a, b: z3.If(a < b, a, b), "max": lambda a, b: z3.If(a > b, a, b),
            "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
            "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
        }  # fmt: skip

    def violated(self, equation: Equation) -> Any:
        """That an equation does not hold."""
        asked = (*equation.given, equation.before)
        defined = [self.term(divisor) != 0 for term in asked for divisor in _divisors(term)]
        given = [self.term(premise) for premise in equation.given]
        before, after = self.term(equation.before), self.term(equation.after)
        if self.z3.is_int(before):  # equal polynomials are zero when multiplied out
            before, after = self.z3.simplify(before - after, som=True), 0
        return self.z3.And(*given, *defined, before != after)

    def term(self, term: Term | Opaque) -> Any:
        if isinstance(term, int):
            return self.z3.BoolVal(term) if isinstance(term, bool) else self.z3.IntVal(term)
        if term not in self.made:
            self.made[term] = self._made(term)
        return self.made[term]

    def _made(self, term: SizeExpr | Asked | Opaque) -> Any:
        if isinstance(term, SizeExpr):
            return self.z3.Sum([self._monomial(*parts) for parts in term.terms])
        return self.operators[term.op](self.term(term.left), self.term(term.right))

    def _monomial(self, atoms: Iterable[Symbol | Opaque], factor: int) -> Any:
        return self.z3.Product([self.z3.IntVal(factor), *map(self._atom, atoms)])

    def _atom(self, atom: Symbol | Opaque) -> Any:
        if isinstance(atom, Opaque):
            return self.term(atom)
        return self.unknowns.setdefault(atom.name, self.z3.Int(atom.name))

    def _floor(self, left: Any, right: Any) -> Any:
        if self.z3.is_int_value(right):
            return left / right if right.as_long() > 0 else -left / -right
        return self.z3.If(right > 0, left / right, -left / -right)

    def _modulo(self, left: Any, right: Any) -> Any:
        if self.z3.is_int_value(right) and right.as_long() > 0:
            return left % right
        return left - right * self._floor(left, right)
