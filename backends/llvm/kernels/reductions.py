"""Reductions: folds of an expression over axes of its own.

Where the enclosing lane axis is free in the body, every lane folds for itself in scalar loops.
Otherwise the innermost axis of the reduction is vectorised, with several accumulators.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ....base.records import dataclass
from ...loop_ir.loops import Axis, Reduce
from ...loop_ir.zeros import is_extremum, may_be_negative
from ..builder.elements import PARTS
from ..builder.folding import (
    ACCUMULATORS,
    EXTREMA,
    Combine,
    horizontal,
    outer_loops,
    scalar_loops,
    tree,
    turns,
    vector_loop,
    whole_steps,
)
from ..builder.nest import Nest
from ..builder.pairs import Element, separated
from ..builder.terms import Term
from ..builder.values import Value
from .ordered import OrderedFold
from .positions import GREATEST, LEAST, emit_position, highest, lowest
from .signed_zeros import bail_out_for_both

STRETCHES = 4


@dataclass(frozen=True, slots=True)
class Fold:
    """How one fold combines, and its neutral element for a dtype."""

    combine: Combine
    neutral: Callable[[np.dtype], float | int]
    associates: bool = True  # to the bit, in floating point as well; else the order is NumPy's


def _zero(dtype: np.dtype) -> float | int:
    return -0.0 if dtype.kind == "f" else 0  # -0.0 + x is x, also for -0.0


def _one(_: np.dtype) -> int:
    return 1


def _ones(dtype: np.dtype) -> int:
    return 1 if dtype.kind == "b" else -1


def _plus(a: Value, b: Value) -> Value:
    return a | b if a.dtype.kind == "b" else a + b


def _times(a: Value, b: Value) -> Value:
    return a & b if a.dtype.kind == "b" else a * b


FOLDS: Mapping[str, Fold] = {
    "add": Fold(_plus, _zero, associates=False),
    "multiply": Fold(_times, _one, associates=False),
    "minimum": Fold(LEAST, highest),
    "maximum": Fold(GREATEST, lowest),
    "logical_and": Fold(Value.__and__, _one),
    "logical_or": Fold(Value.__or__, _zero),
    "bitwise_and": Fold(Value.__and__, _ones),
    "bitwise_or": Fold(Value.__or__, _zero),
    "bitwise_xor": Fold(Value.__xor__, _zero),
}


def emit_reduce(nest: Nest, term: Term) -> Element:
    """The value of a reduction at the nest's position."""
    expr = term.expr
    assert isinstance(expr, Reduce)
    if expr.op in ("argmin", "argmax"):
        return emit_position(nest, term)
    body, fold = term.args[0], FOLDS[expr.op]
    part = PARTS.get(expr.dtype, expr.dtype)
    neutral = nest.builder.constant(part, fold.neutral(part))
    if _is_empty(expr) and part == expr.dtype:
        return _of_nothing(neutral, expr.op)
    if part.kind == "f" and not fold.associates:
        folded = _in_order(nest, term, fold, neutral)
        folded = folded + 0.0 if expr.op == "add" else folded
        return folded if part == expr.dtype else separated(folded)
    if nest.lane is None:
        found = _along_lanes(nest, expr, body, fold, neutral)
    else:
        lanes = nest.lane.width if nest.varies(term) else 1
        found = _per_lane(nest, expr, body, fold, neutral.splat(lanes))
    if is_extremum(expr) and may_be_negative(expr.body):
        bail_out_for_both(nest, expr, body, found)
    return found


def _is_empty(expr: Reduce) -> bool:
    """Nothing of the body may be loaded then, not even ahead of the loop."""
    return any(axis.extent == 0 for axis in expr.axes)


def _of_nothing(neutral: Value, op: str) -> Value:
    """A literal, so that operations on it and other literals are not folded with their flags."""
    is_sum = op == "add" and neutral.dtype.kind == "f"
    return neutral.builder.constant(neutral.dtype, 0.0) if is_sum else neutral


def _in_order(nest: Nest, term: Term, fold: Fold, neutral: Value) -> Value:
    """A sum or product of floating-point numbers, or a part of one."""
    expr, (body, *part) = term.expr, term.args
    assert isinstance(expr, Reduce)
    parts = 2 if expr.dtype in PARTS else 1
    if _is_empty(expr):
        return neutral.splat(parts)
    lanes = nest.lane.width if nest.lane is not None and nest.varies(term) else 1
    ordered = OrderedFold(nest, fold.combine, neutral, lanes, expr.row != 0, parts)
    return ordered.of(expr.axes, body, nest.value(part[0]) if part else None)


def _per_lane(nest: Nest, expr: Reduce, body: Term, fold: Fold, neutral: Value) -> Value:
    """Scalar loops over the reduced axes; every lane has its own accumulator."""
    lanes = neutral.lanes

    def step(state: Sequence[Value]) -> list[Value]:
        return [fold.combine(state[0], nest.value(body).splat(lanes))]

    axis = expr.axes[-1]
    if isinstance(axis.extent, int) and axis.extent < STRETCHES**2:
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
    width = nest.width
    most = EXTREMA if expr.op in ("minimum", "maximum") else ACCUMULATORS
    count = turns(expr.axes[-1].extent, width, most)
    start = [neutral.splat(width)] * count

    def step(state: Sequence[Value], number: int) -> Sequence[Value]:
        value = nest.vector(body)
        assert nest.lane is not None
        joined = fold.combine(state[number], value)
        if nest.lane.mask is not None:
            joined = nest.lane.mask.select(joined, state[number])
        return [*state[:number], joined, *state[number + 1 :]]

    def row(state: Sequence[Value]) -> list[Value]:
        return vector_loop(nest, expr.axes[-1], state, step, count)

    parts = outer_loops(nest, expr.axes[:-1], body, start, row)
    return horizontal(tree(parts, fold.combine), fold.combine)
