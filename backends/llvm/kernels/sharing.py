"""Kernels that differ only in their names, and in where their data begins, share one function.

Unrolled loops repeat the same kernels on other buffers, on other rows of the same ones, over other
lengths, or with other numbers in their sums and products.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ....base.records import dataclass, field
from ....ir.sizes import Size, SizeExpr, substitute, symbol, symbols
from ...loop_ir import affine, rewrite
from ...loop_ir.loops import (
    Apply,
    Axis,
    Buffer,
    Check,
    Const,
    Expr,
    Gather,
    Index,
    Kernel,
    Load,
    Offset,
    Reduce,
    Scalar,
    Scan,
    SizeValue,
    Statement,
    Store,
)

ARITHMETIC = frozenset(("add", "subtract", "multiply"))
"""Operations whose code is the same for every number."""


@dataclass(frozen=True, slots=True)
class Binding:
    """What the names in a shared kernel stand for: buffers from some byte on, scalars, symbols,
    numbers."""

    buffers: dict[str, tuple[str, Size]]
    scalars: dict[str, str]
    symbols: dict[str, str]
    numbers: dict[str, Const]


def shared(kernel: Kernel, *, numbers: bool = True) -> tuple[Kernel, Binding]:
    """The kernel under names that depend on its structure alone, and what these stand for. Without
    `numbers` those in sums and products have names, too."""
    names = Names(numbers)
    axes = tuple(map(names.axis, kernel.axes))
    statements = tuple(map(names.statement, kernel.statements))
    vector = names.axis(kernel.vector) if kernel.vector is not None else None
    binding = Binding(
        {new.name: (old.name, start) for old, (new, start) in names.buffers.items()},
        {new: old for old, new in names.scalars.items()},
        {str(new): old for old, new in names.symbols.items()},
        {new: old for old, new in names.constants.items()},
    )
    return Kernel("kernel", axes, statements, vector, kernel.parallel), binding


@dataclass(slots=True)
class Names:
    """New names, given in the order in which a kernel mentions things."""

    numbers: bool
    axes: dict[Axis, Axis] = field(default_factory=dict)
    buffers: dict[Buffer, tuple[Buffer, Size]] = field(default_factory=dict)
    scalars: dict[str, str] = field(default_factory=dict)
    symbols: dict[str, SizeExpr] = field(default_factory=dict)
    constants: dict[Const, str] = field(default_factory=dict)
    memo: dict[Expr, Expr] = field(default_factory=dict)

    def axis(self, axis: Axis) -> Axis:
        if axis not in self.axes:
            self.axes[axis] = Axis(f"i{len(self.axes)}", self.size(axis.extent))
        return self.axes[axis]

    def size(self, size: Size) -> Size:
        if isinstance(size, int):
            return size
        for name in symbols(size):
            if name not in self.symbols:
                self.symbols[name] = symbol(f"n{len(self.symbols)}")
        return substitute(size, self.symbols)

    def all_axes(self, axes: Iterable[Axis]) -> tuple[Axis, ...]:
        return tuple(map(self.axis, axes))

    def place(self, buffer: Buffer, offset: Offset) -> tuple[Buffer, Offset]:
        """Where an access lies, counted from the first access to the same buffer."""
        if buffer not in self.buffers:
            new = Buffer(f"b{len(self.buffers)}", buffer.dtype)
            self.buffers[buffer] = new, offset.constant
        new, start = self.buffers[buffer]
        terms = ((self.axis(axis), self.size(stride)) for axis, stride in offset.strides)
        return new, affine.affine(self.size(offset.constant - start), terms)

    def scalar(self, name: str) -> str:
        return self.scalars.setdefault(name, f"x{len(self.scalars)}")

    def expr(self, expr: Expr) -> Expr:
        return rewrite.transform(expr, self._renamed, self.memo)

    def operand(self, expr: Expr) -> Expr:
        """A number as a parameter."""
        if not isinstance(expr, Const) or expr.dtype.kind != "f":
            return expr
        return Scalar(self.constants.setdefault(expr, f"c{len(self.constants)}"), expr.dtype)

    def _renamed(self, expr: Expr) -> Expr:
        match expr:
            case Apply() if expr.op in ARITHMETIC and not self.numbers:
                return Apply(expr.op, tuple(map(self.operand, expr.args)), expr.dtype)
            case Load():
                return Load(*self.place(expr.buffer, expr.offset))
            case Gather():
                indices = tuple((index, self.size(stride)) for index, stride in expr.indices)
                return Gather(*self.place(expr.buffer, expr.offset), indices)
            case Scalar():
                return Scalar(self.scalar(expr.name), expr.dtype)
            case Index():
                return Index(self.axis(expr.axis))
            case SizeValue():
                return SizeValue(self.size(expr.size), expr.dtype)
            case Reduce():
                axes = self.all_axes(expr.axes)
                return Reduce(expr.op, expr.body, axes, expr.dtype, expr.part, expr.row)
        return expr

    def statement(self, statement: Statement) -> Statement:
        match statement:
            case Check():
                return Check(self.expr(statement.condition))
            case Store():
                value = self.expr(statement.value)
                indices = tuple(
                    (self.expr(index), self.size(stride)) for index, stride in statement.indices
                )
                return Store(*self.place(statement.buffer, statement.offset), value, indices)
            case Scan():
                value = self.expr(statement.value)
                buffer, offset = self.place(statement.buffer, statement.offset)
                return replace(
                    statement, buffer=buffer, offset=offset, value=value,
                    axis=self.axis(statement.axis),
                )
