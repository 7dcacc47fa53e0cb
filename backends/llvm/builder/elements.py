"""Element types and literals in LLVM's notation."""
from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Union

import numpy as np

BOOL = np.dtype(np.bool_)
I32 = np.dtype(np.int32)
I64 = np.dtype(np.int64)
F32 = np.dtype(np.float32)
F64 = np.dtype(np.float64)
PARTS: Mapping[np.dtype, np.dtype] = {
    np.dtype(np.complex64): F32, np.dtype(np.complex128): F64,
}
"""What complex numbers are pairs of, which lie next to each other in memory."""

FLOAT_TYPES = {2: "half", 4: "float", 8: "double"}  # others are only copied, as bits
Number = Union[int, float, bool]


def scalar_type(dtype: np.dtype) -> str:
    """LLVM's type of one element in a register (a bool is `i1` there, a byte in memory).

    Complex numbers are in two registers (`pairs`). What kernels only move, long doubles and the
    like, is a long integer."""
    if dtype.kind == "f" and dtype.itemsize in FLOAT_TYPES:
        return FLOAT_TYPES.get(dtype.itemsize, f"i{8 * dtype.itemsize}")
    return "i1" if dtype.kind == "b" else f"i{8 * dtype.itemsize}"


def literal_text(dtype: np.dtype, bits: bytes) -> str:
    """LLVM's text of a constant, from its exact bytes in native order."""
    if dtype.kind == "b":
        return "true" if any(bits) else "false"
    raw = int.from_bytes(bits, (struct.pack("=H", 1) == b"\1\0" and "little") or "big")
    if dtype.kind != "f" or dtype.itemsize not in FLOAT_TYPES:
        return str(raw - (1 << 8 * dtype.itemsize) if _is_negative(dtype, raw) else raw)
    if dtype.itemsize == 2:
        return f"0xH{raw:04X}"
    if dtype.itemsize == 4:
        return f"0x{_widened(raw):016X}"
    return f"0x{raw:016X}"


def _is_negative(dtype: np.dtype, raw: int) -> bool:
    return dtype.kind == "i" and bool(raw >> (8 * dtype.itemsize - 1))


def _widened(raw: int) -> int:
    """The bits of a float as a double's, with NaN payloads kept (LLVM writes floats that way)."""
    if raw & 0x7F800000 == 0x7F800000:
        return (raw >> 31) << 63 | 0x7FF << 52 | (raw & 0x7FFFFF) << 29
    (value,) = struct.unpack("=f", struct.pack("=I", raw))
    (wide,) = struct.unpack("=Q", struct.pack("=d", value))
    return int(wide)
