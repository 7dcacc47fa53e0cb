"""Exponentials and hyperbolic functions on AVX-512: 2**(i / steps) from a table in two registers,
short polynomials for the rest, and no branches."""
from __future__ import annotations

from collections.abc import Sequence

from ....base.records import NamedTuple
from ..builder.elements import Number
from ..builder.values import Value
from .avx512 import DOWN, at_least, at_most, looked_up, quiet_fma, scalef, table_size, within
from .formats import INFINITY, SINGLE, format_of, horner
from .tables import powers_of_two

LOG2_E = 1.4426950408889634
LN2 = 0.6931471805599453
# (exp(r) - 1 - r) / r**2 for |r| <= ln(2) / 32, and / 64, precise enough for exp(r)
QUOTIENT_64 = (0.500000000000000555, 0.166666666644088579, 0.0416666666596190519,
               0.00833347220069722769, 0.00138891296085682701)
QUOTIENT_32 = (0.5000040558, 0.1666676461)
# and for exp(r) - 1
LONGER_64 = (0.500000000000000333, 0.166666666666666768, 0.0416666666618720066,
             0.00833333333240932929, 0.00138890929119429895, 0.000198415550189501153)
LONGER_32 = (0.5, 0.1666674781, 0.04166689761)
# the same for 0 <= r <= ln(2) / 16, and / 32
POSITIVE_64 = (0.499999999999998612, 0.166666666667287383, 0.041666666574002871,
               0.00833333969113593358, 0.00138866849801842036, 0.000202164425893234942)
POSITIVE_32 = (0.5000000157, 0.1666622822, 0.04201519212)


class Steps(NamedTuple):
    """`x = whole * ln 2 + rest`; `whole` is a multiple of a step, `place` which one."""

    rest: Value
    whole: Value
    place: Value

    def power(self, scale: float = 1.0) -> Value:
        """scale * 2**whole."""
        dtype = self.rest.dtype
        numbers = powers_of_two(table_size(self.rest), dtype, scale).numbers
        return scalef(looked_up(self.place, numbers, dtype), self.whole)

    def lost(self) -> Value:
        """The relative error of `power`."""
        dtype = self.rest.dtype
        errors = powers_of_two(table_size(self.rest), dtype).relative()
        return looked_up(self.place, errors, dtype)


def steps_of(
    x: Value, per_turn: Value | Number = LOG2_E, rounding: int = 0
) -> tuple[Value, Value]:
    """`whole` and `place` of x * per_turn, to the nearest step."""
    magic = format_of(x).magic / table_size(x)
    shifted = quiet_fma(x, per_turn, magic, rounding) if rounding else x.fma(per_turn, magic)
    return shifted - magic, shifted.bits()


def reduced(x: Value, rounding: int = 0) -> Steps:
    return reduced_by(x, *steps_of(x, rounding=rounding))


def reduced_by(x: Value, whole: Value, place: Value) -> Steps:
    form, back = format_of(x), -whole
    return Steps(quiet_fma(back, form.ln2_low, quiet_fma(back, form.ln2_high, x)), whole, place)


def _quotient(x: Value) -> Sequence[float]:
    return QUOTIENT_32 if format_of(x) is SINGLE else QUOTIENT_64


def _grown(steps: Steps, longer: Sequence[float]) -> Value:
    """What exp(rest) adds to 1, precisely, and what is missing in the table."""
    r = steps.rest
    return horner(r, longer).fma(r * r, steps.lost()) + r


def exp(x: Value) -> Value:
    return _scaled_exp(x, 1.0)


def _scaled_exp(x: Value, scale: float) -> Value:
    """scale * exp(x). Of infinities `whole` is infinite, which is what the scaling goes by."""
    steps = reduced(x)
    steps = steps._replace(rest=within(steps.rest, 1.0))
    return _product(steps, _grown(steps, _quotient(x)), scale)


def two_to(steps: Steps) -> Value:
    """2**whole * exp(rest) but for the table's error, which `rest` may contain."""
    r = steps.rest
    return _product(steps, horner(r, _quotient(r)).fma(r * r, r))


def _product(steps: Steps, grown: Value, scale: float = 1.0) -> Value:
    """scale * 2**whole * (1 + grown), rounded once more than necessary."""
    dtype = grown.dtype
    t = looked_up(steps.place, powers_of_two(table_size(grown), dtype, scale).numbers, dtype)
    return scalef(t.fma(grown, t), steps.whole)


def exp2(x: Value) -> Value:
    whole, place = steps_of(x, 1.0)
    part = within(quiet_fma(whole, -1.0, x), 1.0)
    steps = Steps(part, whole, place)
    grown = horner(part, _stretched((1.0, *_quotient(x)), LN2)).fma(part, steps.lost())
    return _product(steps, grown)


def _stretched(coefficients: Sequence[float], factor: float) -> Sequence[float]:
    """Of a polynomial without constant term, for an argument multiplied by `factor`."""
    return [c * factor ** (i + 1) for i, c in enumerate(coefficients)]


def expm1(x: Value) -> Value:
    """Computed as its half, which is finite where the result is."""
    infinite = x.eq(INFINITY)
    limited = at_least(at_most(x, format_of(x).exp_top), -60.0)
    steps = reduced(infinite.select(0.0, limited))
    s = steps.power(0.5)
    longer = LONGER_32 if format_of(x) is SINGLE else LONGER_64
    result = s.fma(_grown(steps, longer), s - 0.5) * 2.0
    return infinite.select(x, result).call("copysign", x)


def tanh(x: Value) -> Value:
    """E / (E + 2) with E = exp(2 |x|) - 1; steps below the argument, so that no digits cancel."""
    single = format_of(x) is SINGLE
    a = at_most(x.abs(), 10.0 if single else 20.0)
    steps = reduced(a + a, DOWN)
    s = steps.power()
    grown = s.fma(_grown(steps, POSITIVE_32 if single else POSITIVE_64), s - 1.0)
    below = grown + 2.0
    result = grown / below
    if not single:
        lost = (-result).fma(below, grown) - result * (grown - (below - 2.0))
        lost = grown.lt(2.0**30).select(lost, 0.0)
        result = (lost * (1.0 - result)).fma(0.5, result)  # 1 - result is 2 / below
    return result.call("copysign", x)


def sinh(x: Value) -> Value:
    """H + H / (2 H + 1) with H = (exp(|x|) - 1) / 2."""
    a = x.abs()
    infinite = a.eq(INFINITY)
    steps = reduced(infinite.select(0.0, at_most(a, format_of(x).exp_top + 2.0)), DOWN)
    s = steps.power(0.5)
    half = s.fma(_grown(steps, POSITIVE_32 if format_of(x) is SINGLE else POSITIVE_64), s - 0.5)
    finite = at_most(half, 2.0**64)
    result = half + (finite * 0.5) / (finite + 0.5)
    return infinite.select(INFINITY, result).call("copysign", x)


def cosh(x: Value) -> Value:
    half = _scaled_exp(x.abs(), 0.5)
    return half + 0.25 / half
