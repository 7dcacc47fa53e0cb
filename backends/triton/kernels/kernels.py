"""What a generated kernel is: its source, its parameters and its grid."""
from __future__ import annotations

from ....base.records import dataclass
from ....ir.sizes import Size
from ...loop_ir.loops import Buffer, Scalar

POINTERS, SIZES = 1, 2
"""What a variant of a kernel takes to be multiples of 16, so that it loads and stores vectors: its
pointers, or its sizes as well; 0 is nothing."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One kernel argument: a buffer's pointer, a scalar's value or a size; or, when it is
    none of these, the pointer to the status word that failing checks set to 1."""

    name: str
    type: str  # as in a Triton signature: *fp32, fp64, i64 …
    buffer: Buffer | None = None
    scalar: Scalar | None = None
    size: Size | None = None
    part: str = ""  # of the scalar: "real" or "imag"


@dataclass(frozen=True, slots=True)
class TritonKernel:
    """A generated kernel; the grid has `points` / `block` programs, rounded up.

    `narrow` is the same kernel with indices of 32 bits, for launches where `fits` holds, a line of
    Python about the sizes."""

    name: str
    source: str
    parameters: tuple[Parameter, ...]
    points: Size
    block: int  # points per program; 1 for kernels of long rows
    warps: int
    narrow: TritonKernel | None = None
    fits: str = ""
    width: int = 1  # elements that a program has of each point at once
