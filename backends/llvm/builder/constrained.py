"""LLVM's constrained floating-point operations, which stay where they are written."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from .elements import BOOL
from .registers import Register

R = TypeVar("R", bound=Register)


def constrained(name: str, operands: Sequence[R], dtype: np.dtype, says: str) -> R:
    """`llvm.experimental.constrained.NAME`, where `{of}` and `{to}` stand for the types of the
    operands and of the result; `says` are its metadata.

    Vectors that fill several registers are computed register by register: LLVM takes them apart as
    well, and where a function has several such calls it may never end, or end the process."""
    first = operands[0]
    width = max(first.builder.vector_bytes // first.dtype.itemsize, 1)
    if first.lanes <= width:
        return _one(name, operands, dtype, says)
    parts = [
        _one(name, [_lanes(value, begin, width) for value in operands], dtype, says)
        for begin in range(0, first.lanes, width)
    ]
    if dtype != BOOL:
        return _joined(parts)
    whole = np.dtype(f"i{first.dtype.itemsize}")  # which is how registers hold what was compared
    joined = _joined([mask.cast("sext", whole) for mask in parts])
    zero = f"splat (i{8 * whole.itemsize} 0)"
    return joined.like(joined.builder.emit(f"icmp slt {joined.type} {joined.ref}, {zero}"), BOOL)


def _one(name: str, operands: Sequence[R], dtype: np.dtype, says: str) -> R:
    first = operands[0]
    to = first.like("", dtype)
    name = name.format(of=first.suffix, to=to.suffix)
    given = ", ".join(map(repr, operands))
    text = f"call {to.type} @llvm.experimental.constrained.{name}({given}, {says})"
    return first.like(first.builder.emit(text), dtype)


def _lanes(value: R, begin: int, width: int) -> R:
    if value.literal:  # the same in each lane
        return type(value)(value.builder, value.ref, value.dtype, width, True)
    return value.shuffle(range(begin, begin + width))


def _joined(parts: list[R]) -> R:
    """Vectors one behind the other, by twos."""
    while len(parts) > 1:
        order = range(2 * parts[0].lanes)
        parts = [left.shuffle(order, right) for left, right in zip(parts[::2], parts[1::2])]
    return parts[0]
