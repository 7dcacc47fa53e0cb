"""arcsin, arccos, arctan, arctan2."""
from __future__ import annotations

import math

import numpy as np

from ..builder.values import Value
from .formats import INFINITY, SINGLE, estrin, format_of, horner
from .logarithm import shortened

PI = math.pi
PI_LOW = {8: 1.2246467991473532e-16, 4: -8.742277657347586e-08}  # by the size of the format
# fdlibm: (arcsin(x) - x) / x = z P(z) / Q(z), z = x**2 <= 1/4
ARCSIN_P = (
    1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01,
    -4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05,
)
ARCSIN_Q = (
    1.0, -2.40339491173441421878e+00, 2.02094576023350569471e+00, -6.88283971605453293030e-01,
    7.70381505559019352791e-02,
)
# (arctan(x) / x - 1) / x**2 as a polynomial of x**2, |x| <= tan(pi / 8)
ARCTAN = (
    -0.333333333333333333, 0.199999999999999915, -0.142857142857115158, 0.111111111107544058,
    -0.0909090906699066003, 0.0769230673532147535, -0.0666664200499654479, 0.058819250338777325,
    -0.0525803942897948145, 0.0471938145789513692, -0.0410438141780764323, 0.0306344332390145205,
    -0.0139169432178008411,
)
# the same for single precision; arcsin's without a denominator
ARCSIN_32 = (0.1666666634, 0.07500094543, 0.04459940153, 0.03110066274, 0.01714923836,
             0.0336908472)
# of arctan for |x| <= 1
ARCTAN_32 = (-0.3333316695, 0.1999413698, -0.1421420752, 0.1067893459, -0.07580567074,
             0.04355341913, -0.01658111532, 0.002974574341)
TAN_PI_8, TAN_3PI_8 = 0.41421356237309503, 2.414213562373095


def _arcsin_parts(x: Value) -> tuple[Value, Value, Value]:
    """(small, s, s R): arcsin(s) = s + s R, with s the argument itself where it is small, else
    sqrt((1 - |x|) / 2), which raises invalid beyond 1."""
    a = x.abs()
    small = a.lt(0.5)
    near = small.select(a, 0.0)
    far = (1.0 - a) * 0.5
    z = small.select(near * near, far)
    s = small.select(near, small.select(0.0, far).call("sqrt"))
    if format_of(x) is SINGLE:
        return small, s, s * (horner(z, ARCSIN_32) * z)
    return small, s, s * (horner(z, ARCSIN_P) * z / horner(z, ARCSIN_Q))


def _pi(x: Value, part: float) -> tuple[float, float]:
    """A part of pi, rounded to the format, and what the rounding lost."""
    return float(x.dtype.type(PI)) * part, PI_LOW[x.dtype.itemsize] * part


def arcsin(x: Value) -> Value:
    small, s, rest = _arcsin_parts(x)
    short = shortened(s)
    quarter, quarter_rest = _pi(x, 0.25)
    inner = ((s - short) + rest) * 2.0 - 2.0 * quarter_rest
    large = quarter - (inner - (quarter - short * 2.0))
    return small.select(s + rest, large).call("copysign", x)


def arccos(x: Value) -> Value:
    small, s, rest = _arcsin_parts(x)
    half, half_rest = _pi(x, 0.5)
    negative = x.lt(0.0)
    signed = negative.select(-s, s)
    near = half - (signed - (half_rest - negative.select(-rest, rest)))
    far = (s + rest) * 2.0
    return small.select(near, negative.select(2.0 * half - (far - 2.0 * half_rest), far))


def _arctan_ratio(over: Value, under: Value) -> Value:
    """arctan(over / under) for non-negative arguments, with one division."""
    if format_of(over) is SINGLE:
        return _single_ratio(over, under)
    steep = over.gt(under * TAN_3PI_8)
    middle = over.gt(under * TAN_PI_8) & ~steep
    numerator = steep.select(-under, middle.select(over - under, over))
    denominator = steep.select(over, middle.select(over + under, under))
    t = numerator / denominator
    z = t * t
    half, half_rest = _pi(t, 0.5)
    base = steep.select(half, middle.select(t.constant(half / 2.0), 0.0))
    rest = steep.select(half_rest, middle.select(t.constant(half_rest / 2.0), 0.0))
    return base + ((estrin(z, ARCTAN) * z).fma(t, rest) + t)


def _single_ratio(over: Value, under: Value) -> Value:
    """The same in single precision, with a longer polynomial and fewer cases."""
    steep = over.gt(under)
    t = steep.select(under, over) / steep.select(over, under)
    z = t * t
    half, half_rest = _pi(t, 0.5)
    angle = (estrin(z, ARCTAN_32) * z).fma(t, t)
    return steep.select(half - (angle - half_rest), angle)


def arctan(x: Value) -> Value:
    a = x.abs()
    one = a.constant(1.0)
    limited = a.eq(INFINITY).select(2.0**100, a)
    return _arctan_ratio(limited, one).call("copysign", x)


def arctan2(y: Value, x: Value) -> Value:
    """Where neither argument is of ordinary size, in a block of its own."""
    a, b = y.abs(), x.abs()
    form, larger = format_of(x), a.gt(b).select(a, b)
    half = form.bias // 2
    low, high = ((form.bias + turns) << form.mantissa for turns in (-form.bias // 2, half))
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    odd = (larger.bits() - low).like_retyped(unsigned).ge(high - low)
    angle = _arctan_ratio(odd.select(1.0, a), odd.select(1.0, b))
    plain = _in_quadrant(angle, y, x)
    return x.builder.when(odd.any(), [plain], lambda: [_arctan2_of_any(y, x)])[0]


def _in_quadrant(angle: Value, y: Value, x: Value) -> Value:
    behind = x.bits().lt(0)
    straight, lost = _pi(x, 1.0)
    return behind.select(straight - (angle - lost), angle).call("copysign", y)


def _arctan2_of_any(y: Value, x: Value) -> Value:
    """Scaled so that sums do not overflow; infinities count as 1 to 0, zeros as 0 to 1."""
    a, b = y.abs(), x.abs()
    infinite = a.eq(INFINITY) | b.eq(INFINITY)
    over = infinite.select(a.eq(INFINITY).select(a.constant(1.0), 0.0), a)
    under = infinite.select(b.eq(INFINITY).select(b.constant(1.0), 0.0), b)
    limit = 2.0 ** (format_of(x).bias - 23)
    huge = over.gt(limit) | under.gt(limit)
    scale = huge.select(over.constant(2.0**-30), 1.0)
    over, under = over * scale, under * scale
    under = (over.eq(0.0) & under.eq(0.0)).select(1.0, under)
    angle = _in_quadrant(_arctan_ratio(over, under), y, x)
    return (y.is_nan() | x.is_nan()).select(float("nan"), angle)
