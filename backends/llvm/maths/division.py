"""fmod, remainder, floor_divide and reciprocal of floats, as NumPy's own loops compute them."""
from __future__ import annotations

from ..builder.values import Value
from .formats import INFINITY, in_double


@in_double
def fmod(a: Value, b: Value) -> Value:
    """Exact, in one step; the call bails out where the quotient has more than 53 bits. An
    infinite dividend or a zero divisor is invalid."""
    size, step = a.abs(), b.abs()
    by_zero = step.eq(0.0) & size.ge(0.0)
    quotient = (by_zero.select(0.0, size) / step).call("trunc")  # of 0 by 0: nothing else is said
    a.builder.bail_out_where(quotient.ge(2.0**53) & size.lt(INFINITY) & step.gt(0.0))
    finite = step.eq(INFINITY).select(1.0, step)
    rest = (-quotient).exact_fma(finite, size)
    rest = rest.lt(0.0).select(rest + finite, rest)
    rest = rest.ge(step).select(rest - finite, rest)
    return rest.call("copysign", a)


def _remainder_and_fix(a: Value, b: Value) -> tuple[Value, Value, Value]:
    """fmod, where it must move by the divisor, and the remainder with the divisor's sign."""
    rest = fmod(a, b)
    nonzero = rest.ne(0.0)
    moved = nonzero & (b.lt(0.0) ^ rest.lt(0.0))
    zero = rest.constant(0.0).call("copysign", b)
    value = nonzero.select(moved.select(rest + moved.select(b, 0.0), rest), zero)
    return rest, moved, value


def remainder(a: Value, b: Value) -> Value:
    return _remainder_and_fix(a, b)[2]


def floor_divide(a: Value, b: Value) -> Value:
    """Follows npy_divmod: the quotient of what the remainder leaves, rounded to the nearest."""
    by_zero = b.eq(0.0)
    divisor = by_zero.select(1.0, b)
    dividend = by_zero.select(0.0, a)
    rest, moved, _ = _remainder_and_fix(dividend, divisor)
    quotient = (dividend - rest) / divisor
    quotient = moved.select(quotient - 1.0, quotient)
    down = quotient.call("floor")
    down = (quotient - down).gt(0.5).select(down + 1.0, down)
    plain = a / b
    zero = quotient.constant(0.0).call("copysign", plain)
    return by_zero.select(plain, quotient.ne(0.0).select(down, zero))


def reciprocal(a: Value) -> Value:
    return 1.0 / a
