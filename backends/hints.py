"""Likely values of sizes: for decisions of speed, never of correctness."""
from __future__ import annotations

from collections.abc import Callable, Mapping

from ..ir.graph import SymbolOrigin
from ..ir.sizes import Size, evaluate

Hint = Callable[[Size], int]
UNKNOWN = 64


def hints_of(
    symbols: Mapping[str, SymbolOrigin], unbacked: Mapping[str, int] | None = None
) -> Hint:
    """A function from sizes to the values they had when the graph was captured, or are likely to
    have."""
    values = {**(unbacked or {}), **{name: origin.hint for name, origin in symbols.items()}}

    def hint(size: Size) -> int:
        if isinstance(size, int):
            return size
        try:
            return evaluate(size, values)
        except (KeyError, ZeroDivisionError):
            return UNKNOWN

    return hint
