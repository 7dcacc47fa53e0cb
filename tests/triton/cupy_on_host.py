"""CuPy's arrays over the memory of this process, computed with by NumPy as CuPy would by a GPU.

`CuPyOnHost` is the device of such arrays; kernels run in Triton's interpreter.
"""
from __future__ import annotations

from typing import Any

import cupy as cp
import numpy as np
from dynamo_lite.backends.triton.devices.device import CuPyDevice, counterpart_in, path_of

from dynamo_lite.ir.tree import map_leaves
from tests.triton.host import NoisyHost


def on_host(array: np.ndarray) -> Any:
    """A CuPy array in the memory of one of NumPy."""
    array = np.asarray(array)
    memory = cp.cuda.UnownedMemory(array.ctypes.data, array.nbytes, array, 0)
    return cp.ndarray(array.shape, array.dtype, cp.cuda.MemoryPointer(memory, 0), array.strides)


class Lent:
    """The interface under which NumPy takes the memory of a CuPy array."""

    def __init__(self, array: Any) -> None:
        self.owner = array
        self.__array_interface__ = {
            "data": (array.data.ptr, False), "shape": array.shape, "strides": array.strides,
            "typestr": array.dtype.str, "version": 3,
        }  # fmt: skip


def host(array: Any) -> np.ndarray:
    """NumPy's array in the memory of a CuPy array; one without elements has no memory."""
    if not array.size:
        return np.empty(array.shape, array.dtype)
    return np.asarray(Lent(array)).view(array.dtype)


def here(leaf: Any) -> Any:
    return host(leaf) if isinstance(leaf, cp.ndarray) else leaf


def there(leaf: Any) -> Any:
    """What CuPy gives for a result of NumPy's: arrays for scalars, in C order but for views."""
    if isinstance(leaf, np.ndarray) and leaf.base is not None:
        return on_host(leaf)
    if isinstance(leaf, (np.ndarray, np.generic)):
        return on_host(np.array(leaf, order="C"))
    return leaf


def by_numpy(function: Any) -> Any:
    """The function on arrays of CuPy."""
    def call(*args: Any, **kwargs: Any) -> Any:
        given, named = map_leaves(here, (args, kwargs))
        with np.errstate(all="ignore"):
            return map_leaves(there, function(*given, **named))

    return call


class Library:
    """CuPy's functions, called with arrays on the host."""

    def __getattr__(self, name: str) -> Any:
        return by_numpy(getattr(np, name))


class CuPyOnHost(NoisyHost):
    """CuPy's arrays over NumPy's memory."""

    array = cp.ndarray
    library = Library()
    reports = False
    has_spares = True
    spares = CuPyDevice.spares

    def allocator(self) -> None:
        """There is but one."""

    def pointer(self, array: Any) -> int:
        return array.data.ptr

    def empty(self, shape: Any, dtype: Any) -> Any:
        return on_host(super().empty(shape, dtype))

    def laid_out(self, shape: Any, dtype: Any, strides: Any) -> Any:
        return on_host(super().laid_out(shape, dtype, strides))

    def view(self, base: Any, offset: int, shape: Any, dtype: Any, strides: Any) -> Any:
        return cp.ndarray(shape, dtype, base.data + offset, strides)

    def constant(self, value: np.ndarray) -> Any:
        return on_host(super().constant(value))

    def sent(self, data: np.ndarray, lead: int) -> Any:
        return on_host(super().sent(data, lead))

    def fetched(self, array: Any) -> np.ndarray:
        return super().fetched(host(array))

    def status(self) -> Any:
        return on_host(super().status())

    def failed(self, status: Any) -> bool:
        return super().failed(host(status))

    def is_here(self, *arrays: Any) -> bool:
        return all(type(array) is cp.ndarray for array in arrays)

    def launcher(self, kernel: Any, aligned: bool) -> Any:
        launch = super().launcher(kernel, aligned)

        def silent(*args: Any) -> None:
            """A GPU raises no floating-point flags."""
            with np.errstate(all="ignore"):
                launch(*args)

        return silent

    def counterpart(self, target: Any) -> Any:
        """By NumPy, where CuPy has the function."""
        found = counterpart_in(cp, target)
        if found is target and path_of(target)[0].startswith("cupy"):
            return by_numpy(getattr(np, target.__name__))
        return by_numpy(target)


def computes_on_host() -> None:
    """Let CuPy's own arrays be indexed, copied and read without a GPU, for the rest of this
    process."""
    def read(self: Any, key: Any) -> Any:
        return there(np.asarray(host(self)[map_leaves(here, key)]))

    def write(self: Any, key: Any, value: Any) -> None:
        host(self)[map_leaves(here, key)] = here(value)

    cp.ndarray.__getitem__, cp.ndarray.__setitem__ = read, write
    cp.ndarray.__len__ = lambda self: self.shape[0]
    cp.ndarray.copy = lambda self, order="C": on_host(host(self).copy(order))
    cp.ndarray.ravel = lambda self, order="C": there(host(self).ravel(order))
    cp.ndarray.get = lambda self: host(self).copy()
    cp.ndarray.item = lambda self: host(self).item()
    for number in (bool, int, float):
        setattr(cp.ndarray, f"__{number.__name__}__",
                lambda self, number=number: number(host(self).reshape(())))
