"""Signs of polynomials in integers that are at least 0."""
from __future__ import annotations

import itertools
from typing import Any

from ...ir.symbolic import library

Number = Any
EFFORT = 400  # polynomials that are looked at for one question
DEPTH = 3  # cases within cases
MODULI = (2, 3, 4, 5, 7, 8, 9)
COMBINATIONS = 1000


def residues(number: Number, modulus: int) -> set[int] | None:
    """What a polynomial with integer coefficients may be modulo a number; None where there are too
    many cases."""
    names = sorted(number.free_symbols, key=str)
    if modulus ** len(names) > COMBINATIONS:
        return None
    terms = [(term.as_coeff_Mul()) for term in library().Add.make_args(number)]
    if not all(factor.is_Integer for factor, _ in terms):
        return None
    value = library().lambdify(names, number, modules="math")
    return {int(value(*point)) % modulus
            for point in itertools.product(range(modulus), repeat=len(names))}


class Signs:
    """What is certain of polynomials; the effort is counted over all that is asked."""

    def __init__(self) -> None:
        self.sympy = library()
        self.effort = 0
        self._found: dict[Number, bool] = {}

    def is_zero(self, number: Number) -> bool:
        return bool(self.sympy.expand(number) == 0)

    def is_never_zero(self, number: Number) -> bool:
        if self.is_at_least_zero(number - 1) or self.is_below(number):
            return True
        found = (residues(self.sympy.expand(number), modulus) for modulus in MODULI)
        return any(one is not None and 0 not in one for one in found)

    def is_below(self, number: Number) -> bool:
        return self.is_at_least_zero(-number - 1)

    def is_at_least_zero(self, number: Number, depth: int = DEPTH) -> bool:
        """By its coefficients, by its factors, or by cases."""
        number = self.sympy.expand(number)
        if number.is_Number:
            return bool(number >= 0)
        self.effort += 1
        if self.effort > EFFORT:
            return False
        if number not in self._found:
            self._found[number] = self._by_terms(number) or self._by_factors(number)
        if self._found.get(number, False):
            return True
        if depth == 0 or self._is_negative_somewhere(number):
            return False
        found = self._found[number] = self._by_cases(number, depth - 1)
        return found

    def _by_terms(self, number: Number) -> bool:
        return all(term.as_coeff_Mul()[0] >= 0 for term in self.sympy.Add.make_args(number))

    def _by_factors(self, number: Number) -> bool:
        """Squares are not negative; other factors are, or are not."""
        factor, parts = self.sympy.factor_list(number)
        sign = 1 if factor > 0 else -1
        for part, power in parts:
            part = self.sympy.expand(part)
            if power % 2 == 0 or self._by_terms(part) or part.is_nonnegative:
                continue
            if not (self._by_terms(-part) or part.is_nonpositive):
                return False
            sign = -sign
        return sign > 0

    def _by_cases(self, number: Number, depth: int) -> bool:
        """A symbol is 0 or more; of two symbols one is the larger."""
        names = sorted(number.free_symbols, key=str)
        for name in names:
            if all(self.is_at_least_zero(number.xreplace({name: value}), depth)
                   for value in (self.sympy.S.Zero, name + 1)):
                return True
        for left, right in itertools.combinations(names, 2):
            if all(self.is_at_least_zero(number.xreplace({a: a + b}), depth)
                   for a, b in ((left, right), (right, left))):
                return True
        return False

    def _is_negative_somewhere(self, number: Number) -> bool:
        names = sorted(number.free_symbols, key=str)
        return any(
            number.xreplace(dict(zip(names, map(self.sympy.Integer, point)))) < 0
            for point in itertools.islice(itertools.product((0, 1, 3), repeat=len(names)), 30)
        )
