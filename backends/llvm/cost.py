"""Rough run time of expressions, in nanoseconds per element: how far to unroll, and whether a
kernel is worth several threads."""
from __future__ import annotations

from collections.abc import Iterable, Mapping

from .. import rewrite
from ..loops import Apply, Const, Convert, Expr, Gather, Load, Reduce, Scalar, SizeValue

# Nanoseconds per element with vectors of eight; memory traffic is counted in loads.
OPERATIONS: Mapping[str, float] = {
    "divide": 0.3, "sqrt": 0.4, "power": 5.0, "arctan2": 3.0, "hypot": 1.0,
    "floor_divide": 1.5, "remainder": 1.5, "fmod": 1.5, "cbrt": 2.0,
    **dict.fromkeys(("exp", "exp2", "log", "log2", "log10", "sin", "cos"), 1.0),
    **dict.fromkeys(("expm1", "log1p", "tan", "arcsin", "arccos", "arctan", "tanh"), 1.5),
    **dict.fromkeys(("sinh", "cosh", "arcsinh", "arccosh", "arctanh", "logaddexp"), 2.5),
}
SIMPLE = 0.1
LOAD = 0.3
FREE = (Const, Scalar, SizeValue)


def cost_of(exprs: Iterable[Expr]) -> float:
    """Nanoseconds for one point; a reduction counts its body once per element."""
    total = LOAD
    for expr in rewrite.walk(exprs):
        total += _own_cost(expr)
    return total


def _own_cost(expr: Expr) -> float:
    match expr:
        case Apply():
            return OPERATIONS.get(expr.op, SIMPLE)
        case Load():
            return LOAD
        case Gather():
            return 2.0
        case Convert():
            return SIMPLE
        case Reduce():
            extents = [a.extent if isinstance(a.extent, int) else 64 for a in expr.axes]
            count = 1
            for extent in extents:
                count *= extent
            return SIMPLE + max(0, count - 1) * cost_of([expr.body])
    return 0.0 if isinstance(expr, FREE) else SIMPLE
