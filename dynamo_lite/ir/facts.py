"""Facts: how a rule decides about symbolic sizes.

A type rule never compares sizes itself. It asks the `Facts` object it was given, and the answer is
binding: the frontend's ShapeEnv answers from the hints and installs a guard, `GraphFacts` answers
what follows from the graph alone and refuses the rest.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, Union

from ..errors import Unsupported
from .graph import Graph
from .sizes import Size, SizeExpr, Symbol, evaluate


class Facts(Protocol):
    """Decisions about sizes; both operands may be ints."""

    def equal(self, left: Size, right: Size) -> bool: ...

    def less(self, left: Size, right: Size) -> bool: ...

    def less_equal(self, left: Size, right: Size) -> bool: ...

    def hint(self, size: Size) -> int:
        """The value at capture time; asking installs no guard."""
        ...


class StaticFacts:
    """Knows only what follows from lower bounds of the symbols; anything else is Unsupported."""

    def __init__(
        self, lower: Mapping[str, int] | None = None, hints: Mapping[str, int] | None = None
    ) -> None:
        self.lower = lower or {}
        self.hints = hints or {}

    def equal(self, left: Size, right: Size) -> bool:
        if left == right:
            return True
        low, high = self._range(left - right)
        if (low is not None and low > 0) or (high is not None and high < 0):
            return False
        raise Unsupported(f"cannot decide whether {left} == {right}")

    def less(self, left: Size, right: Size) -> bool:
        low, high = self._range(left - right)
        if high is not None and high < 0:
            return True
        if low is not None and low >= 0:
            return False
        raise Unsupported(f"cannot decide whether {left} < {right}")

    def less_equal(self, left: Size, right: Size) -> bool:
        return not self.less(right, left)

    def hint(self, size: Size) -> int:
        try:
            return evaluate(size, self.hints)
        except KeyError:
            raise Unsupported(f"no hint for the size {size}") from None

    def _range(self, size: Size) -> tuple[int | None, int | None]:
        """Bounds of a polynomial; None where it is not bounded by what is known."""
        if isinstance(size, int):
            return size, size
        return self._minimum(size), _negated(self._minimum(-size))

    def _minimum(self, size: Size) -> int | None:
        """A lower bound, found by writing each symbol as its own bound plus something >= 0."""
        if isinstance(size, int):
            return size
        shifted = _shift(size, self.lower)
        if shifted is None or any(c < 0 for m, c in shifted.items() if m):
            return None
        return shifted.get((), 0)


def _negated(value: int | None) -> int | None:
    return None if value is None else -value


def _shift(size: SizeExpr, lower: Mapping[str, int]) -> dict[tuple[str, ...], int] | None:
    """The coefficients of `size` in variables that are >= 0; None for non-polynomial sizes."""
    total: dict[tuple[str, ...], int] = {}
    for monomial, coefficient in size.terms:
        partial: dict[tuple[str, ...], int] = {(): coefficient}
        for atom in monomial:
            if not isinstance(atom, Symbol) or atom.name not in lower:
                return None
            grown: dict[tuple[str, ...], int] = {}
            for names, factor in partial.items():
                raised = tuple(sorted((*names, atom.name)))
                grown[raised] = grown.get(raised, 0) + factor
                grown[names] = grown.get(names, 0) + factor * lower[atom.name]
            partial = grown
        for names, factor in partial.items():
            total[names] = total.get(names, 0) + factor
    return total


STATIC = StaticFacts()

Answer = tuple[str, Size, Size, Union[bool, None]]
"""A question (the name of a method of `Facts`), and None where it could not be answered."""


class RecordedFacts:
    """Facts that keep in `answers` what they were asked, for another process to ask it again."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.answers: list[Answer] = []

    def equal(self, left: Size, right: Size) -> bool:
        return self._ask("equal", left, right)

    def less(self, left: Size, right: Size) -> bool:
        return self._ask("less", left, right)

    def less_equal(self, left: Size, right: Size) -> bool:
        return self._ask("less_equal", left, right)

    def hint(self, size: Size) -> int:
        return self.facts.hint(size)

    def _ask(self, name: str, left: Size, right: Size) -> bool:
        answer = None
        try:
            answer = bool(getattr(self.facts, name)(left, right))
        finally:
            if not (isinstance(left, int) and isinstance(right, int)):
                self.answers.append((name, left, right, answer))
        return answer


def answers_alike(facts: Facts, answers: Iterable[Answer]) -> bool:
    """Ask everything again, with the same guards as a consequence; False at another answer."""
    for name, left, right, answer in answers:
        try:
            found = getattr(facts, name)(left, right)
        except Unsupported:
            found = None
        if found is not answer:
            return False
    return True


def graph_facts(graph: Graph) -> Facts:
    """What was settled when the graph was captured; without that, that sizes are at least 2."""
    if graph.facts is not None:
        facts: Facts = graph.facts
        return facts
    lower = {name: 2 for name, origin in graph.symbols.items() if origin.fact == "size"}
    return StaticFacts(lower, {name: origin.hint for name, origin in graph.symbols.items()})
