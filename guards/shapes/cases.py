"""Signs of sizes by cases: each has a polynomial in integers of at least 0, and together they have
all values of the size within its bounds."""
from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ...errors import Unsupported
from ...ir.bounds import Lower, Upper
from ...ir.sizes import SizeExpr, name_of
from ...ir.symbolic import LEAST, MOST, QUOTIENT, REMAINDER, library, unknowns
from .signs import EFFORT, Signs, residues

Number = Any
CASES = 64
TOO_HARD = "nothing is proved"
SMALL = 8  # divisors whose remainders are looked at one by one


class Cases:
    """A size within bounds, to be proved to be zero, negative, or not."""

    def __init__(self, size: SizeExpr, lower: Lower, upper: Upper) -> None:
        self.sympy, self.count = library(), itertools.count()
        self.signs = Signs()
        self.function = self.sympy.core.function.AppliedUndef
        self.lower, self.upper, self.known = lower, upper, dict[str, Number]()
        for name, limit in upper.items():
            if (other := name_of(limit)) is not None and other not in self.known:
                self.known[other] = self._symbol(name) + self.new()
        self.left = CASES
        self.whole = unknowns(size, self._symbol)

    def new(self) -> Number:
        """An integer of at least 0."""
        return self.sympy.Symbol(f"a{next(self.count)}", integer=True, nonnegative=True)

    def _symbol(self, name: str) -> Number:
        if name not in self.known:
            low = self.lower.get(name)
            self.known[name] = self.new() + low if low is not None else self.new() - self.new()
        return self.known[name]

    def prove(self, op: str, likely: bool) -> bool:
        """Whether `size op 0` is certain to be what is likely."""
        test = self.signs.is_below if op == "<" else self.signs.is_zero
        if not likely:
            test = self.signs.is_at_least_zero if op == "<" else self.signs.is_never_zero
        try:
            return all(map(test, self.split(self.whole)))
        except (Unsupported, self.sympy.polys.polyerrors.BasePolynomialError):
            return False

    def split(self, number: Number) -> Iterator[Number]:
        """The polynomials of all cases."""
        number = self.sympy.expand(number)
        atom = self._innermost(number)
        if atom is None:
            self.left -= 1
            if self.left < 0 or self.signs.effort > EFFORT:
                raise Unsupported(TOO_HARD)
            yield number
            return
        cases = self._of_extremum if atom.func.__name__ in (MOST, LEAST) else self._of_division
        for case in cases(number, atom):
            yield from self.split(case)

    def _innermost(self, number: Number) -> Number | None:
        """A function without others in its arguments."""
        found = number.atoms(self.function)
        inner = [a for a in found if not any(
            arg.atoms(self.function) for arg in a.args)]
        return min(inner, key=self.sympy.default_sort_key) if inner else None

    # -- the larger and the smaller of two

    def _of_extremum(self, number: Number, atom: Number) -> Iterator[Number]:
        left, right = atom.args
        first, second = (left, right) if atom.func.__name__ == MOST else (right, left)
        difference = self.sympy.expand(left - right)
        if self.signs.is_at_least_zero(difference):
            yield number.xreplace({atom: first})
        elif self.signs.is_at_least_zero(-difference):
            yield number.xreplace({atom: second})
        else:
            yield self._where(number.xreplace({atom: first}), difference)
            yield self._where(number.xreplace({atom: second}), -difference - 1)

    def _where(self, number: Number, positive: Number) -> Number:
        """`number` where something is at least 0: a symbol of it is put in terms of the others."""
        return self._solved(number, positive, self.new())

    def _solved(self, number: Number, side: Number, value: Number) -> Number:
        """`number` where a side is a value, as far as that can be put in."""
        for symbol in sorted(side.free_symbols, key=str):
            factor = side.coeff(symbol, 1)
            rest = self.sympy.expand(side - factor * symbol)
            if factor in (1, -1) and not rest.has(symbol) and not value.has(symbol):
                return number.xreplace({symbol: self.sympy.expand((value - rest) * factor)})
        return number

    # -- quotients and remainders

    def _of_division(self, number: Number, atom: Number) -> Iterator[Number]:
        left, by = map(self.sympy.expand, atom.args)
        if not self.signs.is_at_least_zero(by - 1):
            raise Unsupported(TOO_HARD)
        found = residues(left, int(by)) if by.is_Integer else None
        if found is not None and len(found) < by:
            for rest in map(self.sympy.Integer, sorted(found)):
                yield self._put(number, left, by, (left - rest) / by, rest)
            return
        whole, rest = self._divided(left, by)
        if rest == 0 or (self.signs.is_at_least_zero(rest)
                         and self.signs.is_at_least_zero(by - 1 - rest)):
            yield self._put(number, left, by, whole, rest)
        elif whole != 0:
            quotient, remainder = (self.sympy.Function(n) for n in (QUOTIENT, REMAINDER))
            more = quotient(rest, by)
            yield self._put(number, left, by, whole + more, remainder(rest, by))
        else:
            yield from self._by_remainder(number, left, by)

    def _put(self, number: Number, left: Number, by: Number, whole: Number, rest: Number) -> Number:
        """Put a quotient and remainder in."""
        parts = {QUOTIENT: whole, REMAINDER: rest}
        return number.xreplace({
            atom: parts[atom.func.__name__] for atom in number.atoms(self.function)
            if [*map(self.sympy.expand, atom.args)] == [left, by] and atom.func.__name__ in parts
        })

    def _divided(self, left: Number, by: Number) -> tuple[Number, Number]:
        """`whole` and `rest`, where `left` is `by * whole + rest`."""
        if by.is_Integer:
            return self._divided_by_number(left, by)
        for symbol in sorted(by.free_symbols & left.free_symbols, key=str):
            whole, rest = self.sympy.div(left, by, symbol)
            names = by.free_symbols | left.free_symbols
            is_whole = all(c.is_Integer for c in self.sympy.Poly(whole, *names).coeffs())
            if is_whole and whole != 0 and self.sympy.expand(by * whole + rest - left) == 0:
                return whole, self.sympy.expand(rest)
        return self.sympy.S.Zero, left

    def _divided_by_number(self, left: Number, by: Number) -> tuple[Number, Number]:
        """Each term by itself."""
        whole = rest = self.sympy.S.Zero
        for term in self.sympy.Add.make_args(left):
            factor, symbols = term.as_coeff_Mul()
            whole += factor // by * symbols
            rest += factor % by * symbols
        return whole, rest

    def _by_remainder(self, number: Number, left: Number, by: Number) -> Iterator[Number]:
        """A new quotient; the remainder is less than the divisor."""
        quotient = self.new()
        if not self.signs.is_at_least_zero(left):
            quotient = quotient - self.new()
        if by.is_Integer:
            if by > SMALL:
                raise Unsupported(TOO_HARD)
            for k in range(int(by)):
                rest = self.sympy.Integer(k)
                case = self._put(number, left, by, quotient, rest)
                yield self._solved(case, left, self.sympy.expand(by * quotient + rest))
            return
        rest = self.new()
        case = self._put(number, left, by, quotient, rest)
        pair = self.sympy.Tuple(case, left, by)
        pair = self._solved(pair, by, rest + 1 + self.new())
        case, left, by = pair
        yield self._solved(case, self.sympy.expand(left), self.sympy.expand(by * quotient + rest))
