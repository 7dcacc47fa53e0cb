"""Reductions: folds of an expression over axes of its own.

Where the enclosing lane axis is free in the body, every lane folds for itself in scalar loops.
Otherwise the innermost axis of the reduction is vectorised, with several accumulators.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...records import dataclass
from ..loops import Axis, Reduce
from .elements import I64
from .emit import Value
from .folding import (
    ACCUMULATORS,
    Combine,
    horizontal,
    outer_loops,
    scalar_loops,
    tree,
    turns,
    vector_loop,
    whole_steps,
)
from .nest import Nest
from .pairwise import PairwiseSum
from .scalars import apply, maximum, minimum
from .terms import Term

STRETCHES = 4


@dataclass(frozen=True, slots=True)
class Fold:
    """How one fold combines, and its neutral element for a dtype."""

    combine: Combine
    neutral: Callable[[np.dtype], float | int]
    associates: bool = True  # to the bit, in floating point as well


def _lowest(dtype: np.dtype) -> float | int:
    return -np.inf if dtype.kind == "f" else 0 if dtype.kind == "b" else int(np.iinfo(dtype).min)


def _highest(dtype: np.dtype) -> float | int:
    return np.inf if dtype.kind == "f" else 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)


def _extremum(op: str, of_floats: Combine) -> Combine:
    def combine(a: Value, b: Value) -> Value:
        return of_floats(a, b) if a.dtype.kind == "f" else apply(op, [a, b], a.dtype)

    return combine


def _zero(_: np.dtype) -> int:
    return 0


def _one(_: np.dtype) -> int:
    return 1


def _ones(dtype: np.dtype) -> int:
    return 1 if dtype.kind == "b" else -1


def _plus(a: Value, b: Value) -> Value:
    return a | b if a.dtype.kind == "b" else a + b


def _times(a: Value, b: Value) -> Value:
    return a & b if a.dtype.kind == "b" else a * b


FOLDS: Mapping[str, Fold] = {
    "add": Fold(_plus, _zero),
    "multiply": Fold(_times, _one, associates=False),
    "minimum": Fold(_extremum("minimum", minimum), _highest),
    "maximum": Fold(_extremum("maximum", maximum), _lowest),
    "logical_and": Fold(Value.__and__, _one),
    "logical_or": Fold(Value.__or__, _zero),
    "bitwise_and": Fold(Value.__and__, _ones),
    "bitwise_or": Fold(Value.__or__, _zero),
    "bitwise_xor": Fold(Value.__xor__, _zero),
}


def emit_reduce(nest: Nest, term: Term) -> Value:
    """The value of a reduction at the nest's position."""
    expr = term.expr
    assert isinstance(expr, Reduce)
    if expr.op in ("argmin", "argmax"):
        return emit_position(nest, term)
    (body,) = term.args
    fold = FOLDS[expr.op]
    neutral = nest.builder.constant(expr.dtype, fold.neutral(expr.dtype))
    if any(axis.extent == 0 for axis in expr.axes):
        return neutral  # nothing of the body may be loaded, not even ahead of the loop
    if nest.varies(term):
        assert nest.lane is not None
        return _per_lane(nest, expr, body, fold, neutral.splat(nest.lane.width))
    if nest.lane is not None:
        return _per_lane(nest, expr, body, fold, neutral)
    return _along_lanes(nest, expr, body, fold, neutral)


def _per_lane(nest: Nest, expr: Reduce, body: Term, fold: Fold, neutral: Value) -> Value:
    """Scalar loops over the reduced axes; every lane has its own accumulator."""
    lanes = neutral.lanes
    if expr.op == "add" and expr.dtype.kind == "f":
        return PairwiseSum(nest, expr.dtype, lanes).in_scalar_loops(expr.axes, body)

    def step(state: Sequence[Value]) -> list[Value]:
        return [fold.combine(state[0], nest.value(body).splat(lanes))]

    axis = expr.axes[-1]
    if not fold.associates or (isinstance(axis.extent, int) and axis.extent < STRETCHES**2):
        return scalar_loops(nest, expr.axes, body, [neutral], step)[0]

    def row(state: Sequence[Value]) -> list[Value]:
        return [_in_stretches(nest, axis, state[0], neutral, fold.combine, step)]

    widen = nest.lane.width if nest.lane else 0
    return outer_loops(nest, expr.axes[:-1], body, [neutral], row, widen)[0]


def _in_stretches(
    nest: Nest, axis: Axis, before: Value, neutral: Value, combine: Combine,
    step: Callable[[Sequence[Value]], list[Value]],
) -> Value:
    """Neighbouring stretches of one axis side by side, so that no step waits for the one before;
    they are joined in order, which gives the bits of a single loop."""
    builder, end = nest.builder, nest.size(axis.extent)
    zero = builder.integer(0)
    middle = whole_steps(zero, end, STRETCHES)
    length = builder.integer(int(middle.ref) // STRETCHES) if middle.literal else (
        middle.binary("sdiv", STRETCHES)
    )

    def side_by_side(base: Value, state: list[Value]) -> list[Value]:
        stepped = []
        for value in state:
            with nest.at(axis, base):
                stepped += step([value])
            base = base + length
        return stepped

    start = [before, *[neutral] * (STRETCHES - 1)]
    parts = builder.loop(zero, length, 1, start, side_by_side)
    return nest.axis_loop(axis, step, [tree(parts, combine)], (middle, end))[0]


def _along_lanes(nest: Nest, expr: Reduce, body: Term, fold: Fold, neutral: Value) -> Value:
    """The innermost reduced axis in vectors, the others in scalar loops."""
    if expr.op == "add" and expr.dtype.kind == "f":
        return PairwiseSum(nest, expr.dtype, nest.width).in_vector_loops(expr.axes, body)
    width = nest.width
    count = turns(expr.axes[-1].extent, width, ACCUMULATORS)
    start = [neutral.splat(width)] * count

    def step(state: Sequence[Value], number: int) -> Sequence[Value]:
        value = nest.vector(body)
        assert nest.lane is not None
        joined = fold.combine(state[number], value)
        if nest.lane.mask is not None:
            joined = nest.lane.mask.select(joined, state[number])
        return [*state[:number], joined, *state[number + 1 :]]

    def row(state: Sequence[Value]) -> list[Value]:
        return vector_loop(nest, expr.axes[-1], body, state, step, count)

    parts = outer_loops(nest, expr.axes[:-1], body, start, row)
    return horizontal(tree(parts, fold.combine), fold.combine)


def emit_position(nest: Nest, term: Term) -> Value:
    """argmin and argmax: the first of equals; the first NaN wins."""
    expr = term.expr
    assert isinstance(expr, Reduce)
    (body,), (axis,) = term.args, expr.axes
    dtype = body.expr.dtype
    worst = nest.builder.constant(dtype, (_lowest if expr.op == "argmax" else _highest)(dtype))
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


def _position_along_lanes(nest: Nest, op: str, axis: Axis, body: Term, worst: Value) -> Value:
    """Several vectors of candidates side by side, joined in the end."""
    count = turns(axis.extent, nest.width, ACCUMULATORS)
    zero = nest.builder.integer(0)
    start = [worst.splat(nest.width), zero.splat(nest.width)] * count
    iota = nest.builder.vector(I64, range(nest.width))

    def step(state: Sequence[Value], number: int) -> Sequence[Value]:
        assert nest.lane is not None
        at = slice(2 * number, 2 * number + 2)
        joined = _updated(op, state[at], nest.vector(body), iota + nest.lane.base, nest.lane.mask)
        return [*state[: at.start], *joined, *state[at.stop :]]

    nest.hoist([body], widen=nest.width)
    state = vector_loop(nest, axis, body, start, step, count)
    best, place = state[0], state[1]
    for other, its_place in zip(state[2::2], state[3::2]):
        best, place = _joined(op, best, place, other, its_place)
    while best.lanes > 1:
        half = best.lanes // 2
        low, high = range(half), range(half, 2 * half)
        best, place = _joined(
            op, best.shuffle(low), place.shuffle(low), best.shuffle(high), place.shuffle(high)
        )
    return place


def beats(op: str, new: Value, best: Value) -> Value:
    """Does a later element replace the best so far?"""
    if new.dtype.kind != "f":
        return new.gt(best) if op == "argmax" else new.lt(best)
    better = new.compare("ugt" if op == "argmax" else "ult", best)
    return better & best.compare("ord", best)


def _joined(op: str, a: Value, at_a: Value, b: Value, at_b: Value) -> tuple[Value, Value]:
    """The better of two candidates; of equals the one that comes first."""
    same = a.eq(b)
    if a.dtype.kind == "f":
        same = same | (a.is_nan() & b.is_nan())
    second = beats(op, b, a) | (same & at_b.lt(at_a))
    return second.select(b, a), second.select(at_b, at_a)
