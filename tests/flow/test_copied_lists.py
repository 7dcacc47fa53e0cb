"""Copies of long lists of the caller's, which loops change."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check


def sorted_by_swaps(values):
    a = list(values)
    for i in range(len(a)):
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a, values


def copied_behind_a_change(values):
    values[3] = values[0]
    a = list(values)
    for i in range(1, len(a)):
        a[i] = a[i - 1] + a[i]
    return a, values


def changed_behind_the_copy(values):
    a = list(values)
    values[0] = values[1]
    for i in range(1, len(a)):
        a[i] = a[i - 1] + a[i]
    return a, values


def changed_before_the_loop(values):
    a = list(values)
    a[1] = a[2]
    for i in range(1, len(a)):
        a[i] = a[i - 1] + a[i]
    return a


def appended_to(values):
    a = list(values)
    for i in range(len(values)):
        if a[i] > 0:
            a.append(a[i])
    return a


PROGRAMS = [
    sorted_by_swaps, copied_behind_a_change, changed_behind_the_copy, changed_before_the_loop,
    appended_to,
]
RANDOM = np.random.default_rng(0)
LISTS = {
    "floats": RANDOM.normal(size=100).tolist(),
    "ints": RANDOM.integers(-50, 50, 100).tolist(),
    "long ints": [2**62 + k for k in range(100)],
    "ints beyond 64 bits": [2**64 - k for k in range(100)],
    "of two types": [1.5, 2] * 50,
    "NaN and zeros": [float("nan"), 0.0, -0.0, float("inf")] * 25,
}


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_equals_python(program, kind, backend):
    check(dl.compile(program, backend=backend), program, LISTS[kind])


@pytest.mark.parametrize("program", [sorted_by_swaps, appended_to])
def test_of_one_type_in_one_graph(program):
    """Other numbers need no other code."""
    compiled = dl.compile(program, fullgraph=True)
    for _ in range(3):
        values = RANDOM.normal(size=100).tolist()
        expected, shown = program(list(values)), repr(values)
        assert repr(compiled(values)) == repr(expected) and repr(values) == shown
    assert dl.stats().graphs == 1


def test_a_tuple():
    values = tuple(LISTS["floats"])
    assert dl.compile(sorted_by_swaps, fullgraph=True)(values) == sorted_by_swaps(values)
