"""Likely values of sizes: for decisions of speed, never of correctness."""
from __future__ import annotations

from collections.abc import Callable, Mapping

from ..ir import steps
from ..ir.graph import SymbolOrigin
from ..ir.sizes import Size, depends_on_data, evaluate, symbol
from ..ir.steps import Asked
from ..ir.types import ArrayType

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


def is_count(origin: SymbolOrigin) -> bool:
    return origin.fact in ("size", "value", "total") and origin.least >= 0


def least_of(size: Size, symbols: Mapping[str, SymbolOrigin]) -> int | None:
    """The least value that a size can have; None when that cannot be seen."""
    if isinstance(size, int):
        return size
    names = {atom for monomial, _ in size.terms for atom in monomial}
    origins = [symbols.get(str(name)) for name in names]
    if depends_on_data(size) or not all(o is not None and is_count(o) for o in origins):
        return None
    if any(factor < 0 for monomial, factor in size.terms if monomial):
        return None
    least = evaluate(size, {str(name): symbols[str(name)].least for name in names})
    if steps.watcher is not None:
        given = tuple(Asked(">=", symbol(name), symbols[name].least) for name in map(str, names))
        steps.watcher.step("least value", Asked(">=", size, least), True, given)
    return least


def goes_forward(kind: ArrayType, symbols: Mapping[str, SymbolOrigin]) -> bool:
    """Whether no stride of an array can be negative."""
    leasts = (least_of(stride, symbols) for stride in kind.strides)
    return all(least is not None and least >= 0 for least in leasts)
