"""Facts: how a rule decides about symbolic sizes.

A type rule never compares sizes itself. It asks the `Facts` object it was given, and the answer is
binding: the frontend's ShapeEnv answers from the hints and installs a guard, `graph_facts` answers
what follows from the graph alone and refuses all else.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, Union

from ..errors import DataDependent, Unsupported
from . import steps
from .bounds import least, signs
from .graph import Graph
from .sizes import Size, evaluate, is_unbacked, maximum, minimum, symbol
from .steps import Asked, Given


class Facts(Protocol):
    """Decisions about sizes; both operands may be ints."""

    def equal(self, left: Size, right: Size) -> bool: ...

    def less(self, left: Size, right: Size) -> bool: ...

    def less_equal(self, left: Size, right: Size) -> bool: ...

    def hint(self, size: Size) -> int:
        """The value at capture time, or a guess; asking installs no guard."""
        ...

    def varies(self, op: str, left: Size, right: Size) -> bool:
        """Whether `left op right` is known to have held in some calls and not in others, so that
        code for both is better than a guard; asking installs none."""
        ...

    def counts(self, size: Size) -> bool:
        """Whether `size` is a product of sizes of arrays: never negative, and 0 only where an
        array is empty."""
        ...

    def total(self, size: Size) -> Size:
        """`size`, by a name of its own where it is a long sum."""
        ...

    def assume(self, question: str, left: Size, right: Size) -> None:
        """`question` (the name of a method) is true, or the call is to bail out; only for
        questions that were answered with DataDependent."""
        ...

    def unbacked(
        self, role: str, upper: Size | None, of: tuple[int, ...] = (0,), *, lower: int | None = 0
    ) -> Size:
        """The size of a result that depends on data, between bounds: the number of `role`; without
        a role, a value.

        Calls with equal arguments number `of` get the same symbol.
        """
        ...


def must(facts: Facts, question: str, left: Size, right: Size) -> bool:
    """The answer to a question where False means that NumPy raises: what only the data can answer
    is taken to be true, and asserted when the graph runs."""
    try:
        return bool(getattr(facts, question)(left, right))
    except DataDependent:
        facts.assume(question, left, right)
        return True


def generic(facts: Facts, question: str, left: Size, right: Size) -> bool:
    """The answer to a question where it does not matter for small sizes: what only the data can
    answer is answered for sizes that are large."""
    try:
        return bool(getattr(facts, question)(left, right))
    except DataDependent:
        compare = {"less": int.__lt__, "less_equal": int.__le__}.get(question)
        return compare is not None and compare(facts.hint(left), facts.hint(right))


def at_least(bound: Size, size: Size, facts: Facts) -> Size:
    """`max(bound, size)`: one of them where that is known or can be guarded."""
    if facts.varies("<", size, bound):
        return maximum(size, bound)
    try:
        return bound if facts.less(size, bound) else size
    except DataDependent:
        return size if _follows(facts, bound, size) else maximum(bound, size)


def at_most(bound: Size, size: Size, facts: Facts) -> Size:
    """`min(bound, size)`, likewise."""
    if facts.varies("<", bound, size):
        return minimum(size, bound)
    try:
        return bound if facts.less(bound, size) else size
    except DataDependent:
        return size if _follows(facts, size, bound) else minimum(bound, size)


def _follows(facts: Facts, left: Size, right: Size) -> bool:
    """Whether `left <= right` is known."""
    try:
        return facts.less_equal(left, right)
    except DataDependent:
        return False


class StaticFacts:
    """Knows only what follows from bounds of the symbols; anything else is Unsupported."""

    def __init__(
        self, lower: Mapping[str, int] | None = None, hints: Mapping[str, int] | None = None,
        upper: Mapping[str, Size] | None = None,
    ) -> None:
        self.lower = lower or {}
        self.hints = hints or {}
        self.upper = upper or {}

    def equal(self, left: Size, right: Size) -> bool:
        if left == right:
            return True
        difference = left - right
        seen = self.signs(difference)
        if 0 not in seen and (
            (-1 not in seen and self._is_at_least(1, difference))
            or (1 not in seen and self._is_at_least(1, -difference))
        ):
            return self._follows("==", left, right, False)
        raise Unsupported(f"cannot decide whether {left} == {right}")

    def less(self, left: Size, right: Size) -> bool:
        difference = left - right
        seen = self.signs(difference)
        if seen <= {-1} and self._is_at_least(1, -difference):
            return self._follows("<", left, right, True)
        if -1 not in seen and self._is_at_least(0, difference):
            return self._follows("<", left, right, False)
        raise Unsupported(f"cannot decide whether {left} < {right}")

    def less_equal(self, left: Size, right: Size) -> bool:
        return not self.less(right, left)

    def signs(self, size: Size) -> set[int]:
        """Signs that a size can have as far as its bounds say; those that were found."""
        return signs(size, self.lower, self.upper)

    def hint(self, size: Size) -> int:
        try:
            return evaluate(size, self.hints)
        except KeyError:
            raise Unsupported(f"no hint for the size {size}") from None

    def assume(self, question: str, left: Size, right: Size) -> None:
        raise Unsupported(f"nothing checks {question} of {left} and {right}")

    def unbacked(
        self, role: str, upper: Size | None, of: tuple[int, ...] = (0,), *, lower: int | None = 0
    ) -> Size:
        raise Unsupported("a size that depends on data")

    def varies(self, op: str, left: Size, right: Size) -> bool:
        return False

    def counts(self, size: Size) -> bool:
        return False

    def least(self, size: Size) -> int | None:
        """A lower bound of a size; None where it is not bounded by what is known."""
        return least(size, self.lower, self.upper)

    def _is_at_least(self, bound: int, size: Size) -> bool:
        low = self.least(size)
        return low is not None and low >= bound

    def _follows(self, op: str, left: Size, right: Size, answer: bool) -> bool:
        if steps.watcher is not None:
            steps.watcher.step("bounds", Asked(op, left, right), answer, self.given())
        return answer

    def given(self) -> Given:
        """What answers are drawn from."""
        least = (Asked(">=", symbol(name), low) for name, low in self.lower.items())
        most = (Asked("<=", symbol(name), high) for name, high in self.upper.items())
        return *least, *most

    def total(self, size: Size) -> Size:
        return size


class TypicalFacts(StaticFacts):
    """What holds for sizes as large as they are taken to be. Only for choices of which each is
    right for all sizes: nothing is concluded, so there is nothing to prove."""

    def _follows(self, op: str, left: Size, right: Size, answer: bool) -> bool:
        return answer


STATIC = StaticFacts()

ASSUMED = "assumed "
Answer = tuple[str, Size, Size, Union[bool, None]]
"""A question (the name of a method of `Facts`), and None where it could not be answered; or, after
`ASSUMED`, one that was taken to be true."""


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

    def assume(self, question: str, left: Size, right: Size) -> None:
        self.facts.assume(question, left, right)
        self.answers.append((f"{ASSUMED}{question}", left, right, True))

    def unbacked(
        self, role: str, upper: Size | None, of: tuple[int, ...] = (0,), *, lower: int | None = 0
    ) -> Size:
        return self.facts.unbacked(role, upper, of, lower=lower)

    def varies(self, op: str, left: Size, right: Size) -> bool:
        return self.facts.varies(op, left, right)

    def counts(self, size: Size) -> bool:
        return self.facts.counts(size)

    def total(self, size: Size) -> Size:
        return self.facts.total(size)

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
        if name.startswith(ASSUMED):
            facts.assume(name.removeprefix(ASSUMED), left, right)
            continue
        try:
            found = getattr(facts, name)(left, right)
        except Unsupported:
            found = None
        if found is not answer:
            return False
    return True


def graph_facts(graph: Graph) -> Facts:
    """What was settled when the graph was captured; without that, the least values of sizes."""
    if graph.facts is not None:
        facts: Facts = graph.facts
        return facts
    lower: dict[str, int] = dict.fromkeys(graph.unbacked, 0)
    for name, origin in graph.symbols.items():
        if origin.fact == "size":
            lower[name] = 0 if is_unbacked(name) else origin.least
    return StaticFacts(lower, {name: origin.hint for name, origin in graph.symbols.items()})
