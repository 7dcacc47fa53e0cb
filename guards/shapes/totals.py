"""Names for long sums of sizes: a running total over many lengths takes linear work.

`start += length` over 500 lengths makes 500 sums of up to 500 terms. A sum that grows beyond
`LONGEST` terms gets a symbol of its own, `t1 = t0 + s8 + … + s14`; equal sums that are made in the
same order get the same one. Totals form chains. Where everything that was added is at least 0, an
earlier total of a chain is at most a later one, whatever stands in between.
"""
from __future__ import annotations

from collections.abc import Iterator

from ...ir.bounds import least
from ...ir.facts import StaticFacts
from ...ir.sizes import Monomial, Size, SizeExpr, Symbol, polynomial, substitute, symbol, symbols
from ...ir.steps import Asked, First, Given

LONGEST = 3
"""Terms of a sum without a name."""

Chain = list[str]


class Totals(StaticFacts):
    """Facts that follow from the bounds of symbols and from the definitions of totals."""

    def __init__(
        self, lower: dict[str, int], upper: dict[str, Size], premises: list[Asked]
    ) -> None:
        super().__init__()
        self.lower, self.upper, self.premises = lower, upper, premises
        self.definitions: dict[str, SizeExpr] = {}
        self._names: dict[SizeExpr, str] = {}
        self._places: dict[str, tuple[Chain, int]] = {}
        self._rising: set[str] = set()

    def find(self, size: SizeExpr) -> str | None:
        """The name of a sum that has been defined."""
        return self._names.get(size)

    def define(self, size: SizeExpr) -> str:
        """A new name; the total in `size`, if there is just one, comes before it in its chain."""
        name = self._names[size] = f"t{len(self.definitions)}"
        self.definitions[name] = size
        before = [part for part, factor in self._parts(size) if factor == 1]
        chain, place = self._places[before[0]] if len(before) == 1 else ([], -1)
        if place + 1 < len(chain):
            chain, place = [], -1
        self._places[name] = chain, place + 1
        chain.append(name)
        return name

    def expanded(self, size: Size) -> Size:
        """`size` in terms of the symbols that totals are sums of."""
        if not self.is_in(size):
            return size
        found: list[tuple[Monomial, int]] = []
        waiting: list[tuple[Size, int]] = [(size, 1)]
        while waiting:
            part, times = waiting.pop()
            for monomial, factor in part.terms if isinstance(part, SizeExpr) else (((), part),):
                term = SizeExpr(((monomial, 1),))
                if (name := _name(monomial)) in self.definitions:
                    waiting.append((self.definitions[name], times * factor))
                elif self.definitions.keys().isdisjoint(symbols(term)):
                    found.append((monomial, times * factor))
                else:
                    inside = self.definitions.keys() & set(symbols(term))
                    written = {name: self.expanded(symbol(name)) for name in inside}
                    waiting.append((substitute(term, written), times * factor))
        return polynomial(found)

    def shortest(self, size: SizeExpr) -> Size:
        """`size` with totals written out where that leaves less: of `t1 - t0 - s8` only `s9`."""
        parts = list(self._parts(size))
        for name, factor in parts if len(size.terms) > 1 else ():
            other = size + (self.definitions[name] - symbol(name)) * factor
            if not isinstance(other, SizeExpr) or len(other.terms) < len(size.terms):
                return self.shortest(other) if isinstance(other, SizeExpr) else other
        return size

    def is_in(self, size: Size) -> bool:
        """Whether a total occurs in `size`."""
        return not self.definitions.keys().isdisjoint(symbols(size))

    def _parts(self, size: SizeExpr) -> Iterator[tuple[str, int]]:
        """The totals in a sum, with their factors."""
        for monomial, factor in size.terms:
            if (name := _name(monomial)) in self.definitions:
                yield name, factor

    def least(self, size: Size) -> int | None:
        low = super().least(size)
        if low is None and isinstance(size, SizeExpr) and any(True for _ in self._parts(size)):
            return self._least(size)
        return low

    def signs(self, size: Size) -> set[int]:
        return set() if self.is_in(size) else super().signs(size)

    def given(self) -> Given:
        return First(self.premises, len(self.premises))

    def _least(self, size: Size) -> int | None:
        """The least value of a size with a total that is added: it is at least the one after the
        total that is subtracted, or else the first one."""
        while isinstance(size, SizeExpr):
            parts = list(self._parts(size))
            added = [name for name, factor in parts if factor == 1]
            taken = [name for name, factor in parts if factor == -1]
            if len(added) != 1 or len(taken) > 1 or len(parts) > len(added) + len(taken):
                break
            later, place = self._places[added[0]]
            earlier, start = self._places[taken[0]] if taken else (later, -1)
            if later is not earlier or place < start:
                break
            if not all(map(self._rises, later[start + 2 : place + 1])):
                break
            size = size - symbol(added[0]) + self.definitions[later[start + 1]]
        return least(size, self.lower, self.upper)

    def _rises(self, name: str) -> bool:
        """Whether a total is at least the one before it in its chain."""
        if name not in self._rising:
            chain, place = self._places[name]
            step = self.definitions[name] - symbol(chain[place - 1])
            if (bound := least(step, self.lower, self.upper)) is not None and bound >= 0:
                self._rising.add(name)
        return name in self._rising


def _name(monomial: Monomial) -> str:
    """The symbol that is all of a monomial."""
    alone = len(monomial) == 1 and isinstance(monomial[0], Symbol)
    return str(monomial[0]) if alone else ""
