"""Where logarithms have no number to give, and what they give there."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..builder.values import Value
from .formats import INFINITY, format_of


def irregular(x: Value) -> Value:
    """Zero, negative, subnormal, infinite or NaN."""
    form, bits = format_of(x), x.bits()
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    smallest = 1 << form.mantissa
    infinity = (2 * form.bias + 1) << form.mantissa
    return (bits - smallest).like_retyped(unsigned).ge(infinity - smallest)


def without_logarithm(x: Value) -> Value:
    """Zero, negative, infinite or NaN."""
    form = format_of(x)
    infinity = (2 * form.bias + 1) << form.mantissa
    return (x.bits() - 1).like_retyped(np.dtype(f"u{x.dtype.itemsize}")).ge(infinity - 1)


def with_poles(x: Value, special: Value, result: Value) -> Value:
    """`result`, and where `special` holds the logarithm's own values and flags: -inf and divide at
    zero, NaN and invalid below."""

    def settle() -> Sequence[Value]:
        zero, negative = x.eq(0.0), x.lt(0.0)
        bad = zero | negative
        pole = zero.select(x.constant(-1.0), 0.0).raising(
            "fdiv", bad.select(x.constant(0.0), 1.0)
        )
        itself = x.eq(INFINITY) | x.is_nan()
        return [bad.select(pole, itself.select(x, result))]

    return x.builder.when(special.any(), [result], settle)[0]
