"""Bounds of sizes: the least value that a polynomial can have when its symbols have bounds."""
from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..base.records import dataclass, field
from .sizes import Atom, Monomial, Opaque, Size, SizeExpr, Symbol, evaluate, polynomial, symbols

Lower = Mapping[str, int]
Upper = Mapping[str, Size]
DEPTH = 6  # bounds that are put in for symbols, one after the other
EFFORT = 1000  # terms of the sizes whose bound is looked for, to answer one question
SAMPLES = (0, 1, 2, 3, 5, 8, 16, 40, 100, 200, 400, 1000)  # what symbols are above their least


@dataclass(slots=True)
class _Known:
    """The bounds of symbols, and what follows from them so far."""

    lower: Lower
    upper: Upper
    found: dict[tuple[Size, int], int | None] = field(default_factory=dict)
    effort: int = 0


def least(size: Size, lower: Lower, upper: Upper) -> int | None:
    """A lower bound of a size; None where none is known.

    What is only subtracted is replaced by what it is at most, then each symbol is written as its
    own least value plus something that is at least 0.
    """
    return _least(size, _Known(lower, upper), DEPTH)


def signs(size: Size, lower: Lower, upper: Upper) -> set[int]:
    """Signs (-1, 0, 1) that a size with quotients has within the bounds: of these none can be ruled
    out, which is quickly seen where a search takes long. There may be others."""
    if isinstance(size, int) or not any(isinstance(a, Opaque) for m, _ in size.terms for a in m):
        return set()
    names = list(dict.fromkeys(symbols(size)))
    limits = [(name, upper[name]) for name in names if name in upper]
    names += [other for _, limit in limits for other in symbols(limit) if other not in names]
    seen = set()
    for step in SAMPLES:
        values = {name: lower.get(name, 0) + step * place for place, name in enumerate(names, 1)}
        try:
            if all(values[name] <= evaluate(limit, values) for name, limit in limits):
                value = evaluate(size, values)
                seen.add((value > 0) - (value < 0))
        except ZeroDivisionError:
            continue
    return seen


def _least(size: Size, known: _Known, depth: int) -> int | None:
    if isinstance(size, int):
        return size
    key = size, depth
    if key not in known.found and known.effort < EFFORT:
        known.effort += len(size.terms)
        known.found[key] = None
        known.found[key] = _search(size, known, depth)
    return known.found.get(key)


def _search(size: SizeExpr, known: _Known, depth: int) -> int | None:
    found = [_shifted_least(size, known)]
    for atom in dict.fromkeys(atom for monomial, _ in size.terms for atom in monomial):
        if depth and known.effort < EFFORT:
            found += _without(size, atom, known, depth - 1)
    return max((bound for bound in found if bound is not None), default=None)


def _without(size: SizeExpr, atom: Atom, known: _Known, depth: int) -> Iterator[int | None]:
    """Lower bounds of a size, found by putting something else in for an atom."""
    for sign, bounds in ((-1, _upper_bounds(atom, known)), (1, _lower_bounds(atom))):
        for times, bound in bounds:
            if _is_times(size, atom, sign, known):
                low = _least(_replaced(size, atom, bound, times), known, depth)
                yield None if low is None else -(-low // times)
    if isinstance(atom, Opaque) and atom.op == "max":
        left = _least(_replaced(size, atom, atom.left), known, depth)
        right = _least(_replaced(size, atom, atom.right), known, depth)
        yield None if left is None or right is None else min(left, right)


def _upper_bounds(atom: Atom, known: _Known) -> Iterator[tuple[int, Size]]:
    """Pairs: so many times an atom is at most a size."""
    if isinstance(atom, Symbol):
        if atom.name in known.upper:
            yield 1, known.upper[atom.name]
    elif atom.op == "//" and isinstance(atom.right, int):
        if atom.right > 0:
            yield atom.right, atom.left
    elif atom.op != "max" and _is_at_least(1, atom.right, known):
        if atom.op == "%":
            yield 1, atom.right - 1
        if _is_at_least(0, atom.left, known):
            yield 1, atom.left


def _lower_bounds(atom: Atom) -> Iterator[tuple[int, Size]]:
    """Pairs: so many times an atom is at least a size."""
    if isinstance(atom, Symbol):
        return
    if atom.op == "max":
        yield from ((1, atom.left), (1, atom.right))
    elif atom.op == "//" and isinstance(atom.right, int) and atom.right > 0:
        yield atom.right, atom.left - (atom.right - 1)


def _is_times(size: SizeExpr, atom: Atom, sign: int, known: _Known) -> bool:
    """Whether every term with an atom is that atom times something that has a sign, or is 0."""
    for monomial, factor in size.terms:
        if atom in monomial:
            rest = list(monomial)
            rest.remove(atom)
            if factor * sign < 0 or not all(_is_positive(a, known) for a in rest):
                return False
    return True


def _is_positive(atom: Atom, known: _Known) -> bool:
    bound = _least_of(atom, known)
    return bound is not None and bound >= 0


def _is_at_least(bound: int, size: Size, known: _Known) -> bool:
    found = _least(size, known, DEPTH)
    return found is not None and found >= bound


def _replaced(size: SizeExpr, atom: Atom, bound: Size, times: int = 1) -> Size:
    """`times * size`, where `times` an atom (once in each term) is `bound`."""
    outside, inside = [], []
    for monomial, factor in size.terms:
        if atom in monomial:
            rest = list(monomial)
            rest.remove(atom)
            inside.append((tuple(rest), factor))
        else:
            outside.append((monomial, factor))
    return polynomial(outside) * times + polynomial(inside) * bound


def _least_of(atom: Atom, known: _Known) -> int | None:
    """A lower bound of one factor."""
    if isinstance(atom, Symbol):
        return known.lower.get(atom.name)
    left, right = (_least(side, known, DEPTH) for side in (atom.left, atom.right))
    if atom.op == "max":
        return max((bound for bound in (left, right) if bound is not None), default=None)
    if right is None or right < 1:
        return None
    if atom.op == "%":
        return 0
    if isinstance(atom.right, int):
        return None if left is None else left // atom.right
    return 0 if left is not None and left >= 0 else None


def _shifted_least(size: SizeExpr, known: _Known) -> int | None:
    shifted = _shift(size, known)
    if shifted is None or any(c < 0 for m, c in shifted.items() if m):
        return None
    return shifted.get((), 0)


def _shift(size: SizeExpr, known: _Known) -> dict[Monomial, int] | None:
    """The coefficients of `size` in variables that are >= 0; None where a factor has no bound."""
    total: dict[Monomial, int] = {}
    for monomial, coefficient in size.terms:
        partial: dict[Monomial, int] = {(): coefficient}
        for atom in monomial:
            if (least_value := _least_of(atom, known)) is None:
                return None
            grown: dict[Monomial, int] = {}
            for names, factor in partial.items():
                raised = (*names, atom)
                grown[raised] = grown.get(raised, 0) + factor
                grown[names] = grown.get(names, 0) + factor * least_value
            partial = grown
        for names, factor in partial.items():
            total[names] = total.get(names, 0) + factor
    return total
