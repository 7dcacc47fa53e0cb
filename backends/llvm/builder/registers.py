"""Values as LLVM has them: a name or a literal, a type, and lanes."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np

from .elements import scalar_type

if TYPE_CHECKING:
    from .emit import Builder


class Register:
    """One SSA value, or a literal; `lanes` is 1 for a scalar."""

    __slots__ = ("builder", "compared", "dtype", "lanes", "literal", "ref")
    compared: tuple[str, Self, Self] | None
    """Of a mask: which numbers it compares, and LLVM's name of the comparison."""

    def __init__(
        self, builder: Builder, ref: str, dtype: np.dtype, lanes: int = 1, literal: bool = False
    ) -> None:
        self.builder, self.ref, self.dtype = builder, ref, dtype
        self.lanes, self.literal = lanes, literal
        self.compared = None

    def __repr__(self) -> str:
        return f"{self.type} {self.ref}"

    @property
    def type(self) -> str:
        scalar = scalar_type(self.dtype)
        return scalar if self.lanes == 1 else f"<{self.lanes} x {scalar}>"

    @property
    def suffix(self) -> str:
        """The mangled type in the names of intrinsics, as in `llvm.sqrt.v8f64`."""
        kind = "i" if scalar_type(self.dtype).startswith("i") else "f"
        bits = 1 if self.dtype.kind == "b" else 8 * self.dtype.itemsize
        return f"{kind}{bits}" if self.lanes == 1 else f"v{self.lanes}{kind}{bits}"

    def splat(self, lanes: int) -> Self:
        """This scalar in every lane."""
        if self.lanes == lanes:
            return self
        kind = scalar_type(self.dtype)
        vector = f"<{lanes} x {kind}>"
        if self.literal:
            return type(self)(self.builder, f"splat ({kind} {self.ref})", self.dtype, lanes, True)
        emit = self.builder.emit
        first = emit(f"insertelement {vector} poison, {kind} {self.ref}, i64 0")
        mask = f"<{lanes} x i32> zeroinitializer"
        ref = emit(f"shufflevector {vector} {first}, {vector} poison, {mask}")
        return type(self)(self.builder, ref, self.dtype, lanes)

    def like(self, ref: str, dtype: np.dtype | None = None) -> Self:
        """A value of this shape that `ref` names."""
        return type(self)(self.builder, ref, dtype or self.dtype, self.lanes)

    def like_retyped(self, dtype: np.dtype) -> Self:
        """The same register read as a dtype of the same size (signed and unsigned integers)."""
        return type(self)(self.builder, self.ref, dtype, self.lanes, self.literal)

    def cast(self, opcode: str, dtype: np.dtype) -> Self:
        """One of LLVM's conversions (`sext`, `bitcast`, `sitofp` …)."""
        to = self.like("", dtype)
        return self.like(self.builder.emit(f"{opcode} {self.type} {self.ref} to {to.type}"), dtype)

    def bits(self) -> Self:
        """The same bits as a signed integer."""
        return self.cast("bitcast", np.dtype(f"i{self.dtype.itemsize}"))

    def as_float(self) -> Self:
        return self.cast("bitcast", np.dtype(f"f{self.dtype.itemsize}"))

    def shuffle(self, order: Sequence[int], other: Self | None = None) -> Self:
        """Lanes in a new order (of this vector followed by `other`)."""
        if len(order) == 1:
            return self.lane(order[0])
        right = other.ref if other is not None else "poison"
        mask = ", ".join(f"i32 {i}" for i in order)
        text = (
            f"shufflevector {self.type} {self.ref}, {self.type} {right}, "
            f"<{len(order)} x i32> <{mask}>"
        )
        return type(self)(self.builder, self.builder.emit(text), self.dtype, len(order))

    def lane(self, index: int) -> Self:
        if self.lanes == 1:
            return self
        ref = self.builder.emit(f"extractelement {self.type} {self.ref}, i64 {index}")
        return type(self)(self.builder, ref, self.dtype)
