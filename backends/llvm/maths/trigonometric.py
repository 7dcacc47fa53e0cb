"""sin, cos, tan, after fdlibm, with a two-part reduced argument."""
from __future__ import annotations

from collections.abc import Sequence

from ..builder.elements import F32, F64, I32
from ..builder.values import Value
from .formats import INFINITY, horner, round_to_integer

TWO_OVER_PI = 0.6366197723675814
# pi / 2 in three parts of 53 bits
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
# and of 24 bits
HALF_PI_32 = (1.5707963705062866, -4.371138828673793e-08, -1.7151245100059e-15)
LIMIT_32 = 2.0**17
LIMIT = 2.0**30  # beyond it the three parts are too few, and NumPy is asked

SINE = (
    -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
    2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10,
)
COSINE = (
    4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
    -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11,
)
SINE_32 = (-0.1666666666, 0.00833333187, -0.0001984008438, 2.724962008e-6)
COSINE_32 = (0.04166666666, -0.001388888767, 2.480059841e-5, -2.730070404e-7)


def reduced(x: Value) -> tuple[Value, Value, Value]:
    """(high, low, quadrant): x minus quadrant * pi / 2, |high| <= pi / 4.

    Infinity gives NaN and raises invalid. The call bails out for arguments beyond `LIMIT`."""
    size = x.abs()
    x.builder.bail_out_where(size.gt(LIMIT) & size.lt(INFINITY))
    turns, quadrant = round_to_integer(x, TWO_OVER_PI)
    back = -turns
    exact = back.exact_fma(HALF_PI[0], x)
    product = back * HALF_PI[1]
    lost = back.exact_fma(HALF_PI[1], -product)
    high = exact + product
    bow = high - exact
    low = (exact - (high - bow)) + (product - bow) + back.exact_fma(HALF_PI[2], lost)
    return high, low, quadrant


def _sine(x: Value, low: Value) -> Value:
    z = x * x
    cube = z * x
    rest = horner(z, SINE[1:])
    inner = (low * 0.5 - cube * rest) * z - low
    return x - (inner - cube * SINE[0])


def _cosine(x: Value, low: Value) -> Value:
    z = x * x
    rest = horner(z, COSINE) * z
    half = z * 0.5
    w = 1.0 - half
    return w + (((1.0 - w) - half) + (z * rest - x * low))


def both(x: Value) -> tuple[Value, Value, Value]:
    """(sine, cosine, quadrant) of the reduced argument."""
    if x.dtype == F64:
        high, low, quadrant = reduced(x)
        return _sine(high, low), _cosine(high, low), quadrant
    r, quadrant = _reduced_single(x)
    z = r * r
    sine = (horner(z, SINE_32) * z).fma(r, r)
    cosine = (horner(z, COSINE_32) * z).fma(z, z.fma(-0.5, 1.0))
    return sine, cosine, quadrant


def _reduced_single(x: Value) -> tuple[Value, Value]:
    """In single precision; in double where an argument is large or products are not exact."""

    def in_double() -> Sequence[Value]:
        high, low, quadrant = reduced(x.cast("fpext", F64))
        return (high + low).cast("fptrunc", F32), quadrant.cast("trunc", I32)

    if not x.builder.has_fma:
        r, quadrant = in_double()
        return r, quadrant
    turns, quadrant = round_to_integer(x, TWO_OVER_PI)
    r = x
    for part in HALF_PI_32:
        r = (-turns).fma(part, r)
    r, quadrant = x.builder.when(x.abs().gt(LIMIT_32).any(), [r, quadrant], in_double)
    return r, quadrant


def _chosen(x: Value, shift: int) -> Value:
    sine, cosine, quadrant = both(x)
    quadrant = quadrant + shift
    value = (quadrant & 1).ne(0).select(cosine, sine)
    return (quadrant & 2).ne(0).select(-value, value)


def sin(x: Value) -> Value:
    return x.eq(0.0).select(x, _chosen(x, 0))


def cos(x: Value) -> Value:
    return _chosen(x, 1)


def tan(x: Value) -> Value:
    sine, cosine, quadrant = both(x)
    odd = (quadrant & 1).ne(0)
    ratio = odd.select(-cosine, sine) / odd.select(sine, cosine)
    return x.eq(0.0).select(x, ratio)


