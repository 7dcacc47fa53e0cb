"""The host device: NumPy's arrays, and kernels in Triton's interpreter.

The plan is that of a GPU, step by step. What NumPy reports about floating point, and warnings,
abandon an attempt: the user's function shows them again.
"""
from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ....base.raised import reports_raise
from ....errors import Unsupported
from ..binaries.launch import Launcher
from ..kernels.kernels import TritonKernel
from .device import Kind, Shape
from .turns import TURN

LINE = 16  # bytes that what is sent is aligned to


class HostDevice:
    """Implements `Device` in the memory of this process."""

    array: type = np.ndarray
    library: Any = np
    reports = True
    processors = 1
    times = False
    has_spares = False

    @contextlib.contextmanager
    def attempt(self) -> Iterator[None]:
        with reports_raise(), TURN.kept():
            yield

    def pointer(self, array: np.ndarray) -> int:
        address: int = array.ctypes.data
        return address

    def stream(self) -> int:
        return 0

    def empty(self, shape: Shape, dtype: np.dtype) -> np.ndarray:
        return np.empty(shape, dtype)

    def laid_out(self, shape: Shape, dtype: np.dtype, strides: Shape) -> np.ndarray:
        order = sorted(range(len(shape)), key=lambda dim: (-strides[dim], -shape[dim]))
        packed = np.empty([shape[dim] for dim in order], dtype).transpose(np.argsort(order))
        made = np.empty_like(packed, order="K")  # which owns its memory
        return made if made.strides == strides else self._spaced(shape, dtype, strides)

    def _spaced(self, shape: Shape, dtype: np.dtype, strides: Shape) -> np.ndarray:
        span = sum((n - 1) * s for n, s in zip(shape, strides)) + dtype.itemsize
        return np.ndarray(shape, dtype, np.empty(0 if 0 in shape else span, np.uint8), 0, strides)

    def view(
        self, base: np.ndarray, offset: int, shape: Shape, dtype: np.dtype, strides: Shape
    ) -> np.ndarray:
        """As NumPy's own views: its base is the array that owns the memory."""
        if 0 in shape:
            return np.ndarray(shape, dtype, base if base.flags.c_contiguous else None, 0, strides)
        owner = base
        while type(owner.base) is np.ndarray:
            owner = owner.base
        first = base.ctypes.data + offset - owner.ctypes.data
        flat = owner if owner.flags.c_contiguous else owner.T
        if not flat.flags.c_contiguous or first < 0 or owner.base is not None:
            return np.asarray(Part(base, base.ctypes.data + offset, shape, dtype, strides))
        return np.ndarray(shape, dtype, flat, first, strides)

    def constant(self, value: np.ndarray) -> np.ndarray:
        return value

    def sent(self, data: np.ndarray, lead: int) -> np.ndarray:
        there = np.empty(LINE + lead + data.size, np.uint8)
        there = there[-there.ctypes.data % LINE :][: lead + data.size]
        there[lead:] = data
        return there

    def fetched(self, array: np.ndarray) -> np.ndarray:
        return array.copy(order="K")

    def memory(self, array: np.ndarray) -> tuple[int, int]:
        while type(array.base) is np.ndarray:
            array = array.base
        low, high = np.lib.array_utils.byte_bounds(array)
        return low, high - low

    def status(self) -> np.ndarray:
        return np.zeros(1, np.int32)

    def failed(self, status: np.ndarray) -> bool:
        return bool(status[0])

    def is_here(self, *arrays: Any) -> bool:
        return all(type(array) is np.ndarray for array in arrays)

    def prepare(self, kernels: Sequence[TritonKernel]) -> None:
        """The interpreter needs no time."""

    def launcher(self, kernel: TritonKernel, aligned: int) -> Launcher:
        made: Launcher = _interpreted().interpreted_launcher(kernel)
        return made

    def spares(self, kinds: Sequence[Kind]) -> Callable[[int], tuple[Any, ...]]:
        raise Unsupported("NumPy makes arrays sooner than they are looked up")

    def place(self, kernel: TritonKernel, aligned: int) -> str:
        raise Unsupported("interpreted kernels are not timed")

    def seconds(self, run: Callable[[], None]) -> float:
        raise Unsupported("interpreted kernels are not timed")

    def counterpart(self, target: Callable[..., Any]) -> Callable[..., Any]:
        return target


class Part:
    """Array interface of memory that another array keeps alive."""

    def __init__(
        self, owner: Any, address: int, shape: Shape, dtype: np.dtype, strides: Shape
    ) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "data": (address, not owner.flags.writeable), "typestr": dtype.str, "shape": shape,
            "strides": strides, "version": 3,
        }  # fmt: skip


def _interpreted() -> Any:
    """The module that imports Triton."""
    return importlib.import_module(".interpreted", __package__)
