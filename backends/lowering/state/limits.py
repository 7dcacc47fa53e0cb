"""What sizes are at most, where a body of a loop or branch has symbols of its own: memory is made
before the body runs."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....ir import core
from ....ir.node import Node
from ....ir.sizes import (
    Atom,
    Opaque,
    Size,
    Symbol,
    floordiv,
    maximum,
    minimum,
    polynomial,
    product,
    symbols,
)

Limits = Mapping[str, tuple[Size, Size]]
"""Symbol of a body → what it is at least and at most."""

LIMITS: Mapping[Any, Callable[..., tuple[Size, Size]]] = {
    core.within: lambda bound, size: (0, size),
    core.position: lambda index, size: (0, size - 1),
    core.between: lambda number, least, most: (least, most),
}


def limits_of(node: Node) -> tuple[Size, Size] | None:
    """Between what the int lies that a node gives; None where nothing is known."""
    found = LIMITS.get(node.target)
    return None if found is None else found(*node.args)


def room_for(shape: Sequence[Size], limits: Limits) -> Size | None:
    """How many elements an array has at most whose shape a body alone knows."""
    if limits.keys().isdisjoint(name for size in shape for name in symbols(size)):
        return None
    sizes = [farthest(size, limits) for size in shape]
    known = [size for size in sizes if size is not None]
    return product(known) if len(known) == len(sizes) else None


def farthest(size: Size, limits: Limits, way: int = 1) -> Size | None:
    """What a size is at most (`way` is 1) or at least (-1), without the symbols of bodies; None
    where that is not known."""
    if isinstance(size, int) or limits.keys().isdisjoint(symbols(size)):
        return size
    total: Size = 0
    for monomial, factor in size.terms:
        term = polynomial([(monomial, abs(factor))])
        if not limits.keys().isdisjoint(symbols(term)):
            if len(monomial) > 1:
                return None
            found = _farthest_atom(monomial[0], limits, way if factor > 0 else -way)
            if found is None:
                return None
            term = abs(factor) * found
        total = total + term if factor > 0 else total - term
    return total


def _farthest_atom(atom: Atom, limits: Limits, way: int) -> Size | None:
    if isinstance(atom, Symbol):
        return farthest(limits[atom.name][way > 0], limits, way)
    return _farthest_opaque(atom, limits, way)


def _farthest_opaque(atom: Opaque, limits: Limits, way: int) -> Size | None:
    if atom.op in ("//", "%") and not (isinstance(atom.right, int) and atom.right > 0):
        return None
    if atom.op == "%":
        return atom.right - 1 if way > 0 else 0
    left = farthest(atom.left, limits, way)
    right = farthest(atom.right, limits, way)
    if left is None or right is None:
        return None
    return {"//": floordiv, "min": minimum, "max": maximum}[atom.op](left, right)
