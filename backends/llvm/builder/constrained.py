"""LLVM's constrained floating-point operations, which stay where they are written."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .elements import BOOL
from .values import Value


def constrained(name: str, operands: Sequence[Value], dtype: np.dtype, says: str) -> Value:
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
    return _joined([mask.cast("sext", whole) for mask in parts]).lt(0)


def _one(name: str, operands: Sequence[Value], dtype: np.dtype, says: str) -> Value:
    first = operands[0]
    to = first.like("", dtype)
    name = name.format(of=first.suffix, to=to.suffix)
    given = ", ".join(map(repr, operands))
    text = f"call {to.type} @llvm.experimental.constrained.{name}({given}, {says})"
    return first.like(first.builder.emit(text), dtype)


def _lanes(value: Value, begin: int, width: int) -> Value:
    if value.literal:  # the same in each lane
        return Value(value.builder, value.ref, value.dtype, width, True)
    return value.shuffle(range(begin, begin + width))


def _joined(parts: list[Value]) -> Value:
    """Vectors one behind the other, by twos."""
    while len(parts) > 1:
        order = range(2 * parts[0].lanes)
        parts = [left.shuffle(order, right) for left, right in zip(parts[::2], parts[1::2])]
    return parts[0]
