"""Functions of the prelude for parts of complex numbers: (a, b) and (c, d) are two of them.

`complex_<row>_<part>` is one part of the result, `complex_<row>` a result that is not complex.
Formulas are NumPy's (`loops_umath_fp`, `loops_unary_complex`), each operation rounded by itself;
exponentials are C's (Annex G). That a product is one of NumPy's scalars is told to Triton's
interpreter, where products of arrays have fused steps.
"""
from __future__ import annotations

COMPLEX = '''

@triton.jit
def complex_add_real(a, b, c, d):
    return a + c


@triton.jit
def complex_add_imag(a, b, c, d):
    return b + d


@triton.jit
def complex_subtract_real(a, b, c, d):
    return a - c


@triton.jit
def complex_subtract_imag(a, b, c, d):
    return b - d


@triton.jit
def complex_multiply_real(a, b, c, d, of_scalars: tl.constexpr = False):
    return a * c - b * d


@triton.jit
def complex_multiply_imag(a, b, c, d, of_scalars: tl.constexpr = False):
    return a * d + b * c


@triton.jit
def complex_square_real(a, b):
    return a * a - b * b


@triton.jit
def complex_square_imag(a, b):
    return a * b + b * a


@triton.jit
def divisor(c, d):
    first = tl.abs(c) >= tl.abs(d)
    large, small = tl.where(first, c, d), tl.where(first, d, c)
    ratio = quotient(small, large)
    return first, ratio, quotient(tl.full([], 1.0, c.dtype), large + small * ratio)


@triton.jit
def complex_divide_real(a, b, c, d):
    first, ratio, scale = divisor(c, d)
    found = (tl.where(first, a, b) + tl.where(first, b, a) * ratio) * scale
    return tl.where((c == 0) & (d == 0), quotient(a, tl.abs(c)), found)


@triton.jit
def complex_divide_imag(a, b, c, d):
    first, ratio, scale = divisor(c, d)
    found = tl.where(first, b - a * ratio, b * ratio - a) * scale
    return tl.where((c == 0) & (d == 0), quotient(b, tl.abs(c)), found)


@triton.jit
def complex_reciprocal_real(a, b):
    first = tl.abs(b) <= tl.abs(a)
    large, small = tl.where(first, a, b), tl.where(first, b, a)
    ratio = quotient(small, large)
    return quotient(tl.where(first, tl.full([], 1.0, a.dtype), ratio), large + small * ratio)


@triton.jit
def complex_reciprocal_imag(a, b):
    first = tl.abs(b) <= tl.abs(a)
    large, small = tl.where(first, a, b), tl.where(first, b, a)
    ratio = quotient(small, large)
    above = tl.where(first, negative_f(ratio), tl.full([], -1.0, a.dtype))
    return quotient(above, large + small * ratio)


@triton.jit
def complex_absolute(a, b):
    x, y = tl.abs(a), tl.abs(b)
    infinite = (x == float("inf")) | (y == float("inf"))
    large, small = tl.where(x > y, x, y), tl.where(x > y, y, x)
    idle = infinite | ((x == 0) & (y == 0))
    ratio = quotient(small, tl.where(idle, tl.full([], 2.0, a.dtype), large))
    found = root(ratio * ratio + tl.full([], 1.0, a.dtype)) * large
    return tl.where(infinite, tl.full([], float("inf"), a.dtype), found)


@triton.jit
def scaled(a, part):
    """exp(a) * part, also where exp(a) alone overflows."""
    half = libdevice.exp(a * 0.5)
    return tl.where(a > 88.0, half * part * half, libdevice.exp(a) * part)


@triton.jit
def complex_exp_real(a, b):
    found = scaled(a, libdevice.cos(b))
    found = tl.where(b == 0, libdevice.exp(a), found)
    is_infinite = (tl.abs(a) == float("inf")) & ~(tl.abs(b) < float("inf"))
    return tl.where(is_infinite, tl.where(a > 0, a, 0.0), found)


@triton.jit
def complex_exp_imag(a, b):
    found = tl.where(b == 0, b, scaled(a, libdevice.sin(b)))
    return tl.where((a == float("-inf")) & ~(tl.abs(b) < float("inf")), 0.0, found)


@triton.jit
def root_of_half(a, b):
    """sqrt((abs(a) + hypot(a, b)) / 2), also where the sum overflows."""
    is_large = (tl.abs(a) > 1) | (tl.abs(b) > 1)
    k = tl.where(is_large, 0.125, 0.5).to(a.dtype)
    found = root(tl.abs(a) * k + libdevice.hypot(a * k, b * k))
    return tl.where(is_large, found + found, found)


@triton.jit
def complex_sqrt_real(a, b):
    t = root_of_half(a, b)
    found = tl.where(a >= 0, t, quotient(tl.abs(b), t + t))
    found = tl.where(a == float("-inf"), tl.abs(b - b), found)
    found = tl.where((a == 0) & (b == 0), 0.0, tl.where(a == float("inf"), a, found))
    return tl.where(tl.abs(b) == float("inf"), tl.abs(b), tl.where(a != a, a, found))


@triton.jit
def complex_sqrt_imag(a, b):
    t = root_of_half(a, b)
    found = tl.where(a >= 0, quotient(b, t + t), libdevice.copysign(t, b))
    found = tl.where(a == float("-inf"), libdevice.copysign(a, b), found)
    found = tl.where(a == float("inf"), libdevice.copysign(b - b, b), found)
    return tl.where((tl.abs(b) == float("inf")) | (b == 0) & (a == 0), b,
                    tl.where(a != a, a, found))


@triton.jit
def complex_less(a, b, c, d):
    return ((a < c) & (b == b) & (d == d)) | ((a == c) & (b < d))


@triton.jit
def complex_less_equal(a, b, c, d):
    return ((a < c) & (b == b) & (d == d)) | ((a == c) & (b <= d))


@triton.jit
def complex_greater(a, b, c, d):
    return complex_less(c, d, a, b)


@triton.jit
def complex_greater_equal(a, b, c, d):
    return complex_less_equal(c, d, a, b)
'''
