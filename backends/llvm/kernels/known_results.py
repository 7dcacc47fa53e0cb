"""Integer operations whose results LLVM may know before they run."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...loop_ir.loops import Const, Expr
from ...loop_ir.simplify import value_of
from ..builder.terms import Term


def may_be_known(op: str, left: Term, right: Term) -> bool:
    """Whether LLVM could find the result of an integer operation (x - x, x * 0, x % 1) and go on to
    fold the floating-point operations on it, with their flags."""
    if left.expr.dtype.kind in "fc":
        return False
    operands = left.expr, right.expr
    return left is right or any(is_zero(expr) or decides(op, expr) for expr in operands)


def decides(op: str, operand: Expr) -> bool:
    """Whether a constant leaves an integer operation one result, whatever the other operand is."""
    if op not in DECIDING or not isinstance(operand, Const) or operand.dtype.kind not in "iu":
        return False
    return DECIDING[op](int(value_of(operand)), np.iinfo(operand.dtype))


DECIDING: dict[str, Callable[[int, np.iinfo[Any]], bool]] = {
    "remainder": lambda value, kind: abs(value) == 1,
    **dict.fromkeys(("left_shift", "right_shift"), lambda value, kind: value >= kind.bits),
    "bitwise_or": lambda value, kind: value == (-1 if kind.min else kind.max),
    "maximum": lambda value, kind: value == kind.max,
    "minimum": lambda value, kind: value == kind.min,
}


def is_zero(expr: Expr) -> bool:
    return isinstance(expr, Const) and not any(expr.bits)
