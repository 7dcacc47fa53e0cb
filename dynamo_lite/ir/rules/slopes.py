"""Partial derivatives of ufuncs: functions of the result and the operands.

A derivative that is 0 everywhere is the number 0.
What JAX does at a kink is done here: the larger of two equal numbers is half of each, and the
slope of a magnitude at zero is that of positive numbers.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Partial = Callable[..., Any]


def larger(out: Any, a: Any, b: Any) -> Any:
    """How much of `out`, which is one of two numbers, is the first: half where they are equal."""
    return np.where(np.equal(a, out), np.where(np.equal(b, out), 0.5, 1.0), 0.0)


def present(chosen: np.ufunc) -> tuple[Partial, Partial]:
    """Of `fmax` and `fmin`, which prefer numbers to NaN, and the second of two that are equal."""

    def first(out: Any, a: Any, b: Any) -> Any:
        return np.where(np.logical_or(chosen(a, b), np.not_equal(b, b)), 1.0, 0.0)

    return first, lambda out, a, b: 1.0 - first(out, a, b)


def slope(out: Any, a: Any) -> Any:
    """Of a magnitude: its argument on the unit circle, conjugated."""
    if a.dtype.kind != "c":
        return np.where(np.greater_equal(a, 0), 1.0, -1.0)
    return np.where(out == 0, 0, np.conjugate(a) / np.where(out == 0, 1, out))


def base(out: Any, a: Any, b: Any) -> Any:
    """`b * a**(b - 1)`, which is 0 where an exponent is that is an integer, or a constant."""
    if isinstance(b, (int, float, complex)):
        return 0 if b == 0 else b * powered(a, b - 1)
    if b.dtype.kind in "fc":
        return b * a ** (b - 1)
    return b * a ** np.where(b == 0, 1, b - 1)


def powered(a: Any, exponent: Any) -> Any:
    """A small integer power by squaring, which takes no logarithm."""
    if isinstance(exponent, complex) or exponent != exponent // 1 or not 2 < abs(exponent) < 16:
        return a if exponent == 1 else a ** exponent
    half, odd = divmod(int(abs(exponent)), 2)
    square = powered(a * a, half)
    found = square * a if odd else square
    return found if exponent > 0 else 1 / found


def exponent(out: Any, a: Any, b: Any) -> Any:
    return np.log(np.where(np.equal(a, 0), 1, a)) * out


def quotient(out: Any, a: Any, b: Any) -> Any:
    """By the divisor, whose reciprocal is the other partial derivative."""
    if isinstance(a, (int, float)) and a == 1:
        return -out * out
    return -out * (1 / b)


def leg(place: int) -> Partial:
    """Of `hypot`, which at zero is half of each."""

    def partial(out: Any, *legs: Any) -> Any:
        return np.where(np.equal(out, 0), 0.5, legs[place] / np.where(np.equal(out, 0), 1.0, out))

    return partial


def share(exp: np.ufunc, place: int) -> Partial:
    """Of the logarithm of a sum, also where that is infinite."""

    def partial(out: Any, *logarithms: Any) -> Any:
        return exp(finite(logarithms[place]) - finite(out))

    return partial


def finite(x: Any) -> Any:
    """0 in the place of infinity."""
    return np.where(np.equal(x, np.inf), 0.0, x)


def one(*operands: Any) -> int:
    return 1


def minus_one(*operands: Any) -> int:
    return -1


def none(*operands: Any) -> int:
    return 0
