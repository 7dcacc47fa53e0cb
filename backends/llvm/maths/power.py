"""power, cbrt, hypot, logaddexp, logaddexp2."""
from __future__ import annotations

from collections.abc import Sequence

from ..builder.elements import F32, F64
from ..builder.values import Value
from . import looked_up_powers
from .avx512 import native, replaced_by
from .exponential import LN2, QUOTIENT_32, clamped, exp, exp2, quotient, reduce
from .formats import INFINITY, SINGLE, format_of, horner, in_double, scaled
from .logarithm import log1p, split, without_subnormals
from .poles import irregular, without_logarithm
from .whole_powers import PRODUCTS, WHOLE, whole_power

# log((1 + q) / (1 - q)) = 2 q + q z (2/3 + z P(z)), z = q**2
TWO_THIRDS, TWO_THIRDS_LOW = 0.6666666666666666, 3.700743415417188e-17
SERIES = (
    0.400000000000000001, 0.285714285714284999, 0.222222222222532228, 0.181818181749960136,
    0.153846162460222985, 0.133332672239499192, 0.117678375981796689, 0.104371345277401559,
    0.109115305430818377,
)
LN2_SHORT, LN2_LONG = 0.6931467056274414, 4.7493250390316726e-07
LOG2_E = 1.4426950408889634


def _log_in_two_parts(x: Value) -> tuple[Value, Value]:
    """log(x) to about 68 bits, for positive finite x."""
    normal, exponent = without_subnormals(x, irregular(x))
    m, k = split(normal)
    k = k + exponent
    top = m - 1.0
    bottom = m + 1.0
    bottom_rest = m - (bottom - 1.0)
    inverse = 1.0 / bottom
    q = top * inverse
    rest = (-q).exact_fma(bottom, top) - q * bottom_rest
    q_low = rest * inverse
    z = q * q
    z_low = q.exact_fma(q, -z) + q * q_low * 2.0
    t = horner(z, SERIES) * z
    s = t + TWO_THIRDS
    s_low = (TWO_THIRDS - s) + t + TWO_THIRDS_LOW
    w = z * s
    w_low = z.exact_fma(s, -w) + z * s_low + z_low * s
    v = q * w
    v_low = q.exact_fma(w, -v) + q * w_low + q_low * w
    twice = q * 2.0
    high = twice + v
    low = ((twice - high) + v) + v_low + q_low * 2.0
    whole = k * LN2_SHORT
    total = whole + high
    low = ((whole - total) + high) + (low + k * LN2_LONG)
    result = total + low
    return result, (total - result) + low


def _power_of_positive(a: Value, y: Value, degenerate: Value) -> Value:
    """a ** y; 1 where the arguments are degenerate."""
    y = clamped(y, -(2.0**65), 2.0**65)
    high, low = _log_in_two_parts(a)
    product = y * high
    rest = y.exact_fma(high, -product) + y * low
    beyond = product.abs().gt(800.0) | degenerate
    product = degenerate.select(0.0, clamped(product, -800.0, 800.0))
    r, k = reduce(product)
    r = r + beyond.select(0.0, rest)
    return scaled(quotient(r).fma(r * r, r) + 1.0, k)


# The same series with fewer terms, for results in single precision
SHORT_SERIES = (
    0.666666666666620464, 0.40000000011281646, 0.285714241144788932, 0.222228648735682544,
    0.181400805006597037, 0.166235279208271442,
)


def _single_power(a: Value, y: Value, degenerate: Value) -> Value:
    """The same in single precision: logarithm and product in double, with short polynomials."""
    normal, exponent = without_subnormals(degenerate.select(1.0, a), irregular(a))
    m, k = split(normal)
    inverse = (1.0 / (m + 1.0)).cast("fpext", F64)
    wide = m.cast("fpext", F64)
    inverse = inverse * (2.0 - (wide + 1.0) * inverse)
    q = (wide - 1.0) * inverse
    z = q * q
    logarithm = (horner(z, SHORT_SERIES) * z + 2.0) * q
    logarithm = logarithm + (k + exponent).cast("fpext", F64) * LN2
    product = degenerate.select(0.0, y).cast("fpext", F64) * logarithm
    r, turns = reduce(clamped(product, SINGLE.exp_bottom, SINGLE.exp_top))
    p = horner(r, QUOTIENT_32).fma(r * r, r) + 1.0
    return scaled(p.cast("fptrunc", F32), turns.narrowed())


def power(x: Value, y: Value) -> Value:
    """C's pow, with its many special cases in a block of their own; a small whole number that is
    known is a few multiplications, which are as accurate."""
    for exponent, product in PRODUCTS.items():
        if y.literal and y.ref == y.constant(exponent).ref:
            return product(x)
    for whole in WHOLE:
        if y.literal and y.ref == y.constant(float(whole)).ref:
            return whole_power(x, whole, lambda each: general(each, y))
    return general(x, y)


def general(x: Value, y: Value) -> Value:
    """Of any exponent."""
    a = x.abs()
    undefined = without_logarithm(a)
    degenerate = undefined | ~y.abs().lt(INFINITY)
    if x.builder.has_avx512:
        result = looked_up_powers.power_of_positive(undefined.select(1.0, a), y)
    else:
        core = _single_power if x.dtype == F32 else _power_of_positive
        result = core(a, y, degenerate)

    def settle() -> Sequence[Value]:
        return [_special_power(x, y, a, degenerate, result)]

    special = degenerate | x.bits().lt(0)
    return x.builder.when(special.any(), [result], settle)[0]


def _special_power(x: Value, y: Value, a: Value, degenerate: Value, result: Value) -> Value:
    integral = y.call("trunc").eq(y)
    half = y * 0.5
    odd = integral & half.call("trunc").ne(half) & y.abs().lt(2.0 ** (format_of(y).mantissa + 1))
    negative = x.bits().lt(0)
    rising = y.gt(0.0)
    # 0 or inf: to the power of a positive or negative number
    vanishing = (a.eq(0.0) & rising) | (a.eq(INFINITY) & ~rising)
    pole = a.eq(0.0) & y.lt(0.0)
    flagged = a.constant(1.0).raising("fdiv", pole.select(a.constant(0.0), 1.0))
    edge = pole.select(flagged, vanishing.select(a.constant(0.0), INFINITY))
    # anything to an infinite power
    shrinking = a.lt(1.0) ^ ~rising
    growing = y.abs().eq(INFINITY) & a.gt(0.0) & a.lt(INFINITY) & a.ne(1.0) & ~shrinking
    enormous = 1e300 if x.dtype == F64 else 1e30
    large = a.constant(enormous).raising("fmul", growing.select(a.constant(enormous), 1.0))
    unbounded = shrinking.select(0.0, large)
    at_edge = a.eq(0.0) | a.eq(INFINITY)
    extreme = at_edge.select(edge, unbounded)
    value = degenerate.select(extreme, result)
    value = a.eq(1.0).select(1.0, value)
    value = (negative & odd).select(-value, value)
    wrong = x.lt(0.0) & x.gt(-INFINITY) & ~integral & y.abs().lt(INFINITY)
    nan = x.is_nan() | y.is_nan()
    value = nan.select(float("nan"), value)
    zero = a.constant(0.0)
    invalid = zero.raising("fdiv", wrong.select(zero, 1.0))
    value = wrong.select(invalid, value)
    return (y.eq(0.0) | x.eq(1.0)).select(1.0, value)


CBRT = (1.87595182427177009643, -1.88497979543377169875, 1.621429720105354466140,
        -0.758397934778766047437, 0.145996192886612446982)


@replaced_by(looked_up_powers.cbrt)
@in_double
def cbrt(x: Value) -> Value:
    """After FreeBSD: a guess from a third of the exponent, a polynomial, one Newton step."""
    a = x.abs()
    itself = a.eq(0.0) | ~a.lt(INFINITY)
    tiny = a.lt(2.0**-1022)
    normal = itself.select(1.0, a * tiny.select(a.constant(2.0**54), 1.0))
    high = (normal.bits() >> 32) + 0x4338000000000000
    third = (high.as_float() - 6755399441055744.0) * (1 / 3) + 6755399441055744.0
    t = ((third.bits() - 0x4338000000000000 + 715094163) << 32).as_float()
    r = (t * t) * (t / normal)
    cube = r * r * r
    t = t * (horner(r, CBRT[:3]) + cube * horner(r, CBRT[3:]))
    t = ((t.bits() + 0x80000000) & -0x40000000).as_float()
    ratio = normal / (t * t)
    t = t + t * ((ratio - t) / (t + t + ratio))
    t = t * tiny.select(t.constant(2.0**-18), 1.0)
    return itself.select(x, t.call("copysign", x))


@in_double
def hypot(x: Value, y: Value) -> Value:
    a, b = x.abs(), y.abs()
    infinite = a.eq(INFINITY) | b.eq(INFINITY)
    first = a.gt(b) | b.is_nan()
    larger, smaller = first.select(a, b), first.select(b, a)
    huge, tiny = larger.gt(2.0**510), larger.lt(2.0**-450)
    scale = huge.select(2.0**-600, tiny.select(a.constant(2.0**600), 1.0))
    back = huge.select(2.0**600, tiny.select(a.constant(2.0**-600), 1.0))
    larger, smaller = larger * scale, smaller * scale
    result = smaller.fma(smaller, larger * larger).call("sqrt") * back
    return infinite.select(INFINITY, result)


def _log_of_sum(x: Value, y: Value, two: bool) -> Value:
    """log(exp(x) + exp(y)), or with powers of two; equal infinities are their own answer. NumPy's
    function raises invalid for NaN."""
    same = x.eq(y)
    falling = -(same.select(0.0, x) - same.select(0.0, y)).abs()
    grown = log1p(exp2(falling) if two else exp(falling)) * (LOG2_E if two else 1.0)
    equal = x + (1.0 if two else LN2)
    result = x.gt(y).select(x, y) + grown
    nan = x.is_nan() | y.is_nan()
    settled = same.select(equal, result)

    def settle() -> Sequence[Value]:
        zero = x.constant(0.0)
        return [nan.select(zero.raising("fdiv", nan.select(zero, 1.0)), settled)]

    return x.builder.when(nan.any(), [settled], settle)[0]


def _with_overflow(x: Value, y: Value, two: bool) -> Value:
    """A difference that overflows in single precision raises its flag there."""
    if x.dtype == F64:
        return _log_of_sum(x, y, two)
    same = x.eq(y)
    same.select(0.0, x).raising("fsub", same.select(0.0, y))
    wide = native(lambda a, b: _log_of_sum(a, b, two))
    return wide(x.cast("fpext", F64), y.cast("fpext", F64)).cast("fptrunc", F32)


def logaddexp(x: Value, y: Value) -> Value:
    return _with_overflow(x, y, False)


def logaddexp2(x: Value, y: Value) -> Value:
    return _with_overflow(x, y, True)


