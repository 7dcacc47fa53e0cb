"""exp, exp2, expm1, and the reduced exponential that the hyperbolic functions share."""
from __future__ import annotations

from ..builder.values import Value
from . import stepped
from .avx512 import replaced_by
from .formats import (
    SINGLE,
    Exponent,
    at_infinity,
    format_of,
    horner,
    power_of_two,
    round_to_integer,
    scaled,
)

LOG2_E = 1.4426950408889634
LN2 = 0.6931471805599453
LN2_LOW = 2.3190468138462996e-17

# (exp(r) - 1 - r) / r**2 for |r| <= ln(2)/2
QUOTIENT_64 = (
    0.5, 0.166666666666666667, 0.0416666666666666769, 0.00833333333333333401,
    0.00138888888888790031, 0.000198412698412632519, 0.000024801587336630947,
    2.75573192473445095e-6, 2.75572630773094115e-7, 2.5052070959803662e-8,
    2.09182123191339782e-9, 1.60866776667873615e-10,
)
QUOTIENT_32 = (0.5000000014, 0.1666666668, 0.0416664642, 0.008333310845, 0.001393373072,
               0.0001989108046)


def quotient(r: Value) -> Value:
    return horner(r, QUOTIENT_32 if format_of(r) is SINGLE else QUOTIENT_64)


def reduce(x: Value) -> tuple[Value, Exponent]:
    """(r, k) with x = r + k ln 2 and |r| <= ln(2)/2."""
    form = format_of(x)
    k = round_to_integer(x, LOG2_E)
    return k.whole.fma(-form.ln2_low, k.whole.fma(-form.ln2_high, x)), k


def clamped(x: Value, low: float, high: float) -> Value:
    """Between the limits; NaN stays."""
    x = x.gt(high).select(high, x)
    return x.lt(low).select(low, x)


def reduced_exp(x: Value) -> tuple[Value, Exponent]:
    """(p, k) with exp(x) = p * 2**k, for x in the range of exp."""
    r, k = reduce(x)
    return quotient(r).fma(r * r, r) + 1.0, k


@replaced_by(stepped.exp)
def exp(x: Value) -> Value:
    form = format_of(x)
    p, k = reduced_exp(clamped(x, form.exp_bottom, form.exp_top))
    return scaled(p, k, at_infinity(x))


@replaced_by(stepped.exp2)
def exp2(x: Value) -> Value:
    form = format_of(x)
    limit = clamped(x, form.exp_bottom * LOG2_E, form.exp_top * LOG2_E)
    k = round_to_integer(limit)
    part = limit - k.whole
    r = part * LN2
    rest = part.fma(LN2, -r) + part * LN2_LOW if x.builder.has_fma else part * LN2_LOW
    p = (quotient(r).fma(r * r, rest) + r) + 1.0
    return scaled(p, k, at_infinity(x))


@replaced_by(stepped.expm1)
def expm1(x: Value) -> Value:
    form = format_of(x)
    infinite = at_infinity(x)
    r, k = reduce(infinite.select(0.0, clamped(x, -60.0, form.exp_top)))
    half = power_of_two(k.integer - 1)
    tail = quotient(r) * (r * r)
    result = tail.fma(half, r.fma(half, half - 0.5)) * 2.0
    return infinite.select(x, result).call("copysign", x)
