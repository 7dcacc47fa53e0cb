"""Steps that NumPy computes between those of a GPU: arrays come to the host, and results go back.

For what has no Triton form, and where CuPy's function is another than NumPy's.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ....ir import core
from ....ir.row import Kind, row_of
from ....ir.tree import map_leaves
from .device import CuPyDevice, Device
from .host_kernels import HostKernel
from .repeated import BY_ROW, AtPositions


class KernelTrip:
    """A kernel over copies of its arrays, with their strides; called as the kernel is."""

    def __init__(self, kernel: HostKernel, device: Device) -> None:
        self.kernel = kernel
        self.device = device

    def __call__(
        self, sizes: Mapping[str, int], arrays: Sequence[Any], numbers: Sequence[Any]
    ) -> None:
        here = [self._fetched(array) for array in arrays]
        self.kernel(sizes, here, numbers)
        for buffer, there, contents in zip(self.kernel.buffers, arrays, here):
            if buffer in self.kernel.kernel.writes and contents is not there:
                there[...] = self.device.constant(contents)

    def _fetched(self, array: Any) -> np.ndarray:
        if isinstance(array, np.ndarray):
            return array
        span = sum((n - 1) * s for n, s in zip(array.shape, array.strides))
        memory = np.empty(span + array.dtype.itemsize, np.uint8)
        here = np.ndarray(array.shape, array.dtype, memory, 0, array.strides)
        here[...] = self.device.fetched(array)
        return here


class CallTrip:
    """A function of NumPy, called with copies."""

    def __init__(self, target: Callable[..., Any], device: Device) -> None:
        self.target = target
        self.device = device
        self.__name__ = str(getattr(target, "__name__", target))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        here_args, here_kwargs = map_leaves(self._fetched, (args, kwargs))
        result = self.target(*here_args, **here_kwargs)
        if self.target is core.store:
            args[0][...] = self.device.constant(here_args[0])
            return None
        return map_leaves(self._sent, result)

    def _fetched(self, leaf: Any) -> Any:
        return self.device.fetched(leaf) if isinstance(leaf, self.device.array) else leaf

    def _sent(self, leaf: Any) -> Any:
        if not isinstance(leaf, np.ndarray):
            return leaf
        there = self.device.laid_out(leaf.shape, leaf.dtype, leaf.strides)
        there[...] = self.device.constant(np.ascontiguousarray(leaf))
        return there


class GpuForNumPy(CuPyDevice):
    """The GPU for graphs of NumPy arrays. Products of matrices are CuPy's, and what is added up at
    positions has kernels; all other calls are NumPy's, whose results and reports the graph
    promises."""

    def __init__(self) -> None:
        super().__init__()
        self.reports = True  # as far as NumPy computes; see docs/folders/triton.md

    def counterpart(self, target: Callable[..., Any]) -> Callable[..., Any]:
        row, trip = row_of(target), CallTrip(target, self)
        if row is not None and (compute := BY_ROW.get(row.name)) is not None:
            return partial(compute, AtPositions(self, trip))
        if row is None or row.kind is not Kind.MATMUL:
            return trip
        multiply = super().counterpart(target)

        def product(*operands: Any, **kwargs: Any) -> Any:
            found = multiply(*operands) if not kwargs and self._are_floats(operands) else None
            return trip(*operands, **kwargs) if found is None or not found.ndim else found

        return product

    def _are_floats(self, operands: tuple[Any, ...]) -> bool:
        return all(isinstance(one, self.cupy.ndarray) and one.dtype.kind == "f" for one in operands)
