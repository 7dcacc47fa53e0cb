"""Histograms of floats between their smallest and their largest one, counted by a kernel of ours.

A program counts in shared memory and adds what it found to the whole once. An element is looked up
among the edges, which are the library's, so that counts are its own.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..kernels.emitter import power_of_two
from ..kernels.kernels import Parameter, TritonKernel
from ..kernels.scalars import TYPES

BLOCK, WARPS = 1024, 8
FEWEST, MOST_BINS = 1 << 16, 1024
"""Elements of what is worth it, and bins that a program counts at once."""
PROGRAMS = 8
"""For each processor."""

COUNTED = """@triton.jit
def {name}(p_counts, p_x, p_edges, count, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    first = tl.load(p_edges)
    last = tl.load(p_edges + {bins})
    total = tl.full([{room}], 0, tl.int32)
    start = tl.program_id(0).to(tl.int64) * BLOCK
    for begin in range(start, count, tl.num_programs(0).to(tl.int64) * BLOCK):
        inside = begin + lane < count
        x = tl.load(p_x + begin + lane, mask=inside)
        low = tl.full([BLOCK], 0, tl.int32)
        high = tl.full([BLOCK], {bins}, tl.int32)
        for _ in range({steps}):
            middle = (low + high) // 2
            is_above = tl.load(p_edges + middle) <= x
            low = tl.where(is_above, middle, low)
            high = tl.where(is_above, high, middle)
        found = tl.where(inside & (first <= x) & (x <= last), low, {bins})
        total += tl.histogram(found, {room})
    bin = tl.arange(0, {room})
    tl.atomic_add(p_counts + bin, total.to(tl.int64), mask=bin < {bins}, sem="relaxed")
"""


class Histograms:
    """`histogram` of the library of a device, which is `otherwise`."""

    def __init__(self, device: Any, otherwise: Callable[..., Any]) -> None:
        self.device = device
        self.library: Any = device.library
        self.otherwise = otherwise
        self.launch: Callable[..., None] | None = None

    def __call__(self, x: Any, bins: Any = 10, *args: Any, **kwargs: Any) -> Any:
        if args or kwargs or not self._is_ours(x, bins):
            return self.otherwise(x, bins, *args, **kwargs)
        x = x.ravel()
        _, edges = self.otherwise(self.library.stack([x.min(), x.max()]), bins)
        if edges.dtype != x.dtype:
            return self.otherwise(x, bins)
        counts = self.library.zeros(bins, np.int64)
        self._count(x, edges, counts)
        return counts, edges

    def _is_ours(self, x: Any, bins: Any) -> bool:
        is_array = isinstance(x, self.device.array) and x.dtype.char in "fd" and x.size >= FEWEST
        return is_array and type(bins) is int and 0 < bins <= MOST_BINS

    def _count(self, x: Any, edges: Any, counts: Any) -> None:
        if self.launch is None:
            self.launch = self.device.launcher(kernel_of(x.dtype, counts.size), 0)
        programs = min(-(-x.size // BLOCK), PROGRAMS * self.device.processors)
        pointers = map(self.device.pointer, (counts, x, edges))
        self.launch(self.device.stream(), programs, *pointers, x.size)


@functools.cache
def kernel_of(dtype: np.dtype, bins: int) -> TritonKernel:
    """What counts numbers of a type in so many bins; one more is for those outside."""
    name, memory = f"histogram_{dtype.name}_{bins}", TYPES[dtype].memory
    types = {"p_counts": "*i64", "p_x": f"*{memory}", "p_edges": f"*{memory}", "count": "i64"}
    source = COUNTED.format(
        name=name, bins=bins, room=power_of_two(bins + 1), steps=(bins - 1).bit_length())
    parameters = tuple(Parameter(name, type) for name, type in types.items())
    return TritonKernel(name, source, parameters, 0, BLOCK, WARPS)
