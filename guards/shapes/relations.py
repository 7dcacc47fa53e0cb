"""Relations between sizes, and what can be read off a single one."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from ...base.records import dataclass
from ...ir.graph import Location
from ...ir.sizes import (
    Size,
    SizeExpr,
    Symbol,
    is_unbacked,
    lone_quotient,
    polynomial,
    symbol,
    symbols,
)

COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": int.__eq__, "!=": int.__ne__, "<": int.__lt__, "<=": int.__le__,
    ">": int.__gt__, ">=": int.__ge__,
}  # fmt: skip
MIRRORED = {">": "<", ">=": "<="}
ORDERED = frozenset(COMPARE) - {"==", "!="}
NEGATED = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
LEAST_INT, GREATEST_INT = -(2**63), 2**63 - 1
"""What a symbol's value is between: sizes, strides and ints of a graph have 64 bits."""


@dataclass(frozen=True, slots=True)
class Relation:
    """`left op right` held when the trace was made, and must hold for it to be used."""

    op: str
    left: Size
    right: Size
    location: Location | None = None

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right}"

    def symbols(self) -> Iterator[str]:
        yield from symbols(self.left)
        yield from symbols(self.right)

    def sides(self) -> tuple[Size, Size]:
        """The smaller and the larger side of an order."""
        return (self.left, self.right) if self.op in ("<", "<=") else (self.right, self.left)


def question(op: str, difference: SizeExpr) -> tuple[str, Size]:
    """The same question in one form: `== 0` with a positive leading coefficient, or `< 0`.

    There is no common factor, and an order of one quotient is one of what is divided.
    """
    factor = math.gcd(*(c for monomial, c in difference.terms if monomial))
    if op == "==":
        if any(c % factor for _, c in difference.terms):
            return op, 1
        return op, _divided(difference, factor if difference.terms[0][1] > 0 else -factor)
    least = difference - 1 if op == "<=" else difference
    asked = _divided(least, factor) if isinstance(least, SizeExpr) else least
    if isinstance(asked, SizeExpr) and (parts := lone_quotient(asked)) is not None:
        sign, left, by, rest = parts
        if abs(sign) == 1:
            below = left + rest * by if sign > 0 else (rest + 1) * by - left - 1
            return question("<", below) if isinstance(below, SizeExpr) else ("<", below)
    return "<", asked


def _divided(size: SizeExpr, by: int) -> Size:
    """`size // by`, where `by` divides all but the number."""
    if by == 1:
        return size
    return polynomial((monomial, factor // by) for monomial, factor in size.terms)


def bounds_in(size: Size) -> Iterator[tuple[str, int]]:
    """The symbol and the number k of a size that is `symbol - k`."""
    rest, symbol_alone, factor = alone_with_number(size)
    if factor == 1:
        yield symbol_alone, -rest


def alone_with_number(size: Size) -> tuple[int, str, int]:
    """The parts of a size that is `number + factor * symbol`; a factor of 0 where it is not."""
    if isinstance(size, int):
        return size, "", 0
    (monomial, factor), *more = size.terms
    alone = len(monomial) == 1 and isinstance(monomial[0], Symbol)
    if not alone or len(more) > 1 or (more and more[0][0]):
        return 0, "", 0
    return (more[0][1] if more else 0), str(monomial[0]), factor


def solve(difference: SizeExpr, name: str) -> Size | None:
    """The size that `name` equals when `difference` is zero; None unless it occurs once, as ±1."""
    alone = (Symbol(name),)
    for monomial, coefficient in difference.terms:
        if monomial == alone and coefficient in (1, -1):
            return (difference - coefficient * symbol(name)) * -coefficient
    return None


def alone_on_a_side(zero: SizeExpr) -> set[str]:
    """The symbols that have no others on their side of the equation `zero == 0`."""
    terms = [(monomial, factor) for monomial, factor in zero.terms if monomial]
    sides = [[m for m, factor in terms if factor * sign > 0] for sign in (1, -1)]
    return {str(side[0][0]) for side in sides if len(side) == 1 and len(side[0]) == 1}


def sign_beyond_64_bits(difference: Size) -> int | None:
    """The sign of `n + symbol` or `n - symbol` where n alone decides: symbols have 64 bits."""
    rest, _, factor = alone_with_number(difference)
    if factor not in (1, -1):
        return None
    low, high = (LEAST_INT, GREATEST_INT) if factor == 1 else (-GREATEST_INT, -LEAST_INT)
    return 1 if rest + low > 0 else -1 if rest + high < 0 else None


def has_64_bits(size: Size) -> bool:
    numbers = [size] if isinstance(size, int) else [factor for _, factor in size.terms]
    return all(LEAST_INT <= number <= GREATEST_INT for number in numbers)


def number(name: str) -> int:
    return int(name[1:])


def newest(name: str) -> tuple[bool, int]:
    """Symbols of data are replaced by others first."""
    return is_unbacked(name), number(name)
