"""Relations between sizes, and what can be read off a single one."""
from __future__ import annotations

from collections.abc import Callable, Iterator

from ..ir.graph import Location
from ..ir.sizes import Size, SizeExpr, Symbol, is_unbacked, symbol, symbols
from ..records import dataclass

COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": int.__eq__, "!=": int.__ne__, "<": int.__lt__, "<=": int.__le__,
    ">": int.__gt__, ">=": int.__ge__,
}  # fmt: skip
MIRRORED = {">": "<", ">=": "<="}
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


def question(op: str, difference: SizeExpr) -> tuple[str, Size]:
    """The same question in one form: `== 0` with a positive leading coefficient, or `< 0`."""
    if op == "==":
        return op, difference if difference.terms[0][1] > 0 else -difference
    return "<", difference - 1 if op == "<=" else difference


def bounds_in(size: Size) -> Iterator[tuple[str, int]]:
    """The symbol and the number k of a size that is `symbol - k`."""
    for name in set(symbols(size)):
        rest = size - symbol(name)
        if isinstance(rest, int):
            yield name, -rest


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
    rest = difference if isinstance(difference, int) else dict(difference.terms).get((), 0)
    for name in symbols(difference):
        if difference - rest == symbol(name):
            low, high = rest + LEAST_INT, rest + GREATEST_INT
        elif difference - rest == -symbol(name):
            low, high = rest - GREATEST_INT, rest - LEAST_INT
        else:
            return None
        return 1 if low > 0 else -1 if high < 0 else None
    return None


def has_64_bits(size: Size) -> bool:
    numbers = [size] if isinstance(size, int) else [factor for _, factor in size.terms]
    return all(LEAST_INT <= number <= GREATEST_INT for number in numbers)


def number(name: str) -> int:
    return int(name[1:])


def newest(name: str) -> tuple[bool, int]:
    """Symbols of data are replaced by others first."""
    return is_unbacked(name), number(name)
