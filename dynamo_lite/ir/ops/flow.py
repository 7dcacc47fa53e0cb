"""Rows of control flow, and of what Python's own numbers do inside a graph."""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from .. import control
from ..row import ROWS, Kind, op
from ..rules import python_numbers as rules

for _target in (control.for_loop, control.while_loop, control.cond):
    op(_target, Kind.CONTROL, flags=True, checks=("any",))
op(control.choose, Kind.POINTWISE, infer=rules.chosen)

COMPARISONS: Mapping[Callable[..., Any], str] = {
    operator.lt: "less", operator.le: "less_equal", operator.gt: "greater",
    operator.ge: "greater_equal", operator.eq: "equal", operator.ne: "not_equal",
}
"""Operator → the scalar operation that it is on two numbers of one type."""

for _operator in COMPARISONS:
    op(_operator, Kind.POINTWISE, infer=rules.compared)
op(operator.truediv, Kind.POINTWISE, infer=rules.divided, flags=True, checks=("zero divisor",))
BITS = (operator.and_, operator.or_, operator.xor, operator.rshift)
for _operator in BITS:
    op(_operator, Kind.POINTWISE, infer=rules.bits, checks=("any",))
op(operator.not_, Kind.POINTWISE, infer=rules.negated)
ARITHMETIC: tuple[Callable[..., Any], ...] = (
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.neg,
    operator.abs,
)
for _operator in ARITHMETIC:
    ROWS[_operator] = replace(
        ROWS[_operator], infer=rules.arithmetic(ROWS[_operator].infer),
        checks=("scalar overflow", "zero divisor"),
    )
