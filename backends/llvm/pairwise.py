"""Floating-point sums whose rounding error grows with the logarithm of the length.

Blocks are summed with a few accumulators of at most `CHAIN` additions each. The block sums are
added pairwise, in double, with a binary counter: slot L of a small stack holds the sum of 2**L
blocks.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...ir.sizes import product
from .. import affine
from ..loops import Axis, Load, walk
from .elements import F64, I64
from .emit import Value
from .folding import (
    ACCUMULATORS,
    horizontal,
    moved,
    outer_loops,
    scalar_loops,
    tree,
    turns,
    vector_loop,
    whole_steps,
)
from .nest import Lane, Nest
from .terms import Term

CHAIN = 16
CHAIN_OF_SCALARS = 32
SLOTS = 48
LIKE_NUMPY = 128
EIGHT = 8


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
            if axis.extent <= LIKE_NUMPY:
                return SumLikeNumpy(self.nest, self.dtype).of(axis, body) + 0.0
            bounds = self.builder.integer(0), self.builder.integer(axis.extent)
            return horizontal(self._vector_block(axis, body, bounds), _add) + 0.0

        def row(state: Sequence[Value]) -> list[Value]:
            return self._blocks(axis, block, state, lambda b: self._vector_block(axis, body, b))

        count = outer_loops(self.nest, axes[:-1], body, self._start(), row)
        return self._rounded(horizontal(self._finish(count[0]), _add)) + 0.0

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
        """All axes in scalar loops; a short sum runs in the order that NumPy takes."""
        total, axis = product(axis.extent for axis in axes), axes[-1]
        if isinstance(total, int) and total <= LIKE_NUMPY:
            if len(axes) == 1 and total >= EIGHT and is_contiguous(body, axis):
                return self._in_eights(axis, body) + 0.0
            return scalar_loops(self.nest, axes, body, [self.zero], self._step(body))[0] + 0.0
        block = CHAIN_OF_SCALARS * ACCUMULATORS

        def row(state: Sequence[Value]) -> list[Value]:
            return self._blocks(axis, block, state, lambda b: self._scalar_block(axis, body, b))

        widen = self.nest.lane.width if self.nest.lane else 0
        count = outer_loops(self.nest, axes[:-1], body, self._start(), row, widen)
        return self._rounded(self._finish(count[0])) + 0.0

    def _step(self, body: Term) -> Callable[[Sequence[Value]], Sequence[Value]]:
        return lambda state: [state[0] + self._at(body), *state[1:]]

    def _in_eights(self, axis: Axis, body: Term) -> Value:
        """Eight accumulators in turn, their neighbours added, then what is left over."""
        assert isinstance(axis.extent, int)
        self.nest.hoist([body], widen=self.nest.lane.width if self.nest.lane else 0)
        middle = axis.extent // EIGHT * EIGHT
        sums = self._whole_turns(axis, body, 0, middle, EIGHT)
        state = [tree(sums, _add)]
        for position in range(middle, axis.extent):
            with self.nest.at(axis, self.builder.integer(position)):
                state = [state[0] + self._at(body)]
        return state[0]

    def _at(self, body: Term) -> Value:
        return self.nest.value(body).splat(self.lanes)

    def _scalar_block(self, axis: Axis, body: Term, bounds: tuple[Value, Value]) -> Value:
        begin, end = bounds
        middle = whole_steps(begin, end, ACCUMULATORS)
        state = self._whole_turns(axis, body, begin, middle, ACCUMULATORS)
        return tree(self.nest.axis_loop(axis, self._step(body), state, (middle, end)), _add)

    def _whole_turns(
        self, axis: Axis, body: Term, begin: Value | int, end: Value | int, count: int
    ) -> list[Value]:
        """The sums of every `count`-th element of a range of whole turns."""

        def turn(base: Value, state: list[Value]) -> Sequence[Value]:
            sums = []
            for number, accumulator in enumerate(state):
                with self.nest.at(axis, moved(base, number)):
                    sums.append(accumulator + self._at(body))
            return sums

        first, last = (self.builder.integer(b) if isinstance(b, int) else b for b in (begin, end))
        return self.builder.loop(first, last, count, [self.zero] * count, turn)

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


class SumLikeNumpy:
    """A short sum in NumPy's own order, so that it has NumPy's bits: eight accumulators take turns,
    neighbours are added, and what is left over follows one by one."""

    def __init__(self, nest: Nest, dtype: np.dtype) -> None:
        self.nest, self.builder, self.width = nest, nest.builder, nest.width
        self.lanes = min(nest.width, EIGHT)
        self.zero = self.builder.constant(dtype, -0.0)

    def of(self, axis: Axis, body: Term) -> Value:
        """The sum over an axis of known extent."""
        assert isinstance(axis.extent, int)
        group = max(self.width, EIGHT)
        whole = axis.extent // group * group
        start = [self.zero.splat(self.lanes)] * (EIGHT // self.lanes)

        def turn(base: Value, state: list[Value]) -> Sequence[Value]:
            for number in range(group // self.width):
                with self.nest.lanes(Lane(axis, moved(base, number * self.width), self.width)):
                    state = self._added(state, self.nest.vector(body), number, self.width)
            return state

        bounds = self.builder.integer(0), self.builder.integer(whole)
        state = self.builder.loop(*bounds, group, start, turn)
        leftover: list[Value] = []
        for base in range(whole, axis.extent, self.width):
            count = min(self.width, axis.extent - base)
            begin, end = self.builder.integer(base), self.builder.integer(axis.extent)
            with self.nest.lanes(self.nest.partial(axis, begin, end, self.width)):
                value = self.nest.vector(body)
            eights = count // EIGHT * EIGHT
            state = self._added(state, value, 0, eights)
            leftover += [value.lane(lane) for lane in range(eights, count)]
        total = self._neighbours(state) if axis.extent >= EIGHT else self.zero
        for value in leftover:
            total = total + value
        return total

    def _added(self, state: list[Value], value: Value, number: int, count: int) -> list[Value]:
        """`count` lanes of a vector go to the accumulators in turn."""
        if self.width < EIGHT:
            return [s + value if i == number and count else s for i, s in enumerate(state)]
        for first in range(0, count, EIGHT):
            state = [state[0] + value.shuffle(range(first, first + EIGHT))]
        return state

    def _neighbours(self, state: list[Value]) -> Value:
        while len(state) > 1:
            pairs = zip(state[::2], state[1::2])
            state = [a.shuffle(range(2 * a.lanes), b) for a, b in pairs]
        (value,) = state
        while value.lanes > 1:
            value = value.shuffle(range(0, value.lanes, 2)) + value.shuffle(
                range(1, value.lanes, 2)
            )
        return value


def is_contiguous(body: Term, axis: Axis) -> bool:
    """Is some operand read element by element along the axis? NumPy then sums in eights."""
    loads = (part for part in walk((body.expr,)) if isinstance(part, Load))
    return any(affine.stride_of(load.offset, axis) == load.dtype.itemsize for load in loads)


def _add(a: Value, b: Value) -> Value:
    return a + b
