"""The two floating-point formats, and the pieces that most elementary functions share."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....base.records import NamedTuple, dataclass
from ..builder.elements import F32, F64, Number
from ..builder.values import Value
from .avx512 import Function, native, scalef


@dataclass(frozen=True, slots=True)
class Format:
    """`magic` added to a small number leaves it rounded to an integer in the low bits."""

    mantissa: int
    bias: int
    magic: float
    ln2_high: float  # few enough bits for exact products with exponents
    ln2_low: float
    exp_top: float  # a little above the largest argument of exp with a finite result
    exp_bottom: float  # a little below the smallest with a result that is not zero
    smallest_normal: float
    half_sqrt: int  # the bits of sqrt(1/2)

    @property
    def magic_bits(self) -> int:
        dtype, bits = (F32, np.int32) if self.mantissa == 23 else (F64, np.int64)
        return int(np.array(self.magic, dtype).view(bits))


DOUBLE = Format(
    52, 1023, 6755399441055744.0, 6.93147180369123816490e-01, 1.90821492927058770002e-10,
    710.0, -746.0, 2.0**-1022, 0x3FE6A09E667F3BCD,
)
SINGLE = Format(
    23, 127, 12582912.0, 0.693359375, -2.12194440e-4, 89.0, -104.0, 2.0**-126, 0x3F3504F3,
)
INFINITY = float("inf")


def format_of(x: Value) -> Format:
    return DOUBLE if x.dtype == F64 else SINGLE


def horner(x: Value, coefficients: Sequence[float]) -> Value:
    """The polynomial with these coefficients, the constant one first."""
    result = x.constant(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = result.fma(x, coefficient)
    return result


def estrin(x: Value, coefficients: Sequence[float]) -> Value:
    """The same in pairs, pairs of pairs and so on: some more operations, but few in a row."""
    parts: list[Value] = [x.constant(c) for c in coefficients]
    while len(parts) > 1:
        pairs = zip(parts[1::2], parts[::2])
        parts = [b.fma(x, a) for b, a in pairs] + parts[len(parts) & ~1 :]
        x = x * x
    return parts[0]


class Exponent(NamedTuple):
    """A whole number as a float and as an integer; code for the one that is not used vanishes."""

    whole: Value
    integer: Value

    def narrowed(self) -> Exponent:
        """For a number of single precision."""
        return Exponent(
            self.whole.cast("fptrunc", F32), self.integer.cast("trunc", np.dtype(np.int32))
        )

    def less(self, number: int) -> Exponent:
        return Exponent(self.whole - float(number), self.integer - number)


def round_to_integer(x: Value, factor: Number = 1.0) -> Exponent:
    """rint(x * factor), for magnitudes below 2**(mantissa - 2)."""
    form = format_of(x)
    shifted = x.fma(factor, form.magic)
    return Exponent(shifted - form.magic, shifted.bits() - form.magic_bits)


def power_of_two(exponent: Value) -> Value:
    """2**exponent for exponents of normal numbers; the largest one more gives infinity."""
    form = DOUBLE if exponent.dtype.itemsize == 8 else SINGLE
    return ((exponent + form.bias) << form.mantissa).as_float()


def scaled(x: Value, exponent: Exponent, infinite: Value | None = None) -> Value:
    """x * 2**exponent, with overflow and underflow as they should be; where `infinite` holds the
    result is infinite without overflow."""
    if x.builder.has_avx512:
        whole = exponent.whole if infinite is None else infinite.select(INFINITY, exponent.whole)
        return scalef(x, whole)
    half = exponent.integer >> 1
    last = power_of_two(exponent.integer - half)
    if infinite is not None:
        last = infinite.select(INFINITY, last)
    return x * power_of_two(half) * last


def in_double(function: Function) -> Function:
    """`function` for both formats, computed in double; rounding to single raises its flags."""

    inner = native(function)

    def widened(*args: Value) -> Value:
        if args[0].dtype == F64:
            return inner(*args)
        return inner(*(a.cast("fpext", F64) for a in args)).cast("fptrunc", F32)

    widened.__name__, widened.__doc__ = function.__name__, function.__doc__
    return widened


def at_infinity(x: Value) -> Value:
    return x.eq(INFINITY)
