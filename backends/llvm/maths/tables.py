"""Tables of elementary functions at the ends of equal steps, exact to twice the format."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Context, Decimal, localcontext
from functools import cache
from typing import NamedTuple

import numpy as np

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
    """scale * 2**(i / steps)."""
    return table(lambda i: Decimal(scale) * Decimal(2) ** (Decimal(i) / steps), steps, dtype)
