"""Functions that every generated Triton module begins with: folds, and NumPy's own definitions.

`<name>_<kind>` is what a row's "@name" template calls for operands of that kind (f, i, u, b).
"""
from __future__ import annotations

import re

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
def fold_and(a, b):
    return a & b


@triton.jit
def fold_or(a, b):
    return a | b


@triton.jit
def least(a, b):
    return tl.where((a < b) | (a != a), a, b)


@triton.jit
def greatest(a, b):
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
    q = tl.div_rn(a - r, b)
    q = tl.where((r != 0) & ((b < 0) != (r < 0)), q - 1.0, q)
    whole = tl.floor(q)
    whole = tl.where(q - whole > 0.5, whole + 1.0, whole)
    whole = tl.where(q != 0, whole, libdevice.copysign(q * 0.0, tl.div_rn(a, b)))
    return tl.where(b == 0, tl.div_rn(a, b), whole)


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
    return tl.div_rn(a * 0 + 1.0, a)


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
    return libdevice.copysign(a * 0 + 1.0, a) < 0


@triton.jit
def heaviside_f(a, b):
    return tl.where(a != a, a, tl.where(a < 0, 0.0, tl.where(a > 0, 1.0, b))).to(a.dtype)
'''

OWN_FUNCTIONS = frozenset(re.findall(r"def (\w+)\(", PRELUDE))
