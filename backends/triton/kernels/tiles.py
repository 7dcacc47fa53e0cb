"""Kernels whose arrays lie across each other in memory (transposes): a program has a square tile.

Rows of a tile lie along the last axis, columns along the one that steps through what is loaded
element by element. Triton turns what it loads by columns into rows in shared memory.
"""
from __future__ import annotations

from ....ir.sizes import Size, floordiv, product
from ...loop_ir import affine
from ...loop_ir.loops import Axis, Check, Gather, Kernel, Load, Reduce, Store
from .emitter import Emitter
from .kernels import TritonKernel

SIDE, WARPS = 64, 8
SHORT = 32
"""Axes so short are no sides of tiles."""


class TileEmitter(Emitter):
    """`across` is laid along the columns of a tile, the last axis along its rows."""

    def __init__(self, kernel: Kernel, across: Axis, narrow: bool = False) -> None:
        super().__init__(kernel, narrow)
        self.sides = {across: "column", kernel.axes[-1]: "row"}
        self.spread = frozenset(self.sides)

    def emit(self) -> TritonKernel:
        counts = {axis: floordiv(axis.extent + SIDE - 1, SIDE) for axis in self.sides}
        others = tuple(axis for axis in self.kernel.axes if axis not in self.sides)
        rest = self.assign(f"tl.program_id(0).to({self.index_type})")
        for axis, name in reversed(self.sides.items()):
            count = self.size(counts[axis])
            self.line(f"first_{name} = {rest} % ({count}) * {SIDE}")
            rest = self.assign(f"{rest} // ({count})")
        self.bind_points(others, rest)
        for (axis, name), shape in zip(self.sides.items(), ("[:, None]", "[None, :]")):
            self.line(f"{name} = first_{name} + tl.arange(0, {SIDE}){shape}")
            self.bind(axis, name)
        if all(isinstance(axis.extent, int) and axis.extent % SIDE == 0 for axis in self.sides):
            self.body()
        else:
            self.two_bodies()
        points: Size = product((*counts.values(), *(axis.extent for axis in others)))
        return self.finish(points, 1, WARPS, "")

    def two_bodies(self) -> None:
        """For whole tiles, and for others."""
        whole = " and ".join(f"(first_{name} + {SIDE} <= {self.size(axis.extent)})"
                             for axis, name in self.sides.items())
        with self.block(f"if {whole}:"):
            self.body()
        with self.block("else:", mask="inside", inherit=False):
            for axis, name in self.sides.items():
                self.line(f"inside_{name} = {name} < {self.size(axis.extent)}")
            self.line("inside = inside_column & inside_row")
            self.body()

    def body(self) -> None:
        for statement in self.kernel.statements:
            self.perform(statement)

    def access(self, expr: Load | Gather | Store) -> str:
        """The mask of the shape that an access has."""
        axes = self.axes_of(expr)
        used = [name for axis, name in self.sides.items() if axis in axes]
        if self.masks[-1] is None or not used:
            return ""
        return f", mask=inside_{used[0]}" if len(used) == 1 else ", mask=inside"


def crossed_axis(kernel: Kernel) -> Axis | None:
    """The axis along which a load has its elements beside each other, where that is not the last
    one of the kernel; None where there is none, or tiles are no use."""
    if len(kernel.axes) < 2 or any(isinstance(part, Reduce) for part in kernel.parts):
        return None
    last = kernel.axes[-1]
    if any(isinstance(one, Check) or one.indices or is_short(last)  # type: ignore[union-attr]
           for one in kernel.statements):
        return None
    for load in kernel.loads:
        unit = load.dtype.itemsize
        if affine.stride_of(load.offset, last) in (0, unit, -unit):
            continue
        for axis in kernel.axes[:-1]:
            if affine.stride_of(load.offset, axis) == unit and not is_short(axis):
                return axis
    return None


def is_short(axis: Axis) -> bool:
    return isinstance(axis.extent, int) and axis.extent < SHORT
