"""What expressions cost, for decisions of speed only. What one operation costs stands in its row.

The *weight* of an expression, in simple operations, tells whether it may be computed again where it
is read. Its *time*, in nanoseconds per element, tells how far to unroll, and whether a kernel is
worth several threads.
"""
from __future__ import annotations

from collections.abc import Iterable

from ..ir.row import SIMPLE, by_name
from .loop_ir.loops import (
    Apply,
    Const,
    Convert,
    Expr,
    Gather,
    Load,
    Reduce,
    Scalar,
    Select,
    SizeValue,
    walk,
)

OTHER, LOAD, REDUCTION = 1, 1, 1000
MOST_STORES = 8
"""What a kernel may compute into memory: longer ones are compiled more slowly."""


def weight_of(*exprs: Expr) -> int:
    """Of evaluating expressions once, their shared parts once; a reduction is expensive."""
    total = 0
    for part in walk(exprs):
        match part:
            case Apply():
                row = by_name(part.op)
                total += OTHER if row is None else row.weight
            case Convert() | Select():
                total += OTHER
            case Load() | Gather():
                total += LOAD
            case Reduce():
                total += REDUCTION
    return total


# -- nanoseconds

# Per element of float64 in vectors of eight, on one core of 2024 at 4 GHz: what `python -m
# benchmarks.functions` prints for the function, less the 0.09 of a load and a store in the cache.
# Loads are counted as they are from beyond the second level of it (x + y of 400,000 elements less
# x + 1): memory is what decides whether threads help.
LOAD_TIME, GATHER_TIME = 0.07, 0.6
FREE = (Const, Scalar, SizeValue)


def time_of(exprs: Iterable[Expr]) -> float:
    """Nanoseconds for one point; a reduction counts its body once per element."""
    total = LOAD_TIME
    for expr in walk(exprs):
        total += _own_time(expr)
    return total


def time_of_points(root: Expr) -> float:
    """The same without what the reductions inside cost."""
    total, seen, stack = LOAD_TIME, set[Expr](), [root]
    while stack:
        expr = stack.pop()
        if expr not in seen and not isinstance(expr, Reduce):
            seen.add(expr)
            total += _own_time(expr)
            stack += expr.operands
    return total


def _own_time(expr: Expr) -> float:
    match expr:
        case Apply():
            row = by_name(expr.op)
            return SIMPLE if row is None else row.cost
        case Load():
            return LOAD_TIME
        case Gather():
            return GATHER_TIME
        case Convert():
            return SIMPLE
        case Reduce() if expr.part:
            return 0.0  # as much as its body for each of its elements, which are counted
        case Reduce():
            extents = [a.extent if isinstance(a.extent, int) else 64 for a in expr.axes]
            count = 1
            for extent in extents:
                count *= extent
            return SIMPLE + max(0, count - 1) * time_of([expr.body])
    return 0.0 if isinstance(expr, FREE) else SIMPLE
