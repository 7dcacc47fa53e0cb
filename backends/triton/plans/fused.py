"""Products of matrices of halves, and what a pointwise kernel makes of them, as one kernel.

Tensor cores multiply tiles, whose sums stay in single precision until they are complete; then each
is rounded once, as by cuBLAS, and the operations of the other kernel follow in registers. Whether
that is faster than cuBLAS and a kernel behind it depends on sizes, so both are timed.
"""
from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ....base.records import dataclass
from ....ir.row import Kind, row_of
from ....ir.sizes import product
from ....ir.types import ArrayType, Form
from ...loop_ir.loops import Axis, Buffer, Expr, Gather, Index, Kernel, Load, Reduce, Store
from ...loop_ir.program import Allocate, Extern, Launch, Program, Ref, View
from ..devices.stacks import HALF, Layout
from ..devices.tuning import repeatable
from ..kernels.emitter import Emitter
from ..kernels.kernels import TritonKernel
from ..kernels.merge import in_order
from ..kernels.reach import narrow_condition
from ..kernels.scalars import TYPES

ROWS, COLUMNS, TERMS = 128, 128, 64
"""Of a tile of the result, and of what is multiplied at once."""
GROUP = 8
"""Rows of tiles that are computed together, so that they find the other operand in the cache."""
WARPS = 8
LARGEST = 2**30


@dataclass(frozen=True, slots=True)
class Factors:
    """The operands of a product, (rows, terms) and (terms, columns), with strides in elements."""

    left: Buffer
    right: Buffer
    sizes: tuple[int, int, int]  # rows, columns, terms
    left_strides: tuple[int, int]
    right_strides: tuple[int, int]


def with_products(program: Program) -> tuple[Program, Mapping[int, TritonKernel]]:
    """The program, and for numbers of calls in it what computes them and the kernel behind them.
    Memory is allocated before such a call."""
    types = types_of(program)
    steps = list(program.steps)
    for number, step in enumerate(program.steps):
        if isinstance(step, Extern):
            while number + 1 < len(steps) and isinstance(steps[number + 1], Allocate):
                steps[number : number + 2] = steps[number + 1], steps[number]
                number += 1
    found = {}
    moved = replace(program, steps=tuple(steps))
    for number, (step, after) in enumerate(itertools.pairwise(steps)):
        if isinstance(step, Extern) and isinstance(after, Launch) and (
            kernel := fused(moved, types, step, after.kernel)
        ):
            found[number] = kernel
    return (moved, found) if found else (program, {})


def types_of(program: Program) -> Mapping[Buffer, ArrayType]:
    found = {item.buffer: item.type for item in program.inputs
             if item.buffer is not None and item.type.form is Form.ARRAY}
    for step in program.steps:
        if isinstance(step, (Allocate, View)):
            found[step.buffer] = step.type
        elif isinstance(step, Extern):
            found |= zip(step.results, step.types)
    return found


def fused(
    program: Program, types: Mapping[Buffer, ArrayType], call: Extern, kernel: Kernel
) -> TritonKernel | None:
    """One kernel for a product and the kernel that alone reads it, or None."""
    factors = factors_of(call, types)
    if factors is None or not is_pointwise(kernel, call.results[0], factors):
        return None
    readers = [step for step in program.steps if call.results[0] in step.reads]
    is_output = any(output.buffer == call.results[0] for output in program.outputs)
    if is_output or len(readers) != 1 or kernel not in repeatable(program, [kernel]):
        return None
    if {factors.left, factors.right} & {*kernel.writes}:
        return None  # other programs still read it
    named = replace(kernel, name=f"product_{kernel.name}")
    return ProductEmitter(named, call.results[0], factors).emit()


def factors_of(call: Extern, types: Mapping[Buffer, ArrayType]) -> Factors | None:
    """The operands of a call that multiplies rows of halves by a matrix, in whole tiles."""
    row = row_of(call.target)
    refs = [one.buffer for one in call.args if isinstance(one, Ref)]
    if row is None or row.kind is not Kind.MATMUL or call.kwargs or len(refs) != len(call.args) or (
        len(refs) != 2 or any(one not in types for one in refs)
    ):
        return None
    (left, right) = refs
    assert left is not None and right is not None
    kinds = types[left], types[right]
    a, b = (laid_out(kind) for kind in kinds)
    flat = a and a.one_matrix()
    if flat is None or b is None or len(b.shape) != 2 or len(kinds[0].shape) < 2:
        return None
    (_, rows, terms), columns = flat.shape, b.shape[1]
    if rows % ROWS or columns % COLUMNS or terms % TERMS or max(
        rows * terms, terms * columns, rows * columns
    ) >= LARGEST:
        return None
    (upper, lower), (high, low) = (
        [stride // HALF.itemsize for stride in one.strides[-2:]] for one in (flat, b))
    if 1 not in (upper, lower) or 1 not in (high, low):
        return None
    return Factors(left, right, (rows, columns, terms), (upper, lower), (high, low))


def laid_out(kind: ArrayType) -> Layout | None:
    """An array of halves whose sizes and strides are known."""
    shape, strides = (tuple(one for one in each if isinstance(one, int))
                      for each in (kind.shape, kind.strides))
    is_known = len(shape) == len(strides) == len(kind.shape) and kind.dtype == HALF
    return Layout(shape, strides) if is_known and all(
        stride > 0 and not stride % HALF.itemsize for stride in strides) else None


def is_pointwise(kernel: Kernel, made: Buffer, factors: Factors) -> bool:
    """Whether each point of a kernel is about one element of a product."""
    rows, columns, _ = factors.sizes
    if product(axis.extent for axis in kernel.axes) != rows * columns or (
        narrow_condition(kernel) != ""
    ):
        return False
    if not all(isinstance(one, Store) and not one.indices for one in kernel.statements):
        return False
    if any(isinstance(part, (Reduce, Gather, Index)) or np.dtype(part.dtype) not in TYPES
           for part in kernel.parts):
        return False
    place = in_order(kernel.axes, made)
    return all(load.offset == place for load in kernel.loads if load.buffer == made)


class ProductEmitter(Emitter):
    """A program has a tile of the result; `product` is what the kernel reads it as."""

    def __init__(self, kernel: Kernel, product: Buffer, factors: Factors) -> None:
        super().__init__(kernel)
        self.product = product
        self.factors = factors
        self.spread = frozenset(kernel.axes)

    def emit(self) -> TritonKernel:
        rows, columns, _ = self.factors.sizes
        self._tile()
        self._multiply()
        self._bind(columns)
        for statement in self.kernel.statements:
            self.perform(statement)
        return self.finish((rows // ROWS) * (columns // COLUMNS), 1, WARPS, "")

    def _tile(self) -> None:
        rows, columns, _ = self.factors.sizes
        across = GROUP * (columns // COLUMNS)
        self.line("tile = tl.program_id(0)")
        self.line(f"group = tile // {across} * {GROUP}")
        self.line(f"high = tl.minimum({rows // ROWS} - group, {GROUP})")
        self.line(f"first_row = (group + tile % {across} % high) * {ROWS}")
        self.line(f"first_column = tile % {across} // high * {COLUMNS}")
        self.line(f"row = (first_row + tl.arange(0, {ROWS}))[:, None]")
        self.line(f"column = (first_column + tl.arange(0, {COLUMNS}))[None, :]")

    def _multiply(self) -> None:
        (upper, lower), (high, low) = self.factors.left_strides, self.factors.right_strides
        left, right = self.pointer(self.factors.left), self.pointer(self.factors.right)
        self.line(f"total = tl.full([{ROWS}, {COLUMNS}], 0.0, tl.float32)")
        with self.block(f"for begin in range(0, {self.factors.sizes[2]}, {TERMS}):"):
            self.line(f"term = begin + tl.arange(0, {TERMS})")
            self.line(f"left = tl.load({left} + row * {upper} + term[None, :] * {lower})")
            self.line(f"right = tl.load({right} + term[:, None] * {high} + column * {low})")
            self.line("total = tl.dot(left, right, total)")
        self.line("product = total.to(tl.float16)")

    def _bind(self, columns: int) -> None:
        """The axes of the kernel: some number rows, some columns, or one numbers elements."""
        inner: list[Axis] = []
        for axis in reversed(self.kernel.axes):
            if product(one.extent for one in inner) == columns:
                break
            inner.insert(0, axis)
        outer = self.kernel.axes[: len(self.kernel.axes) - len(inner)]
        if product(one.extent for one in inner) == columns:
            self.bind_points(tuple(outer), "row")
            self.bind_points(tuple(inner), "column")
        else:
            self.bind_points(self.kernel.axes, self.assign(f"row * {columns} + column"))

    def text(self, expr: Expr) -> str:
        if isinstance(expr, Load) and expr.buffer == self.product:
            return "product"
        return super().text(expr)


