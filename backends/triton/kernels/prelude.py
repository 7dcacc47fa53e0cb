"""Functions that every generated Triton module begins with: folds, and NumPy's own definitions.

`<name>_<kind>` is what a row's "@name" template calls for operands of that kind (f, i, u, b).
"""
from __future__ import annotations

import re

from .complex_formulas import COMPLEX
from .complex_inverses import INVERSES

PRELUDE = '''
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def fold_add(a, b):
    return a + b


@triton.jit
def fold_multiply(a, b):
    return a * b


@triton.jit
def lane_sum(total, count, order: tl.constexpr):
    return total


@triton.jit
def lane_product(total, count, order: tl.constexpr):
    return total


@triton.jit
def row_sum(lanes, count, order: tl.constexpr):
    return tl.reduce(lanes, 0, fold_add)


@triton.jit
def row_product(lanes, count, order: tl.constexpr):
    return tl.reduce(lanes, 0, fold_multiply)


@triton.jit
def sums_of_rows(lanes, count, order: tl.constexpr):
    return tl.reduce(lanes, 1, fold_add)[:, None]


@triton.jit
def products_of_rows(lanes, count, order: tl.constexpr):
    return tl.reduce(lanes, 1, fold_multiply)[:, None]


@triton.jit
def begun(lanes, first):
    return tl.where(tl.arange(0, lanes.shape[0]) == 0, first, lanes)


@triton.jit
def running_add(before, lanes):
    return tl.associative_scan(begun(lanes, before + lanes), 0, fold_add)


@triton.jit
def running_multiply(before, lanes):
    return tl.associative_scan(begun(lanes, before * lanes), 0, fold_multiply)


@triton.jit
def later(a, i, b, j):
    return tl.where(i < j, b, a), tl.where(i < j, j, i)


@triton.jit
def last_lane(lanes):
    return tl.reduce((lanes, tl.arange(0, lanes.shape[0])), 0, later)[0]


@triton.jit
def fold_and(a, b):
    return a & b


@triton.jit
def fold_or(a, b):
    return a | b


@triton.jit
def least(a, b):
    if a.dtype.is_fp32():
        return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)
    else:
        return tl.where((a < b) | (a != a), a, b)


@triton.jit
def greatest(a, b):
    if a.dtype.is_fp32():
        return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
    else:
        return tl.where((a > b) | (a != a), a, b)


@triton.jit
def fold_argmin(a, i, b, j):
    first = (a < b) | ((a != a) & (b == b)) | (((a == b) | ((a != a) & (b != b))) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def fold_argmax(a, i, b, j):
    first = (a > b) | ((a != a) & (b == b)) | (((a == b) | ((a != a) & (b != b))) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def quotient(a, b):
    if a.dtype.primitive_bitwidth == 64:
        return a / b
    else:
        return tl.div_rn(a, b)


@triton.jit
def quotient_of_halves(a, b):
    # No quotient of halves is nearer to the middle between two halves than 2**-23 of it, which is
    # more than one step of Newton's leaves over. What has no rest is exact, or zero, or infinite.
    inverse = 1.0 / b
    near = a * inverse
    near, b = tl.broadcast(near, b)
    near, inverse = tl.broadcast(near, inverse)
    near, a = tl.broadcast(near, a)
    rest = tl.fma(-near, b, a)
    return tl.where(tl.abs(rest) > 0, tl.fma(rest, inverse, near), near)


@triton.jit
def bits_of(a):
    if a.dtype.primitive_bitwidth == 64:
        return a.to(tl.int64, bitcast=True)
    else:
        return a.to(tl.int32, bitcast=True)


@triton.jit
def negative_f(a):
    bits = bits_of(a)
    return (bits ^ (tl.full([], 1, bits.dtype) << (a.dtype.primitive_bitwidth - 1))).to(
        a.dtype, bitcast=True)


@triton.jit
def floor_divide_i(a, b):
    safe = tl.where(b == 0, b + 1, b)
    q = a // safe
    q = tl.where((a - q * safe != 0) & ((a < 0) != (safe < 0)), q - 1, q)
    return tl.where(b == 0, b, q)


@triton.jit
def floor_divide_u(a, b):
    return tl.where(b == 0, b, a // tl.where(b == 0, b + 1, b))


@triton.jit
def remainder_i(a, b):
    safe = tl.where(b == 0, b + 1, b)
    r = a - (a // safe) * safe
    r = tl.where((r != 0) & ((r < 0) != (safe < 0)), r + safe, r)
    return tl.where(b == 0, b, r)


@triton.jit
def remainder_u(a, b):
    return tl.where(b == 0, b, a % tl.where(b == 0, b + 1, b))


@triton.jit
def remainder_f(a, b):
    r = libdevice.fmod(a, b)
    moved = tl.where((r != 0) & ((b < 0) != (r < 0)), r + b, r)
    return tl.where(moved == 0, libdevice.copysign(moved, b), moved)


@triton.jit
def floor_divide_f(a, b):
    r = libdevice.fmod(a, b)
    q = quotient(a - r, b)
    q = tl.where((r != 0) & ((b < 0) != (r < 0)), q - 1.0, q)
    whole = tl.floor(q)
    whole = tl.where(q - whole > 0.5, whole + 1.0, whole)
    whole = tl.where(q != 0, whole, libdevice.copysign(q * 0.0, quotient(a, b)))
    return tl.where(b == 0, quotient(a, b), whole)


@triton.jit
def fmod_f(a, b):
    return libdevice.fmod(a, b)


@triton.jit
def fmod_i(a, b):
    safe = tl.where(b == 0, b + 1, b)
    return tl.where(b == 0, b, a - (a // safe) * safe)


@triton.jit
def fmod_u(a, b):
    return remainder_u(a, b)


@triton.jit
def power_f(a, b):
    return libdevice.pow(a, b)


@triton.jit
def reciprocal_f(a):
    return quotient(tl.full([], 1.0, a.dtype), a)


@triton.jit
def sign_f(a):
    return tl.where(a > 0, 1.0, tl.where(a < 0, -1.0, tl.where(a == 0, 0.0, a))).to(a.dtype)


@triton.jit
def sign_i(a):
    return tl.where(a > 0, 1, tl.where(a < 0, -1, 0)).to(a.dtype)


@triton.jit
def sign_u(a):
    return tl.where(a > 0, 1, 0).to(a.dtype)


@triton.jit
def left_shift_i(a, b):
    bits: tl.constexpr = a.dtype.primitive_bitwidth
    inside = (b >= 0) & (b < bits)
    return tl.where(inside, a << tl.where(inside, b, b * 0), a * 0)


@triton.jit
def left_shift_u(a, b):
    bits: tl.constexpr = a.dtype.primitive_bitwidth
    return tl.where(b < bits, a << tl.where(b < bits, b, b * 0), a * 0)


@triton.jit
def right_shift_i(a, b):
    bits: tl.constexpr = a.dtype.primitive_bitwidth
    inside = (b >= 0) & (b < bits)
    return a >> tl.where(inside, b, b * 0 + (bits - 1))


@triton.jit
def right_shift_u(a, b):
    bits: tl.constexpr = a.dtype.primitive_bitwidth
    return tl.where(b < bits, a >> tl.where(b < bits, b, b * 0), a * 0)


@triton.jit
def isfinite_f(a):
    return tl.abs(a) < float("inf")


@triton.jit
def isinf_f(a):
    return tl.abs(a) == float("inf")


@triton.jit
def signbit_f(a):
    return bits_of(a) < 0


@triton.jit
def heaviside_f(a, b):
    return tl.where(a != a, a, tl.where(a < 0, 0.0, tl.where(a > 0, 1.0, b))).to(a.dtype)


@triton.jit
def reciprocal_i(a):
    return tl.where(a == 0, a, (a * 0 + 1) // tl.where(a == 0, a + 1, a))


@triton.jit
def reciprocal_u(a):
    return tl.where(a == 0, a, (a * 0 + 1) // tl.where(a == 0, a + 1, a))


@triton.jit
def power_i(a, b):
    result = a * 0 + 1
    for _ in range(a.dtype.primitive_bitwidth):
        result = tl.where((b & 1) != 0, result * a, result)
        a = a * a
        b = b >> 1
    return result


@triton.jit
def power_u(a, b):
    return power_i(a, b)


@triton.jit
def invert_u(a):
    return (a * 0 - 1) ^ a


@triton.jit
def fmax_f(a, b):
    return tl.where((a > b) | (b != b), a, b)


@triton.jit
def fmin_f(a, b):
    return tl.where((a < b) | (b != b), a, b)


@triton.jit
def logaddexp_f(a, b):
    apart = tl.abs(a - b)
    top = tl.where(a >= b, a, b)
    sum = top + libdevice.log1p(libdevice.exp(-apart))
    return tl.where(a == b, a + 0.6931471805599453, tl.where(apart == apart, sum, apart))


@triton.jit
def logaddexp2_f(a, b):
    apart = tl.abs(a - b)
    top = tl.where(a >= b, a, b)
    sum = top + libdevice.log1p(libdevice.exp2(-apart)) * 1.4426950408889634
    return tl.where(a == b, a + 1.0, tl.where(apart == apart, sum, apart))


@triton.jit
def root(a):
    if a.dtype.primitive_bitwidth == 64:
        return tl.sqrt(a)
    else:
        return tl.sqrt_rn(a)


@triton.jit
def bitwise_count_i(a):
    return bitwise_count_u(tl.abs(a).to(tl.uint64) << (64 - a.dtype.primitive_bitwidth))


@triton.jit
def bitwise_count_u(a):
    x = a.to(tl.uint64)
    x = x - ((x >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((x * 0x0101010101010101) >> 56).to(tl.uint8)
''' + COMPLEX + INVERSES

OWN_FUNCTIONS = frozenset(re.findall(r"def (\w+)\(", PRELUDE))

OPERANDS = {name: len(operands.split(","))
            for name, operands in re.findall(r"def (complex_\w+)\((\w\b(?:, \w\b)*)", PRELUDE)}
"""Of functions of complex numbers, given as their parts: how many parts they take."""
