"""Complex numbers as pairs of real ones, and NumPy's formulas for them.

NumPy multiplies by one formula for all layouts whose strides are not negative, with a fused
multiply-add where its vector loops have one (`loops_arithm_fp.dispatch.c.src`), and takes absolute
values by a scaled square root (`loops_unary_complex.dispatch.c.src`). Which of the two it is on
this machine, `formulas` finds out. Quotients are Smith's everywhere.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Union

import numpy as np

from .elements import PARTS
from .emit import Builder
from .formulas import is_fused
from .values import Value

IDLE = 2.0
"""The divisor in lanes of which the quotient does not count. By 1 LLVM would leave the division out
there, and to do so divide in all lanes by what is not selected."""


class Pair:
    """A complex number, or a vector of them: the real and the imaginary parts."""

    __slots__ = ("dtype", "imag", "real")

    def __init__(self, real: Value, imag: Value) -> None:
        self.real, self.imag = real, imag
        self.dtype = np.dtype(f"c{2 * real.dtype.itemsize}")

    @property
    def builder(self) -> Builder:
        return self.real.builder

    @property
    def lanes(self) -> int:
        return self.real.lanes

    @property
    def literal(self) -> bool:
        return self.real.literal and self.imag.literal

    def splat(self, lanes: int) -> Pair:
        """This number in every lane."""
        return self.map(lambda part: part.splat(lanes))

    def map(self, function: Callable[[Value], Value]) -> Pair:
        """The same done to both parts."""
        return Pair(function(self.real), function(self.imag))

    def interleaved(self) -> Value:
        """All parts in one vector, in the order of memory."""
        lanes, part = self.lanes, self.real.dtype
        if lanes == 1:
            both = Value(self.builder, "poison", part, 2)
            for place, value in enumerate((self.real, self.imag)):
                both = both.like(self.builder.emit(f"insertelement {both}, {value}, i64 {place}"))
            return both
        return self.real.shuffle([n + k * lanes for n in range(lanes) for k in (0, 1)], self.imag)


Element = Union[Value, Pair]


def doubled(mask: Value) -> Value:
    """The mask of the parts of the numbers that a mask selects."""
    return mask.shuffle([n for n in range(mask.lanes) for _ in (0, 1)])


def interleaved(value: Element) -> Value:
    """Real numbers as they are; of complex ones the parts, in the order of memory."""
    return value if isinstance(value, Value) else value.interleaved()


def separated(parts: Value) -> Pair:
    """The numbers whose parts are a vector, in the order of memory."""
    return Pair(*(parts.shuffle(range(k, parts.lanes, 2)) for k in (0, 1)))


def literal(builder: Builder, dtype: np.dtype, bits: bytes) -> Pair:
    part = PARTS[dtype]
    middle = part.itemsize
    return Pair(builder.literal(part, bits[:middle]), builder.literal(part, bits[middle:]))


def select(condition: Value, true: Pair, false: Pair) -> Pair:
    return Pair(condition.select(true.real, false.real), condition.select(true.imag, false.imag))


def truth(a: Pair) -> Value:
    return a.real.ne(0) | a.imag.ne(0)


# Arithmetic ---------------------------------------------------------------------------------------

def add(a: Pair, b: Pair) -> Pair:
    return Pair(_sum(a.real, b.real), _sum(a.imag, b.imag))


def subtract(a: Pair, b: Pair) -> Pair:
    return Pair(a.real - b.real, a.imag - b.imag)


def _sum(a: Value, b: Value) -> Value:
    """Also of two literals LLVM must not know the sum: what is made of it has flags."""
    return a.raising("fadd", b) if a.literal and b.literal else a + b


def negative(a: Pair) -> Pair:
    return a.map(Value.__neg__)


def identity(a: Pair) -> Pair:
    return a


def conjugate(a: Pair) -> Pair:
    return Pair(a.real, -a.imag)


def real(a: Pair) -> Value:
    return a.real


def imag(a: Pair) -> Value:
    return a.imag


def mul(a: Pair, b: Pair) -> Pair:
    """The product of NumPy's scalars."""
    down, up = _product(a.imag, b.imag), _product(a.imag, b.real)
    return Pair(_product(a.real, b.real) - down, _product(a.real, b.imag) + up)


def multiply(a: Pair, b: Pair) -> Pair:
    """The order of the factors counts where only one of two products is rounded."""
    if not is_fused("multiply", a.dtype):
        return mul(a, b)
    down, up = _product(a.imag, b.imag), _product(a.imag, b.real)
    return Pair(a.real.call("fma", b.real, -down), a.real.call("fma", b.imag, up))


def _product(a: Value, b: Value) -> Value:
    """Also of two literals LLVM must not know the product, which has flags."""
    return a.raising("fmul", b) if a.literal and b.literal else a * b


def square(a: Pair) -> Pair:
    return multiply(a, a)


def divide(a: Pair, b: Pair) -> Pair:
    """By the larger part of the divisor. NumPy's comparison of the parts reports NaNs, and each
    part is divided by 0.0 where both are zero."""
    real, imag = b.real.abs(), b.imag.abs()
    first = real.ge(imag)
    zero = real.eq(0) & imag.eq(0)
    large = zero.select(IDLE, first.select(b.real, b.imag))
    small = first.select(b.imag, b.real)
    ratio = small / large
    scale = 1.0 / (large + small * ratio)
    same, other = first.select(a.real, a.imag), first.select(a.imag, a.real)
    scaled = same * ratio
    difference = first.select(other, scaled) - first.select(scaled, other)
    quotient = Pair((same + other * ratio) * scale, difference * scale)

    def rare() -> Sequence[Value]:
        report_nans(real, imag)
        nothing = zero.select(real, IDLE)  # a literal 0 would be divided by beforehand
        parts = (zero.select(part / nothing, old) for part, old in
                 ((a.real, quotient.real), (a.imag, quotient.imag)))
        return tuple(parts)

    odd = (zero | real.compare("uno", imag)).any()
    return Pair(*b.builder.when(odd, (quotient.real, quotient.imag), rare))


def report_nans(a: Value, b: Value) -> None:
    """Raise the flag that C's ordered comparison of two numbers raises."""
    infinity = a.constant(np.inf)
    a.compare("uno", b).select(infinity, 0).raising("fsub", infinity)


def reciprocal(a: Pair) -> Pair:
    """By the larger part; C's comparison of the parts reports NaNs."""
    real, imag = a.real.abs(), a.imag.abs()
    first = imag.le(real)
    large, small = first.select(a.real, a.imag), first.select(a.imag, a.real)
    ratio = small / large
    divisor = large + small * ratio
    above, below = first.select(1, ratio), first.select(-ratio, -1)

    def rare() -> Sequence[Value]:
        report_nans(real, imag)
        return ()

    a.builder.when(real.compare("uno", imag).any(), (), rare)
    return Pair(above / divisor, below / divisor)


def absolute(a: Pair) -> Value:
    """larger * sqrt((smaller / larger)**2 + 1): infinite where a part is, whatever the other is."""
    real, imag = a.real.abs(), a.imag.abs()
    infinite = real.eq(np.inf) | imag.eq(np.inf)
    above = real.gt(imag)
    larger, smaller = above.select(real, imag), above.select(imag, real)
    idle = infinite | (real.eq(0) & imag.eq(0))
    ratio = smaller / idle.select(IDLE, larger)
    square = ratio.call("fma", ratio, 1) if is_fused("absolute", a.dtype) else ratio * ratio + 1
    return infinite.select(np.inf, square.call("sqrt") * larger)


# Tests --------------------------------------------------------------------------------------------

def equal(a: Pair, b: Pair) -> Value:
    return a.real.eq(b.real) & a.imag.eq(b.imag)


def not_equal(a: Pair, b: Pair) -> Value:
    return a.real.ne(b.real) | a.imag.ne(b.imag)


def isnan(a: Pair) -> Value:
    return a.real.compare("uno", a.imag)


def isfinite(a: Pair) -> Value:
    return a.real.abs().lt(np.inf) & a.imag.abs().lt(np.inf)


def isinf(a: Pair) -> Value:
    return a.real.abs().eq(np.inf) | a.imag.abs().eq(np.inf)


def logical_not(a: Pair) -> Value:
    return a.real.eq(0) & a.imag.eq(0)


def logical_and(a: Pair, b: Pair) -> Value:
    return truth(a) & truth(b)


def logical_or(a: Pair, b: Pair) -> Value:
    return truth(a) | truth(b)


def logical_xor(a: Pair, b: Pair) -> Value:
    return truth(a) ^ truth(b)


def _ordering(strict: str, last: str) -> Callable[[Pair, Pair], Value]:
    """By the real parts, then by the imaginary ones; C's comparisons report NaNs."""

    def ordered(a: Pair, b: Pair) -> Value:
        nan = isnan(a) | isnan(b)

        def rare() -> Sequence[Value]:
            infinity = a.real.constant(np.inf)
            nan.select(infinity, 0).raising("fsub", infinity)
            return ()

        a.builder.when(nan.any(), (), rare)
        known = a.imag.compare("ord", b.imag)
        behind = a.real.eq(b.real) & a.imag.compare(last, b.imag)
        return (a.real.compare(strict, b.real) & known) | behind

    return ordered


FUNCTIONS: Mapping[str, Callable[..., Element]] = {
    **{f.__name__: f for f in (
        add, subtract, negative, identity, conjugate, real, imag, mul, multiply, square, divide,
        reciprocal, absolute, equal, not_equal, isnan, isfinite, isinf, logical_not, logical_and,
        logical_or, logical_xor,
    )},
    "less": _ordering("lt", "lt"), "less_equal": _ordering("lt", "le"),
    "greater": _ordering("gt", "gt"), "greater_equal": _ordering("gt", "ge"),
}
"""What rows call by a template "@name" for complex operands."""
