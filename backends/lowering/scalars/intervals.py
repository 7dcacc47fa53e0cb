"""Between what integers lie that a program computes: what cannot overflow needs no check.

An interval is `(least, most)` in Python's ints. Of what is read from memory the dtype is known, and
more of variables of loops (`Lowering.intervals`) and of numbers that are stored once.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeGuard, Union

import numpy as np

from ....ir.sizes import Size
from ...loop_ir.loops import (
    Apply,
    Const,
    Convert,
    Expr,
    Gather,
    Load,
    Offset,
    Select,
    SizeValue,
    walk,
)
from ...loop_ir.simplify import BOOL, apply, value_of
from ..state.context import Lowering
from .magnitudes import LIMIT, greatest

Interval = tuple[int, int]
Known = Union[Interval, None]
DEPTH = 12
"""Operations that are looked through."""


def interval(low: Lowering, expr: Expr, depth: int = DEPTH) -> Interval:
    """That of an expression of integers or bools."""
    found = _found(low, expr, depth)
    return limits_of(expr.dtype) if found is None or not fits(found, expr.dtype) else found


def note_checked(low: Lowering, kind: str, operands: Sequence[Expr], result: Expr) -> None:
    """The steps so far have checked that a result fits its dtype."""
    intervals = [interval(low, operand) for operand in operands]
    for place, factor in enumerate(operands):
        if kind == "product" and isinstance(factor, Const) and (number := int(value_of(factor))):
            least, most = intervals[1 - place]
            furthest = int(np.iinfo(result.dtype).max) // abs(number)
            intervals[1 - place] = max(least, -furthest), min(most, furthest)
    least, most = ARITHMETIC[kind](*intervals)  # type: ignore[misc]
    if kind == "difference" and is_above(low, *operands):
        least = max(least, 0)
    limits = limits_of(result.dtype)
    found = max(least, limits[0]), min(most, limits[1])
    note_within(low, result, found)


def note_expected(low: Lowering, condition: Expr) -> None:
    """The steps so far have checked that a condition holds."""
    condition = _told(low, condition)
    if not _is_order(condition):
        return
    smaller, larger = condition.args if condition.op.startswith("less") else condition.args[::-1]
    apart = 0 if condition.op.endswith("equal") else 1
    (least, most), (lowest, highest) = (interval(low, one) for one in (smaller, larger))
    for operand, found in (
        (smaller, (least, min(most, highest - apart))),
        (larger, (max(lowest, least + apart), highest)),
    ):
        if not isinstance(operand, Const) and found[0] <= found[1]:
            note_within(low, operand, found)


def note_within(low: Lowering, expr: Expr, found: Interval) -> None:
    """The steps so far have checked between what a number lies."""
    buffers = frozenset(one.buffer for one in walk([expr]) if isinstance(one, Load | Gather))
    low.checked[expr] = found, len(low.steps), buffers


def note_below(low: Lowering, number: Expr, limit: Expr) -> None:
    """The steps so far have checked that a number is below another one."""
    note_within(low, apply("less", (number, limit), BOOL), (1, 1))


def is_below(low: Lowering, number: Expr, limit: Expr) -> bool:
    """Whether a number, or what it is known to be less than, has been checked to be below
    another one."""
    for _ in range(DEPTH):
        if still_checked(low, apply("less", (number, limit), BOOL)) == (1, 1):
            return True
        if not isinstance(number, Load) or number.buffer not in low.less_than:
            return False
        number = low.less_than[number.buffer]
    return False


def still_checked(low: Lowering, expr: Expr) -> Known:
    """Between what a result lies that has been checked, if what it was made of is the same."""
    if (found := low.checked.get(expr)) is None:
        return None
    known, since, buffers = found
    return known if all(buffers.isdisjoint(step.writes) for step in low.steps[since:]) else None


def fits(interval: Interval, dtype: np.dtype) -> bool:
    least, most = limits_of(dtype)
    return least <= interval[0] and interval[1] <= most


def limits_of(dtype: np.dtype) -> Interval:
    if dtype.kind == "b":
        return 0, 1
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)


def of_size(low: Lowering, size: Size) -> Known:
    if isinstance(size, int):
        return size, size
    most = greatest(low, size)
    return (-int(most), int(most)) if most < LIMIT else None


def hull(*intervals: Interval) -> Interval:
    least, most = zip(*intervals)
    return min(least), max(most)


def both(one: Interval, other: Interval) -> Interval:
    """Of what lies in two intervals; the first where there is no such number."""
    least, most = max(one[0], other[0]), min(one[1], other[1])
    return (least, most) if least <= most else one


def _found(low: Lowering, expr: Expr, depth: int) -> Known:
    if (known := still_checked(low, expr)) is not None:
        variable = low.intervals.get(expr.buffer) if isinstance(expr, Load) else None
        return known if variable is None else both(known, variable)
    match expr:
        case Const():
            number = int(value_of(expr))
            return number, number
        case SizeValue():
            return of_size(low, expr.size)
        case Load() if expr.buffer in low.intervals:
            return low.intervals[expr.buffer]
    if depth == 0:
        return None
    match expr:
        case Load() if (defined := low.defined.get(expr.buffer)) is not None:
            return interval(low, defined, depth - 1) if defined.dtype.kind in "biu" else None
        case Convert():
            return _converted(low, expr, depth)
        case Select():
            return hull(*(interval(low, arm, depth - 1) for arm in (expr.true, expr.false)))
        case Apply() if expr.op == "subtract" and is_above(low, *expr.args):
            return difference_above(low, *expr.args)
        case Apply() if expr.op in RULES and all(arg.dtype.kind in "biu" for arg in expr.args):
            return RULES[expr.op](*(interval(low, arg, depth - 1) for arg in expr.args))
    return None


def difference_above(low: Lowering, left: Expr, right: Expr) -> Interval:
    """Between what a difference lies that is not negative."""
    least, most = of_difference(interval(low, left), interval(low, right))
    return max(least, 0), most


def is_above(low: Lowering, left: Expr, right: Expr) -> bool:
    """Whether a variable is known to be not below a number."""
    if not isinstance(left, Load) or (least := low.at_least.get(left.buffer)) is None:
        return False
    return least == first_of(low, right)


def first_of(low: Lowering, number: Expr) -> Expr:
    """The number that was stored first where one was stored once, and copied from there."""
    while isinstance(number, Load) and isinstance(one := low.defined.get(number.buffer), Load) and (
        one.buffer in low.defined and one.offset is Offset() and one.dtype == number.dtype
    ):
        number = one
    return number


def _converted(low: Lowering, expr: Convert, depth: int) -> Known:
    if expr.arg.dtype.kind not in "biu":
        return None
    found = interval(low, expr.arg, depth - 1)
    return found if fits(found, expr.dtype) else None


# Exact results, by the intervals of operands ------------------------------------------------------


def of_sum(left: Interval, right: Interval) -> Interval:
    return left[0] + right[0], left[1] + right[1]


def of_difference(left: Interval, right: Interval) -> Interval:
    return left[0] - right[1], left[1] - right[0]


def of_product(left: Interval, right: Interval) -> Interval:
    return hull(*((x * y, x * y) for x in left for y in right))


def of_negation(operand: Interval) -> Interval:
    return -operand[1], -operand[0]


def of_magnitude(operand: Interval) -> Interval:
    return max(0, operand[0], -operand[1]), max(-operand[0], operand[1])


def _each(choose: Callable[..., int]) -> Callable[..., Interval]:
    """For functions that grow with all their operands."""
    return lambda *operands: (choose(*(o[0] for o in operands)), choose(*(o[1] for o in operands)))


def _masked(left: Interval, right: Interval) -> Known:
    """Of what is not negative a mask leaves no more; one that is not negative leaves nothing that
    is."""
    most = [operand[1] for operand in (left, right) if operand[0] >= 0]
    return (0, min(most)) if most else None


def _remainder(left: Interval, right: Interval) -> Known:
    return (0, right[1] - 1) if right[0] > 0 else None


def _quotient(left: Interval, right: Interval) -> Known:
    if right[0] <= 0:
        return None
    return hull(*((x // y, x // y) for x in left for y in right))


def _shifted(left: Interval, right: Interval) -> Known:
    return hull(left, (0, 0)) if right[0] >= 0 else None


Rule = Callable[..., Known]
ARITHMETIC: Mapping[str, Rule] = {
    "sum": of_sum, "difference": of_difference, "product": of_product, "negation": of_negation,
    "magnitude": of_magnitude,
}
"""The exact results, by what is checked (`numbers.CHECKS`)."""
RULES: Mapping[str, Rule] = {
    "add": of_sum, "subtract": of_difference, "multiply": of_product, "negative": of_negation,
    "absolute": of_magnitude, "minimum": _each(min), "maximum": _each(max),
    "bitwise_and": _masked, "remainder": _remainder, "floor_divide": _quotient,
    "right_shift": _shifted,
}


def cannot_overflow(
    low: Lowering, kind: str, operands: Sequence[Expr], dtype: np.dtype
) -> bool:
    """Whether the result of an operation is known to be a number of its dtype."""
    if kind == "difference" and is_above(low, *operands):
        return fits(difference_above(low, *operands), dtype)
    rule = ARITHMETIC.get(kind)
    return rule is not None and fits(rule(*(interval(low, arg) for arg in operands)), dtype)  # type: ignore[arg-type]


def decided(low: Lowering, condition: Expr) -> bool | None:
    """What a comparison of integers gives whatever the data is; None where that depends on it, and
    of all else."""
    condition = _told(low, condition)
    if not _is_order(condition):
        return None
    left, right = (interval(low, arg) for arg in condition.args)
    holds, fails = ORDERS[condition.op]
    if holds(left, right):
        return True
    return False if fails(left, right) else None


def _told(low: Lowering, condition: Expr) -> Expr:
    """What a condition is that has been computed before."""
    if not isinstance(condition, Load):
        return condition
    return low.defined.get(condition.buffer, condition)


def _is_order(condition: Expr) -> TypeGuard[Apply]:
    """Whether two integers are compared by their order."""
    if not isinstance(condition, Apply) or condition.op not in ORDERS:
        return False
    return all(arg.dtype.kind in "iu" for arg in condition.args)


def _below(left: Interval, right: Interval) -> bool:
    return left[1] < right[0]


def _up_to(left: Interval, right: Interval) -> bool:
    return left[1] <= right[0]


def _above(left: Interval, right: Interval) -> bool:
    return _below(right, left)


def _from(left: Interval, right: Interval) -> bool:
    return _up_to(right, left)


ORDERS: Mapping[str, tuple[Callable[[Interval, Interval], bool], ...]] = {
    "less": (_below, _from), "less_equal": (_up_to, _above),
    "greater": (_above, _up_to), "greater_equal": (_from, _below),
}
"""When a comparison holds for all numbers of two intervals, and when for none."""

__all__ = ["ARITHMETIC", "cannot_overflow", "decided", "hull", "interval", "of_size"]
