"""Floating-point sums whose rounding error grows with the logarithm of the length.

Blocks are summed with a few accumulators of at most `CHAIN` additions each. The block sums are
added pairwise, in double, with a binary counter: slot L of a small stack holds the sum of 2**L
blocks.
"""
from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from ...ir.sizes import product
from ..loops import Axis
from .emit import F64, I64, Value
from .folding import (
    ACCUMULATORS,
    UNROLLED,
    horizontal,
    moved,
    outer_loops,
    scalar_loops,
    tree,
    turns,
    vector_loop,
    whole_steps,
)
from .nest import Nest
from .terms import Term

CHAIN = 16
CHAIN_OF_SCALARS = 32
SLOTS = 48


class PairwiseSum:
    """One sum, of scalars or of vectors of `lanes` independent ones."""

    def __init__(self, nest: Nest, dtype: np.dtype, lanes: int) -> None:
        self.nest, self.dtype, self.lanes = nest, dtype, lanes
        self.builder = nest.builder
        # -0.0 + x is x, also for -0.0
        self.zero = self.builder.constant(dtype, -0.0).splat(lanes)
        self.wide_zero = self.builder.constant(F64, -0.0).splat(lanes)

    # Along the lanes ------------------------------------------------------------------------------

    def in_vector_loops(self, axes: Sequence[Axis], body: Term) -> Value:
        """The innermost axis in vectors, whose lanes are added in the end."""
        axis = axes[-1]
        block = CHAIN * ACCUMULATORS * self.lanes
        if len(axes) == 1 and isinstance(axis.extent, int) and axis.extent <= block:
            self.nest.hoist([body], widen=self.lanes)
            bounds = self.builder.integer(0), self.builder.integer(axis.extent)
            return self._nonempty(axes, horizontal(self._vector_block(axis, body, bounds), _add))

        def row(state: Sequence[Value]) -> list[Value]:
            return self._blocks(axis, block, state, lambda b: self._vector_block(axis, body, b))

        count = outer_loops(self.nest, axes[:-1], body, self._start(), row)
        return self._nonempty(axes, self._rounded(horizontal(self._finish(count[0]), _add)))

    def _vector_block(self, axis: Axis, body: Term, bounds: tuple[Value, Value]) -> Value:
        def step(state: Sequence[Value], number: int) -> Sequence[Value]:
            joined = state[number] + self.nest.vector(body)
            assert self.nest.lane is not None
            if self.nest.lane.mask is not None:
                joined = self.nest.lane.mask.select(joined, state[number])
            return [*state[:number], joined, *state[number + 1 :]]

        count = turns(axis.extent, self.lanes, ACCUMULATORS)
        start = [self.zero] * count
        return tree(vector_loop(self.nest, axis, body, start, step, count, bounds), _add)

    # In every lane by itself ----------------------------------------------------------------------

    def in_scalar_loops(self, axes: Sequence[Axis], body: Term) -> Value:
        """All axes in scalar loops; a short sum runs in order, as NumPy's."""
        total = product(axis.extent for axis in axes)
        if isinstance(total, int) and total <= UNROLLED:
            step = lambda s: [s[0] + self._at(body)]  # noqa: E731
            (value,) = scalar_loops(self.nest, axes, body, [self.zero], step)
            return self._nonempty(axes, value)
        axis = axes[-1]
        block = CHAIN_OF_SCALARS * ACCUMULATORS

        def row(state: Sequence[Value]) -> list[Value]:
            return self._blocks(axis, block, state, lambda b: self._scalar_block(axis, body, b))

        widen = self.nest.lane.width if self.nest.lane else 0
        if len(axes) == 1 and isinstance(axis.extent, int) and axis.extent <= block:
            self.nest.hoist([body], widen=widen)
            bounds = self.builder.integer(0), self.builder.integer(axis.extent)
            return self._nonempty(axes, self._scalar_block(axis, body, bounds))
        count = outer_loops(self.nest, axes[:-1], body, self._start(), row, widen)
        return self._nonempty(axes, self._rounded(self._finish(count[0])))

    def _at(self, body: Term) -> Value:
        return self.nest.value(body).splat(self.lanes)

    def _scalar_block(self, axis: Axis, body: Term, bounds: tuple[Value, Value]) -> Value:
        begin, end = bounds
        middle = whole_steps(begin, end, ACCUMULATORS)

        def whole(base: Value, state: list[Value]) -> Sequence[Value]:
            sums = []
            for number, accumulator in enumerate(state):
                with self.nest.at(axis, moved(base, number)):
                    sums.append(accumulator + self._at(body))
            return sums

        def single(state: Sequence[Value]) -> Sequence[Value]:
            return [state[0] + self._at(body), *state[1:]]

        start = [self.zero] * ACCUMULATORS
        state = self.builder.loop(begin, middle, ACCUMULATORS, start, whole)
        return tree(self.nest.axis_loop(axis, single, state, (middle, end)), _add)

    # The stack of block sums ----------------------------------------------------------------------

    def _start(self) -> list[Value]:
        self.stack = self.builder.stack(self.wide_zero.type, SLOTS)
        return [self.builder.integer(0)]

    def _blocks(self, axis: Axis, block: int, state: Sequence[Value], total: object) -> list[Value]:
        """Sum the axis block by block and push each block's sum."""
        assert callable(total)
        extent = self.nest.size(axis.extent)

        def one(base: Value, state: list[Value]) -> Sequence[Value]:
            end = moved(base, block).call("smin", extent)
            return [self._push(state[0], total((base, end)))]

        return self.builder.loop(self.builder.integer(0), extent, block, state, one)

    def _slot(self, level: Value) -> str:
        kind = self.wide_zero.type
        return self.builder.emit(f"getelementptr {kind}, ptr {self.stack}, i64 {level.ref}")

    def _load(self, level: Value) -> Value:
        return self.builder.load(self._slot(level), F64, self.lanes)

    def _push(self, count: Value, value: Value) -> Value:
        """Add equal-sized partial sums, as carries run in a binary counter."""
        if self.dtype != F64:
            value = value.cast("fpext", F64)
        ones = (count ^ -1).like(
            self.builder.emit(f"call i64 @llvm.cttz.i64(i64 {(count ^ -1).ref}, i1 false)")
        )
        (value,) = self.builder.loop(
            self.builder.integer(0), ones, 1, [value], lambda level, s: [self._load(level) + s[0]]
        )
        self.builder.store(value, self._slot(ones))
        return count + 1

    def _finish(self, count: Value) -> Value:
        """The sum of what the stack still holds, the smallest parts first."""
        zeros = self.builder.emit(f"call i64 @llvm.ctlz.i64(i64 {count.ref}, i1 false)")
        levels = self.builder.integer(64) - Value(self.builder, zeros, I64)

        def level(number: Value, state: list[Value]) -> Sequence[Value]:
            is_set = ((count >> number) & 1).ne(0)
            return self.builder.when(is_set, state, lambda: [self._load(number) + state[0]])

        return self.builder.loop(self.builder.integer(0), levels, 1, [self.wide_zero], level)[0]

    def _rounded(self, value: Value) -> Value:
        return value if self.dtype == F64 else value.cast("fptrunc", self.dtype)

    def _nonempty(self, axes: Sequence[Axis], value: Value) -> Value:
        """The sum of nothing is +0.0."""
        sizes = [axis.extent for axis in axes]
        if all(isinstance(size, int) and size > 0 for size in sizes):
            return value
        total = reduce(Value.__mul__, (self.nest.size(size) for size in sizes))
        return total.eq(0).select(self.builder.constant(self.dtype, 0.0).splat(value.lanes), value)


def _add(a: Value, b: Value) -> Value:
    return a + b
