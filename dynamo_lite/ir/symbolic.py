"""Sizes as sympy expressions; sympy is imported when one is first asked for.

`expression` is what people see. `unknowns` is what is reasoned with: all symbols are integers of at
least 0, quotients and remainders functions that nothing is known of.
"""
from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from ..native import filters_version, set_filters_version
from .sizes import Atom, Opaque, Size, SizeExpr

Number = Any
"""A sympy expression."""
QUOTIENT, REMAINDER, LEAST, MOST = "Quotient", "Remainder", "Least", "Most"


def library() -> Any:
    """It takes longer to import than all of dynamo_lite: ordinary programs never do.

    It adds a filter for warnings of its own, after which Python would repeat what the program was
    warned of before.
    """
    version = filters_version()
    try:
        return importlib.import_module("sympy")
    finally:
        set_filters_version(version)


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


def relation(op: str, left: Size, right: Size) -> Any:
    """`left op right` in sympy's terms."""
    return library().Rel(expression(left), expression(right), op)


def interval(low: Size | None, high: Size | None) -> Any:
    """The integers from `low` to `high`, as a sympy set; None for no end."""
    sympy = library()
    ends = [end if size is None else expression(size)
            for end, size in ((-sympy.oo, low), (sympy.oo, high))]
    return sympy.Range(ends[0], ends[1] + 1)


class Shown:
    """A size, or a bound that there may be none of, as people read it: in sympy's terms.

    Of an argument of a log that is off, nothing is imported.
    """

    __slots__ = ("size",)

    def __init__(self, size: Size | None) -> None:
        self.size = size

    def __str__(self) -> str:
        if isinstance(self.size, SizeExpr):
            return str(expression(self.size))
        return "no limit" if self.size is None else str(self.size)


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
