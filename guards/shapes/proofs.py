"""Proofs that two sizes, or a question and its answer, are equal, by z3 over the integers.

z3 is the extra `validate`, and is imported when something is first to be proved.
"""
from __future__ import annotations

import enum
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...base.records import dataclass
from ...errors import ValidationError
from ...ir.sizes import Opaque, SizeExpr, Symbol, evaluate, symbols
from ...ir.steps import Asked, Term

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

    def names(self) -> set[str]:
        """The symbols in it."""
        return {name for term in (self.before, self.after, *self.given) for name in names_in(term)}

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


def prove(equations: Sequence[Equation]) -> tuple[Verdict, dict[str, int]]:
    """Whether all hold for all integers; where one does not, values of the symbols."""
    z3 = solver()
    names = {name for equation in equations for name in equation.names()}
    question = _parsed(names, f"(or false {' '.join(map(_violated, equations))})")
    if not all(map(is_linear, equations)):
        question = z3.simplify(question, som=True)  # equal polynomials are multiplied out
    attempt = _asked(z3.Solver(), question)
    answer = attempt.check()
    if answer == z3.unknown:  # what no real numbers violate, no integers do
        reals = _asked(z3.Then("simplify", "qfnra-nlsat").solver(), question)
        return (Verdict.PROVED if reals.check() == z3.unsat else Verdict.UNDECIDED), {}
    if answer == z3.unsat:
        return Verdict.PROVED, {}
    model = attempt.model()
    return Verdict.WRONG, {
        name: model.eval(z3.Int(name), model_completion=True).as_long() for name in names
    }


class Prover:
    """Premises, each told to z3 once, and what follows from those so far; what is not linear is
    left out."""

    def __init__(self) -> None:
        self.solver = solver().Solver()
        self.solver.set("timeout", MILLISECONDS)
        self.count = 0

    def assume(self, premises: Iterable[Asked]) -> None:
        for premise in premises:
            self.count += 1
            if _is_linear(premise):
                self.solver.add(_parsed({*names_in(premise)}, _text(premise)))

    def proves(self, equation: Equation) -> bool:
        """Whether an equation follows."""
        if not is_linear(equation):
            return False
        self.solver.push()
        self.solver.add(_parsed(equation.names(), _violated(equation)))
        found: bool = self.solver.check() == solver().unsat
        self.solver.pop()
        return found


def _parsed(names: Iterable[str], text: str) -> Any:
    """A formula about integers with these names."""
    declared = "".join(f"(declare-const {name} Int)" for name in names)
    functions = FUNCTIONS if any(f"({name} " in text for name in DEFINED) else ""
    (formula,) = solver().parse_smt2_string(f"{functions}{declared}(assert {text})")
    return formula


def _asked(attempt: Any, question: Any) -> Any:
    attempt.set("timeout", MILLISECONDS)
    attempt.add(question)
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


FUNCTIONS = """
(define-fun floor ((a Int) (b Int)) Int (ite (> b 0) (div a b) (div (- a) (- b))))
(define-fun rest ((a Int) (b Int)) Int (- a (* b (floor a b))))
(define-fun least ((a Int) (b Int)) Int (ite (< a b) a b))
(define-fun most ((a Int) (b Int)) Int (ite (> a b) a b))
"""
"""Python's functions in the language of z3 (SMT-LIB): the remainder of its `div` is
not negative; Python's division rounds down."""
DEFINED = ("floor", "rest", "least", "most")
SPELLED = {"//": "floor", "%": "rest", "min": "least", "max": "most", "==": "=", "!=": "distinct"}


def _violated(equation: Equation) -> str:
    """That an equation does not hold."""
    asked = (*equation.given, equation.before)
    defined = [f"(distinct {_text(by)} 0)" for term in asked for by in _divisors(term)]
    given = " ".join([*defined, *map(_text, equation.given)])
    before, after = _text(equation.before), _text(equation.after)
    if not isinstance(equation.after, bool):
        before, after = f"(- {before} {after})", "0"
    return f"(and true {given} (distinct {before} {after}))"


def _text(term: Term | Opaque) -> str:
    if isinstance(term, bool):
        return str(term).lower()
    if isinstance(term, int):
        return str(term) if term >= 0 else f"(- {-term})"
    if isinstance(term, SizeExpr):
        return _applied("+", [_monomial(*parts) for parts in term.terms])
    name = SPELLED.get(term.op, term.op)
    if isinstance(term.right, int) and term.right > 0:
        name = {"//": "div", "%": "mod"}.get(term.op, name)
    return _applied(name, [_text(term.left), _text(term.right)])


def _monomial(atoms: Iterable[Symbol | Opaque], factor: int) -> str:
    parts = [_text(atom) if isinstance(atom, Opaque) else atom.name for atom in atoms]
    return _applied("*", parts if parts and factor == 1 else [_text(factor), *parts])


def _applied(name: str, operands: list[str]) -> str:
    return operands[0] if len(operands) == 1 else f"({name} {' '.join(operands)})"
