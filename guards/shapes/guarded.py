"""The relations that a trace guards, without those that follow from others."""
from __future__ import annotations

from collections.abc import Mapping

from ...ir import steps
from ...ir.bounds import least
from ...ir.graph import Assertion, Location
from ...ir.sizes import Size, SizeExpr, symbol, symbols
from ...ir.steps import Asked
from .relations import ORDERED, Relation


class GuardedRelations:
    """`relations` are guarded, `assertions` checked when the graph runs; `premises` are what all
    conclusions are drawn from, also the relations that were dropped: they follow."""

    def __init__(self, lower: Mapping[str, int], upper: Mapping[str, Size]) -> None:
        self.lower, self.upper = lower, upper
        self.relations: list[Relation] = []
        self.assertions: list[Assertion] = []
        self.premises: list[Asked] = []
        self._own: list[Asked] = []
        self.bounding: dict[tuple[str, str], Relation] = {}
        self._newest: dict[tuple[str, SizeExpr], Relation] = {}

    def suppose(self, premise: Asked) -> None:
        """What is true of a new symbol."""
        self._own.append(premise)
        self.premises.append(premise)

    def assume(self, assertion: Assertion) -> None:
        """What is checked when the graph runs."""
        self.assertions.append(assertion)
        self.premises.append(Asked(assertion.relation, assertion.left, assertion.right))

    def add(self, op: str, left: Size, right: Size, location: Location | None) -> Relation:
        new = Relation(op, left, right, location)
        self.relations.append(new)
        self.premises.append(Asked(op, left, right))
        self._drop_weaker(new)
        return new

    def _drop_weaker(self, new: Relation) -> None:
        """`s0 + s1 <= n` follows from a later `s0 + s1 + s2 <= n` where s2 is at least 0."""
        if new.op not in ORDERED:
            return
        small, large = new.sides()
        if isinstance(small, int) or isinstance(large, int):
            return
        weaker, self._newest[new.op, large] = self._newest.get((new.op, large)), new
        if weaker is not None:
            added = small - weaker.sides()[0]
            more = least(added, self.lower, self.upper)
            if more is not None and more >= 0:
                names = {*symbols(added)}
                bounds = [Asked(">=", symbol(n), self.lower[n]) for n in names if n in self.lower]
                bounds += [Asked("<=", symbol(n), self.upper[n]) for n in names if n in self.upper]
                self.drop([weaker], (Asked(new.op, new.left, new.right), *bounds))

    def bounds(self, name: str, side: str) -> None:
        """The newest relation bounds a symbol, more strongly than the one that did before."""
        weaker, self.bounding[name, side] = self.bounding.get((name, side)), self.relations[-1]
        if weaker is not None:
            self.drop([weaker])

    def fixes(self, name: str) -> None:
        """The newest relation fixes a symbol: what was asked of this symbol alone follows."""
        earlier = self.relations[:-1]
        self.drop([old for old in earlier if set(old.symbols()) == {name}])

    def drop(self, implied: list[Relation], given: tuple[Asked, ...] = ()) -> None:
        """Forget relations that follow from the others, or from what is given."""
        for relation in implied:
            places = range(len(self.relations) - 1, -1, -1)
            place = next((k for k in places if self.relations[k] is relation), None)
            if place is not None:
                del self.relations[place]
        if steps.watcher is None:
            return
        for relation in implied:
            others = [Asked(r.op, r.left, r.right) for r in self.relations]
            checked = [Asked(a.relation, a.left, a.right) for a in self.assertions]
            asked = Asked(relation.op, relation.left, relation.right)
            steps.watcher.step("dropped", asked, True, given or (*self._own, *others, *checked))
