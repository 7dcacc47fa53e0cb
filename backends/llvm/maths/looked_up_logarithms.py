"""Logarithms and inverse hyperbolic functions on AVX-512: a reciprocal of the mantissa from a
table, a polynomial for what it leaves, and no division.

The arithmetic of arguments without a logarithm is quiet; they are settled in a block of their own.
"""
from __future__ import annotations

from collections.abc import Callable

from ....base.records import NamedTuple
from ..builder.values import Value
from .avx512 import exponent_of, looked_up, mantissa_of, quiet_difference, quiet_scalef, table_size
from .formats import SINGLE, estrin, format_of
from .poles import with_poles, without_logarithm
from .tables import logarithms

# (log(1 + r) - r) / r**2 for the rests that the tables leave
SERIES_64 = (
    -0.499999999999999944, 0.333333333333330817, -0.250000000000563438, 0.200000000016153756,
    -0.166666665388632534, 0.14285710654316211, -0.125000962361849627, 0.111144230583996972,
    -0.0998893839924848009, 0.0806050048254592505,
)
SERIES_32 = (-0.4999999896, 0.3333348199, -0.2500880169, 0.1960336841)
HUGE = 2.0**28  # beyond it x + sqrt(x**2 ± 1) is 2 x


class Reduced(NamedTuple):
    """x = 2**turns * (1 + rest) / r; `place` is where r is in the tables."""

    turns: Value
    place: Value
    rest: Value
    reciprocal: Value


def reduced(x: Value) -> Reduced:
    size = table_size(x)
    mantissa = mantissa_of(x)
    place = mantissa.bits() >> (format_of(x).mantissa - (size.bit_length() - 1))
    reciprocal = looked_up(place, logarithms(0, x.dtype).reciprocals, x.dtype)
    return Reduced(exponent_of(x), place, mantissa.fma(reciprocal, -1.0), reciprocal)


def _tail(parts: Reduced, base: int = 0) -> tuple[Value, Value, Value]:
    """log(x) in three parts: a sum of table entries, exact; a multiple of the rest; the others."""
    turns, place, rest, _ = parts
    tables = logarithms(base, rest.dtype)
    high = turns.fma(tables.turn[0], looked_up(place, tables.high, rest.dtype))
    low = looked_up(place, tables.low, rest.dtype)
    if tables.turn[1]:
        low = turns.fma(tables.turn[1], low)
    first, square = rest, rest * rest
    if base:
        unit, unit_rest = tables.unit
        first, square = rest * unit, square * unit
        low = rest.fma(unit_rest, rest.fma(unit, -first)) + low
    series = SERIES_32 if format_of(rest) is SINGLE else SERIES_64
    return high, first, square.fma(estrin(rest, series), low)


def _sum(high: Value, first: Value, low: Value) -> Value:
    """Rounded once, more or less."""
    total = high + first
    return total + ((quiet_difference(high, total) + first) + low)


def _in_base(base: int) -> Callable[[Value], Value]:
    def function(x: Value) -> Value:
        return with_poles(x, without_logarithm(x), _sum(*_tail(reduced(x), base)))

    return function


log, log2, log10 = _in_base(0), _in_base(2), _in_base(10)


def _log1p(x: Value) -> tuple[Reduced, Value, Value]:
    """The parts of 1 + x, what the logarithm of its rounding error is to them, and 1 + x.

    The error is wrong only for large x, where it does not matter."""
    total = x + 1.0
    parts = reduced(total)
    error = quiet_difference(x, total - 1.0)
    relative = quiet_scalef(error, -parts.turns) * parts.reciprocal
    return parts, (-relative).fma(parts.rest, relative), total


def log1p(x: Value) -> Value:
    parts, lost, total = _log1p(x)
    high, first, low = _tail(parts)
    result = _sum(high, first, low + lost)
    return with_poles(total, without_logarithm(total), result).call("copysign", x)


def _of_large(x: Value, huge: Value) -> Value:
    """log(1 + x) of x >= 0, or where `huge` holds log(2 + 2 x); infinity of infinity."""
    parts, lost, _ = _log1p(x)
    turns = huge.select(parts.turns + 1.0, parts.turns)
    high, first, low = _tail(parts._replace(turns=turns))
    return high + (first + (low + huge.select(0.0, lost)))


def arcsinh(x: Value) -> Value:
    a = x.abs()
    huge = a.gt(HUGE)
    s = huge.select(1.0, a)
    near = s + s * s / (s.fma(s, 1.0).call("sqrt") + 1.0)
    return _of_large(huge.select(a - 1.0, near), huge).call("copysign", x)


def arccosh(x: Value) -> Value:
    """Below 1 the square root raises invalid."""
    huge = x.gt(HUGE)
    t = huge.select(1.0, x) - 1.0
    near = t + (t.lt(0.0).select(-1.0, t.fma(t, t * 2.0))).call("sqrt")
    return _of_large(huge.select(x - 1.0, near), huge)


def arctanh(x: Value) -> Value:
    """1 divides by zero; beyond it the logarithm is invalid."""
    a = x.abs()
    parts, lost, total = _log1p((a + a) / (1.0 - a))
    high, first, low = _tail(parts)
    result = (high + (first + (low + lost))) * 0.5
    return with_poles(total, without_logarithm(total), result).call("copysign", x)
