"""Ufuncs at positions that may repeat (`np.add.at`, `np.bincount`), on a GPU with NumPy's results.

Sums of integers are atomic, as no order shows in them. All else is sorted by position, stably; one
lane then has all that falls on one position, one after the other. Calls of other forms, and those
in which one lane had too much to do, are left to `otherwise`.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ....errors import Unsupported
from ..binaries.launch import Launcher
from ..kernels.kernels import Parameter, TritonKernel
from ..kernels.scalars import TYPES, apply_text
from .device import Device

BLOCK = 256
MOST_IN_TURN = 2048
"""Items of one position, beyond which NumPy on the host takes less time than one lane."""
ATOMIC = frozenset(map(np.dtype, ("i4", "u4", "i8", "u8")))
POSITION = np.dtype(np.int64)

ATOMIC_SUM = """@triton.jit
def {name}(p_out, p_places, p_items, count, BLOCK: tl.constexpr):
    lane = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = lane < count
    place = tl.load(p_places + lane, mask=inside)
    item = tl.load(p_items + lane, mask=inside)
    tl.atomic_add(p_out + place, item, mask=inside, sem="relaxed")
"""

IN_TURN = """@triton.jit
def {name}(p_out, p_places, p_items, p_order, p_first, count, longest, BLOCK: tl.constexpr):
    lane = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = lane < count
    begin = tl.load(p_first + lane, mask=inside)
    end = tl.load(p_first + lane + 1, mask=inside)
    place = tl.load(p_places + begin, mask=inside)
    found = tl.load(p_out + place, mask=inside)
    for number in range(longest):
        has_item = inside & (begin + number < end)
        which = tl.load(p_order + begin + number, mask=has_item)
        item = tl.load(p_items + which, mask=has_item)
        found = tl.where(has_item, {step}, found)
    tl.store(p_out + place, found.to(tl.{memory}), mask=inside)
"""


class AtPositions:
    """`core.perform` and `np.bincount` of arrays of a device."""

    def __init__(self, device: Device, otherwise: Callable[..., Any]) -> None:
        self.device = device
        self.library: Any = device.library
        self.otherwise = otherwise
        self.launchers: dict[str, Launcher] = {}

    def perform(
        self, function: Any, base: Any, view: Any, place: Any, args: Any, kwargs: Any
    ) -> Any:
        """What `core.perform` does."""
        ufunc: Any = getattr(function, "__self__", None)
        is_at = isinstance(ufunc, np.ufunc) and function.__name__ == "at" and place == 0
        if is_at and not view and not kwargs and len(args) == 2 and self._is_packed(base):
            index, items = args
            out = self.library.array(base)
            places = self._places(out.shape, index)
            if places is not None and self._apply(ufunc, out, places, items):
                return out
        return self.otherwise(function, base, view, place, args, kwargs)

    def bincount(self, x: Any, weights: Any = None, minlength: Any = 0) -> Any:
        """What NumPy's function does with numbers that are none of its errors."""
        if self._is_array(x) and x.ndim == 1 and x.size and type(minlength) is int and (
            minlength >= 0 and x.dtype.kind in "iu" and np.can_cast(x.dtype, POSITION)
            and int(x.min()) >= 0
        ):
            size = max(minlength, int(x.max()) + 1)
            out = self.library.zeros(size, POSITION if weights is None else np.dtype(float))
            if self._counted(out, x.astype(POSITION), weights):
                return out
        given = {} if weights is None else {"weights": weights}
        return self.otherwise(x, minlength=minlength, **given)

    def _counted(self, out: Any, places: Any, weights: Any) -> bool:
        if weights is None:
            return self._apply(np.add, out, places, 1)
        fits = self._is_array(weights) and weights.shape == places.shape and (
            np.can_cast(weights.dtype, out.dtype))
        return fits and self._apply(np.add, out, places, weights.astype(out.dtype))

    def _is_array(self, value: Any) -> bool:
        return isinstance(value, self.device.array)

    def _is_packed(self, value: Any) -> bool:
        return self._is_array(value) and value.flags.c_contiguous and value.dtype in TYPES

    def _places(self, shape: tuple[int, ...], index: Any) -> Any:
        """The numbers of the elements that an index of integer arrays selects; None for others."""
        parts = index if type(index) is tuple else (index,)
        if len(parts) > len(shape) or not all(map(self._is_array, parts)):
            return None
        for part, size in zip(parts, shape):
            inside = part.dtype.kind in "iu" and (
                not part.size or (-size <= int(part.min()) and int(part.max()) < size))
            if not inside:
                return None
        numbers = self.library.arange(np.prod(shape, dtype=int)).reshape(shape)
        return numbers[tuple(part.astype(POSITION) for part in parts)]

    def _apply(self, ufunc: np.ufunc, out: Any, places: Any, items: Any) -> bool:
        """Whether `ufunc` has been applied where `places` say."""
        dtype = out.dtype
        if (made := kernel_of(ufunc, dtype)) is None or not self._fits(items, dtype):
            return False
        items = self.library.broadcast_to(self.library.asarray(items, dtype), places.shape)
        items, places = self.library.ascontiguousarray(items).ravel(), places.ravel()
        if made.name.startswith("atomic"):
            self._launch(made, out, places, items, count=places.size)
            return True
        order = self.library.argsort(places, kind="stable").astype(POSITION)
        places = places[order]
        is_new = self.library.flatnonzero(places[1:] != places[:-1]) + 1
        ends = [self.library.asarray([number], POSITION) for number in (0, places.size)]
        first = self.library.concatenate([ends[0], is_new, ends[1]])
        longest = int((first[1:] - first[:-1]).max()) if places.size else 0
        if longest > MOST_IN_TURN:
            return False
        count = first.size - 1 if places.size else 0
        self._launch(made, out, places, items, order, first, count=count, longest=longest)
        return True

    def _fits(self, items: Any, dtype: np.dtype) -> bool:
        """Whether items have the very type, or are numbers that NumPy takes for that."""
        if self._is_array(items) or isinstance(items, np.generic):
            return bool(items.dtype == dtype)
        kinds = {int: (POSITION, np.dtype(float)), float: (np.dtype(float),)}
        return dtype in kinds.get(type(items), ())

    def _launch(self, kernel: TritonKernel, *arrays: Any, **sizes: int) -> None:
        programs = -(-sizes["count"] // kernel.block)
        if programs > 0:
            if (launch := self.launchers.get(kernel.name)) is None:
                launch = self.launchers[kernel.name] = self.device.launcher(kernel, 0)
            pointers = map(self.device.pointer, arrays)
            launch(self.device.stream(), programs, *pointers, *sizes.values())


BY_ROW: Mapping[str, Callable[..., Any]] = {
    "perform": AtPositions.perform, "bincount": AtPositions.bincount,
}
"""What computes a row of this name."""


@functools.cache
def kernel_of(ufunc: np.ufunc, dtype: np.dtype) -> TritonKernel | None:
    """What applies a ufunc of two numbers of one type; None where it has no Triton form."""
    is_atomic = ufunc.__name__ == "add" and dtype in ATOMIC
    name = f"{'atomic' if is_atomic else 'in_turn'}_{ufunc.__name__}_{dtype.name}"
    try:
        if ufunc.nin != 2 or dtype.kind not in "iuf" or loop_of(ufunc, dtype) != dtype:
            return None
        step = apply_text(ufunc.__name__, dtype, dtype, ["found", "item"])
    except (Unsupported, TypeError):
        return None
    memory = TYPES[dtype].memory
    names = ["out", "places", "items", *([] if is_atomic else ["order", "first"])]
    types = {"out": memory, "items": memory}
    pointers = [Parameter(f"p_{one}", f"*{types.get(one, 'i64')}") for one in names]
    numbers = [Parameter(one, "i64") for one in ("count", "longest")[: 1 if is_atomic else 2]]
    source = (ATOMIC_SUM if is_atomic else IN_TURN).format(
        name=name, step=step, memory=TYPES[dtype].memory_name)
    return TritonKernel(name, source, (*pointers, *numbers), 0, BLOCK, BLOCK // 32)


def loop_of(ufunc: np.ufunc, dtype: np.dtype) -> np.dtype:
    """The type of what NumPy finds for two numbers of a type."""
    return ufunc.resolve_dtypes((dtype, dtype, None))[-1]
