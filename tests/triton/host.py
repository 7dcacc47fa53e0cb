"""NumPy memory in place of a GPU's: launch plans run with everything real but the kernels."""
from __future__ import annotations

from typing import Any

import numpy as np


class HostDevice:
    """Implements `backends.triton.device.Device`; `make(kernel, aligned)` gives the launchers."""

    array = np.ndarray

    def __init__(self, make: Any) -> None:
        self.launcher = make

    def pointer(self, array: np.ndarray) -> int:
        return array.ctypes.data

    def stream(self) -> int:
        return 77

    def empty(self, shape: Any, dtype: Any) -> np.ndarray:
        """Memory that is a multiple of 16 bytes, full of noise."""
        count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        memory = np.full(count + 16, 0xA5, np.uint8)
        start = -memory.ctypes.data % 16
        return memory[start : start + count].view(dtype).reshape(shape)

    def laid_out(self, shape: Any, dtype: Any, strides: Any) -> np.ndarray:
        span = sum((n - 1) * s for n, s in zip(shape, strides)) + dtype.itemsize
        return np.ndarray(shape, dtype, self.empty((span,), np.dtype(np.uint8)), 0, strides)

    def view(self, base: Any, offset: int, shape: Any, dtype: Any, strides: Any) -> np.ndarray:
        start = base.ctypes.data + offset

        class Memory:
            __array_interface__ = {"data": (start, False), "shape": shape, "strides": strides,
                                   "typestr": np.dtype(dtype).str, "version": 3}
            owner = base

        return np.asarray(Memory())

    def constant(self, value: np.ndarray) -> np.ndarray:
        made = self.empty(value.shape, value.dtype)
        made[...] = value
        return made

    def status(self) -> np.ndarray:
        return np.zeros(1, np.int32)

    def failed(self, status: np.ndarray) -> bool:
        return bool(status[0])

    def is_here(self, *arrays: Any) -> bool:
        return all(type(array) is np.ndarray for array in arrays)

    def counterpart(self, target: Any) -> Any:
        return target
