"""TENSOR_MATCH: what a guard keeps of one array, and the one native op that checks it."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base.classes import a_kind
from ..base.records import dataclass
from ..ir.ops.libraries import NUMPY, library_of
from ..ir.sizes import Size, SizeExpr, symbols
from ..ir.types import ArrayType, contiguous_strides
from .registers import Registers

# The flag bits of PyArrayObject.
FLAG_BITS = {"C": 0x1, "F": 0x2, "ALIGNED": 0x100, "WRITEABLE": 0x400}


@dataclass(frozen=True, slots=True)
class ArrayFacts:
    """What an array must be: exact type, dtype, sizes and layout.

    A size is an int or one symbol. `order` "C" or "F" means the contiguity flag; otherwise the
    `strides` count. The strides of a size-1 dimension do not matter to a contiguity flag. A flag is
    None where the captured code is the same for both.
    """

    type: type
    dtype: np.dtype
    shape: tuple[Size, ...]
    strides: tuple[Size, ...]
    order: str | None
    writeable: bool | None
    aligned: bool | None

    def array_type(self) -> ArrayType:
        strides = self.strides
        if self.order is not None:
            strides = contiguous_strides(self.shape, self.dtype.itemsize, self.order)
        return ArrayType(
            self.dtype, self.shape, strides, writeable=self.writeable is not False,
            aligned=self.aligned is not False,
            library=library_of(self.type) or NUMPY,
        )  # fmt: skip

    def symbols(self) -> Iterator[str]:
        """Names of the symbols that a matching array binds, sizes first."""
        for size in (*self.shape, *(() if self.order else self.strides)):
            yield from symbols(size)

    def __str__(self) -> str:
        sizes = ", ".join(map(str, self.shape))
        layout = f"order {self.order}" if self.order else f"strides {self.strides}"
        return f"{self.type.__name__} {self.dtype}[{sizes}], {layout}{self.told_flags()}"

    def told_flags(self) -> str:
        """Those that most arrays do not have."""
        return (", read-only" if self.writeable is False else "") + (
            ", unaligned" if self.aligned is False else "")


def order_of(array: np.ndarray) -> str | None:
    if array.flags.c_contiguous:
        return "C"
    return "F" if array.flags.f_contiguous else None


def array_op(registers: Registers, register: int, facts: ArrayFacts) -> tuple[Any, ...]:
    """The whole match as one op; symbols seen first bind their slots, later ones compare."""
    flags = mask = 0
    asked = ("ALIGNED", facts.aligned), ("WRITEABLE", facts.writeable), (facts.order, True)
    for name, wanted in asked:
        if name is not None and wanted is not None:
            mask |= FLAG_BITS[name]
            flags |= FLAG_BITS[name] * wanted
    dims = tuple(_dim(registers, size) for size in facts.shape)
    strides = None
    if facts.order is None:
        strides = tuple(_dim(registers, stride) for stride in facts.strides)
    return (
        "ARRAY", register, facts.type, facts.dtype, len(dims), mask, flags, dims, strides,
    )  # fmt: skip


def _dim(registers: Registers, size: Size) -> tuple[Any, ...]:
    if not isinstance(size, SizeExpr):
        return ("static", size)
    slot, bound = registers.slot(next(symbols(size)))
    return ("equal" if bound else "bind", slot)


def array_holds(array: Any, facts: ArrayFacts) -> bool:
    return next(_differences(array, facts), None) is None


def array_was(array: Any, facts: ArrayFacts) -> str:
    """The first difference, as `dtype float32, was float64`."""
    return next(_differences(array, facts), "matches")


FLAGS = ("writeable", "_writeable_no_warn"), ("aligned", "aligned")
"""Names, and where they can be read of every array without a warning."""


def _differences(array: Any, facts: ArrayFacts) -> Iterator[str]:
    kind = type(array)
    if kind is not facts.type:
        yield f"is {a_kind(kind)}, was {a_kind(facts.type)} when compiled"
        return
    yield from _unequal("dtype", array.dtype, facts.dtype)
    yield from _unequal("metadata of dtype", array.dtype.metadata, None)
    yield from _unequal("ndim", array.ndim, len(facts.shape))
    for name, flag in FLAGS:
        if (wanted := getattr(facts, name)) is not None:
            yield from _unequal(name, getattr(array.flags, flag, True), wanted)
    if array.ndim != len(facts.shape):
        return
    yield from _sizes("shape", array.shape, facts.shape)
    if facts.order is None:
        yield from _sizes("strides", array.strides, facts.strides)
    elif not getattr(array.flags, f"{facts.order.lower()}_contiguous"):
        yield f"order is not {facts.order} as it was when compiled"


def _unequal(name: str, now: object, was: object) -> Iterator[str]:
    if now != was:
        yield f"{name} {now}, was {was} when compiled"


def _sizes(name: str, now: tuple[int, ...], was: tuple[Size, ...]) -> Iterator[str]:
    bound: dict[Size, int] = {}
    for axis, (actual, expected) in enumerate(zip(now, was)):
        known = expected if isinstance(expected, int) else bound.setdefault(expected, actual)
        yield from _unequal(f"{name}[{axis}]", actual, known)
