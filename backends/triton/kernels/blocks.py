"""Kernels whose axes are flattened: a program computes a block of points.

Whole blocks take an unmasked path (a masked access is scalarised unless sizes are known to divide
by 16), the last one a masked path, which is compiled only where there may be such a block.
Reductions are serial loops.
"""
from __future__ import annotations

from ....ir.sizes import Size, product
from ...loop_ir.loops import Kernel, Reduce
from .emitter import power_of_two
from .kernels import TritonKernel
from .serial import FoldEmitter

LARGEST_BLOCK = 512  # of numbers of four and more bytes
THREADS = 128
SMALLEST_BLOCK = 128
BLOCKS_WANTED = 128  # small kernels take smaller blocks, to occupy more of the machine
VECTOR = 16  # bytes that a thread loads at once


class BlockEmitter(FoldEmitter):
    """The axes are flattened; `i` numbers the points of the block."""

    def emit(self) -> TritonKernel:
        if not self.kernel.axes:
            self.body()
            return self.finish(1, 1, 1, "")
        points = product(axis.extent for axis in self.kernel.axes)
        each = numbers_of_a_thread(self.kernel)
        block = block_size(points, THREADS * each)
        total = self.size(points)
        self.line(f"start = tl.program_id(0).to({self.index_type}) * BLOCK")
        self.line("i = start + tl.arange(0, BLOCK)")
        is_whole = f"start + BLOCK <= {total}"
        if isinstance(points, int) and points % block == 0:
            is_whole = f"({is_whole}) | ({points} % BLOCK == 0)"  # the compiler knows that it holds
        with self.block(f"if {is_whole}:"):
            self.body()
        with self.block("else:", mask="mask", inherit=False):
            self.line(f"mask = i < {total}")
            self.body()
        return self.finish(points, block, max(1, block // (32 * each)), "BLOCK: tl.constexpr")

    def body(self) -> None:
        self.spread = frozenset(self.kernel.axes)
        self.bind_points(self.kernel.axes, "i")
        for statement in self.kernel.statements:
            self.perform(statement)

    def reduction(self, expr: Reduce) -> str:
        return self.serial(expr, "[BLOCK]" if self.kernel.axes else "[]")


def numbers_of_a_thread(kernel: Kernel) -> int:
    """Four, and more of those that are narrower than four bytes."""
    sizes = [buffer.dtype.itemsize for buffer in (*kernel.reads, *kernel.writes)]
    return max(LARGEST_BLOCK // THREADS, VECTOR // min(sizes, default=VECTOR))


def block_size(points: Size, largest: int) -> int:
    wanted = points // BLOCKS_WANTED if isinstance(points, int) else largest
    return power_of_two(max(SMALLEST_BLOCK, min(largest, wanted)))
