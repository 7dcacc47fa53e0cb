"""Sizes as sympy expressions; sympy is imported when one is first asked for.

`expression` is what people see. `unknowns` is what is reasoned with: all symbols are integers of at
least 0, quotients and remainders functions that nothing is known of.
"""
from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from .sizes import Atom, Opaque, Size, SizeExpr

Number = Any
"""A sympy expression."""
QUOTIENT, REMAINDER, LEAST, MOST = "Quotient", "Remainder", "Least", "Most"


def library() -> Any:
    """It takes longer to import than all of dynamo_lite: ordinary programs never do."""
    return importlib.import_module("sympy")


def expression(size: Size, least: Mapping[str, int] | None = None) -> Number:
    """`size` in sympy's terms; `least` are lower bounds of symbols."""
    sympy, low = library(), least or {}

    def symbol(name: str) -> Number:
        if name not in low:
            return sympy.Symbol(name, integer=True)
        bound = {"positive": True} if low[name] > 0 else {"nonnegative": low[name] == 0 or None}
        return sympy.Symbol(name, integer=True, **bound)

    operators = {
        "//": lambda left, right: sympy.floor(left / right), "%": sympy.Mod,
        "min": sympy.Min, "max": sympy.Max,
    }
    return _built(size, symbol, operators)


def unknowns(size: Size, symbol: Callable[[str], Number]) -> Number:
    """`size` with what `symbol` gives for each name, to be reasoned about."""
    sympy = library()
    operators = {
        "//": sympy.Function(QUOTIENT), "%": sympy.Function(REMAINDER),
        "min": sympy.Function(LEAST), "max": sympy.Function(MOST),
    }
    return _built(size, symbol, operators)


def _built(
    size: Size, symbol: Callable[[str], Number], operators: Mapping[str, Callable[..., Number]]
) -> Number:
    sympy = library()

    def built(size: Size) -> Number:
        if not isinstance(size, SizeExpr):
            return sympy.Integer(size)
        terms = [sympy.Mul(factor, *map(atom, atoms)) for atoms, factor in size.terms]
        return sympy.Add(*terms)

    def atom(atom: Atom) -> Number:
        if isinstance(atom, Opaque):
            return operators[atom.op](built(atom.left), built(atom.right))
        return symbol(atom.name)

    return built(size)
