"""Operators on numbers that may raise or warn: Python's own, and those of NumPy's integers."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ....ir.node import Node
from ....ir.types import Form
from ...loop_ir import simplify
from ...loop_ir.loops import Apply, Check, Const, Expr
from ...loop_ir.simplify import BOOL, const, convert
from ...passes.materialise import Access
from ..arithmetic.pointwise import compare, dtype_of, loop_dtypes, operand_at
from ..state.context import Lowering, lowers
from ..state.values import CannotLower, Value
from .intervals import ARITHMETIC, cannot_overflow, decided, is_above, note_checked, note_within
from .unsigned_sums import checked_as_a_whole, is_sum, note_sum

F64, I64 = np.dtype(np.float64), np.dtype(np.int64)


@lowers(reads=Access.SAME, checks=True)
def arithmetic(low: Lowering, node: Node, *args: Any, ufunc: np.ufunc, fits: str) -> Value:
    """In the dtype of the result; what does not fit is checked for, where NumPy would report it."""
    dtype = node.type.dtype
    if node.type.form is Form.SCALAR:
        dtypes = loop_dtypes(ufunc, args, {})
        if any(found != dtypes[-1] for found in dtypes):
            raise CannotLower("integers of different types")
        dtype = dtypes[-1]
    is_product = dtype.kind == "c" and fits == "product"
    if dtype.kind not in "iuf" and not (is_product and dtype in low.native):
        raise CannotLower(f"arithmetic of {dtype} scalars")
    operands = tuple(operand_at(low, arg, (), dtype) for arg in args)
    result = simplify.apply("mul" if is_product else ufunc.__name__, operands, dtype)
    may_wrap = node.type.form is Form.SCALAR and fits in ARITHMETIC and (
        dict(low.errstate).get("over") == "ignore")
    if dtype.kind in "iu" and not may_wrap and not cannot_overflow(low, fits, operands, dtype):
        may_be_part = is_sum(fits, operands, dtype)
        if may_be_part and (whole := checked_as_a_whole(low, fits, operands, dtype)) is not None:
            return low.lazy(node.type, (), whole)
        first = len(low.steps)
        for condition in conditions(low, fits, result, operands):
            low.launch((), Check(undecided(low, condition)))
        if fits in ARITHMETIC:
            note_checked(low, fits, operands, result)
        if may_be_part:
            note_sum(low, fits, operands, result, range(first, len(low.steps)))
    elif fits == "quotient":
        low.launch((), Check(compare("not_equal", operands[1], const(0.0, dtype))))
    return low.lazy(node.type, (), result)


def conditions(
    low: Lowering, kind: str, result: Expr, operands: Sequence[Expr]
) -> list[Expr]:
    """What holds if an operation does not wrap."""
    if result.dtype.kind == "u":
        return UNSIGNED_CHECKS[kind](result, *operands)
    if kind == "difference" and is_above(low, *operands):
        return [compare("greater_equal", result, const(0, result.dtype))]
    return CHECKS[kind](result, *operands)


def undecided(low: Lowering, condition: Expr) -> Expr:
    """What of a condition depends on data."""
    if isinstance(condition, Apply) and condition.op == "logical_and":
        left, right = condition.args
        for known, other in ((left, right), (right, left)):
            if decided(low, known):
                return other
    return condition


def _both(*tests: Expr) -> Expr:
    return simplify.apply("logical_and", tests, BOOL)


def _same_sign(result: Expr, left: Expr, right: Expr) -> Expr:
    """Not both signs differ from the result's: (left ^ result) & (right ^ result) >= 0."""
    dtype = result.dtype
    parts = tuple(simplify.apply("bitwise_xor", (x, result), dtype) for x in (left, right))
    return compare(
        "greater_equal", simplify.apply("bitwise_and", parts, dtype), const(0, dtype)
    )


def _sum_fits(result: Expr, left: Expr, right: Expr) -> list[Expr]:
    return [_same_sign(result, left, right)]


def _difference_fits(result: Expr, left: Expr, right: Expr) -> list[Expr]:
    """left = result + right"""
    return [_same_sign(left, result, right)]


def _product_fits(result: Expr, left: Expr, right: Expr) -> list[Expr]:
    """By the product of integers that are longer, or of doubles where there are none: then a few
    products that just fit 64 bits are refused."""
    for known, other in ((left, right), (right, left)):
        if isinstance(known, Const) and result.dtype.kind == "i":
            return _multiple_fits(other, abs(int(simplify.value_of(known))))
    if result.dtype.itemsize < 8:
        return [_long_product_fits(left, right)]
    wide = simplify.apply("multiply", (convert(left, F64), convert(right, F64)), F64)
    limit = float(np.iinfo(result.dtype).max // 2)
    size = simplify.apply("absolute", (wide,), F64)
    return [compare("less", size, const(limit, F64))]


def _long_product_fits(left: Expr, right: Expr) -> Expr:
    """By the product of 64 bits, which two shorter numbers always have."""
    limits, longest = np.iinfo(left.dtype), np.dtype(f"{left.dtype.kind}8")
    wide = simplify.apply("multiply", (convert(left, longest), convert(right, longest)), longest)
    below = compare("less_equal", wide, const(limits.max, longest))
    if longest.kind == "u":
        return below
    return _both(compare("greater_equal", wide, const(limits.min, longest)), below)


def _multiple_fits(operand: Expr, factor: int) -> list[Expr]:
    dtype = operand.dtype
    most = int(np.iinfo(dtype).max) // max(factor, 1)
    limits = ("greater_equal", -most), ("less_equal", most)
    return [_both(*(compare(name, operand, const(limit, dtype)) for name, limit in limits))]


def _quotient_fits(result: Expr, left: Expr, right: Expr) -> list[Expr]:
    """Not by zero; nor the lowest number by -1, for which any number so small is taken."""
    lowest = const(np.iinfo(left.dtype).min, left.dtype)
    zero = const(0, right.dtype)
    if isinstance(right, Const) and simplify.value_of(right) not in (0, -1):
        return []
    return [_both(compare("not_equal", right, zero), compare("not_equal", left, lowest))]


def _not_lowest(result: Expr, operand: Expr) -> list[Expr]:
    lowest = const(np.iinfo(operand.dtype).min, operand.dtype)
    return [compare("not_equal", operand, lowest)]


CHECKS: Mapping[str, Callable[..., list[Expr]]] = {
    "sum": _sum_fits, "difference": _difference_fits, "product": _product_fits,
    "quotient": _quotient_fits, "negation": _not_lowest, "magnitude": _not_lowest,
}


def _check_exact(low: Lowering, *args: Any) -> None:
    """Ints must be numbers that doubles hold."""
    for arg in args:
        if dtype_of(arg).kind == "i":
            size = simplify.apply("absolute", (convert(operand_at(low, arg, (), I64), F64),), F64)
            low.launch((), Check(compare("less", size, const(2.0**53, F64))))


def _nonzero_divisor(result: Expr, left: Expr, right: Expr) -> list[Expr]:
    if isinstance(right, Const) and simplify.value_of(right) != 0:
        return []
    return [compare("not_equal", right, const(0, right.dtype))]


UNSIGNED_CHECKS: Mapping[str, Callable[..., list[Expr]]] = {
    "sum": lambda result, left, right: [compare("greater_equal", result, left)],
    "difference": lambda result, left, right: [compare("greater_equal", left, right)],
    "product": _product_fits, "quotient": _nonzero_divisor, "magnitude": lambda result, operand: [],
    "negation": lambda result, operand: [compare("equal", operand, const(0, operand.dtype))],
}


@lowers(reads=Access.SAME)
def quotient(low: Lowering, node: Node, left: Any, right: Any) -> Value:
    """Of ints it is exact where doubles hold both."""
    _check_exact(low, left, right)
    operands = tuple(operand_at(low, arg, (), F64) for arg in (left, right))
    low.launch((), Check(compare("not_equal", operands[1], const(0.0, F64))))
    return low.lazy(node.type, (), simplify.apply("divide", operands, F64))


@lowers(reads=Access.SAME)
def comparison(low: Lowering, node: Node, left: Any, right: Any, name: str) -> Value:
    """An int is compared with a float as a double, which must hold it."""
    dtype = np.result_type(*map(dtype_of, (left, right)))
    if dtype_of(left).kind != dtype_of(right).kind:
        _check_exact(low, left, right)
    operands = tuple(operand_at(low, arg, (), dtype) for arg in (left, right))
    return low.lazy(node.type, (), compare(name, *operands))


@lowers(reads=Access.SAME)
def bits(low: Lowering, node: Node, left: Any, right: Any, name: str) -> Value:
    """Python knows no negative shifts; one to the right by 63 or more leaves the sign alone, one to
    the left must keep all bits."""
    dtype = node.type.dtype
    operands = [operand_at(low, arg, (), dtype) for arg in (left, right)]
    if name == "left_shift" and isinstance(operands[0], Const) and (
        shifted := int(simplify.value_of(operands[0]))
    ) > 0:
        return low.lazy(node.type, (), _shifted_constant(low, shifted, operands))
    if name in SHIFTS:
        limits = const(0, I64), const(63, I64)
        low.launch((), Check(compare("greater_equal", operands[1], limits[0])))
        fits = compare("less", operands[1], limits[1])
        operands[1] = simplify.select(fits, operands[1], limits[1])
    result = simplify.apply(name, tuple(operands), dtype)
    if name == "left_shift":
        back = simplify.apply("right_shift", (result, operands[1]), I64)
        low.launch((), Check(compare("equal", back, operands[0])))
    return low.lazy(node.type, (), result)


def _shifted_constant(low: Lowering, number: int, operands: Sequence[Expr]) -> Expr:
    """As far to the left as 64 bits have room."""
    zero, most = const(0, I64), 63 - number.bit_length()
    low.launch((), Check(_both(compare("greater_equal", operands[1], zero),
                               compare("less_equal", operands[1], const(most, I64)))))
    result = simplify.apply("left_shift", tuple(operands), I64)
    note_within(low, result, (number, number << most))
    return result


SHIFTS = frozenset({"left_shift", "right_shift"})


@lowers(reads=Access.SAME)
def negation(low: Lowering, node: Node, value: Any) -> Value:
    operand = operand_at(low, value, (), BOOL)
    return low.lazy(node.type, (), simplify.apply("logical_not", (operand,), BOOL))


@lowers(reads=Access.SAME)
def choice(low: Lowering, node: Node, predicate: Any, true: Any, false: Any) -> Value:
    test = operand_at(low, predicate, (), BOOL)
    values = tuple(operand_at(low, arg, (), node.type.dtype) for arg in (true, false))
    known = decided(low, test)
    chosen = simplify.select(test, *values) if known is None else values[not known]
    return low.lazy(node.type, (), chosen)
