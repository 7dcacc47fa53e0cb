"""Kernels that NumPy runs, as the loop IR defines them: where they have no Triton form."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....ir.sizes import symbols
from ....ir.types import Form
from ...loop_ir.evaluation import Memory, State, run_kernel
from ...loop_ir.loops import Kernel, Scalar, distinct
from ...loop_ir.sizes_of import kernel_sizes


class HostKernel:
    """Called with the sizes, arrays and numbers that it names. `why` it has no Triton form; ""
    where it is about numbers that live on the host."""

    def __init__(self, kernel: Kernel, why: str = "") -> None:
        self.kernel = kernel
        self.why = why
        names = (name for size in kernel_sizes(kernel) for name in symbols(size))
        self.symbols = tuple(dict.fromkeys(names))
        self.buffers = distinct((*kernel.reads, *kernel.writes))
        self.scalars = tuple(part for part in kernel.parts if isinstance(part, Scalar))

    def __call__(
        self, sizes: Mapping[str, int], arrays: Sequence[np.ndarray], numbers: Sequence[Any]
    ) -> None:
        state = State(dict(sizes))
        state.memory.update(zip(self.buffers, map(Memory.of, arrays)))
        state.scalars.update((s, s.dtype.type(n)) for s, n in zip(self.scalars, numbers))
        run_kernel(state, self.kernel)


def number_array(value: Any, dtype: np.dtype, form: Form) -> np.ndarray:
    """A number in memory; it must be of this very type."""
    found = np.asarray(value)
    is_python = type(value) in (bool, int, float, complex)
    if found.dtype != dtype or found.ndim or is_python != (form is Form.PYTHON):
        raise TypeError(f"{value!r} instead of a number of {dtype}")
    return found
