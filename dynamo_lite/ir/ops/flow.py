"""Rows of control flow, and of what Python's own numbers do inside a graph."""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import control, core
from ..row import ROWS, Kind, complete, op
from ..rules import python_numbers as rules
from ..types import ArrayType
from . import pointwise as pointwise  # whose derivatives Python's operators have

for _target in (
    control.for_loop, control.while_loop, control.cond, control.recursive, control.call_again,
):
    op(_target, Kind.CONTROL, flags=True, checks=("any",), lowering=_target.__name__)
complete(control.for_loop, blocks="steps")
op(control.choose, Kind.POINTWISE, infer=rules.chosen, lowering="choice",
   vjp=(None, "arrays.chosen_true", "arrays.chosen_false"))

COMPARISONS: Mapping[Callable[..., Any], str] = {
    operator.lt: "less", operator.le: "less_equal", operator.gt: "greater",
    operator.ge: "greater_equal", operator.eq: "equal", operator.ne: "not_equal",
}
"""Operator → the scalar operation that it is on two numbers of one type."""

for _operator, _name in COMPARISONS.items():
    op(_operator, Kind.POINTWISE, infer=rules.compared, lowering="comparison",
       using={"name": _name})
op(operator.truediv, Kind.POINTWISE, infer=rules.divided, flags=True, checks=("zero divisor",),
   lowering="quotient", partials=ROWS[np.divide].partials)
BITS: Mapping[Callable[..., Any], tuple[str, Callable[..., ArrayType]]] = {
    operator.and_: ("bitwise_and", rules.logic), operator.or_: ("bitwise_or", rules.logic),
    operator.xor: ("bitwise_xor", rules.logic),
    operator.rshift: ("right_shift", rules.bits), operator.lshift: ("left_shift", rules.bits),
}
for _operator, (_name, _rule) in BITS.items():
    op(_operator, Kind.POINTWISE, infer=_rule, checks=("any",), lowering="bits",
       using={"name": _name})
WRAPPED: Mapping[Callable[..., Any], str] = {
    core.wrapped_sum: "add", core.wrapped_difference: "subtract", core.wrapped_product: "multiply",
}
"""What needs no check, because only the lowest bits are of interest."""
for _operator, _name in WRAPPED.items():
    op(_operator, Kind.POINTWISE, infer=rules.bits, lowering="bits", using={"name": _name})
op(operator.not_, Kind.POINTWISE, infer=rules.negated, lowering="negation")
ARITHMETIC: tuple[Callable[..., Any], ...] = (
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.neg,
    operator.abs,
)
for _operator in ARITHMETIC:
    complete(_operator, infer=rules.arithmetic(ROWS[_operator].infer),
        checks=("scalar overflow", "zero divisor"),
    )
