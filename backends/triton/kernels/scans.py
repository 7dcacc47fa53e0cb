"""Kernels with running folds: one program per line of points along the axis of the folds.

The line is looped over in blocks; the first lane of a block begins with what the lanes before it
have found, so that a fold is as in NumPy where the lanes are folded in order.
"""
from __future__ import annotations

from dataclasses import replace

from ...loop_ir.loops import Axis, Check, Kernel, Load, Reduce, Scan, Statement, Store, walk
from ...loop_ir.rewrite import free_axes
from .emitter import power_of_two, warps_for
from .folds import accumulator_type, neutral
from .kernels import TritonKernel
from .rows import LOOPED_BLOCK, RowEmitter
from .scalars import TYPES

FEWEST = 1024
"""Lanes of a piece of a line."""


class ScanEmitter(RowEmitter):
    """The scanned axis lies across the lanes."""

    def __init__(self, kernel: Kernel, axis: Axis, narrow: bool = False) -> None:
        others = tuple(one for one in kernel.axes if one != axis)
        super().__init__(replace(kernel, axes=(*others, axis)), axis, narrow)
        self.carried: dict[Scan, str] = {}

    def _width(self) -> int:
        """Fewer lanes where each has several folds, whose registers would not suffice."""
        count = power_of_two(sum(isinstance(one, Scan) for one in self.kernel.statements))
        return super()._width() if self.persistent else max(FEWEST, LOOPED_BLOCK // count**2)

    def emit(self) -> TritonKernel:
        lanes = self._width()
        rows = self.begin_rows(lanes)
        for statement in self.kernel.statements:
            self._before(statement)
        assert self.lane_axis is not None
        with self.lanes(lanes, (self.lane_axis,)):
            for statement in self.kernel.statements:
                self.perform(statement)
        return self.finish(rows, 1, warps_for(lanes), "")

    def _before(self, statement: Statement) -> None:
        """What is known before the first lane."""
        if isinstance(statement, Scan):
            start = neutral(statement.op, statement.buffer.dtype, "[]")
            self.carried[statement] = self.assign(start)
        for expr in walk(statement.roots):
            if isinstance(expr, Reduce) and free_axes(expr, self.frees) <= set(self.row_axes):
                self.expression(expr)

    def perform(self, statement: Store | Check | Scan) -> None:
        if isinstance(statement, Scan):
            self._scan(statement)
        else:
            super().perform(statement)

    def _scan(self, scan: Scan) -> None:
        dtype, carried = scan.buffer.dtype, self.carried[scan]
        item = f"{self.expression(scan.value)}.to({accumulator_type(scan.op, dtype)})"
        beyond = neutral(scan.op, dtype, f"[{self._width()}]")
        item = self.assign(f"tl.where(inside, {item}, {beyond})")
        found = self.assign(f"running_{scan.op}({carried}, {item})")
        if not self.persistent:
            self.line(f"{carried} = last_lane({found})")
        where = self.place(scan.buffer, scan.offset, ())
        memory = f"tl.{TYPES[dtype].memory_name}"
        self.line(f"tl.store({where}, {found}.to({memory}), mask=inside)")
        self.scopes[-1][Load(scan.buffer, scan.offset)] = found
