"""Questions about sizes that bounds do not answer: products of symbols, quotients and remainders of
sums, the larger and the smaller of two.

Values are tried first, without sympy: most questions that are open have both answers. For the rest
all symbols are written as integers of at least 0 (`s0 = 2 + a`, where s0 is at least 2), quotients
as unknowns of which the remainder is known to be less than the divisor, and the sign of what is
left is looked for by cases. Only a proof counts: no answer is drawn from the values.
"""
from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Iterator, Mapping

from ...base.records import dataclass
from ...ir.bounds import Lower, Upper
from ...ir.sizes import Opaque, Size, SizeExpr, evaluate, symbols, weight
from .cases import Cases
from .relations import COMPARE

VALUES = (0, 1, 2, 3, 4, 7, 12, 25, 100)  # what symbols are above their least
POINTS = 400
LOADING = 2.0
"""Seconds that there must be for sympy to be loaded, which takes about a third of one."""
HEAVIEST = 24
"""Symbols and numbers of the longest size that is looked at."""


@dataclass(slots=True)
class Asked:
    """What was asked of sympy in this process, and what that took."""

    questions: int = 0
    answered: int = 0
    seconds: float = 0.0

    def clear(self) -> None:
        self.questions, self.answered, self.seconds = 0, 0, 0.0


asked = Asked()


def has_time(until: float) -> bool:
    """Whether sympy is there, or can be loaded well before a time (`time.monotonic`)."""
    return "sympy" in sys.modules or until - time.monotonic() >= LOADING


def answer(op: str, size: SizeExpr, lower: Lower, upper: Upper) -> bool | None:
    """Whether `size op 0` (`==` or `<`) for all values within the bounds, or none; else None."""
    if not is_hard(size):
        return None
    seen = {COMPARE[op](value, 0) for value in _values(size, lower, upper)}
    if len(seen) != 1:
        return None
    (likely,) = seen
    start = time.perf_counter()
    proved = Cases(size, lower, upper).prove(op, likely)
    asked.questions += 1
    asked.answered += proved
    asked.seconds += time.perf_counter() - start
    return likely if proved else None


def constant(size: SizeExpr, lower: Lower, upper: Upper) -> int | None:
    """The number that a size may be, where it has but one value for many values of its symbols."""
    found = set(itertools.islice(_values(size, lower, upper), POINTS)) if is_hard(size) else set()
    return found.pop() if len(found) == 1 else None


def is_hard(size: SizeExpr) -> bool:
    """Whether there is more in it than sums, of which bounds say all that there is, though not so
    much that a proof is not to be hoped for."""
    if weight(size) > HEAVIEST:
        return False
    return any(len(m) > 1 or any(isinstance(a, Opaque) for a in m) for m, _ in size.terms)


def _values(size: Size, lower: Lower, upper: Upper) -> Iterator[int]:
    """Values that a size has within the bounds."""
    names = list(dict.fromkeys(symbols(size)))
    for name in names:
        limit = upper.get(name, 0)
        names += [other for other in symbols(limit) if other not in names]
    limits = [(name, upper[name]) for name in names if name in upper]
    special = sorted({abs(number) + k for number in _numbers(size) for k in (0, 1)} - {*VALUES})
    for values in itertools.islice(_points(names, (*VALUES[:3], *special[:4], *VALUES[3:]), lower),
                                   POINTS):
        try:
            if all(values[name] <= evaluate(limit, values) for name, limit in limits):
                yield evaluate(size, values)
        except ZeroDivisionError:
            continue


def _numbers(size: Size) -> Iterator[int]:
    """The factors and constants in `size`, repeated as they occur."""
    if isinstance(size, int):
        yield size
        return
    for monomial, factor in size.terms:
        yield factor
        for atom in monomial:
            if isinstance(atom, Opaque):
                yield from _numbers(atom.left)
                yield from _numbers(atom.right)


def _points(
    names: list[str], each: tuple[int, ...], lower: Lower
) -> Iterator[Mapping[str, int]]:
    """Values of symbols: some far from each other, then all combinations of the first ones."""
    width = max(2, int(POINTS ** (1 / max(1, len(names)))))
    scattered = ([each[(k * step + k) % len(each)] for k in range(1, len(names) + 1)]
                 for step in range(1, 20))
    near = itertools.product(*[each[:width]] * len(names))
    for point in itertools.chain(scattered, near):
        yield {name: lower.get(name, 0) + value for name, value in zip(names, point)}
