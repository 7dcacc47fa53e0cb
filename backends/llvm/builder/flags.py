"""Floats that LLVM may not compute elsewhere, or not at all: it would lose the flags that eager
NumPy reports. `zero` is 0 in a register, which LLVM must not know.
"""
from __future__ import annotations

from typing import TypeVar

from .pairs import Pair
from .values import Value

E = TypeVar("E", Value, Pair)


def barrier(value: E, zero: Value) -> E:
    """The same floating-point value, but LLVM cannot see where it comes from. It computes what
    a selection reads for the selected lanes only, or later, or folds an operation into both
    alternatives."""
    if isinstance(value, Pair):
        return value.map(lambda part: _unseen(part, zero))
    return _unseen(value, zero)


def _unseen(value: Value, zero: Value) -> Value:
    if value.lanes == 1 and value.builder.is_x86 and value.dtype.itemsize >= 4:
        return value.builder.opaque(value)
    bits = value.bits()
    return (bits | _narrowed(zero, bits)).as_float()


def with_flags_of(value: Value, other: Value, zero: Value) -> Value:
    """The same value, but LLVM cannot leave out what raises the flags of another one."""
    bits = value.bits()
    zero = _narrowed(zero, bits)
    return (bits | (other.bits() & zero)).as_float()


def _narrowed(zero: Value, bits: Value) -> Value:
    return zero if bits.dtype.itemsize == 8 else zero.cast("trunc", bits.dtype)
