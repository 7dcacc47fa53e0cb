"""Slices of symbolic sizes: one form for all the sizes that were seen, equal to Python's."""
from __future__ import annotations

from dynamo_lite.guards.shapes.dynamic import DynamicPolicy, SizeHistory
from dynamo_lite.guards.shapes.relations import COMPARE
from dynamo_lite.guards.shapes.shape_env import ShapeEnv
from dynamo_lite.guards.sources import LocalSource
from hypothesis import given
from hypothesis import strategies as st

from dynamo_lite.ir.rules.indexing import slice_bounds
from dynamo_lite.ir.sizes import evaluate

BOUNDS = st.none() | st.integers(-4, 6)


def traced(seen):
    """The environment of the last of several calls with these sizes."""
    history = SizeHistory()
    for size in seen:
        shapes = ShapeEnv(DynamicPolicy(None, history))
        found = shapes.size(LocalSource(0, "x"), "size", 0, size)
    return shapes, found


@given(st.lists(st.integers(0, 9), min_size=2, max_size=4), BOUNDS, BOUNDS,
       st.sampled_from([None, 1, 2, 3, -1, -2]), st.integers(0, 12))
def test_slices_are_those_of_python(seen, start, stop, step, size):
    shapes, symbolic = traced(seen)
    key = slice(start, stop, step)
    begin, stride, length = slice_bounds(key, symbolic, shapes)
    names = {"s0": size}
    if all(COMPARE[r.op](evaluate(r.left, names), evaluate(r.right, names))
           for r in shapes.relations) or not shapes.infos:
        size = size if shapes.infos else seen[-1]
        expected = range(*key.indices(size))
        assert evaluate(length, names) == len(expected)
        if len(expected):
            assert evaluate(begin, names) == expected[0]
        if len(expected) > 1:
            assert stride == expected[1] - expected[0]


@given(st.integers(0, 3), st.integers(0, 3))
def test_equal_lengths_look_equal(left, right):
    """Whichever way a stencil says it: `x[a:n - b]` and `x[a + b:]` are as long."""
    shapes, size = traced([0, 1])
    lengths = {
        slice_bounds(key, size, shapes)[2]
        for key in (slice(left, -right or None), slice(left + right, None),
                    slice(None, -(left + right) or None))
    }
    assert len(lengths) == 1 and not shapes.relations
