"""Kernels of short rows: a program has so many of them that its lanes are not idle.

Values of rows are columns, (rows, 1); what the lanes hold is (rows, width).
"""
from __future__ import annotations

from dataclasses import replace

from ....ir.sizes import Size, product
from ...loop_ir import affine
from ...loop_ir.loops import Axis, Check, Gather, Kernel, Load, Reduce, Store
from ...loop_ir.rewrite import free_axes
from .emitter import power_of_two, warps_for
from .folds import COMBINE, order_of
from .kernels import TritonKernel
from .rows import RowEmitter

TILE = 2048
"""Elements that a program has at once."""
FEW = {4, 8, 16}
"""Elements of folds that one lane could do by itself."""
SHORT = 256
"""Lanes of the longest rows that share a program."""


class ShortRowEmitter(RowEmitter):
    """Several points of the outer axes in each program; the reduced axis lies across its lanes."""

    lane_dim = 1
    constants = "BLOCK: tl.constexpr"

    def emit(self) -> TritonKernel:
        width = self._width()
        return replace(super().emit(), block=TILE // width, warps=warps_for(TILE), width=width)

    def begin_rows(self, lanes: int) -> Size:
        points = product(axis.extent for axis in self.row_axes)
        first = f"tl.program_id(0).to({self.index_type}) * BLOCK"
        self.line(f"row = ({first} + tl.arange(0, BLOCK))[:, None]")
        self.line(f"is_row = row < {self.size(points)}")
        self.bind_points(self.row_axes, "row")
        self.line(f"lane = tl.arange(0, {lanes}).to({self.index_type})[None, :]")
        self.line(f"inside = lane < {self.size(self.extent)}")
        return points

    @property
    def block_shape(self) -> str:
        return f"[BLOCK, {self._width()}]"

    def _width(self) -> int:
        assert isinstance(self.extent, int)
        return power_of_two(self.extent)

    def shape_of(self, expr: Reduce) -> str:
        return self.block_shape if free_axes(expr, self.frees) & self.spread else "[BLOCK, 1]"

    def places(self, beyond: str) -> str:
        numbers = super().places(beyond)
        return f"tl.broadcast_to({numbers}, {self.block_shape})"

    def kept(self, folded: str) -> str:
        return f"{folded}[:, None]"

    def _across(self, lanes: str, expr: Reduce) -> str:
        if (fold := COMBINE[expr.op]).rows:
            return f"{fold.rows}({lanes}, {self.size(self.extent)}, {order_of(expr)})"
        return self.kept(f"tl.reduce({lanes}, 1, {fold.function})")

    # -- accesses and checks are masked as far as they reach

    def access(self, expr: Load | Gather | Store) -> str:
        return f", mask={mask}" if (mask := self._mask(self.axes_of(expr))) else ""

    def _mask(self, axes: set[Axis] | frozenset[Axis]) -> str:
        given = [("is_row", set(self.row_axes))]
        if not self.is_full:
            given.append(("inside", set(self.spread)))
        return " & ".join(name for name, those in given if axes & those)

    def check(self, statement: Check) -> None:
        before = self.masks[-1]
        self.masks[-1] = self._mask(free_axes(statement.condition, self.frees)) or None
        super().check(statement)
        self.masks[-1] = before


def short_fold(kernel: Kernel) -> Axis | None:
    """The axis of a fold of a few elements beside each other, which neighbouring lanes load faster
    than one lane does: a whole sector of memory at once."""
    folds = [part for part in kernel.parts if isinstance(part, Reduce)]
    if not folds or any(len(fold.axes) != 1 for fold in folds):
        return None
    axes = {fold.axes[0] for fold in folds}
    extent, *others = {axis.extent for axis in axes}
    if others or extent not in FEW:
        return None
    points = product(axis.extent for axis in kernel.axes)
    strides = {(affine.stride_of(load.offset, axis), load.dtype.itemsize)
               for load in kernel.loads for axis in axes}
    is_packed = all(stride in (0, unit) for stride, unit in strides)
    return folds[0].axes[0] if is_packed and has_short_rows(extent, points) else None


def has_short_rows(extent: Size, points: Size) -> bool:
    """Whether rows are so short, and so many, that programs have several."""
    is_short = isinstance(extent, int) and extent <= SHORT
    return is_short and not (isinstance(points, int) and points < TILE // 16)
