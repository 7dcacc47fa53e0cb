"""Python numbers: sizes as values, values as sizes, and what is expected of data."""
from __future__ import annotations

from typing import Any

import numpy as np

from ....ir.node import Node
from ....ir.sizes import SizeExpr
from ...loop_ir.loops import Apply, Check, Expr, SizeValue
from ...loop_ir.simplify import INT64, apply, const, convert, select, size_value
from ...passes.materialise import Access
from ..arithmetic.pointwise import compare, operand_at, require_real
from ..state.context import Lowering, lowers
from ..state.values import CannotLower, Value
from .intervals import decided, interval, note_expected


@lowers(reads=Access.SHAPE)
def length(low: Lowering, node: Node, array: Any, axis: int) -> Value:
    """One of the sizes of an array."""
    size = node.type.value
    known = SizeValue(size) if isinstance(size, SizeExpr) else const(size, INT64)
    return Value(node.type, (), known)


@lowers(reads=Access.SHAPE)
def within(low: Lowering, node: Node, bound: Any, size: Any) -> Value:
    """A negative bound counts from the end; what lies outside is brought to the nearest end."""
    place, count = operand_at(low, bound, (), INT64), size_value(size)
    zero = const(0, INT64)
    if interval(low, place)[0] < 0:
        from_end = apply("add", (place, count), INT64)
        place = select(compare("less", place, zero), from_end, place)
        place = apply("maximum", (place, zero), INT64)
    return Value(node.type, (), apply("minimum", (place, count), INT64))


@lowers(reads=Access.SHAPE)
def position(low: Lowering, node: Node, index: Any, size: Any) -> Value:
    """A negative index counts from the end; the call bails out for one that lies outside."""
    place, count = operand_at(low, index, (), INT64), size_value(size)
    zero = const(0, INT64)
    least, most = interval(low, place)
    if least < 0:
        place = select(compare("less", place, zero), apply("add", (place, count), INT64), place)
        low.launch((), Check(compare("greater_equal", place, zero)))
    elif isinstance(size, int) and most < size:
        return Value(node.type, (), place)
    low.launch((), Check(compare("less", place, count)))
    return Value(node.type, (), place)


@lowers(reads=Access.SHAPE)
def between(low: Lowering, node: Node, number: Any, least: int, most: Any) -> Value:
    return Value(node.type, (), operand_at(low, number, (), INT64))


@lowers(reads=Access.MEMORY)
def conversion(low: Lowering, node: Node, x: Any, checked: bool = False) -> Value:
    """A Python number; an int must have 64 bits."""
    if isinstance(x, SizeExpr):
        return Value(node.type, (), operand_at(low, x, (), node.type.dtype))
    value = number(low, x)
    if checked and value.dtype.kind in "fu":
        check_range(low, value.expr)
    return Value(node.type, (), convert(value.expr, node.type.dtype))


@lowers(reads=Access.MEMORY)
def fitting(low: Lowering, node: Node, x: Any, dtype: np.dtype) -> Value:
    """An int as an integer of another type, which must hold its value."""
    value, limits = operand_at(low, x, (), INT64), np.iinfo(dtype)
    low.launch((), Check(compare("greater_equal", value, const(max(limits.min, LEAST), INT64))))
    if limits.max <= MOST:
        low.launch((), Check(compare("less_equal", value, const(limits.max, INT64))))
    return Value(node.type, (), convert(value, dtype))


LEAST, MOST = -(2**63), 2**63 - 1


@lowers(reads=Access.MEMORY)
def complex_number(low: Lowering, node: Node, *parts: Any) -> Value:
    floats = [
        number(low, part).expr if isinstance(part, Value) else const(part, np.dtype(float))
        for part in parts
    ]
    return Value(node.type, (), Apply("complex", tuple(floats), node.type.dtype))


def number(low: Lowering, value: Any) -> Value:
    if not isinstance(value, Value) or value.shape:
        raise CannotLower("a number made of a constant")
    require_real(low, value.dtype)
    return value


def check_range(low: Lowering, expr: Expr) -> None:
    """The integer part of `expr` must be an int64; NaN is none."""
    dtype = expr.dtype
    limit = 2**63 if dtype.kind == "u" else dtype.type(2.0**63)
    if dtype.kind == "f":
        low.launch((), Check(compare("greater_equal", expr, const(-limit, dtype))))
    if dtype.kind == "f" or dtype == np.uint64:
        low.launch((), Check(compare("less", expr, const(dtype.type(limit), dtype))))


@lowers(reads=Access.MEMORY)
def expect(low: Lowering, node: Node, condition: Any, reason: str = "") -> Value:
    """The call bails out where the condition is false."""
    expr = convert(number(low, condition).expr, np.dtype(bool))
    if decided(low, expr) is not True:
        low.launch((), Check(expr))
        note_expected(low, expr)
    return Value(node.type, (), const(True, np.dtype(bool)))
