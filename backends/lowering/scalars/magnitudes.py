"""Sizes are computed in 64 bits, where Python's ints are exact: a call in which an expression of
sizes that the program uses may be too long bails out.

What is compared is the sum of what its terms are at most, in double: so nothing in it overflows.
"""
from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ....ir.node import Node
from ....ir.sizes import Atom, Size, SizeExpr, Symbol, name_of, symbol, symbols
from ....ir.tree import leaves
from ...loop_ir import simplify
from ...loop_ir.loops import Check, Expr
from ...loop_ir.simplify import const, convert
from ..arithmetic.pointwise import compare
from ..state.context import Lowering

FLOAT64 = np.dtype(np.float64)
LIMIT = 2.0**62
LONGEST_AXIS = 2.0**47
"""Elements of an axis: so many bytes can be addressed."""


def check_magnitudes(low: Lowering, nodes: Iterable[Node]) -> None:
    """Bail out of calls in which sizes that these nodes use, and that are known here, do not
    fit."""
    required, bound = low.relations.required, low.relations.bound
    for node in nodes:
        for size in leaves((node.args, node.kwargs), SizeExpr):
            if name_of(size) is not None:
                continue
            if ("fits", size, 0) in required or not bound.issuperset(symbols(size)):
                continue
            required.add(("fits", size, 0))
            if greatest(low, size) >= LIMIT:
                low.launch((), Check(compare("less", measured(size), const(LIMIT, FLOAT64))))


def greatest(low: Lowering, size: Size) -> float:
    """What `measured` gives at most."""
    if isinstance(size, int):
        return float(abs(size))
    parts = ([_greatest(low, atom) for atom in atoms] for atoms, _ in size.terms)
    return sum(abs(c) * math.prod(part) for part, (_, c) in zip(parts, size.terms))


def _greatest(low: Lowering, atom: Atom) -> float:
    if not isinstance(atom, Symbol):
        return greatest(low, atom.left) + greatest(low, atom.right)
    if (limits := low.relations.limits.get(atom.name)) is not None:
        return max(greatest(low, limit) for limit in limits)
    origin = low.graph.symbols.get(atom.name)
    return LONGEST_AXIS if origin is not None and origin.fact == "size" else 2.0**63


def measured(size: Size) -> Expr:
    """The sum of the magnitudes of the terms."""
    if isinstance(size, int):
        return const(float(abs(size)), FLOAT64)
    total: Expr | None = None
    for atoms, coefficient in size.terms:
        term: Expr = const(float(abs(coefficient)), FLOAT64)
        for atom in atoms:
            term = simplify.apply("multiply", (term, _measured(atom)), FLOAT64)
        total = term if total is None else simplify.apply("add", (total, term), FLOAT64)
    assert total is not None
    return total


def _measured(atom: Atom) -> Expr:
    """A quotient, a remainder and an extremum are no longer than what they are made of."""
    if isinstance(atom, Symbol):
        value = convert(simplify.size_value(symbol(atom.name)), FLOAT64)
        return simplify.apply("absolute", (value,), FLOAT64)
    parts = measured(atom.left), measured(atom.right)
    return simplify.apply("add", parts, FLOAT64)
