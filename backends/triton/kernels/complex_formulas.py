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
def complex_exp2_real(a, b):
    return complex_exp_real(a * 0.6931471805599453, b * 0.6931471805599453)


@triton.jit
def complex_exp2_imag(a, b):
    return complex_exp_imag(a * 0.6931471805599453, b * 0.6931471805599453)


@triton.jit
def complex_expm1_real(a, b):
    half = libdevice.sin(b * 0.5)
    return libdevice.expm1(a) * libdevice.cos(b) - 2 * half * half


@triton.jit
def complex_expm1_imag(a, b):
    return libdevice.exp(a) * libdevice.sin(b)


@triton.jit
def log_of_size(a, b):
    """log(hypot(a, b)), also near 1, and where the hypotenuse overflows."""
    x, y = tl.abs(a), tl.abs(b)
    large, small = tl.where(x > y, x, y), tl.where(x > y, y, x)
    is_large = large > 1e18
    k = tl.where(is_large, 0.00390625, 1.0).to(a.dtype)
    found = libdevice.log(libdevice.hypot(a * k, b * k))
    found = tl.where(is_large, found + 5.545177444479562, found)
    is_near = (large > 0.5) & (large < 1.5) & (small <= large)
    beyond_one = (large - 1.0) * (large + 1.0) + small * small
    return tl.where(is_near, 0.5 * libdevice.log1p(tl.where(is_near, beyond_one, x * 0)), found)


@triton.jit
def complex_log_real(a, b):
    return log_of_size(a, b)


@triton.jit
def complex_log_imag(a, b):
    return libdevice.atan2(b, a)


@triton.jit
def complex_log2_real(a, b):
    return log_of_size(a, b) * 1.4426950408889634


@triton.jit
def complex_log2_imag(a, b):
    return libdevice.atan2(b, a) * 1.4426950408889634


@triton.jit
def complex_log10_real(a, b):
    return log_of_size(a, b) * 0.4342944819032518


@triton.jit
def complex_log10_imag(a, b):
    return libdevice.atan2(b, a) * 0.4342944819032518


@triton.jit
def complex_log1p_real(a, b):
    return libdevice.log(libdevice.hypot(a + 1.0, b))


@triton.jit
def complex_log1p_imag(a, b):
    return libdevice.atan2(b, a + 1.0)


@triton.jit
def times_cosh(part, a):
    """part * cosh(a), also where cosh(a) alone overflows."""
    x = tl.abs(a)
    return tl.where(x > 88.0, scaled(x, part * 0.5), libdevice.cosh(x) * part)


@triton.jit
def times_sinh(part, a):
    x = tl.abs(a)
    large = scaled(x, libdevice.copysign(part * 0 + 0.5, a) * part)
    return tl.where(x > 88.0, large, libdevice.sinh(a) * part)


@triton.jit
def has_no_angle(a, b):
    return (tl.abs(a) == float("inf")) & ~(tl.abs(b) < float("inf"))


@triton.jit
def complex_sinh_real(a, b):
    found = tl.where(a == 0, a, times_sinh(libdevice.cos(b), a))
    return tl.where(has_no_angle(a, b), tl.abs(a), found)


@triton.jit
def complex_sinh_imag(a, b):
    return tl.where(b == 0, b, times_cosh(libdevice.sin(b), a))


@triton.jit
def complex_cosh_real(a, b):
    return tl.where(has_no_angle(a, b), tl.abs(a), times_cosh(libdevice.cos(b), a))


@triton.jit
def complex_cosh_imag(a, b):
    nothing = tl.full([], 0.0, a.dtype) + a * 0
    nothing = tl.where(nothing == 0, nothing, 0.0)
    signed = libdevice.copysign(nothing, a) * libdevice.copysign(nothing + 1.0, b)
    return tl.where((a == 0) | (b == 0), signed, times_sinh(libdevice.sin(b), a))


@triton.jit
def complex_tanh_real(a, b):
    is_large = tl.abs(a) > 20.0
    s, t = libdevice.sinh(tl.where(is_large, 1.0, a).to(a.dtype)), libdevice.tan(b)
    beta = t * t + 1.0
    found = quotient(beta * root(s * s + 1.0) * s, beta * s * s + 1.0)
    one = libdevice.copysign(s * 0 + 1.0, a)
    one = tl.where(tl.abs(a) == float("inf"), one, one + (b - b))
    return tl.where(a == 0, a, tl.where(is_large, one, found))


@triton.jit
def complex_tanh_imag(a, b):
    is_large = tl.abs(a) > 20.0
    s, t = libdevice.sinh(tl.where(is_large, 1.0, a).to(a.dtype)), libdevice.tan(b)
    found = quotient(t, (t * t + 1.0) * s * s + 1.0)
    large = 4.0 * libdevice.sin(b) * libdevice.cos(b) * libdevice.exp(-2.0 * tl.abs(a))
    large = tl.where(tl.abs(a) == float("inf"), 0.0, large)
    return tl.where(b == 0, b, tl.where(is_large, large, found))


@triton.jit
def complex_sin_real(a, b):
    return complex_sinh_imag(b, a)


@triton.jit
def complex_sin_imag(a, b):
    return complex_sinh_real(b, a)


@triton.jit
def complex_cos_real(a, b):
    return complex_cosh_real(b, a)


@triton.jit
def complex_cos_imag(a, b):
    return negative_f(complex_cosh_imag(b, a))


@triton.jit
def complex_tan_real(a, b):
    return complex_tanh_imag(b, a)


@triton.jit
def complex_tan_imag(a, b):
    return complex_tanh_real(b, a)


@triton.jit
def whole_power(a, b, n):
    """By squaring; the first factor is 1, but for the first three powers."""
    real, imag = tl.where(n == 0, 1.0, a).to(a.dtype), tl.where(n == 0, 0.0, b).to(a.dtype)
    twice_a, twice_b = a * a - b * b, a * b + b * a
    other = a * twice_a - b * twice_b, a * twice_b + b * twice_a
    real, imag = tl.where(n == 2, twice_a, real), tl.where(n == 2, twice_b, imag)
    real, imag = tl.where(n == 3, other[0], real), tl.where(n == 3, other[1], imag)
    x, y = tl.where(n > 3, 1.0, real).to(a.dtype), tl.where(n > 3, 0.0, imag).to(a.dtype)
    left = tl.where(n > 3, n, 0)
    for _ in tl.static_range(7):
        is_factor = (left & 1) != 0
        x, y = tl.where(is_factor, x * a - y * b, x), tl.where(is_factor, x * b + y * a, y)
        a, b = a * a - b * b, a * b + b * a
        left = left >> 1
    return x, y


@triton.jit
def power_of_pair(a, b, c, d):
    size, angle = log_of_size(a, b), libdevice.atan2(b, a)
    x, y = c * size - d * angle, c * angle + d * size
    real, imag = complex_exp_real(x, y), complex_exp_imag(x, y)
    is_whole = (d == 0) & (tl.abs(c) < 100) & (tl.floor(c) == c)
    n = tl.where(is_whole, tl.abs(c), 0.0).to(tl.int32)
    p, q = whole_power(a, b, n)
    one, none = a * 0 + 1.0, a * 0
    p, q = (tl.where(c < 0, complex_divide_real(one, none, p, q), p),
            tl.where(c < 0, complex_divide_imag(one, none, p, q), q))
    real, imag = tl.where(is_whole, p, real), tl.where(is_whole, q, imag)
    of_zero = (a == 0) & (b == 0) & ~((c == 0) & (d == 0))
    zero = tl.where(c > 0, 0.0, float("nan"))
    return tl.where(of_zero, zero, real), tl.where(of_zero, zero, imag)


@triton.jit
def complex_power_real(a, b, c, d):
    return power_of_pair(a, b, c, d)[0]


@triton.jit
def complex_power_imag(a, b, c, d):
    return power_of_pair(a, b, c, d)[1]


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
