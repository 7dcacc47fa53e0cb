"""Products of atoms, which sizes are sums of: how they are ordered, multiplied and written."""
from __future__ import annotations

from functools import lru_cache
from typing import TypeVar

Atom = TypeVar("Atom")


@lru_cache(4096)
def order(monomial: tuple[Atom, ...]) -> tuple[int, str]:
    """By which the terms of a sum are sorted: products of more atoms come first."""
    return (-len(monomial), "*".join(map(str, monomial)))


def multiplied(left: tuple[Atom, ...], right: tuple[Atom, ...]) -> tuple[Atom, ...]:
    return tuple(sorted((*left, *right), key=str))


def divided(monomial: tuple[Atom, ...], by: tuple[Atom, ...]) -> tuple[Atom, ...] | None:
    """The atoms without those of another product; None where one is missing."""
    rest = list(monomial)
    for atom in by:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def text(monomial: tuple[Atom, ...], coefficient: int) -> str:
    names = "*".join(map(str, monomial))
    if not names:
        return str(coefficient)
    if coefficient in (1, -1):
        return names if coefficient == 1 else f"-{names}"
    return f"{coefficient}*{names}"
