"""Which zeros a float expression may give."""
from __future__ import annotations

from ...ir.row import by_name
from .loops import Apply, Const, Convert, Expr, Reduce, Select
from .simplify import value_of


def is_extremum(fold: Reduce) -> bool:
    """Whether zeros of both signs make a difference to a fold: NumPy keeps one of them, depending
    on the processor and on how they lie in memory."""
    return fold.op in ("minimum", "maximum") and fold.dtype.kind == "f"


def may_be_negative(expr: Expr) -> bool:
    """Whether -0.0 may be among the values of an expression."""
    match expr:
        case Const():
            return str(value_of(expr)) == "-0.0"
        case Convert():  # small numbers become zero in a narrower type
            return expr.arg.dtype.kind == "f"
        case Select():
            return may_be_negative(expr.true) or may_be_negative(expr.false)
        case Apply("add", (left, right)):
            return may_be_negative(left) and may_be_negative(right)
        case Apply("multiply", (left, right)):
            return left is not right
        case Apply(name):
            row = by_name(name)
            return row is None or not row.positive_zeros
    return True
