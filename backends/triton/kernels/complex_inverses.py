"""Inverse functions of complex numbers in the prelude, for parts as `complex_formulas` has them.

Formulas are Kahan's ("Branch cuts for complex elementary functions"), by roots of 1 - z and 1 + z;
of infinite numbers they are C's (Annex G).
"""
from __future__ import annotations

INVERSES = '''

@triton.jit
def is_infinite(a, b):
    return (tl.abs(a) == float("inf")) | (tl.abs(b) == float("inf"))


@triton.jit
def signed(value, b):
    """A number with the sign of b, which may be infinite or NaN."""
    size = tl.full([], value, b.dtype)
    return libdevice.copysign(tl.where(b == b, size, size), b)


@triton.jit
def roots_around(a, b):
    """The roots of 1 - z and of 1 + z."""
    return (complex_sqrt_real(1.0 - a, negative_f(b)), complex_sqrt_imag(1.0 - a, negative_f(b)),
            complex_sqrt_real(1.0 + a, b), complex_sqrt_imag(1.0 + a, b))


@triton.jit
def complex_arcsin_real(a, b):
    p, q, r, s = roots_around(a, b)
    found = libdevice.atan2(a, p * r - q * s)
    found = tl.where((a == 0) & (b != b), a, found)
    return tl.where(is_infinite(a, b), libdevice.atan2(a, tl.abs(b)), found)


@triton.jit
def complex_arcsin_imag(a, b):
    p, q, r, s = roots_around(a, b)
    found = libdevice.asinh(p * s - q * r)
    return tl.where(is_infinite(a, b), signed(float("inf"), b), found)


@triton.jit
def complex_arccos_real(a, b):
    p, q, r, s = roots_around(a, b)
    found = 2.0 * libdevice.atan2(p, r)
    found = tl.where((a == 0) & (b != b), 1.5707963267948966, found)
    return tl.where(is_infinite(a, b), libdevice.atan2(tl.abs(b), a), found)


@triton.jit
def complex_arccos_imag(a, b):
    p, q, r, s = roots_around(a, b)
    found = libdevice.asinh(r * q - s * p)
    return tl.where(is_infinite(a, b), signed(float("inf"), negative_f(b)), found)


@triton.jit
def complex_arcsinh_real(a, b):
    return complex_arcsin_imag(b, a)


@triton.jit
def complex_arcsinh_imag(a, b):
    return complex_arcsin_real(b, a)


@triton.jit
def complex_arccosh_real(a, b):
    p, q = complex_sqrt_real(a - 1.0, b), complex_sqrt_imag(a - 1.0, b)
    r, s = complex_sqrt_real(a + 1.0, b), complex_sqrt_imag(a + 1.0, b)
    found = libdevice.asinh(p * r + q * s)
    return tl.where(is_infinite(a, b), float("inf"), found)


@triton.jit
def complex_arccosh_imag(a, b):
    found = 2.0 * libdevice.atan2(complex_sqrt_imag(a - 1.0, b), complex_sqrt_real(a + 1.0, b))
    found = tl.where((a == 0) & (b != b), 1.5707963267948966, found)
    return tl.where(is_infinite(a, b), libdevice.atan2(b, a), found)


@triton.jit
def complex_arctanh_real(a, b):
    x = tl.abs(a)
    found = 0.25 * libdevice.log1p(quotient(4.0 * x, (1.0 - x) * (1.0 - x) + b * b))
    found = tl.where(a == 0, x, tl.where(is_infinite(a, b), 0.0, found))
    return libdevice.copysign(found, a)


@triton.jit
def complex_arctanh_imag(a, b):
    found = 0.5 * libdevice.atan2(2.0 * b, (1.0 - a) * (1.0 + a) - b * b)
    right = tl.where(b == b, signed(1.5707963267948966, b), b)
    return tl.where(is_infinite(a, b), right, found)


@triton.jit
def complex_arctan_real(a, b):
    return complex_arctanh_imag(b, a)


@triton.jit
def complex_arctan_imag(a, b):
    return complex_arctanh_real(b, a)
'''
