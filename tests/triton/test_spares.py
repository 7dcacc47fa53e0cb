"""Small arrays of a plan are given out again, but only if nobody can tell."""
from __future__ import annotations

import weakref

import numpy as np
import pytest

cp = pytest.importorskip("cupy")
from dynamo_lite.backends.lowering.lower import lower  # noqa: E402
from dynamo_lite.backends.triton.plans.spares import MOST_BYTES, spare_allocations  # noqa: E402

from dynamo_lite.native import SpareArrays  # noqa: E402
from tests.backends.graphs import trace  # noqa: E402
from tests.triton.cupy_on_host import on_host  # noqa: E402


class Allocations:
    """Counts them; `allocator` is the one that is current."""

    def __init__(self):
        self.made = 0
        self.allocator = object()
        self.spares = SpareArrays(self.make, lambda: self.allocator)

    def make(self):
        self.made += 1
        return on_host(np.ones((4, 6))), on_host(np.ones(5, "i4"))


@pytest.fixture
def allocations():
    return Allocations()


def test_arrays_come_with_their_addresses(allocations):
    x, y, at_x, at_y = allocations.spares(7)
    assert (x.data.ptr, y.data.ptr) == (at_x, at_y) and (x.shape, y.shape) == ((4, 6), (5,))


def test_what_nobody_has_is_given_out_again(allocations):
    for _ in range(5):
        x, y, *_ = allocations.spares(7)
        del x, y
    assert allocations.made == 1


@pytest.mark.parametrize("part", [
    lambda x: x, lambda x: x.T, lambda x: x.data, lambda x: x.data.mem, lambda x: x.data + 8,
    weakref.ref,
], ids=["array", "view", "pointer", "memory", "other pointer", "weak reference"])  # fmt: skip
def test_what_somebody_has_is_not(allocations, part):
    kept = part(allocations.spares(7)[0])
    allocations.spares(7)
    assert allocations.made == 2
    del kept
    first, second = allocations.spares(7), allocations.spares(7)
    assert allocations.made == 2 and first[2] != second[2]


def test_shapes_that_were_set_are_not_handed_on(allocations):
    allocations.spares(7)[0].shape = 24
    assert allocations.spares(7)[0].shape == (4, 6)


def test_memory_stays_with_its_stream_and_allocator(allocations):
    first = allocations.spares(7)[2]
    assert allocations.spares(8)[2] != first
    allocations.allocator = object()
    assert allocations.spares(7)[2] != first and allocations.made == 3


def test_results_that_are_kept_for_long(allocations):
    kept = [allocations.spares(7) for _ in range(100)]
    assert allocations.made == 100 == len({found[2] for found in kept})
    del kept
    assert allocations.made == 100
    places = {allocations.spares(7)[2] for _ in range(100)}
    assert allocations.made <= 117 and len(places) <= 18


def test_failures_pass_through(allocations):
    def fail():
        raise MemoryError("told to fail")

    with pytest.raises(MemoryError, match="told to fail"):
        SpareArrays(fail, lambda: None)(7)
    with pytest.raises(ZeroDivisionError):
        SpareArrays(allocations.make, lambda: 1 / 0)(7)
    with pytest.raises(TypeError):
        SpareArrays(list, lambda: None)(7)


@pytest.mark.parametrize("size", [3, MOST_BYTES // 8, MOST_BYTES // 8 + 1])
def test_only_small_arrays_are_kept(size):
    found = spare_allocations(lower(trace(lambda x: x * 2, np.ones(size))), frozenset())
    assert len(found) == (size * 8 <= MOST_BYTES)
