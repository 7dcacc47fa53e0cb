"""tanh, sinh, cosh and their inverses."""
from __future__ import annotations

from ..builder.values import Value
from . import looked_up_logarithms, stepped
from .avx512 import replaced_by
from .exponential import clamped, reduced_exp
from .formats import INFINITY, SINGLE, format_of, horner, in_double, power_of_two, scaled
from .logarithm import log, log1p

LN2 = 0.6931471805599453
TANH_32 = (-0.3333333317, 0.1333330356, -0.05395925958, 0.02176891865, -0.008343945516,
           0.002292744816)
# Cephes: (tanh(x) - x) / x**3 = P(x**2) / Q(x**2) for |x| < 0.625
TANH_P = (-1.61468768441708447952e3, -9.92877231001918586564e1, -9.64399179425052238628e-1)
TANH_Q = (4.84406305325125486048e3, 2.23548839060100448583e3, 1.12811678491632931402e2, 1.0)
# (sinh(x) / x - 1) / x**2 as a polynomial of x**2, for |x| <= 1
SINH = (
    0.166666666666666667, 0.00833333333333333337, 0.000198412698412697732,
    2.75573192240403386e-6, 2.50521083640580408e-8, 1.60590483963505616e-10,
    7.64662536165665766e-13, 2.84452641698952856e-15,
)


@replaced_by(stepped.tanh)
def tanh(x: Value) -> Value:
    """1 - 2 / (exp(2 |x|) + 1), and near zero a rational function; with one division for both."""
    a = x.abs()
    small = a.lt(0.625)
    p, k = reduced_exp(clamped(a, 0.0, 20.0) * 2.0)
    below = p.fma(power_of_two(k.integer), 1.0)
    s = small.select(a, 0.0)
    z = s * s
    if format_of(x) is SINGLE:
        large = 1.0 - 2.0 / below
        near = (horner(z, TANH_32) * z).fma(s, s)
    else:
        ratio = small.select(horner(z, TANH_P), 2.0) / small.select(horner(z, TANH_Q), below)
        large = 1.0 - ratio
        near = (ratio * z).fma(s, s)
    return small.select(near, large).call("copysign", x)


def _halves(a: Value) -> tuple[Value, Value]:
    """exp(a) / 2, infinite where it must be, and exp(-a) / 2, for a >= 0."""
    infinite = a.eq(INFINITY)
    p, k = reduced_exp(clamped(a, 0.0, format_of(a).exp_top + 2.0))
    growing = scaled(p, k.less(1), infinite)
    limited = k.integer.gt(100).select(100, k.integer)
    return growing, 0.5 / (p * power_of_two(limited))


@replaced_by(stepped.sinh)
def sinh(x: Value) -> Value:
    a = x.abs()
    small = a.lt(1.0)
    growing, falling = _halves(a)
    s = small.select(a, 0.0)
    z = s * s
    near = (horner(z, SINH) * z).fma(s, s)
    return small.select(near, growing - falling).call("copysign", x)


@replaced_by(stepped.cosh)
def cosh(x: Value) -> Value:
    growing, falling = _halves(x.abs())
    return growing + falling


@replaced_by(looked_up_logarithms.arcsinh)
@in_double
def arcsinh(x: Value) -> Value:
    a = x.abs()
    huge = a.gt(2.0**28)
    s = huge.select(1.0, a)
    square = s * s
    near = s + square / ((square + 1.0).call("sqrt") + 1.0)
    result = log1p(huge.select(a - 1.0, near)) + huge.select(a.constant(LN2), 0.0)
    return result.call("copysign", x)


@replaced_by(looked_up_logarithms.arccosh)
@in_double
def arccosh(x: Value) -> Value:
    """Below 1 the square root raises invalid."""
    huge = x.gt(2.0**28)
    t = huge.select(1.0, x) - 1.0
    near = t + (t.lt(0.0).select(-1.0, t.fma(t, t * 2.0))).call("sqrt")
    return huge.select(log(huge.select(x, 1.0)) + LN2, log1p(huge.select(0.0, near)))


@replaced_by(looked_up_logarithms.arctanh)
@in_double
def arctanh(x: Value) -> Value:
    """1 divides by zero; beyond it the logarithm is invalid."""
    a = x.abs()
    ratio = (a * 2.0) / (1.0 - a)
    return (log1p(ratio) * 0.5).call("copysign", x)
