"""Products of matrices, as calls of BLAS."""
from __future__ import annotations

from ...base.records import dataclass, field
from ...ir.errstates import AMBIENT, Errstate
from ...ir.sizes import Size
from .loops import Buffer
from .steps import READ, WRITE, Instruction, Record


@dataclass(frozen=True, slots=True)
class Operand(Record):
    """A matrix for BLAS, row-major: row i begins `leading` * i elements after byte `offset`.

    When `transposed`, what lies in memory is the transpose. A vector has `leading` elements from
    each element to the next."""

    buffer: Buffer = field(metadata=READ)
    offset: Size
    leading: Size
    transposed: bool = False


@dataclass(frozen=True, slots=True)
class Stack(Record):
    """One dimension of a stack of products: its extent, and in bytes how far apart they lie."""

    extent: Size
    a: Size
    b: Size
    out: Size


@dataclass(frozen=True, slots=True)
class Product(Instruction):
    """`out` = a @ b through one BLAS routine, or such a product for every place of `stacks`.

    Only made when the code generator asks for it (`lower(graph, blas=True)`). All buffers have the
    same dtype, of real or complex floats; `out` is C-contiguous, in all its dimensions together.
    `sizes` are those of the run-time function: for "gemm" m, n and k; for "gemv", where `b` is a
    vector, the shape of what lies in memory for `a`; for "dot" the length. All are at least 1.
    `suppressed`: NumPy does not look at the floating-point flags of this call."""

    routine: str
    out: Buffer = field(metadata=WRITE)
    a: Operand = field(metadata=READ)
    b: Operand = field(metadata=READ)
    sizes: tuple[Size, ...]
    suppressed: bool = False
    stacks: tuple[Stack, ...] = ()
    errstate: Errstate = AMBIENT
