"""What loops count in arrays and variables of their own cannot become too large, and is not
checked; what may become too large still is."""
import warnings

import numpy as np
import pytest
from dynamo_lite.backends.loop_ir.loops import Check
from dynamo_lite.backends.loop_ir.overflow import guarded_operation
from dynamo_lite.backends.loop_ir.program import Launch, all_steps
from dynamo_lite.backends.lowering.lower import lower

import dynamo_lite as dl
from dynamo_lite.ir.passes import optimize
from tests.graphs import graph_of
from tests.oracle import check


def counted(x, n):
    counts = np.zeros(n, dtype=np.int64)
    for i in range(len(x)):
        counts[x[i] % n] += 1
    return counts


def distances(x, n):
    table = np.zeros((len(x) + 1, n + 1), dtype=np.int64)
    for i in range(len(x) + 1):
        table[i, 0] = i
    for j in range(n + 1):
        table[0, j] = j
    for i in range(1, len(x) + 1):
        for j in range(1, n + 1):
            differs = 0 if x[i - 1] == j else 1
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1,
                              table[i - 1, j - 1] + differs)
    return table


def lists_of_followers(x, n):
    first, following = np.full(n, -1), np.full(len(x), -1)
    for i in range(len(x)):
        k = x[i] % n
        following[i] = first[k]
        first[k] = i
    length = np.zeros(n, dtype=np.int64)
    for k in range(n):
        i = first[k]
        while i >= 0:
            length[k] += 1
            i = following[i]
    return first, following, length


def roots(x, n):
    parent, size = np.arange(n), np.ones(n, dtype=np.int64)
    for i in range(len(x)):
        a, b = x[i] % n, i % n
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        if a != b:
            parent[b] = a
            size[a] += 1
    return parent, size


def doubled(x, n):
    sums = np.ones(n, dtype=np.int64)
    for i in range(1, n):
        sums[i] = sums[i - 1] + sums[i - 1]
    return sums


def doubled_in_turns(x, n):
    a, b = np.ones(n, dtype=np.int64), np.ones(n, dtype=np.int64)
    for i in range(1, n):
        a[i] = b[i - 1] + 1
        b[i] = a[i] + b[i - 1]
    return a, b


def large_steps(x, n):
    total = np.zeros(1, dtype=np.int64)
    for _ in range(n):
        total[0] += 2**59
    return total


def of_large_numbers(x, n):
    total = np.full(2, np.iinfo(np.int64).max - 30)
    for _ in range(n):
        total[1] += 1
    return total


def small_integers(x, n):
    counts = np.zeros(2, dtype=np.int8)
    for _ in range(3 * n):
        counts[1] += np.int8(1)
    return counts


def subtracted(x, n):
    left = np.zeros(2, dtype=np.uint32)
    for i in range(n):
        left[i % 2] -= np.uint32(1)
    return left


def below_zero(x, n):
    left, total = np.zeros(1, dtype=np.uint32), np.zeros(1, dtype=np.int32)
    with np.errstate(over="ignore"):
        for _ in range(n):
            left[0] -= np.uint32(2)
    for _ in range(n):
        total[0] += np.int32(left[0] // np.uint32(4))
    return left, total


def of_arguments(x, n):
    sums = np.zeros(n, dtype=np.int64)
    for i in range(n):
        sums[i % 3] += x[i % len(x)] * 2**58
    return sums


def squares(x, n):
    found = np.full(1, 3, dtype=np.int64)
    for _ in range(n % 9):
        found[0] = found[0] * found[0] + 1
    return found


def negated(x, n):
    lowest = np.full(1, np.iinfo(np.int64).min)
    out = np.zeros(n, dtype=np.int64)
    for i in range(n):
        out[i] = abs(lowest[0]) - i
    return out


PROGRAMS = (
    counted, distances, lists_of_followers, doubled, doubled_in_turns, large_steps,
    of_large_numbers, small_integers, subtracted, below_zero, of_arguments, squares, negated,
    roots,
)


@pytest.mark.parametrize("n", [1, 17, 45, 71])
@pytest.mark.parametrize("program", PROGRAMS)
def test_results_and_warnings_are_those_of_python(program, n):
    check(dl.compile(program), program, np.arange(1, 60) % 13, n)


@pytest.mark.parametrize(("program", "may_overflow"), [
    (counted, False), (distances, False), (lists_of_followers, False), (doubled, True),
    (squares, True),
])
def test_only_what_can_overflow_is_checked(program, may_overflow):
    lowered = lower(optimize(graph_of(program, np.arange(1, 60) % 13, 17)))
    kernels = [one.kernel for one in all_steps(lowered.steps) if isinstance(one, Launch)]
    conditions = [one.condition for kernel in kernels for one in kernel.statements
                  if isinstance(one, Check)]
    assert any(guarded_operation(one) is not None for one in conditions) == may_overflow


@pytest.mark.parametrize("program", [doubled, large_steps, of_large_numbers, of_arguments])
def test_what_may_overflow_warns_at_every_call(program):
    compiled, x = dl.compile(program), np.arange(1, 60) % 13
    for _ in range(3):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            compiled(x, 71)
        assert any("overflow" in str(one.message) for one in told)
