"""Powers with a small whole exponent that is known: products."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..builder.values import Value
from .formats import Function, in_double

Sum = tuple[Value, Value]
"""A number in two parts, of which the second one is what rounding has lost of the first one."""


def _fourth(x: Value) -> Value:
    square = x * x
    return square * square


PRODUCTS: Mapping[float, Function] = {
    1.0: lambda x: x, 2.0: lambda x: x * x, 3.0: lambda x: x * x * x, 4.0: _fourth,
}
"""As accurate as a power."""


def _times(a: Sum, b: Sum) -> Sum:
    product = a[0] * b[0]
    return product, a[0].exact_fma(b[0], -product) + (a[0] * b[1] + a[1] * b[0])


def _power(x: Value, exponent: int) -> Sum:
    """By squaring, from the highest bit of the exponent on."""
    one = found = x, x.constant(0.0)
    for bit in f"{exponent:b}"[1:]:
        found = _times(found, found)
        if bit == "1":
            found = _times(found, one)
    return found


def _whole_power(x: Value, exponent: int) -> Value:
    high, low = _power(x, abs(exponent))
    if exponent < 0:
        inverse = 1.0 / high
        high, low = inverse, inverse * (inverse.exact_fma(-high, 1.0) - inverse * low)
    found = high + low
    return found.call("copysign", x) if exponent % 2 else found


MOST = 16
WHOLE = (*range(5, MOST + 1), *range(-MOST, -1))


def whole_power(x: Value, exponent: int, otherwise: Callable[[Value], Value]) -> Value:
    """Rounded once where what is lost is a normal number; `otherwise` computes the others."""
    a, largest = x.abs(), 2.0 ** (800 // abs(exponent))
    usual = a.lt(largest) & a.gt(1 / largest)
    if exponent > 0:
        usual = usual | a.eq(0.0)
    compute = in_double(lambda each: _whole_power(each, exponent))
    found = compute(usual.select(x, 1.0))

    def settle() -> Sequence[Value]:
        return [usual.select(found, otherwise(usual.select(1.0, x)))]

    return x.builder.when((~usual).any(), [found], settle)[0]
