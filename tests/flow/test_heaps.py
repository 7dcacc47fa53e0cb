"""Heaps of numbers and tuples that loops of the graph push and pop, and tuples compared as data."""
import heapq

import numpy as np
import pytest
from dynamo_lite.backends.loop_ir.program import Allocate, all_steps
from dynamo_lite.backends.lowering.lower import lower

import dynamo_lite as dl
from benchmarks.part_programs import dijkstra
from dynamo_lite.ir.passes import optimize

from ..oracle import check

X = np.round(np.sin(np.arange(60.0) * 5) * 64) / 64
STARTS = np.arange(0, 201, 5)
ENDS = np.arange(200) * 7 % 40
LENGTHS = np.arange(200) * 13 % 17 / 4.0


def sorted_by_a_heap(x):
    heap, out = [], []
    for v in x:
        heapq.heappush(heap, v)
    while heap:
        out.append(heapq.heappop(heap))
    return out


def events(x):
    heap = []
    for i, v in enumerate(x):
        heapq.heappush(heap, (float(v), i))
    total = 0.0
    while heap:
        time, i = heapq.heappop(heap)
        total = total * 0.5 + time * i
        if time > 0.75:
            heapq.heappush(heap, (time - 1, i + 1))
    return total


def shortest_paths(x):
    """The first item is of Python's numbers, those that follow of NumPy's."""
    return dijkstra(STARTS, ENDS, LENGTHS)


def largest(x):
    heap, low = [], 0.0
    for v in x:
        heapq.heappush(heap, v)
        if len(heap) > 5:
            low += heapq.heappop(heap)
    return low, heap


def lexicographic(x):
    below = same = 0
    for i in range(len(x) - 1):
        if (x[i], i % 3) < (x[i + 1], 1):
            below += 1
        if (i % 2, x[i] > 0) == (1, True):
            same += 1
        if (x[i], 2) != (x[i], i):
            same -= 1
    return below, same, (x[0], 1) <= (x[0], 1), (x[0], 1) < (x[0], 1, 0)


def a_result(x):
    last = False
    for v in x:
        last = (v, 1) > (0.25, 0)
    return last


PROGRAMS = (sorted_by_a_heap, events, shortest_paths, largest, lexicographic, a_result)


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_heaps_are_those_of_python(program, backend):
    check(dl.compile(program, backend=backend, fullgraph=True), program, X, calls=2)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_numbers_that_are_none(program):
    """What is no number is found in a tuple by its identity."""
    nan = float("nan")
    check(dl.compile(program), program, [nan, 1.0, nan, 0.5] * 15)
    check(dl.compile(program), program, np.where(X > 0.5, np.nan, X))


def test_memory_of_heaps_is_not_copied():
    """An element that is read before it changes is, and not all of the list's room."""
    rooms = []

    def backend(graph, args):
        steps = all_steps(lower(optimize(graph), blas=True).steps)
        rooms.extend(step for step in steps if isinstance(step, Allocate) and step.type.ndim)
        return graph

    dl.compile(sorted_by_a_heap, backend=backend)(X)
    assert len(rooms) == 3  # of both lists, and of the one that is returned
