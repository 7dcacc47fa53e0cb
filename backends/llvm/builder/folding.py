"""The loops of reductions, around a step that updates loop-carried state."""
from __future__ import annotations

from collections.abc import Callable, Sequence

from ....ir.sizes import Size
from ...loop_ir.loops import Axis
from .nest import Lane, Nest
from .terms import Term
from .values import Value

ACCUMULATORS = 4
EXTREMA = 8
"""Accumulators of minimum and maximum, whose steps take longer than an addition."""
UNROLLED = 8
Combine = Callable[[Value, Value], Value]
State = Sequence[Value]


def scalar_loops(
    nest: Nest,
    axes: Sequence[Axis],
    body: Term,
    state: Sequence[Value],
    step: Callable[[Sequence[Value]], Sequence[Value]],
) -> list[Value]:
    """Nested loops over `axes` around `step`, with what each level can hoist out of the body."""
    if not axes:
        return list(step(state))
    nest.hoist([body], widen=nest.lane.width if nest.lane else 0)
    axis, inner = axes[0], axes[1:]
    if isinstance(axis.extent, int) and not inner and axis.extent <= UNROLLED:
        values = list(state)
        for position in range(axis.extent):
            with nest.at(axis, nest.builder.integer(position)):
                values = list(step(values))
        return values
    return nest.axis_loop(axis, lambda s: scalar_loops(nest, inner, body, s, step), state)


def outer_loops(
    nest: Nest,
    axes: Sequence[Axis],
    body: Term,
    state: Sequence[Value],
    row: Callable[[Sequence[Value]], list[Value]],
    widen: int | None = None,
) -> list[Value]:
    """The reduced axes around the innermost one; `widen`: lanes to splat to inside."""
    widen = nest.width if widen is None else widen
    nest.hoist([body], widen=0 if axes and nest.lane is None else widen)
    if not axes:
        return row(state)
    inner = axes[1:]
    return nest.axis_loop(axes[0], lambda s: outer_loops(nest, inner, body, s, row, widen), state)


def vector_loop(
    nest: Nest,
    axis: Axis,
    state: Sequence[Value],
    step: Callable[[Sequence[Value], int], Sequence[Value]],
    unroll: int,
    bounds: tuple[Value, Value] | None = None,
) -> list[Value]:
    """`step(state, number)` for vectors of `axis`: `unroll` whole ones per turn, then single ones,
    the last of them partial."""
    builder, width = nest.builder, nest.width
    begin, end = bounds or (builder.integer(0), nest.size(axis.extent))
    middle = whole_steps(begin, end, width * unroll)

    def whole(base: Value, state: list[Value]) -> Sequence[Value]:
        current: Sequence[Value] = state
        for number in range(unroll):
            with nest.lanes(Lane(axis, moved(base, number * width), width)):
                current = step(current, number)
        return current

    def rest(base: Value, state: list[Value]) -> Sequence[Value]:
        with nest.lanes(nest.partial(axis, base, end, width)):
            return step(state, 0)

    state = builder.loop(begin, middle, width * unroll, state, whole)
    return remaining(middle, end, width, unroll, state, rest)


def whole_steps(begin: Value, end: Value, step: int) -> Value:
    """Where the last whole step of a range ends."""
    builder = begin.builder
    if begin.literal and end.literal:
        first, last = int(begin.ref), int(end.ref)
        return builder.integer(first + (last - first) // step * step)
    length = end - begin
    return begin + (length - length.binary("srem", step))


def remaining(
    begin: Value, end: Value, width: int, unroll: int, state: Sequence[Value],
    body: Callable[[Value, list[Value]], Sequence[Value]],
) -> list[Value]:
    """The vectors behind whole turns, the last one partial: where a turn is one vector there is one
    at most, and no loop for LLVM to look at."""
    if unroll > 1 or (begin.literal and end.literal):
        return begin.builder.loop(begin, end, width, state, body)
    return begin.builder.when(begin.lt(end), state, lambda: body(begin, list(state)))


def moved(base: Value, by: int) -> Value:
    if base.literal:
        return base.builder.integer(int(base.ref) + by)
    return base + by if by else base


def turns(extent: Size, width: int, most: int) -> int:
    """How many whole vectors one turn of a loop takes: no more than there are, a power of two."""
    if not isinstance(extent, int):
        return most
    while most > 1 and most * width > extent:
        most //= 2
    return most


def tree(values: Sequence[Value], combine: Combine) -> Value:
    """Neighbours first: the rounding errors grow with the logarithm of the count."""
    values = list(values)
    while len(values) > 1:
        pairs = zip(values[::2], values[1::2])
        values = [combine(a, b) for a, b in pairs] + values[len(values) & ~1 :]
    return values[0]


def horizontal(value: Value, combine: Combine) -> Value:
    """Fold the lanes of a vector."""
    while value.lanes > 1:
        half = value.lanes // 2
        value = combine(value.shuffle(range(half)), value.shuffle(range(half, 2 * half)))
    return value
