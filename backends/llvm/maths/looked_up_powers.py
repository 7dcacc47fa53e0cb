"""Powers and cube roots on AVX-512, by tables in registers."""
from __future__ import annotations

from decimal import Decimal
from functools import cache

import numpy as np

from ..builder.values import Value
from . import tables
from .avx512 import DOWN, looked_up, quiet_fma, scalef, within
from .formats import SINGLE, estrin, format_of
from .looked_up_logarithms import reduced
from .stepped import LOG2_E, reduced_by, steps_of, two_to

# (log(1 + r) - r + r**2 / 2) / r**3 for the rests that the tables leave
SERIES_64 = (
    0.333333333333333204, -0.249999999999997974, 0.200000000000963019, -0.166666666681981102,
    0.142857141052645714, -0.124999963505199915, 0.111112351871541767, -0.100033469025858412,
    0.0907385901015704405, -0.0730746784747434985,
)
SERIES_32 = (0.333333324, -0.250001549, 0.2000730069, -0.1628440326)
# (cbrt(1 + r) - 1) / r
CBRT_64 = (
    0.333333333333333148, -0.1111111111111351, 0.0617283950633167114, -0.0411522632857075701,
    0.0301783224195588187, -0.023472113080465512, 0.0190051547772154168, -0.0158288162421420554,
    0.01217420975662265,
)
CBRT_32 = (0.3333335597, -0.1111282405, 0.06088064775)


def _logarithm(x: Value) -> tuple[Value, Value]:
    """log(x) in two parts, to half as many digits again, for positive finite x."""
    turns, place, rest, _ = reduced(x)
    dtype, table = x.dtype, tables.logarithms(0, x.dtype)
    high = turns.fma(table.turn[0], looked_up(place, table.high, dtype))
    low = turns.fma(table.turn[1], looked_up(place, table.low, dtype))
    total = high + rest
    low = low + ((high - total) + rest)
    half = rest * -0.5
    square = half * rest
    result = total + square
    low = low + half.fma(rest, -square)
    series = estrin(rest, SERIES_32 if format_of(x) is SINGLE else SERIES_64)
    low = (square * rest).fma(series * -2.0, low)
    return result, low + ((total - result) + square)


def power_of_positive(x: Value, y: Value) -> Value:
    """x ** y of positive finite x. Infinite y and products are flagged more than they should be."""
    high, low = _logarithm(x)
    product = y * high
    whole, place = steps_of(high, y * LOG2_E)
    steps = reduced_by(product, whole, place)
    rest = y.fma(low, y.fma(high, -product) + steps.lost())
    return two_to(steps._replace(rest=within(steps.rest + rest, 1.0)))


@cache
def _roots(dtype: np.dtype) -> tuple[tables.Table, tables.Table]:
    """The cube roots of 1 / r for the reciprocals of the logarithms' tables, and of 1, 2, 4."""
    reciprocals = tables.logarithms(0, dtype).reciprocals
    size = len(reciprocals)

    def root(x: Decimal) -> Decimal:
        found = Decimal(float(x) ** (1 / 3))
        for _ in range(3):  # Newton's, each time with twice the digits
            found = (2 * found + x / found**2) / 3
        return found

    return (
        tables.table(lambda i: root(1 / Decimal(reciprocals[i])), size, dtype),
        tables.table(lambda i: root(Decimal(2 ** (i % 4))), size, dtype),
    )


def cbrt(x: Value) -> Value:
    """Of 0 and infinities `third` is infinite, which is what the scaling goes by."""
    form, dtype = format_of(x), x.dtype
    turns, place, rest, _ = reduced(x)
    third = quiet_fma(turns, 1 / 3, form.magic, DOWN) - form.magic
    left = (quiet_fma(third, -3.0, turns) + form.magic).bits()
    roots, scales = _roots(dtype)
    root, root_rest = (looked_up(place, numbers, dtype) for numbers in roots)
    scale, scale_rest = (looked_up(left, numbers, dtype) for numbers in scales)
    product = root * scale
    lost = root.fma(scale_rest, root_rest.fma(scale, root.fma(scale, -product)))
    more = estrin(rest, CBRT_32 if form is SINGLE else CBRT_64) * rest
    return scalef(product + product.fma(more, lost), third).call("copysign", x)
