"""Powers: of complex numbers, whole ones are products, as in NumPy's `npy_cpow`."""
from __future__ import annotations

from typing import Any

import numpy as np

from ....base.config import config
from ....ir.node import Node
from ...loop_ir import simplify
from ...loop_ir.loops import Expr
from ...loop_ir.simplify import BOOL, const
from ...passes.materialise import Access
from ..state.context import Lowering, lowers
from ..state.values import CannotLower, Value
from .pointwise import (
    axes_like,
    loop_dtypes,
    lower_ufunc,
    operand_at,
    require_native,
    why_not_native,
)

F64 = np.dtype(np.float64)
MOST = 100
"""Larger exponents are left to the C library."""


@lowers(reads=Access.SAME)
def power(low: Lowering, node: Node, x1: Any, x2: Any, **kwargs: Any) -> Value:
    exponent = whole(x2)
    if exponent is None or node.type.dtype.kind != "c":
        return lower_ufunc(low, node, x1, x2, **kwargs)
    dtype = loop_dtypes(np.power, (x1, x2), kwargs)[-1]
    require_native(low, dtype)
    axes = axes_like(low, node.type.shape, (x1,))
    base = operand_at(low, x1, axes, dtype)
    return low.lazy(node.type, axes, powered(base, exponent))


@lowers(reads=Access.SAME)
def c_function(low: Lowering, node: Node, *args: Any) -> Value:
    """A function of `math`, on Python floats."""
    operands = tuple(operand_at(low, arg, (), F64) for arg in args)
    name = f"c_{node.target.__name__}"
    return low.lazy(node.type, (), simplify.apply(name, operands, F64))


@lowers(reads=Access.SAME)
def power_of_scalar(low: Lowering, node: Node, base: Any, exponent: Any) -> Value:
    """Of NumPy's numbers: C's pow where they are floats. Ints raise for negative exponents."""
    dtypes = loop_dtypes(np.power, (base, exponent), {})
    if dtypes[-1].kind != "f":
        raise CannotLower(f"powers of {dtypes[-1]} scalars")
    if reason := why_not_native(low, np.power, dtypes):
        raise CannotLower(reason)
    operands = (operand_at(low, base, (), dtypes[0]), operand_at(low, exponent, (), dtypes[1]))
    if whole(exponent) == 2 and config.math != "numpy":
        return low.lazy(node.type, (), simplify.apply("square", operands[:1], dtypes[-1]))
    return low.lazy(node.type, (), simplify.apply("c_pow", operands, dtypes[-1]))


def whole(exponent: Any) -> int | None:
    """The exponent as an int that NumPy multiplies by; None for any other."""
    if not isinstance(exponent, (int, float, complex, np.number)):
        return None
    number = complex(exponent)
    if number.imag != 0 or number.real != number.real // 1 or not 1 < abs(number.real) < MOST:
        return None
    return int(number.real)


def powered(base: Expr, exponent: int) -> Expr:
    """By squaring, from the lowest bit of the exponent on; powers of zero have positive signs."""
    dtype = base.dtype
    result = multiplied(base, exponent)
    if exponent < 0:
        result = simplify.apply("divide", (const(1, dtype), result), dtype)
    is_zero = simplify.apply("equal", (base, const(0, dtype)), BOOL)
    of_zero = const(0 if exponent > 0 else complex(np.nan, np.nan), dtype)
    return simplify.select(is_zero, of_zero, result)


def multiplied(base: Expr, exponent: int) -> Expr:
    """The first factor is 1, which is not the same as none for infinite numbers, but where the
    exponent is 2 or 3. Of a negative exponent it is the divisor."""
    dtype, left = base.dtype, abs(exponent)

    def times(a: Expr, b: Expr) -> Expr:
        return simplify.apply("mul", (a, b), dtype)

    if exponent in (2, 3):
        square = times(base, base)
        return square if exponent == 2 else times(base, square)
    result: Expr = const(1, dtype)
    while left:
        if left & 1:
            result = times(result, base)
        left >>= 1
        if left:
            base = times(base, base)
    return result
