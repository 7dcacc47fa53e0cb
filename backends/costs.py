"""What scalar operations cost, in rough nanoseconds per element: for decisions of speed only."""
from __future__ import annotations

from .loop_ir.loops import Apply, Convert, Expr, Gather, Load, Reduce, Select, walk

TRANSCENDENTAL = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh "
    "arccosh arctanh arctan2 cbrt hypot power float_power logaddexp logaddexp2 erf"
).split()
DIVISION = "divide true_divide floor_divide remainder fmod mod sqrt divmod reciprocal".split()
COST: dict[str, int] = dict.fromkeys(TRANSCENDENTAL, 10) | dict.fromkeys(DIVISION, 4)
OTHER, LOAD, REDUCTION = 1, 1, 1000
MOST_STORES = 8
"""What a kernel may compute into memory: longer ones are compiled more slowly."""


def cost_of_call(name: str) -> int:
    """Of one application of a scalar operation."""
    return COST.get(name, OTHER)


def cost_of(expr: Expr) -> int:
    """Of evaluating an expression once, its shared parts once; a reduction is expensive."""
    total = 0
    for part in walk((expr,)):
        match part:
            case Apply():
                total += cost_of_call(part.op)
            case Convert() | Select():
                total += OTHER
            case Load() | Gather():
                total += LOAD
            case Reduce():
                total += REDUCTION
    return total
