"""Division of a row by one number, as in x / x.sum(): by its reciprocal, corrected to the last bit.

A vector division takes as long as ten multiplications. With r the reciprocal of d rounded to the
nearest, `q = x * r` is off by two units at most; each step `q + (x - q * d) * r` with fused
multiply-adds brings it nearer, and the second one rounds the quotient correctly (P. Markstein,
"Computation of elementary functions on the IBM RISC System/6000 processor", 1990), as long as
nothing comes near the ends of the exponent's range. Vectors in which something does are divided.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from ...loop_ir import rewrite
from ...loop_ir.loops import Apply, Axis, Const, Expr, Kernel
from .elements import F32, F64
from .target import Target
from .values import Value

LIMITS = {F32: (60, 40), F64: (500, 300)}
"""Powers of two within which the dividend and the divisor are of ordinary size."""


def use_reciprocals(kernel: Kernel, vector: Axis | None, target: Target) -> Kernel:
    """The kernel with divisions by what does not vary along its vectors in this form."""
    if vector is None or not target.fma or target.vector_bytes < 64:
        return kernel
    axis = vector
    frees: rewrite.Frees = {}
    memo: dict[Expr, Expr] = {}

    def rule(expr: Expr) -> Expr:
        if not isinstance(expr, Apply) or expr.op != "divide" or expr.dtype not in LIMITS:
            return expr
        dividend, divisor = expr.args
        if isinstance(divisor, Const) or axis in rewrite.free_axes(divisor, frees):
            return expr
        if axis not in rewrite.free_axes(dividend, frees):
            return expr
        span = Apply("divisor_span", (divisor,), unsigned(expr.dtype))
        inverse = Apply("divisor_inverse", (divisor,), expr.dtype)
        return Apply("divide_by", (dividend, divisor, inverse, span), expr.dtype)

    def change(root: Expr) -> Expr:
        return rewrite.transform(root, rule, memo)

    return replace(
        kernel, statements=tuple(rewrite.map_statement(s, change) for s in kernel.statements)
    )


def unsigned(dtype: np.dtype) -> np.dtype:
    return np.dtype(f"u{dtype.itemsize}")


def power_bits(exponent: int, dtype: np.dtype) -> int:
    """The bits of a power of two, as an integer."""
    return int(np.array(2.0**exponent, dtype).view(unsigned(dtype)))


def ordinary(value: Value, limit: int, span: Value | int) -> Value:
    """Whether the exponent lies between -limit and limit; `span` says how many bit patterns do."""
    offset = value.abs().bits() - power_bits(-limit, value.dtype)
    return offset.like_retyped(unsigned(value.dtype)).lt(span)


def span_of(limit: int, dtype: np.dtype) -> int:
    return power_bits(limit, dtype) - power_bits(-limit, dtype)


def divisor_span(d: Value) -> Value:
    """How many dividends may use the reciprocal: none where the divisor is not ordinary."""
    for_x, for_d = LIMITS[d.dtype]
    usable = ordinary(d, for_d, span_of(for_d, d.dtype))
    whole = d.builder.constant(unsigned(d.dtype), span_of(for_x, d.dtype))
    return usable.select(whole, 0)


def divisor_inverse(d: Value) -> Value:
    for_d = LIMITS[d.dtype][1]
    return 1.0 / ordinary(d, for_d, span_of(for_d, d.dtype)).select(d, 1.0)


def divide_by(x: Value, d: Value, inverse: Value, span: Value) -> Value:
    """x / d."""
    usable = ordinary(x, LIMITS[x.dtype][0], span)
    dividend, divisor = usable.select(x, 1.0), usable.select(d, 1.0)
    quotient = dividend * inverse
    for _ in range(2):
        quotient = (-quotient).call("fma", divisor, dividend).call("fma", inverse, quotient)
    return x.builder.when((~usable).any(), [quotient], lambda: [x / d])[0]


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    f.__name__: f for f in (divisor_span, divisor_inverse, divide_by)
}
