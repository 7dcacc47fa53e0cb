"""Integer operations that LLVM leaves undefined in some cases, as NumPy defines them.

Division by zero gives 0 and the smallest number divided by -1 itself; NumPy warns about the first:
lowering puts a check beside the operation.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .elements import BOOL, F32, F64, I32, I64
from .values import Value

BYTE = np.dtype(np.uint8)
U64 = np.dtype(np.uint64)


def _bits(a: Value) -> int:
    return 8 * a.dtype.itemsize


def _smallest(a: Value) -> int:
    return -(1 << (_bits(a) - 1))


def _safe_divisor(a: Value, b: Value) -> tuple[Value, Value]:
    """A divisor that never traps, and where the real one is zero."""
    zero = b.eq(0)
    bad = zero
    if a.dtype.kind == "i":
        bad = zero | (a.eq(_smallest(a)) & b.eq(-1))
    return bad.select(1, b), zero


def _divided(a: Value, b: Value) -> tuple[Value, Value, Value]:
    """Quotient towards zero, remainder, and where the divisor is zero."""
    divisor, zero = _safe_divisor(a, b)
    quotient = _quotient(a, divisor)
    return quotient, a - quotient * divisor, zero


def _quotient(a: Value, b: Value) -> Value:
    """Through floats with twice the bits, where the truncated quotient is exact: there are no
    instructions that divide vectors of integers. (Unsigned 32 bits need AVX-512's conversions.)"""
    signed, avx512 = a.dtype.kind == "i", a.builder.has_avx512
    if a.lanes == 1 or not (avx512 or a.dtype.itemsize < 4 or a.dtype == I32):
        return _whole_quotient(a, b)
    if a.dtype.itemsize == 8:
        return _quotient_in_doubles(a, b)
    if a.dtype.itemsize == 4:
        up, down = ("sitofp", "fptosi") if signed else ("uitofp", "fptoui")
        return (a.cast(up, F64) / b.cast(up, F64)).cast(down, a.dtype)
    wide = F32 if a.lanes >= 4 else F64  # LLVM would fill a shorter vector up, and divide 0 by 0
    x, y = (v.cast("sext" if signed else "zext", I32).cast("sitofp", wide) for v in (a, b))
    return (x / y).cast("fptosi", I32).cast("trunc", a.dtype)


def _whole_quotient(a: Value, b: Value) -> Value:
    return a.binary("sdiv" if a.dtype.kind == "i" else "udiv", b)


def _quotient_in_doubles(a: Value, b: Value) -> Value:
    """Of 64 bits, where all operands have 52 at most; else in a block of its own."""
    low, high = (-(2**52), 2**52) if a.dtype.kind == "i" else (0, 2**52)
    large_a, large_b = ((v - low).like_retyped(U64).ge(high - low) for v in (a, b))
    large = large_a | large_b
    x, y = (v.cast("sitofp", F64) for v in (a, b))
    quotient = large.select(0.0, x / y).cast("fptosi", a.dtype)
    return a.builder.when(large.any(), [quotient], lambda: [_whole_quotient(a, b)])[0]


def _power_of_two(b: Value) -> int | None:
    """The exponent of a literal divisor that is a power of two."""
    number = int(b.ref) if b.literal and b.lanes == 1 else 0
    return number.bit_length() - 1 if number > 0 and number & (number - 1) == 0 else None


def floor_divide(a: Value, b: Value) -> Value:
    if (exponent := _power_of_two(b)) is not None:
        return a >> exponent
    quotient, remainder, zero = _divided(a, b)
    if a.dtype.kind == "i":
        down = remainder.ne(0) & (remainder ^ b).lt(0)
        quotient = down.select(quotient - 1, quotient)
    return zero.select(0, quotient)


def remainder(a: Value, b: Value) -> Value:
    """The sign is the divisor's."""
    if (exponent := _power_of_two(b)) is not None:
        return a & ((1 << exponent) - 1)
    _, rest, zero = _divided(a, b)
    if a.dtype.kind == "i":
        moved = rest.ne(0) & (rest ^ b).lt(0)
        rest = moved.select(rest + b, rest)
    return zero.select(0, rest)


def fmod(a: Value, b: Value) -> Value:
    """The sign is the dividend's."""
    _, rest, zero = _divided(a, b)
    return zero.select(0, rest)


def left_shift(a: Value, b: Value) -> Value:
    """Shifting by as much as the type has bits, or by a negative number, gives 0."""
    valid = _unsigned_below(b, _bits(a))
    return valid.select(a << valid.select(b, 0), 0)


def right_shift(a: Value, b: Value) -> Value:
    """Too large shifts leave only the sign."""
    valid = _unsigned_below(b, _bits(a))
    if a.dtype.kind == "u":
        return valid.select(a >> valid.select(b, 0), 0)
    return a >> valid.select(b, _bits(a) - 1)


def _unsigned_below(b: Value, limit: int) -> Value:
    bound = b.builder.constant(b.dtype, limit).splat(b.lanes)
    return b.like(b.builder.emit(f"icmp ult {b.type} {b.ref}, {bound.ref}"), BOOL)


def bitwise_count(a: Value) -> Value:
    """The number of ones in the absolute value, as uint8."""
    if a.dtype.kind == "i":
        a = a.like(a.builder.emit(f"call {a.type} @llvm.abs.{a.suffix}({a}, i1 false)"))
    count = a.call("ctpop")
    return count.cast("trunc", BYTE) if a.dtype.itemsize > 1 else count.like_retyped(BYTE)


def reciprocal(a: Value) -> Value:
    """1 // a towards zero; 0 has NumPy's answer for it only after a check."""
    one = a.builder.constant(a.dtype, 1).splat(a.lanes)
    quotient, _, zero = _divided(one, a)
    return zero.select(_smallest(a) if a.dtype.kind == "i" else -1, quotient)


def power(a: Value, b: Value) -> Value:
    """Square and multiply, as often as the largest exponent has bits; negative exponents have been
    checked for."""
    builder, width = a.builder, _bits(b)
    largest = b.ref
    if b.lanes > 1:
        largest = builder.emit(f"call i{width} @llvm.vector.reduce.umax.{b.suffix}({b})")
    unused = builder.emit(f"call i{width} @llvm.ctlz.i{width}(i{width} {largest}, i1 false)")
    steps = Value(builder, unused, np.dtype(f"u{width // 8}"))
    count = steps.cast("zext", I64) if width < 64 else steps.like_retyped(I64)

    def step(_: Value, state: Sequence[Value]) -> Sequence[Value]:
        result, base, exponent = state
        odd = (exponent & 1).ne(0)
        half = exponent.binary("lshr", 1)
        return odd.select(result * base, result), base * base, half

    start = [a.constant(1), a, b]
    return builder.loop(builder.integer(0), width - count, 1, start, step)[0]


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    f.__name__: f
    for f in (
        floor_divide, remainder, fmod, left_shift, right_shift, bitwise_count, reciprocal, power,
    )
}
