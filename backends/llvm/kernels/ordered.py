"""Sums and products of floating-point numbers in an order that depends on their number alone.

It is NumPy's. A row is added pairwise (`pairwise_sum`): up to `LEAF` numbers in eight accumulators
that take turns, neighbours of which are added in the end, and then what is left over one by one;
more of them are divided in the middle, at a multiple of eight. Everything else follows one another:
products, the rows of a fold over several axes, and numbers along which NumPy's innermost loop does
not run (the columns of a matrix). Whether a length is known when the code is made makes no
difference.

Complex numbers are added part by part, in the order in which as many real numbers as they have
parts would be: what is folded here are vectors of all parts, as they lie in memory.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ...costs import time_of
from ...loop_ir.loops import Axis
from ..builder.elements import I64
from ..builder.folding import UNROLLED, Combine, moved, outer_loops, remaining, tree, whole_steps
from ..builder.nest import Lane, Nest
from ..builder.pairs import doubled, interleaved
from ..builder.terms import Term
from ..builder.values import Value

LEAF = 128
EIGHT = 8
SLOTS = 64
UNROLL = 4
CHEAP = 0.2  # nanoseconds per element of a body that is repeated
PART_LEVELS = 5
PARTS = 2**PART_LEVELS
"""A long fold may be computed in so many parts, which are put together by neighbours."""
State = Sequence[Value]


class Leaf(Protocol):
    """How up to `LEAF` numbers are folded: whole steps of `by` numbers, then what is left over.

    `unroll`: steps per turn of the loop. `lanes`: how many numbers it reads at once."""

    by: int
    start: State
    unroll: int
    lanes: int

    def step(self, base: Value, state: State) -> State: ...

    def finish(self, state: State, begin: Value, end: Value) -> Value:
        """The result, with the numbers from `begin` to `end`, less than a step."""


class OrderedFold:
    """One sum or product, of scalars or of so many `lanes` of independent ones, of numbers that
    have so many `parts`.

    `row`: the numbers along the innermost axis are a row. Unless there is a lane axis outside, it
    is read in vectors, whose lanes are numbers of one fold."""

    def __init__(
        self, nest: Nest, combine: Combine, zero: Value, lanes: int, row: bool, parts: int
    ) -> None:
        self.nest, self.combine, self.zero, self.row = nest, combine, zero, row
        self.lanes, self.parts, self.neutral = lanes, parts, zero.splat(lanes * parts)
        self.leaf, self.turn = LEAF // parts, EIGHT // parts
        self.builder = nest.builder

    def of(self, axes: Sequence[Axis], body: Term, part: Value | None = None) -> Value:
        """The fold over `axes`, or that part of it."""
        axis, outer = axes[-1], axes[:-1]
        leaf = self._leaf(axis, body)
        lanes = self.nest.lane.width if self.nest.lane else leaf.lanes
        begin, end = self.builder.integer(0), self.nest.size(axis.extent)
        if part is not None:
            self.nest.hoist([body], widen=lanes)
            return self._tree(*self._bounds_of(part, begin, end), leaf)

        def one_row(state: State) -> list[Value]:
            if not self.row:
                return [self._folded(begin, end, leaf, before=state[0])]
            total = self._row(begin, end, leaf)
            return [self.combine(state[0], total) if outer else total]

        return outer_loops(self.nest, outer, body, [self.neutral], one_row, lanes)[0]

    def _row(self, begin: Value, end: Value, leaf: Leaf) -> Value:
        if end.literal and int(end.ref) <= (2 * self.leaf if leaf.unroll > 1 else self.leaf):
            return self._divided(0, int(end.ref), leaf)
        return self._tree(begin, end, leaf)

    def _leaf(self, axis: Axis, body: Term) -> Leaf:
        cheap = time_of([body.expr]) < CHEAP
        unroll = UNROLL if cheap else 1
        short = isinstance(axis.extent, int) and axis.extent < self.turn
        if self.nest.lane is None and not (cheap and (short or not self.row)):
            return (Vectors if self.row else VectorsInTurn)(self, axis, body, unroll)
        element = lambda: interleaved(self.nest.value(body).splat(self.lanes))  # noqa: E731
        if self.row and not short:
            return Eights(self, axis, element)
        return InTurn(self, axis, element, unroll)

    # The tree -------------------------------------------------------------------------------------

    def _tree(self, begin: Value, end: Value, leaf: Leaf) -> Value:
        """Leaves from left to right. `ends` has where the ranges end that were divided and in whose
        left half the current leaf lies, `totals` the left halves that are done; slot 0 is free."""
        builder, zero = self.builder, self.neutral
        is_even = end.literal and int(end.ref) % self.turn == 0
        ends, totals = builder.stack("i64", SLOTS), builder.stack(zero.type, SLOTS)

        def end_at(height: Value) -> str:
            return builder.emit(f"getelementptr i64, ptr {ends}, i64 {height.ref}")

        def total_at(height: Value) -> str:
            return builder.emit(f"getelementptr {zero.type}, ptr {totals}, i64 {height.ref}")

        def one_leaf(state: State) -> State:
            start, end, height, _ = state

            def divide(state: State) -> State:
                end, height = state
                builder.store(end, end_at(height))
                return start + self._half(end - start), height + 1

            def join(state: State) -> State:
                height, right = state[0] - 1, state[1]
                left = builder.load(total_at(height), zero.dtype, zero.lanes)
                return height, self.combine(left, right)

            end, height = builder.repeat(
                (end, height), lambda s: (s[0] - start).gt(self.leaf), divide
            )
            total = self._folded(start, end, leaf, is_even)
            height, total = builder.repeat(
                (height, total), lambda s: builder.load(end_at(s[0] - 1), I64).eq(end), join
            )
            builder.store(total, total_at(height - 1))
            return end, builder.load(end_at(height - 1), I64), height, total

        builder.store(builder.integer(-1), ends)
        start = begin, end, builder.integer(1), zero
        return builder.repeat(start, lambda state: state[0].lt(end), one_leaf)[3]

    def _divided(self, begin: int, end: int, leaf: Leaf) -> Value:
        """The leaves of a short range, each with code of its own."""
        if end - begin <= self.leaf:
            return self._folded(self.builder.integer(begin), self.builder.integer(end), leaf)
        middle = begin + ((end - begin) // 2 & -self.turn)
        return self.combine(
            self._divided(begin, middle, leaf), self._divided(middle, end, leaf)
        )

    def _bounds_of(self, part: Value, begin: Value, end: Value) -> tuple[Value, Value]:
        """Where one of the `PARTS` lies; a range that is not divided is its first part's."""
        for level in reversed(range(PART_LEVELS)):
            right = ((part >> level) & 1).ne(0)
            middle = (end - begin).gt(self.leaf).select(begin + self._half(end - begin), end)
            begin, end = right.select(middle, begin), right.select(end, middle)
        return begin, end

    def _folded(
        self, begin: Value, end: Value, leaf: Leaf, is_even: bool = False,
        before: Value | None = None,
    ) -> Value:
        """`is_even`: the length is a multiple of a turn; steps of that leave nothing over.
        `before`: what numbers that follow each other are added to."""
        middle = end if is_even and leaf.by == self.turn else whole_steps(begin, end, leaf.by)
        start = leaf.start if before is None else [before]
        state = self._steps(begin, middle, leaf.by, start, leaf.step, leaf.unroll)
        return leaf.finish(state, middle, end)

    def _half(self, length: Value) -> Value:
        """Where a range is divided."""
        return length.binary("lshr", 1) & -self.turn

    def _steps(
        self, begin: Value, end: Value, by: int, state: State,
        step: Callable[[Value, State], State], unroll: int,
    ) -> State:
        """A loop of whole steps, `unroll` in one turn."""
        if begin.literal and end.literal:
            count = max(1, (int(end.ref) - int(begin.ref)) // by)
            unroll = count if count <= UNROLLED else min(unroll, count)

        def turn(base: Value, state: State) -> State:
            for number in range(unroll):
                state = step(moved(base, number * by), state)
            return state

        middle = whole_steps(begin, end, by * unroll)
        state = self.builder.loop(begin, middle, by * unroll, state, turn)
        return self.builder.loop(middle, end, by, state, step) if unroll > 1 else state


class InTurn:
    """One number after the other."""

    by, lanes = 1, 0

    def __init__(
        self, fold: OrderedFold, axis: Axis, element: Callable[[], Value], unroll: int
    ) -> None:
        self.fold, self.axis, self.element, self.unroll = fold, axis, element, unroll
        self.start: State = [fold.neutral]

    def step(self, base: Value, state: State) -> State:
        with self.fold.nest.at(self.axis, base):
            return [self.fold.combine(state[0], self.element())]

    def finish(self, state: State, begin: Value, end: Value) -> Value:
        return state[0]


class Eights:
    """Eight scalar accumulators in turn, their neighbours added, then what is left over. (Four of
    complex numbers.)"""

    unroll, lanes = 1, 0

    def __init__(self, fold: OrderedFold, axis: Axis, element: Callable[[], Value]) -> None:
        self.fold, self.one, self.by = fold, InTurn(fold, axis, element, 1), fold.turn
        self.start: State = [fold.neutral] * fold.turn

    def step(self, base: Value, state: State) -> State:
        return [self.one.step(moved(base, n), [total])[0] for n, total in enumerate(state)]

    def finish(self, state: State, begin: Value, end: Value) -> Value:
        total = [tree(state, self.fold.combine)]
        if begin.literal and end.literal:
            for position in range(int(begin.ref), int(end.ref)):
                total = [*self.one.step(self.fold.builder.integer(position), total)]
            return total[0]
        return self.fold.builder.loop(begin, end, 1, total, self.one.step)[0]


class Vectors:
    """The same with accumulators that are the lanes of vectors."""

    def __init__(self, fold: OrderedFold, axis: Axis, body: Term, unroll: int) -> None:
        self.nest, self.combine, self.neutral = fold.nest, fold.combine, fold.neutral
        self.builder, self.axis, self.body, self.unroll = fold.builder, axis, body, unroll
        self.zero, self.parts, self.turn = fold.zero, fold.parts, fold.turn
        self.by, lanes = max(self.nest.width, fold.turn), min(self.nest.width, fold.turn)
        self.lanes = self.nest.width
        self.start: State = [self.zero.splat(lanes * self.parts)] * (fold.turn // lanes)

    def step(self, base: Value, state: State) -> State:
        width = self.nest.width
        for number in range(self.by // width):
            with self.nest.lanes(Lane(self.axis, moved(base, number * width), width)):
                state = self._added(state, self._elements(), number)
        return state

    def _elements(self) -> Value:
        return interleaved(self.nest.vector(self.body))

    def _added(self, state: State, value: Value, number: int) -> State:
        """The lanes of a vector go to the accumulators in turn."""
        if value.lanes < EIGHT:
            return [self.combine(s, value) if i == number else s for i, s in enumerate(state)]
        for chunk in eights_of(value):
            state = [self.combine(state[0], chunk)]
        return state

    def finish(self, state: State, begin: Value, end: Value) -> Value:
        if begin.ref == end.ref:
            return self._neighbours(state)
        if begin.literal and end.literal:
            return self._known_rest(state, int(begin.ref), int(end.ref))
        return self._rest(state, begin, end)

    def _known_rest(self, state: State, begin: int, end: int) -> Value:
        """What is left over, of known length."""
        builder, count, width = self.builder, end - begin, self.nest.width
        bounds = builder.integer(begin), builder.integer(end)
        with self.nest.lanes(self.nest.partial(self.axis, *bounds, -(-count // width) * width)):
            value = self._elements()
        whole = count // self.turn * self.turn
        if whole:
            state = self._added(state, value.shuffle(range(whole * self.parts)), 0)
        total = self._neighbours(state)
        for lane in range(whole, count):
            total = self.combine(total, self._lane(value, lane))
        return total

    def _lane(self, value: Value, number: int) -> Value:
        """One number of a vector."""
        return value.shuffle(range(number * self.parts, (number + 1) * self.parts))

    def _rest(self, state: State, begin: Value, end: Value) -> Value:
        """The same where the length is only known at run time. What there is not is neutral."""
        count = end - begin

        def masked() -> State:
            lane = self.nest.partial(self.axis, begin, end, self.by)
            assert lane.mask is not None
            with self.nest.lanes(lane):
                mask = doubled(lane.mask) if self.parts == 2 else lane.mask
                value = mask.select(self._elements(), self.zero)
            single, *chunks = eights_of(value)
            added = state
            for number, chunk in enumerate(chunks, 1):
                full = count.ge(self.turn * number)
                added = self._added(added, full.select(single, self.zero), 0)
                single = full.select(chunk, single)
            return [*added, single]

        nothing = self.zero.splat(EIGHT)
        *state, single = self.builder.when(count.gt(0), [*state, nothing], masked)
        total = self._neighbours(state)

        def one_by_one() -> State:
            joined = total
            for lane in range(self.turn - 1):
                joined = self.combine(joined, self._lane(single, lane))
            return [joined]

        return self.builder.when((count & (self.turn - 1)).ne(0), [total], one_by_one)[0]

    def _neighbours(self, state: State) -> Value:
        if all(value.literal for value in state):
            return self.neutral
        while len(state) > 1:
            pairs = zip(state[::2], state[1::2])
            state = [a.shuffle(range(2 * a.lanes), b) for a, b in pairs]
        (value,) = state
        while value.lanes > self.parts:
            numbers = range(0, value.lanes, self.parts)
            even, odd = (
                [n + part for n in numbers[first::2] for part in range(self.parts)]
                for first in (0, 1)
            )
            value = self.combine(value.shuffle(even), value.shuffle(odd))
        return value


class VectorsInTurn:
    """One number after the other, computed in vectors."""

    unroll = 1

    def __init__(self, fold: OrderedFold, axis: Axis, body: Term, _: int) -> None:
        self.fold, self.nest, self.axis, self.body = fold, fold.nest, axis, body
        self.by = self.lanes = fold.nest.width
        self.start: State = [fold.neutral]

    def step(self, base: Value, state: State) -> State:
        return self._stepped(Lane(self.axis, base, self.by), state[0])

    def _stepped(self, lane: Lane, total: Value) -> State:
        fold = self.fold
        with self.nest.lanes(lane):
            value = interleaved(self.nest.vector(self.body))
            if lane.mask is not None:
                mask = doubled(lane.mask) if fold.parts == 2 else lane.mask
                value = mask.select(value, fold.zero)
        for first in range(0, value.lanes, fold.parts):
            total = fold.combine(total, value.shuffle(range(first, first + fold.parts)))
        return [total]

    def finish(self, state: State, begin: Value, end: Value) -> Value:
        """What there is not is neutral."""

        def rest(base: Value, state: State) -> State:
            return self._stepped(self.nest.partial(self.axis, base, end, self.by), state[0])

        return remaining(begin, end, self.by, 1, state, rest)[0]


def eights_of(value: Value) -> list[Value]:
    """The lanes of a vector, eight at a time."""
    if value.lanes == EIGHT:
        return [value]
    return [value.shuffle(range(n, n + EIGHT)) for n in range(0, value.lanes, EIGHT)]
