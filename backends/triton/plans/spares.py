"""Small arrays that a plan makes in each call: for them the host waits longer than for a launch."""
from __future__ import annotations

import math

from ...loop_ir.loops import Buffer
from ...loop_ir.program import Allocate, Program
from ..devices.device import Kind

MOST_BYTES = 1 << 18
"""What a plan keeps of one call."""


def spare_allocations(program: Program, numbers: frozenset[Buffer]) -> dict[Allocate, Kind]:
    """Those that are made once in every call, all of them small; `numbers` live on the host."""
    found = {step: kind for step in program.steps if isinstance(step, Allocate)
             and step.buffer not in numbers and (kind := kind_of(step)) is not None}
    total = sum(math.prod(shape) * dtype.itemsize for shape, dtype in found.values())
    return found if total <= MOST_BYTES else {}


def kind_of(step: Allocate) -> Kind | None:
    """Of memory in C order whose size is known."""
    shape = tuple(size for size in step.type.shape if isinstance(size, int))
    is_known = len(shape) == len(step.type.shape) and step.room is None
    if not is_known or 0 in shape or not step.type.is_c_contiguous:
        return None
    return shape, step.type.dtype
