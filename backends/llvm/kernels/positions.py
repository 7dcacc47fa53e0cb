"""argmin and argmax: the first of equals; the first NaN wins.

Where the body is cheap and the axis long, blocks are only searched for their best value; then the
first block that has it is searched for the place. Of bools the best value is known.
"""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...costs import time_of
from ...loop_ir.loops import Axis, Reduce
from ..builder.elements import I32, I64
from ..builder.folding import (
    ACCUMULATORS,
    EXTREMA,
    Combine,
    horizontal,
    scalar_loops,
    tree,
    turns,
    vector_loop,
)
from ..builder.nest import Nest
from ..builder.terms import Term
from ..builder.values import Value
from .scalars import apply, maximum, minimum

CHEAP = 0.25  # nanoseconds
BLOCK = 64  # vectors
FEW = 4  # vectors
SHORT = 1024
"""Elements up to which one pass with the places is faster than a second look."""
NOWHERE = 2**63 - 1


def lowest(dtype: np.dtype) -> float | int:
    return -np.inf if dtype.kind == "f" else 0 if dtype.kind == "b" else int(np.iinfo(dtype).min)


def highest(dtype: np.dtype) -> float | int:
    return np.inf if dtype.kind == "f" else 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)


def extremum(op: str, of_floats: Combine) -> Combine:
    def combine(a: Value, b: Value) -> Value:
        return of_floats(a, b) if a.dtype.kind == "f" else apply(op, [a, b], a.dtype)

    return combine


LEAST, GREATEST = extremum("minimum", minimum), extremum("maximum", maximum)


def emit_position(nest: Nest, term: Term) -> Value:
    """The place of the best element."""
    expr = term.expr
    assert isinstance(expr, Reduce)
    (body,), (axis,) = term.args, expr.axes
    dtype = body.expr.dtype
    worst = nest.builder.constant(dtype, (lowest if expr.op == "argmax" else highest)(dtype))
    if nest.lane is None and dtype.kind == "b":
        return _place_of_bool(nest, axis, body, ~worst)
    long = not isinstance(axis.extent, int) or axis.extent > SHORT
    if nest.lane is None and long and time_of((body.expr,)) <= CHEAP:
        return _place_of_best(nest, expr.op, axis, body, worst)
    if nest.lane is None:
        return _position_along_lanes(nest, expr.op, axis, body, worst)
    lanes = nest.lane.width if nest.varies(term) else 1
    start = [worst.splat(lanes), nest.builder.integer(0).splat(lanes)]

    def step(state: Sequence[Value]) -> Sequence[Value]:
        value, place = nest.value(body).splat(lanes), nest.bound[axis].splat(lanes)
        return _updated(expr.op, state, value, place, None)

    return scalar_loops(nest, expr.axes, body, start, step)[1]


def _updated(
    op: str, state: Sequence[Value], value: Value, place: Value, mask: Value | None
) -> list[Value]:
    """The best value so far and its place, after one more."""
    better = beats(op, value, state[0])
    if mask is not None:
        better = better & mask
    return [better.select(value, state[0]), better.select(place, state[1])]


def _place_of_best(nest: Nest, op: str, axis: Axis, body: Term, worst: Value) -> Value:
    """First the best value of each lane and the first block that has it, then the place."""
    builder, width = nest.builder, nest.width
    block, combine = BLOCK * width, GREATEST if op == "argmax" else LEAST
    extent, zero = nest.size(axis.extent), builder.integer(0)
    nest.hoist([body], widen=width)

    def one(base: Value, state: Sequence[Value]) -> Sequence[Value]:
        best = _best_of(nest, axis, body, (base, base_end(base)), combine, worst)
        better = beats(op, best, state[0])
        return [better.select(best, state[0]), better.select(base.splat(width), state[1])]

    def base_end(base: Value) -> Value:
        one_block = extent.literal and int(extent.ref) <= block
        return extent if one_block else (base + block).call("smin", extent)

    start = [worst.splat(width), zero.splat(width)]
    values, blocks = builder.loop(zero, extent, block, start, one)
    best = horizontal(values, combine)
    first = _is(values, best.splat(width)).select(blocks, builder.constant(I64, NOWHERE))
    begin = horizontal(first, _sooner)
    return _first_place(nest, axis, body, (begin, base_end(begin)), best)


def _place_of_bool(nest: Nest, axis: Axis, body: Term, best: Value) -> Value:
    """Blocks are looked at until one has the value; 0 where none has."""
    builder, extent = nest.builder, nest.size(axis.extent)
    nowhere, block = builder.integer(NOWHERE), FEW * nest.width
    nest.hoist([body], widen=nest.width)

    def one(base: Value) -> Sequence[Value]:
        bounds = base, (base + block).call("smin", extent)
        return [_first_place(nest, axis, body, bounds, best)]

    def unless_found(base: Value, state: Sequence[Value]) -> Sequence[Value]:
        return builder.when(state[0].eq(nowhere), state, lambda: one(base))

    (place,) = builder.loop(builder.integer(0), extent, block, [nowhere], unless_found)
    return place.eq(nowhere).select(builder.integer(0), place)


def _best_of(
    nest: Nest, axis: Axis, body: Term, bounds: tuple[Value, Value], combine: Combine, worst: Value
) -> Value:
    """The best value of each lane in a part of the axis."""
    count = turns(axis.extent, nest.width, EXTREMA)

    def step(state: Sequence[Value], number: int) -> Sequence[Value]:
        assert nest.lane is not None
        joined = combine(state[number], nest.vector(body))
        if nest.lane.mask is not None:
            joined = nest.lane.mask.select(joined, state[number])
        return [*state[:number], joined, *state[number + 1 :]]

    start = [worst.splat(nest.width)] * count
    return tree(vector_loop(nest, axis, start, step, count, bounds), combine)


def _first_place(
    nest: Nest, axis: Axis, body: Term, bounds: tuple[Value, Value], best: Value
) -> Value:
    """Where a value is for the first time in a part of the axis."""
    wanted, nowhere = best.splat(nest.width), nest.builder.constant(I64, NOWHERE)

    def step(state: Sequence[Value], _: int) -> Sequence[Value]:
        assert nest.lane is not None
        found = _is(nest.vector(body), wanted)
        if nest.lane.mask is not None:
            found = found & nest.lane.mask
        place = nest.lane.base + found.first_lane()
        return [state[0].call("smin", found.any().select(place, nowhere))]

    count = turns(axis.extent, nest.width, ACCUMULATORS)
    return vector_loop(nest, axis, [nowhere], step, count, bounds)[0]


def _is(a: Value, b: Value) -> Value:
    """Whether two values are equal, or both NaN."""
    same = a.eq(b)
    return same | (a.is_nan() & b.is_nan()) if a.dtype.kind == "f" else same


def _position_along_lanes(nest: Nest, op: str, axis: Axis, body: Term, worst: Value) -> Value:
    """Several vectors of candidates side by side, joined in the end."""
    count = turns(axis.extent, nest.width, ACCUMULATORS)
    kind = I32 if isinstance(axis.extent, int) and axis.extent < 2**31 else I64
    zero, nowhere = nest.builder.constant(kind, 0), nest.builder.constant(kind, np.iinfo(kind).max)
    start = [worst.splat(nest.width), zero.splat(nest.width)] * count
    iota = nest.builder.vector(kind, range(nest.width))

    def step(state: Sequence[Value], number: int) -> Sequence[Value]:
        assert nest.lane is not None
        at = slice(2 * number, 2 * number + 2)
        base = nest.lane.base if kind == I64 else nest.lane.base.cast("trunc", I32)
        joined = _updated(op, state[at], nest.vector(body), iota + base, nest.lane.mask)
        return [*state[: at.start], *joined, *state[at.stop :]]

    nest.hoist([body], widen=nest.width)
    state = vector_loop(nest, axis, start, step, count)
    combine = GREATEST if op == "argmax" else LEAST
    best = horizontal(tree(state[::2], combine), combine).splat(nest.width)
    places = [_is(value, best).select(at, nowhere) for value, at in zip(state[::2], state[1::2])]
    place = horizontal(tree(places, _sooner), _sooner)
    return place if kind == I64 else place.cast("sext", I64)


def _sooner(a: Value, b: Value) -> Value:
    return a.call("smin", b)


def beats(op: str, new: Value, best: Value) -> Value:
    """Does a later element replace the best so far?"""
    if new.dtype.kind != "f":
        return new.gt(best) if op == "argmax" else new.lt(best)
    better = new.compare("ugt" if op == "argmax" else "ult", best)
    return better & best.compare("ord", best)
