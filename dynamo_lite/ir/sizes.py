"""Sizes: integers and integer polynomials over symbols.

A `Size` is an `int` or a `SizeExpr`. Static code only ever sees ints. An expression is kept in one
normal form (sorted monomials with non-zero integer coefficients), so structural equality is
algebraic equality of polynomials. Floor division, modulo, minimum and maximum are opaque atoms;
a number that divides or is divided by is as small as it can be (`(2*s0 + 7) // 4` is
`((s0 + 1) // 2) + 1`), and there is no quotient of a quotient.
"""
from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Union

from ..base.records import dataclass
from . import monomials, steps
from .steps import Asked, operand, rewrites

Size = Union[int, "SizeExpr"]
SYMBOLIC = ".symbolic"
"""The module that is loaded when somebody wants a sympy expression."""


class Symbol(str):
    """One unknown size, stride, offset or integer argument, named like `s0` (backed) or `u0`.

    A string, so that CPython compares and hashes it by itself.
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True)
class Opaque:
    """A non-polynomial atom: `op` is one of `//`, `%`, `min`, `max`."""

    op: str
    left: Size
    right: Size

    def __str__(self) -> str:
        if self.op in ("min", "max"):
            return f"{self.op}({self.left}, {self.right})"
        return f"({operand(self.left)} {self.op} {operand(self.right)})"


Atom = Union[Symbol, Opaque]
Monomial = tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class SizeExpr:
    """A polynomial with at least one atom; build it with `symbol()` and arithmetic."""

    terms: tuple[tuple[Monomial, int], ...]

    @rewrites("sum", "+")
    def __add__(self, other: Size) -> Size:
        if isinstance(other, int):
            return self._plus(other)
        return polynomial((*self.terms, *other.terms))

    __radd__ = __add__

    def __neg__(self) -> Size:
        return self * -1

    def __sub__(self, other: Size) -> Size:
        return self + other * -1

    def __rsub__(self, other: Size) -> Size:
        return self * -1 + other

    @rewrites("product", "*")
    def __mul__(self, other: Size) -> Size:
        if isinstance(other, int):
            if other == 1:
                return self
            return SizeExpr(tuple([(m, a * other) for m, a in self.terms])) if other else 0
        return polynomial(
            (monomials.multiplied(m, n), a * b) for m, a in self.terms for n, b in other.terms
        )

    __rmul__ = __mul__

    def __floordiv__(self, other: Size) -> Size:
        return floordiv(self, other)

    def __rfloordiv__(self, other: Size) -> Size:
        return floordiv(other, self)

    def __mod__(self, other: Size) -> Size:
        return modulo(self, other)

    def __rmod__(self, other: Size) -> Size:
        return modulo(other, self)

    def _plus(self, number: int) -> SizeExpr:
        """The constant term, where there is one, is the last."""
        atoms, constant = self.terms[-1]
        terms, number = (self.terms, number) if atoms else (self.terms[:-1], constant + number)
        return SizeExpr((*terms, ((), number)) if number else terms)

    @property
    def expr(self) -> Any:
        """The same as a sympy expression of integers; imports sympy."""
        return importlib.import_module(SYMBOLIC, __package__).expression(self)

    def __bool__(self) -> bool:
        raise TypeError(f"the size {self} is symbolic: decide about it through the ShapeEnv")

    def __str__(self) -> str:
        return " + ".join(monomials.text(m, c) for m, c in self.terms).replace("+ -", "- ")

    __repr__ = __str__


def weight(size: Size) -> int:
    """How many symbols and numbers the text of a size has."""
    return sum(map(_term_weight, _terms(size)))


def _term_weight(term: tuple[Monomial, int]) -> int:
    atoms, coefficient = term
    parts = [1 if isinstance(a, Symbol) else weight(a.left) + weight(a.right) for a in atoms]
    return sum(parts) + (coefficient != 1 or not atoms)


def symbol(name: str) -> SizeExpr:
    """The expression that is just the symbol `name`."""
    return SizeExpr((((Symbol(name),), 1),))


@rewrites("floor division", "//")
def floordiv(left: Size, right: Size) -> Size:
    """`left // right` as Python defines it; exact polynomial quotients stay polynomials."""
    if isinstance(left, int) and isinstance(right, int):
        return left // right
    if (quotient := _exact_quotient(left, right)) is not None:
        return quotient
    if isinstance(left, SizeExpr) and isinstance(right, int) and right > 0:
        return _quotient(left, right)
    return _atom(Opaque("//", left, right))


@rewrites("modulo", "%")
def modulo(left: Size, right: Size) -> Size:
    """`left % right` as Python defines it; 0 when `right` divides `left` as a polynomial."""
    if isinstance(left, int) and isinstance(right, int):
        return left % right
    if _exact_quotient(left, right) is not None:
        return 0
    if isinstance(left, SizeExpr) and isinstance(right, int) and right > 0:
        return _remainder(left, right)
    return _atom(Opaque("%", left, right))


@rewrites("minimum", "min")
def minimum(left: Size, right: Size) -> Size:
    return left - positive_part(left - right)


@rewrites("maximum", "max")
def maximum(left: Size, right: Size) -> Size:
    return right + positive_part(left - right)


def positive_part(size: Size) -> Size:
    """`max(size, 0)`: all extrema are written with it, so that equal ones look equal."""
    if isinstance(size, int):
        return max(size, 0)
    if all(factor > 0 and all(map(_is_positive_part, atoms)) for atoms, factor in size.terms):
        return size
    if size.terms[0][1] < 0:
        return positive_part(-size) + size
    content = math.gcd(*(factor for _, factor in size.terms))
    reduced = polynomial((atoms, factor // content) for atoms, factor in size.terms)
    return content * _atom(Opaque("max", reduced, 0))


def _is_positive_part(atom: Atom) -> bool:
    return isinstance(atom, Opaque) and atom.op == "max" and atom.right == 0


def product(sizes: Iterable[Size]) -> Size:
    """The number of elements of a shape."""
    total: Size = 1
    for size in sizes:
        total = total * size
    return total


def evaluate(size: Size, values: Mapping[str, int]) -> int:
    """The integer that `size` stands for when the symbols have `values`."""
    if isinstance(size, int):
        return size
    total = 0
    for monomial, coefficient in size.terms:
        for atom in monomial:
            coefficient *= _atom_value(atom, values)
        total += coefficient
    return total


def substitute(size: Size, values: Mapping[str, Size]) -> Size:
    """`size` with symbols replaced by sizes."""
    if isinstance(size, int):
        return size
    parts: list[Size] = []
    for monomial, coefficient in size.terms:
        part: Size = coefficient
        for atom in monomial:
            part = part * _atom_substituted(atom, values)
        parts.append(part)
    if steps.watcher is None:
        return polynomial(term for part in parts for term in _terms(part))
    total: Size = 0
    for part in parts:
        total = total + part  # each addition is a step
    used = [Asked("==", symbol(n), values[n]) for n in {*symbols(size)} if n in values]
    steps.watcher.step("substitution", size, total, tuple(used))
    return total


def symbols(size: Size) -> Iterator[str]:
    """The names of the symbols in `size`, repeated as they occur."""
    if isinstance(size, int):
        return
    for monomial, _ in size.terms:
        for atom in monomial:
            if isinstance(atom, Symbol):
                yield atom.name
            else:
                yield from symbols(atom.left)
                yield from symbols(atom.right)


def depends_on_data(size: Size) -> bool:
    """Whether a symbol in `size` is known only when the graph runs (`u0`)."""
    return not isinstance(size, int) and any(is_unbacked(name) for name in symbols(size))


def is_unbacked(name: str) -> bool:
    """Whether a symbol's value is no fact of the inputs that a guard may look at."""
    return name.startswith("u")


def name_of(size: Any) -> str | None:
    """The name of a size that is one symbol and nothing else."""
    if not isinstance(size, SizeExpr) or len(size.terms) > 1:
        return None
    monomial, factor = size.terms[0]
    alone = factor == 1 and len(monomial) == 1 and isinstance(monomial[0], Symbol)
    return str(monomial[0]) if alone else None


OPAQUE_OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "//": int.__floordiv__,
    "%": int.__mod__,
    "min": min,
    "max": max,
}


def _atom_value(atom: Atom, values: Mapping[str, int]) -> int:
    if isinstance(atom, Symbol):
        return values[atom.name]
    return OPAQUE_OPERATORS[atom.op](evaluate(atom.left, values), evaluate(atom.right, values))


def _atom_substituted(atom: Atom, values: Mapping[str, Size]) -> Size:
    if isinstance(atom, Symbol):
        return values.get(atom.name, _atom(atom))
    build = {"//": floordiv, "%": modulo, "min": minimum, "max": maximum}[atom.op]
    return build(substitute(atom.left, values), substitute(atom.right, values))


def _atom(atom: Atom) -> SizeExpr:
    return SizeExpr((((atom,), 1),))


def _terms(size: Size) -> tuple[tuple[Monomial, int], ...]:
    if isinstance(size, SizeExpr):
        return size.terms
    return (((), size),) if size else ()


def polynomial(terms: Iterable[tuple[Monomial, int]]) -> Size:
    collected: dict[Monomial, int] = {}
    for monomial, coefficient in terms:
        collected[monomial] = collected.get(monomial, 0) + coefficient
    kept = [(m, c) for m, c in collected.items() if c]
    if not kept:
        return 0
    if len(kept) == 1:
        return SizeExpr(tuple(kept)) if kept[0][0] else kept[0][1]
    return SizeExpr(tuple(sorted(kept, key=_term_order)))


def _term_order(term: tuple[Monomial, int]) -> tuple[int, str]:
    return monomials.order(term[0])


def _exact_quotient(left: Size, right: Size) -> Size | None:
    """`left / right` when one monomial divides every term of `left` without remainder."""
    divisor = _terms(right)
    if len(divisor) != 1:
        return None
    monomial, coefficient = divisor[0]
    quotient = []
    for numerator, factor in _terms(left):
        rest = monomials.divided(numerator, monomial)
        if rest is None or factor % coefficient:
            return None
        quotient.append((rest, factor // coefficient))
    return polynomial(quotient)


def _quotient(size: SizeExpr, by: int) -> Size:
    """`size // by` for a positive number, in normal form."""
    rest, whole = _reduced(size, by)
    if rest != size:
        return whole + floordiv(rest, by)
    factor = math.gcd(by, *(c for m, c in size.terms if m))
    if factor > 1:
        return floordiv(polynomial((m, c // factor) for m, c in size.terms), by // factor)
    if size.terms[0][1] < 0:
        return -floordiv(by - 1 - size, by)
    if (inner := lone_quotient(size)) is not None and inner[0] == 1:
        _, left, right, rest = inner
        return floordiv(left + rest * right, by * right)
    return _atom(Opaque("//", size, by))


def lone_quotient(size: SizeExpr) -> tuple[int, Size, int, Size] | None:
    """The parts of `factor * (left // by) + rest`, where no other term is a quotient."""
    found = [term for term in size.terms if _divided("//", term[0]) is not None]
    if len(found) != 1:
        return None
    monomial, factor = found[0]
    left, by = _divided("//", monomial) or (0, 1)
    return factor, left, by, size - SizeExpr(((monomial, factor),))


def _remainder(size: SizeExpr, of: int) -> Size:
    """`size % of` for a positive number, in normal form."""
    rest, _ = _reduced(size, of)
    return modulo(rest, of) if rest != size else _atom(Opaque("%", size, of))


def _reduced(size: SizeExpr, by: int) -> tuple[Size, Size]:
    """`rest` and `whole`, where `size` is `rest + by * whole`."""
    rest: Size = 0
    whole: Size = 0
    for monomial, factor in size.terms:
        remainder = _divided("%", monomial)
        if not monomial or factor % by == 0:
            rest, whole = rest + factor % by, whole + polynomial([(monomial, factor // by)])
        elif remainder is not None and remainder[1] % by == 0:
            left, of = remainder  # a remainder is what it is of, less a multiple
            rest, whole = rest + left * factor, whole - floordiv(left, of) * (of // by * factor)
        else:
            rest = rest + SizeExpr(((monomial, factor),))
    return rest, whole


def _divided(op: str, monomial: Monomial) -> tuple[Size, int] | None:
    """What is divided in a monomial that is one quotient or remainder, and by which number."""
    atom = monomial[0] if len(monomial) == 1 else None
    if isinstance(atom, Opaque) and atom.op == op and isinstance(atom.right, int):
        return (atom.left, atom.right) if atom.right > 0 else None
    return None
