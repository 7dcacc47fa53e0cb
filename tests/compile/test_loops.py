"""Loops past the budget are compiled once, and recursion is; what they do stays the same."""
import sys
import threading

import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import same

X = np.arange(1.0, 13.0).reshape(3, 4)


def counted(x):
    n = 0
    while n < 900:
        x = x * 1.001
        n += 1
    return x, n


def left_by_break(x, n=800):
    y = x + 1
    while True:
        x = x * 0.999 + y
        n -= 1
        if n < 5:
            break
    return x * 2


def nested(x):
    sums, i = [], 0
    while i < 30:
        j = 0
        while j < 30:
            x = x * 0.999 + i
            j += 1
        sums.append(x.sum())
        i += 1
    return sums


def left_by_exception(x):
    n = 0
    try:
        while n < 900:
            x = x + 1
            n += 1
            if n == 700:
                raise ValueError(n)
    except ValueError as error:
        return x, str(error)


def with_else(x):
    n = 0
    while n < 700:
        n += 1
        if n % 2:
            continue
        x = x + n
    else:
        x = x * 2
    return x


def over_a_generator(x):
    def steps():
        n = 0
        while n < 2000:
            n += 1
        yield n

    for step in steps():
        x = x + step
    return x


def test_long_loops_of_generators():
    with dl.config.patch(unroll_budget=50, strict=True):
        compiled = dl.compile(over_a_generator, backend="eager")
        for _ in range(2):
            assert same(compiled(X), over_a_generator(X))


@pytest.mark.parametrize("loop", [counted, left_by_break, nested, left_by_exception, with_else])
def test_long_while_loops(loop):
    with dl.config.patch(unroll_budget=100, leave_short_loops=False, strict=True):
        compiled = dl.compile(loop, backend="eager")
        for _ in range(2):
            assert same(compiled(X), loop(X))
    found = dl.stats()
    assert 1 <= found.graphs <= 8 and found.coverage == 1.0


def down(n, x):
    return x if n == 0 else down(n - 1, x) + 1


def even(n, x):
    return x if n == 0 else odd(n - 1, x * 0.5)


def odd(n, x):
    return x + 1 if n == 0 else even(n - 1, x + 3)


@pytest.mark.parametrize("function", [down, even])
def test_deep_recursion_compiles_a_frame_once(function):
    with dl.config.patch(strict=True):
        compiled = dl.compile(function, backend="eager")
        for n in 150, 200, 201, 3:
            assert same(compiled(n, X), function(n, X))
    assert dl.stats().graphs <= 9


class Late:
    """Its attribute is an object that no trace looks into."""

    def __init__(self):
        self.local = threading.local()
        self.local.upper = str.upper


def left_early(names, late, x):
    found = []
    for name in names:
        upper = late.local.upper(name)
        if upper in ("A",):
            continue
        full = name if len(names) > 5 else name + name
        if full in ("q",):
            found.extend(left_early(names, late, x))
        elif upper in ("B",):
            found.append(full)
    return found, x + 1


def test_rounds_with_calls_of_unknown_methods():
    compiled, late = dl.compile(left_early), Late()
    for n in (1, 2, 3):
        names = ["a", "b", "c"] * n
        found, x = compiled(names, late, np.ones(2))
        assert (found, list(x)) == (left_early(names, late, 0)[0], [2.0, 2.0])


def deeper(n, x):
    y = x + 1
    dl.graph_break()
    return y if n == 0 else deeper(n - 1, y) + 1


def room():
    """How many more calls the recursion limit allows here."""
    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return sys.getrecursionlimit() - depth


def test_recursion_behind_a_break_is_as_deep():
    compiled, n = dl.compile(deeper), room() - 30
    for _ in range(2):
        assert list(compiled(n, np.zeros(2))) == list(deeper(n, np.zeros(2)))


def _rows_at(idx, values):
    found = np.zeros((20, 9))
    for n in range(len(idx)):
        found[n][idx[n]] = values[n]
    return found


def _rows_added(idx, values):
    found = np.zeros((20, 9))
    for n in range(len(idx)):
        found[n, idx[n]] += values[n]
    return found


def _overwritten_by_later_ones(idx, values):
    for n in range(len(idx)):
        values[idx[n]] = n
    return values


@pytest.mark.parametrize("function", [_rows_at, _rows_added, _overwritten_by_later_ones])
@pytest.mark.parametrize("options", [{"dynamic": True}, {"options": {"unroll_budget": 10}}])
def test_rows_of_positions_are_assigned_in_their_order(function, options):
    idx = np.array([[0, 1, 1], [3, 3, 3], [8, 0, 0], [2, 2, 4]] * 5)
    compiled = dl.compile(function, **options)
    for columns in (3, 2, 3):
        ours, theirs = np.arange(20.0), np.arange(20.0)
        given = idx[:, :columns]
        assert same(compiled(given, ours), function(given, theirs)) and same(ours, theirs)
