"""log, log2, log10, log1p, after fdlibm.

Arguments that are not positive normal numbers are handled in blocks that are rarely entered.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence

from ..builder.values import Value
from . import looked_up_logarithms
from .avx512 import replaced_by
from .formats import SINGLE, format_of, horner, in_double
from .poles import irregular, with_poles

# R(z) / z of log(1 + f), z = (f / (2 + f))**2
SERIES_64 = (
    6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
    2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
    1.479819860511658591e-01,
)
# (log(1 + f) - f + f**2 / 2) / f**3, after Cephes
SERIES_32 = (
    3.3333331174e-1, -2.4999993993e-1, 2.0000714765e-1, -1.6668057665e-1, 1.4249322787e-1,
    -1.2420140846e-1, 1.1676998740e-1, -1.1514610310e-1, 7.0376836292e-2,
)
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
# 1 / ln 2 and 1 / ln 10, and log10(2), each as a short and a long part
PER_LN2 = (1.4426946640014648, 3.768874985636099e-07)
PER_LN10 = (0.4342944622039795, 1.9699272335463627e-08)
LOG2_E_LESS_1 = 0.44269504088896340736
LOG10_E_32 = (4.3359375e-1, 7.00731903251827651129e-4)
LOG10_2_32 = (3.0078125e-1, 2.48745663981195213739e-4)
LOG10_2 = (3.01029995663611771306e-01, 3.69423907715893078616e-13)


def split(x: Value) -> tuple[Value, Value]:
    """(m, k) with x = m * 2**k, sqrt(1/2) <= m < sqrt(2), for positive normal x."""
    form = format_of(x)
    bits = x.bits()
    k = (bits - form.half_sqrt) >> form.mantissa
    mantissa = (bits - (k << form.mantissa)).as_float()
    return mantissa, (k + form.magic_bits).as_float() - form.magic


def without_subnormals(x: Value, special: Value) -> tuple[Value, Value]:
    """x scaled into the normal range where it is subnormal, and the exponent that this takes."""

    def scale() -> Sequence[Value]:
        tiny = x.abs().lt(form.smallest_normal)
        factor = tiny.select(x.constant(2.0**shift), 1.0)
        return x * factor, tiny.select(-float(shift), x.constant(0.0))

    form = format_of(x)
    shift = form.mantissa + 2
    normal, exponent = x.builder.when(special.any(), [x, x.constant(0.0)], scale)
    return normal, exponent


def log_of(kernel: Callable[[Value, Value], Value]) -> Callable[[Value], Value]:
    """A logarithm from its value for f = m - 1 and exponent k."""

    def function(x: Value) -> Value:
        special = irregular(x)
        normal, exponent = without_subnormals(x, special)
        mantissa, k = split(normal)
        return with_poles(x, special, kernel(mantissa - 1.0, k + exponent))

    return function


def series(f: Value) -> tuple[Value, Value]:
    """(f**2 / 2, rest) with log(1 + f) = f - f**2 / 2 + rest."""
    s = f / (f + 2.0)
    z = s * s
    half_square = f * 0.5 * f
    return half_square, s * (horner(z, SERIES_64) * z + half_square)


def _natural(f: Value, k: Value) -> Value:
    if format_of(f) is SINGLE:
        return _natural_single(f, k)
    half_square, rest = series(f)
    return k * LN2_HIGH - ((half_square - (k.fma(LN2_LOW, rest))) - f)


def _natural_single(f: Value, k: Value) -> Value:
    y = k.fma(SINGLE.ln2_low, _correction(f))
    return k.fma(SINGLE.ln2_high, f + y)


def _correction(f: Value) -> Value:
    """log(1 + f) - f, in single precision."""
    z = f * f
    return z.fma(-0.5, horner(f, SERIES_32) * f * z)


def shortened(x: Value) -> Value:
    """x without the lower part of its bits: its products with short constants are exact."""
    return (x.bits() & -(1 << (12 if format_of(x) is SINGLE else 32))).as_float()


def _in_base(high: float, low: float, f: Value) -> tuple[Value, Value]:
    """log(1 + f) times the constant high + low, as a sum of two parts."""
    half_square, rest = series(f)
    first = shortened(f - half_square)
    second = ((f - first) - half_square) + rest
    product = first * high
    return product, (second + first) * low + second * high


def _binary(f: Value, k: Value) -> Value:
    if format_of(f) is SINGLE:
        y = _correction(f)
        return (((f + y).fma(LOG2_E_LESS_1, y)) + f) + k
    high, low = _in_base(*PER_LN2, f)
    total = k + high
    return (low + ((k - total) + high)) + total


def _decimal(f: Value, k: Value) -> Value:
    if format_of(f) is SINGLE:
        y = _correction(f)
        low = k.fma(LOG10_2_32[1], y.fma(LOG10_E_32[0], (f + y) * LOG10_E_32[1]))
        return k.fma(LOG10_2_32[0], f.fma(LOG10_E_32[0], low))
    high, low = _in_base(*PER_LN10, f)
    tens = k * LOG10_2[0]
    low = k * LOG10_2[1] + low
    total = tens + high
    return (low + ((tens - total) + high)) + total


log = replaced_by(looked_up_logarithms.log)(log_of(_natural))
log2 = replaced_by(looked_up_logarithms.log2)(log_of(_binary))
log10 = replaced_by(looked_up_logarithms.log10)(log_of(_decimal))


@replaced_by(looked_up_logarithms.log1p)
@in_double
def log1p(x: Value) -> Value:
    """The rounding error of 1 + x is put back at the end."""
    u = x + 1.0
    special = irregular(u) | x.abs().gt(2.0**60)
    mantissa, k = split(u)
    v, w = special.select(0.0, x), special.select(1.0, u)
    correction = v.gt(1.0).select(1.0 - (w - v), v - (w - 1.0)) / w
    f = mantissa - 1.0
    half_square, rest = series(f)
    rest = rest + k.fma(LN2_LOW, correction)
    result = k * LN2_HIGH - ((half_square - rest) - f)
    result = x.abs().lt(2.0**-54).select(x, result)
    return with_poles(u, irregular(u), result)


