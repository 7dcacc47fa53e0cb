"""Python's operators as rows: symbol, function and special methods."""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from ...base.records import dataclass


@dataclass(frozen=True, slots=True)
class BinaryOperator:
    """One operator: Python's function for it, and the methods it looks for."""

    symbol: str
    function: Callable[[Any, Any], Any]
    method: str
    reflected: str
    inplace: str | None = None


def _binary(symbol: str, name: str, function: Callable[[Any, Any], Any]) -> BinaryOperator:
    return BinaryOperator(symbol, function, f"__{name}__", f"__r{name}__", f"__i{name}__")


def _comparison(symbol: str, name: str, mirrored: str) -> BinaryOperator:
    return BinaryOperator(symbol, getattr(operator, name), f"__{name}__", f"__{mirrored}__")


ARITHMETIC = (
    _binary("+", "add", operator.add),
    _binary("-", "sub", operator.sub),
    _binary("*", "mul", operator.mul),
    _binary("/", "truediv", operator.truediv),
    _binary("//", "floordiv", operator.floordiv),
    _binary("%", "mod", operator.mod),
    _binary("**", "pow", operator.pow),
    _binary("@", "matmul", operator.matmul),
    _binary("divmod", "divmod", divmod),
    _binary("&", "and", operator.and_),
    _binary("|", "or", operator.or_),
    _binary("^", "xor", operator.xor),
    _binary("<<", "lshift", operator.lshift),
    _binary(">>", "rshift", operator.rshift),
)
COMPARISONS = (
    _comparison("<", "lt", "gt"),
    _comparison("<=", "le", "ge"),
    _comparison("==", "eq", "eq"),
    _comparison("!=", "ne", "ne"),
    _comparison(">", "gt", "lt"),
    _comparison(">=", "ge", "le"),
)
BINARY = {row.symbol: row for row in ARITHMETIC + COMPARISONS}
OPERATOR_METHODS = frozenset(
    name for row in BINARY.values() for name in (row.method, row.reflected, row.inplace)
)
"""Methods whose NotImplemented hands over to the other operand."""
UNARY: dict[str, tuple[Callable[[Any], Any], str]] = {
    "-": (operator.neg, "__neg__"),
    "+": (operator.pos, "__pos__"),
    "~": (operator.invert, "__invert__"),
}

SAID: Mapping[str, str] = {
    "__getitem__": "indexing", "__setitem__": "setting items", "__delitem__": "deleting items",
    "__len__": "the length", "__iter__": "iteration",
    **{method: repr(row.symbol) for row in ARITHMETIC
       for method in (row.method, row.reflected, row.inplace) if method is not None},
    **{row.method: repr(row.symbol) for row in COMPARISONS},
}  # fmt: skip
"""What reasons call the methods that Python's operators look for."""
