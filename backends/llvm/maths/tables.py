"""Tables of elementary functions at the ends of equal steps, exact to twice the format."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Context, Decimal, localcontext
from functools import cache

import numpy as np

from ....base.records import NamedTuple

PRECISION = Context(prec=60)


class Table(NamedTuple):
    """The numbers rounded to a format, and what the rounding left."""

    numbers: Sequence[float]
    rests: Sequence[float]

    def relative(self) -> Sequence[float]:
        return [rest / number if number else 0.0 for number, rest in zip(*self)]


def rounded(exact: Decimal, dtype: np.dtype) -> float:
    """The nearest number of the format (through a double, which tables of singles stand)."""
    return float(dtype.type(float(exact)))


def table(function: Callable[[int], Decimal], size: int, dtype: np.dtype) -> Table:
    with localcontext(PRECISION):
        exact = [function(i) for i in range(size)]
        numbers = [rounded(x, dtype) for x in exact]
        return Table(numbers, [float(x - Decimal(n)) for x, n in zip(exact, numbers)])


@cache
def powers_of_two(steps: int, dtype: np.dtype, scale: float = 1.0) -> Table:
    """scale * 2**(i / steps) for 2, 4, 8 … steps: whole powers are found in less time."""
    step = Decimal(2)
    for _ in range(steps.bit_length() - 1):
        step = PRECISION.sqrt(step)
    return table(lambda i: Decimal(scale) * step**i, steps, dtype)


class Logarithms(NamedTuple):
    """For parts of [1, 2) by the top bits of the mantissa: an approximate reciprocal `r`, 1 and 1/2
    at the ends and so short that `m * r - 1` is exact, and -log(r) in a part with few bits and
    another; so also log(2), which cancels at the end exactly. `unit` is 1 / ln(base) in two parts.
    """

    reciprocals: Sequence[float]
    high: Sequence[float]
    low: Sequence[float]
    turn: tuple[float, float]
    unit: tuple[float, float]


@cache
def logarithms(base: int, dtype: np.dtype) -> Logarithms:
    """`base` 0 is e."""
    size = 128 // dtype.itemsize
    bits = 42 if dtype.itemsize == 8 else 17
    reciprocals = [_reciprocal(i, size) for i in range(size)]
    with localcontext(PRECISION):
        unit = 1 / Decimal(base).ln() if base else Decimal(1)
        parts = [_split(-Decimal(r).ln() * unit, bits) for r in reciprocals]
        turn = _split(Decimal(2).ln() * unit, bits)
        first = rounded(unit, dtype)
        return Logarithms(
            reciprocals, [p[0] for p in parts], [p[1] for p in parts], turn,
            (first, float(unit - Decimal(first))),
        )


def _reciprocal(index: int, size: int) -> float:
    if index in (0, size - 1):
        return 0.5 if index else 1.0
    return round(2 * size / (1 + (index + 0.5) / size)) / (2 * size)


def _split(x: Decimal, bits: int) -> tuple[float, float]:
    """x as a multiple of 2**-bits and the rest, which is not negative."""
    high = Decimal(math.floor(x * 2**bits)) / 2**bits
    return float(high), float(x - high)
