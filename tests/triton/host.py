"""The host device with its kernels run by others, and its new memory full of noise."""
from __future__ import annotations

from typing import Any

import numpy as np
from dynamo_lite.backends.triton.devices.host import HostDevice


class NoisyHost(HostDevice):
    """`make(kernel, aligned)` gives the launchers; without, they are the interpreter's."""

    def __init__(self, make: Any = None) -> None:
        if make is not None:
            self.launcher = make

    def stream(self) -> int:
        return 77

    def empty(self, shape: Any, dtype: Any) -> np.ndarray:
        """Memory that is a multiple of 16 bytes, full of noise."""
        count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        memory = np.full(count + 16, 0xA5, np.uint8)
        start = -memory.ctypes.data % 16
        return memory[start : start + count].view(dtype).reshape(shape)
