"""What a launch plan asks of an array library, and CuPy's answers. CuPy is imported only here."""
from __future__ import annotations

import importlib
import importlib.util
import operator
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from ....base.raised import reports_raise
from ....errors import BackendError, Unsupported
from ....native import SpareArrays
from ..binaries.build import place, prepare
from ..binaries.launch import Launcher, cuda_launcher
from ..kernels.kernels import TritonKernel
from .histograms import Histograms
from .stacks import StackedProducts

Shape = tuple[int, ...]
Kind = tuple[Shape, np.dtype]
TRIALS, RUNS = 3, 10
"""How often a kernel is timed, and how many launches at a time."""
LEAST_CAPABILITY = 80  # 10 * major + minor


class Device(Protocol):
    """One GPU as its array library shows it. Arrays are that library's own objects."""

    @property
    def array(self) -> type:
        """The class of its arrays."""
        ...

    @property
    def library(self) -> Any:
        """The module of its functions."""
        ...

    @property
    def attempt(self) -> Callable[[], Any]:
        """A context that raises what NumPy and the array library report."""
        ...

    @property
    def reports(self) -> bool:
        """Whether its kernels raise floating-point flags."""
        ...

    @property
    def times(self) -> bool:
        """Whether kernels can be timed."""
        ...

    @property
    def has_spares(self) -> bool:
        """Whether arrays of earlier calls are given out again."""
        ...

    @property
    def processors(self) -> int:
        """How many programs of a kernel run at once, at least."""
        ...

    def pointer(self, array: Any) -> int:
        """The address of an array's first element."""
        ...

    def empty(self, shape: Shape, dtype: np.dtype) -> Any:
        """A new array in C order."""
        ...

    def spares(self, kinds: Sequence[Kind]) -> Callable[[int], tuple[Any, ...]]:
        """Given a stream: arrays in C order that nobody has, and after them their addresses."""
        ...

    def stream(self) -> int:
        """The stream that is current in this thread."""
        ...

    def laid_out(self, shape: Shape, dtype: np.dtype, strides: Shape) -> Any:
        """A new array with these strides, none of them negative."""
        ...

    def view(
        self, base: Any, offset: int, shape: Shape, dtype: np.dtype, strides: Shape
    ) -> Any:
        """An array in the memory of `base`, `offset` bytes after its first element."""
        ...

    def constant(self, value: np.ndarray) -> Any:
        """A copy of a NumPy array."""
        ...

    def sent(self, data: np.ndarray, lead: int) -> Any:
        """New bytes, of which those after the first `lead` are copied from here."""
        ...

    def fetched(self, array: Any) -> np.ndarray:
        """A copy as an array of NumPy, with its axes in the same order in memory."""
        ...

    def memory(self, array: Any) -> tuple[int, int]:
        """Address and size of the allocation that an array lies in."""
        ...

    def status(self) -> Any:
        """A new array of one int32, zero."""
        ...

    def failed(self, status: Any) -> bool:
        """Whether a check has set the status; waits for the kernels before."""
        ...

    def is_here(self, *arrays: Any) -> bool:
        """Whether the arrays are on the GPU that is current in this thread, and it is this one."""
        ...

    def prepare(self, kernels: Sequence[TritonKernel]) -> None:
        """These will be launched soon."""
        ...

    def launcher(self, kernel: TritonKernel, aligned: int) -> Launcher:
        """Ready to launch with what is `aligned` (`kernels.POINTERS`, `SIZES`)."""
        ...

    def place(self, kernel: TritonKernel, aligned: int) -> str:
        """A name for what is kept on disk about a kernel."""
        ...

    def seconds(self, run: Callable[[], None]) -> float:
        """How long it takes to run what `run` launches, at best."""
        ...

    def counterpart(self, target: Callable[..., Any]) -> Callable[..., Any]:
        """The library's function for one of NumPy's; Unsupported when there is none."""
        ...


class CuPyDevice:
    """The GPU that is current in CuPy when the graph is compiled."""

    def __init__(self) -> None:
        self.cupy: Any = importlib.import_module("cupy")
        device = self.cupy.cuda.Device()
        self.id = device.id
        self.thread = threading.local()
        self.capability = int(device.compute_capability)
        if self.capability < LEAST_CAPABILITY:
            raise BackendError(
                f"backend 'triton' cannot run here: GPU {self.id} has compute capability "
                f"{self.capability / 10}, and kernels need {LEAST_CAPABILITY / 10}; leave backend= "
                "and device= out to compile functions of NumPy arrays for the CPU")
        self.processors = int(device.attributes["MultiProcessorCount"])
        self.array: type = self.cupy.ndarray
        self.library = self.cupy
        self.attempt = reports_raise
        self.reports = False
        self.times = True
        self.has_spares = True
        self.pointer: Callable[[Any], int] = operator.attrgetter("data.ptr")
        self.empty: Callable[[Shape, np.dtype], Any] = self.cupy.ndarray
        self.current_device: Callable[[], int] = self.cupy.cuda.runtime.getDevice
        self.allocator: Callable[[], Any] = self.cupy.cuda.get_allocator
        self.current_stream: Callable[[], Any] = self.cupy.cuda.get_current_stream

    def spares(self, kinds: Sequence[Kind]) -> Callable[[int], tuple[Any, ...]]:
        return SpareArrays(lambda: tuple(self.empty(*kind) for kind in kinds), self.allocator)

    def stream(self) -> int:
        pointer: int = self.current_stream().ptr
        return pointer

    def laid_out(self, shape: Shape, dtype: np.dtype, strides: Shape) -> Any:
        span = sum((n - 1) * s for n, s in zip(shape, strides)) + dtype.itemsize
        memory = self.cupy.cuda.alloc(0 if 0 in shape else span)
        return self.array(shape, dtype, memory, strides)

    def view(
        self, base: Any, offset: int, shape: Shape, dtype: np.dtype, strides: Shape
    ) -> Any:
        return self.array(shape, dtype, base.data + offset, strides)

    def constant(self, value: np.ndarray) -> Any:
        return self.cupy.asarray(value)

    def sent(self, data: np.ndarray, lead: int) -> Any:
        there = self.cupy.empty(lead + data.size, np.uint8)
        there[lead:].set(data)
        return there

    def fetched(self, array: Any) -> np.ndarray:
        order = sorted(range(array.ndim), key=lambda dim: -abs(array.strides[dim]))
        here: np.ndarray = array.transpose(order).get().transpose(np.argsort(order))
        return here

    def memory(self, array: Any) -> tuple[int, int]:
        return array.data.mem.ptr, array.data.mem.size

    def status(self) -> Any:
        return self.cupy.zeros(1, np.int32)

    def failed(self, status: Any) -> bool:
        return bool(status.get()[0])

    def is_here(self, *arrays: Any) -> bool:
        if self.current_device() != self.id:
            return False
        if not hasattr(self.thread, "has_context"):
            self.cupy.cuda.runtime.free(0)  # binds the GPU's context to this thread, for launches
            self.thread.has_context = True
        for array in arrays:  # which takes less time than a generator
            if array.data.device_id != self.id:
                return False
        return True

    def prepare(self, kernels: Sequence[TritonKernel]) -> None:
        prepare(kernels, self.capability)

    def launcher(self, kernel: TritonKernel, aligned: int) -> Launcher:
        return cuda_launcher(kernel, aligned, self.capability)

    def place(self, kernel: TritonKernel, aligned: int) -> str:
        return place(kernel, aligned, self.capability)

    def seconds(self, run: Callable[[], None]) -> float:
        run()
        begin, end = (self.cupy.cuda.Event() for _ in range(2))
        found = []
        for _ in range(TRIALS):
            begin.record()
            for _ in range(RUNS):
                run()
            end.record()
            end.synchronize()
            found.append(self.cupy.cuda.get_elapsed_time(begin, end))
        return float(min(found)) / (1000 * RUNS)

    def counterpart(self, target: Callable[..., Any]) -> Callable[..., Any]:
        found = counterpart_in(self.cupy, target)
        if found is self.cupy.histogram:
            return Histograms(self, found)
        is_matmul = found in (self.cupy.matmul, operator.matmul)
        return StackedProducts(self.cupy, found) if is_matmul else found


def counterpart_in(library: Any, target: Callable[..., Any]) -> Callable[..., Any]:
    """`library.x.y` for `numpy.x.y`. Functions of Python, of the library and our own, which call
    NumPy's, are their own counterparts: NumPy's hand arrays of other libraries over to these."""
    module, name = path_of(target)
    root, _, path = module.partition(".")
    if root != "numpy":
        return target
    found = library
    for part in [*filter(None, path.split(".")), *name.split(".")]:
        found = getattr(found, part, None)
    if found is None or found is target:
        raise Unsupported(f"{module}.{name} has no counterpart in {library.__name__}")
    counterpart: Callable[..., Any] = found
    return counterpart


def path_of(target: Any) -> tuple[str, str]:
    """The module of a function, and its name there."""
    if isinstance(target, np.ufunc):
        return "numpy", target.__name__
    owner = getattr(target, "__self__", None)
    if isinstance(owner, np.ufunc):
        return "numpy", f"{owner.__name__}.{target.__name__}"
    name = str(getattr(target, "__qualname__", None) or getattr(target, "__name__", ""))
    if getattr(target, "__objclass__", None) is np.ndarray:
        return "numpy", name
    home = type(owner) if owner is not None else None
    return target.__module__ or getattr(home, "__module__", "numpy"), name


def is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None
