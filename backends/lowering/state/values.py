"""What a graph value is while lowering: an expression over its own axes, or memory."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....base.records import dataclass
from ....ir.sizes import Size
from ....ir.types import ArrayType, Form
from ...loop_ir import affine, rewrite
from ...loop_ir.loops import Axis, Buffer, Expr, Load, Offset

NATIVE = frozenset(np.dtype(code) for code in "?bBhHiIlLfdFD")
"""Element types that kernels compute with, unless a code generator says otherwise; everything else
goes to NumPy."""


class CannotLower(Exception):
    """This call has no native lowering: it becomes an extern step. The text is the reason."""


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """The element at `axes` (one per dimension) is `expr`.

    When `expr` is a plain load, the elements lie in memory; the value also *is* that memory (shares
    it, in NumPy's sense) unless it is `fresh`: a copy that has not been made yet. `array` is the
    buffer whose ndarray object is this very value, if there is one.
    """

    type: ArrayType
    axes: tuple[Axis, ...]
    expr: Expr
    array: Buffer | None = None
    fresh: bool = False

    @property
    def is_loaded(self) -> bool:
        return isinstance(self.expr, Load)

    @property
    def is_memory(self) -> bool:
        return self.is_loaded and not self.fresh

    @property
    def dtype(self) -> np.dtype:
        return self.expr.dtype

    @property
    def shape(self) -> tuple[Size, ...]:
        return tuple([axis.extent for axis in self.axes])

    @property
    def is_weak(self) -> bool:
        return self.type.form is Form.PYTHON

    def at(self, index: Sequence[Offset]) -> Expr:
        """The element at affine functions of other axes, one per dimension."""
        pairs = zip(self.axes, index, strict=True)
        return rewrite.substitute(self.expr, {a: f for a, f in pairs if f != affine.along(a)})

    def strides(self) -> tuple[Size, ...]:
        """Of a value in memory; dimensions that nobody moves along have the stride of the type."""
        if 0 in self.shape and self.type.shape == self.shape:
            return self.type.strides
        offset = load_of(self).offset
        declared = self.type.strides if len(self.type.strides) == len(self.axes) else self.axes
        return tuple(
            stride if affine.is_one(axis.extent) and not isinstance(stride, Axis)
            else affine.stride_of(offset, axis)
            for axis, stride in zip(self.axes, declared)
        )


def load_of(value: Value) -> Load:
    """The load that a value in memory consists of."""
    assert isinstance(value.expr, Load)
    return value.expr


def broadcast_index(
    shape: Sequence[Size], axes: Sequence[Axis]
) -> tuple[list[Offset], list[tuple[Size, Size]]]:
    """Where to read an operand of `shape` for a result over `axes`, aligned at the last dimension.

    Also gives the pairs of sizes that are not visibly equal and so must be found equal at run time.
    """
    aligned = axes[len(axes) - len(shape) :]
    index, unproved = [], []
    for size, axis in zip(shape, aligned, strict=True):
        if affine.is_one(size):
            index.append(affine.ZERO)
            continue
        index.append(affine.along(axis))
        if size != axis.extent:
            unproved.append((size, axis.extent))
    return index, unproved
