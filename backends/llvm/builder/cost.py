"""Rough run time of expressions, in nanoseconds per element: how far to unroll, and whether a
kernel is worth several threads."""
from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...loop_ir.loops import (
    Apply,
    Const,
    Convert,
    Expr,
    Gather,
    Load,
    Reduce,
    Scalar,
    SizeValue,
    walk,
)

# Nanoseconds per element of float64 in vectors of eight, on one core of 2024 at 4 GHz: what
# `python -m benchmarks.functions` prints for the function, less the 0.09 of a load and a store in
# the cache. Loads are counted as they are from beyond the second level of it (x + y of 400,000
# elements less x + 1): memory is what decides whether threads help.
OPERATIONS: Mapping[str, float] = {
    "divide": 0.1, "sqrt": 0.2, "power": 1.1, "arctan2": 1.0, "hypot": 0.3, "cbrt": 0.4,
    "floor_divide": 0.8, "remainder": 0.5, "fmod": 0.25, "logaddexp": 1.7,
    "exp": 0.2, "exp2": 0.2, "expm1": 0.35, "log": 0.3, "log2": 0.3, "log10": 0.3, "log1p": 0.45,
    "sin": 0.8, "cos": 0.8, "tan": 0.8, "sinh": 0.5, "cosh": 0.25, "tanh": 0.6,
    "arcsin": 0.5, "arccos": 0.5, "arctan": 0.65, "arcsinh": 1.2, "arccosh": 1.0, "arctanh": 0.7,
}  # fmt: skip
SIMPLE = 0.02
LOAD = 0.07
GATHER = 0.6
FREE = (Const, Scalar, SizeValue)


def cost_of(exprs: Iterable[Expr]) -> float:
    """Nanoseconds for one point; a reduction counts its body once per element."""
    total = LOAD
    for expr in walk(exprs):
        total += _own_cost(expr)
    return total


def cost_of_points(root: Expr) -> float:
    """The same without what the reductions inside cost."""
    total, seen, stack = LOAD, set[Expr](), [root]
    while stack:
        expr = stack.pop()
        if expr not in seen and not isinstance(expr, Reduce):
            seen.add(expr)
            total += _own_cost(expr)
            stack += expr.operands
    return total


def _own_cost(expr: Expr) -> float:
    match expr:
        case Apply():
            return OPERATIONS.get(expr.op, SIMPLE)
        case Load():
            return LOAD
        case Gather():
            return GATHER
        case Convert():
            return SIMPLE
        case Reduce() if expr.part:
            return 0.0  # as much as its body for each of its elements, which are counted
        case Reduce():
            extents = [a.extent if isinstance(a.extent, int) else 64 for a in expr.axes]
            count = 1
            for extent in extents:
                count *= extent
            return SIMPLE + max(0, count - 1) * cost_of([expr.body])
    return 0.0 if isinstance(expr, FREE) else SIMPLE
