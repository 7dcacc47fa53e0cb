"""Least and greatest elements that are zero, among zeros of both signs.

These are equal, and which one NumPy keeps depends on how many elements there are, how they lie in
memory and what registers its loops use on this processor. So where a fold gives zero it is looked
whether there is one of the other sign, and the call bails out then: NumPy decides.
"""
from __future__ import annotations

from collections.abc import Sequence

from ...loop_ir.loops import Axis, Reduce
from ..builder.elements import BOOL
from ..builder.folding import ACCUMULATORS, outer_loops, tree, turns, vector_loop
from ..builder.nest import Nest
from ..builder.terms import Term
from ..builder.values import Value

State = Sequence[Value]


def bail_out_for_both(nest: Nest, fold: Reduce, body: Term, found: Value) -> None:
    """Where what is `found` is zero, the call bails out for zeros of both signs."""

    def look() -> State:
        others = (-found).bits()
        with nest.scope():
            if nest.lane is None:
                is_there = along_lanes(nest, fold, body, others)
            else:
                is_there = per_lane(nest, fold, body, others) & found.eq(0.0)
        nest.builder.bail_out_where(is_there)
        return ()

    nest.builder.when(found.eq(0.0).any(), (), look, is_rare=True)


def along_lanes(nest: Nest, fold: Reduce, body: Term, wanted: Value) -> Value:
    """In which lanes there is an element of the wanted bits."""
    wanted, axis = wanted.splat(nest.width), fold.axes[-1]
    count = turns(axis.extent, nest.width, ACCUMULATORS)

    def step(state: State, number: int) -> State:
        assert nest.lane is not None
        is_there = nest.vector(body).bits().eq(wanted)
        if nest.lane.mask is not None:
            is_there = is_there & nest.lane.mask
        return [*state[:number], state[number] | is_there, *state[number + 1 :]]

    def row(state: State) -> list[Value]:
        return vector_loop(nest, axis, state, step, count)

    start = [nest.builder.constant(BOOL, 0).splat(nest.width)] * count
    return tree(outer_loops(nest, fold.axes[:-1], body, start, row), Value.__or__)


def per_lane(nest: Nest, fold: Reduce, body: Term, wanted: Value) -> Value:
    """The same where every lane has a fold of its own. It is rare: its loops are not unrolled."""

    def over(axes: Sequence[Axis], state: State) -> State:
        if not axes:
            return [state[0] | nest.value(body).splat(wanted.lanes).bits().eq(wanted)]
        return nest.axis_loop(axes[0], lambda inner: over(axes[1:], inner), state)

    return over(fold.axes, [nest.builder.constant(BOOL, 0).splat(wanted.lanes)])[0]
