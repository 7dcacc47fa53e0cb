"""Loops whose first index the data gives: one version for those that do not begin below 0."""
import numpy as np
import pytest
from dynamo_lite.backends.loop_ir.loops import Check
from dynamo_lite.backends.loop_ir.program import Branch, Launch, Loop, all_steps
from dynamo_lite.backends.lowering.lower import lower

import dynamo_lite as dl
from dynamo_lite.ir.passes import optimize
from tests.graphs import graph_of
from tests.oracle import check, differences, outcome_of_copy


def coin_change(coins, amount):
    ways = np.zeros(amount + 1, dtype=np.int64)
    ways[0] = 1
    for coin in coins:
        for value in range(coin, amount + 1):
            ways[value] += ways[value - coin]
    return ways


def rows(starts, x):
    total = 0.0
    for i in range(len(starts) - 1):
        for j in range(starts[i], starts[i + 1]):
            total += x[j] * 2
    return total


def windows(starts, x):
    out = np.zeros(len(x))
    for i in range(len(starts)):
        for j in range(starts[i], len(x) - 2):
            out[j] += x[j : j + 3].sum()
    return out


def start_changes(starts, x):
    out = []
    for i in range(len(starts)):
        first = starts[i]
        for j in range(first, len(x)):
            first = first + 1
            out.append(x[j - first] + first)
    return out


def written_where_it_begins(starts, x):
    for i in range(len(starts)):
        for j in range(starts[i], len(starts)):
            starts[j - starts[i]] += j
    return starts


def drawn(starts, x):
    g = np.random.default_rng(3)
    total = 0.0
    for i in range(len(starts)):
        for j in range(starts[i], 5):
            total += g.random() * x[j - starts[i]]
    return total


def small_integers(starts, x):
    starts = starts.astype(np.int8)
    total = 0
    for i in range(len(starts)):
        for j in range(starts[i], 120):
            total += j - starts[i]
    return total


X = np.linspace(-1, 3, 9)
STARTS = [np.array([0, 2, 5, 9]), np.array([3, 3, 9, 1]), np.array([-2, 0, 4, 4]),
          np.array([1, -9, 2, 8]), np.array([0, 9, 9, 9]), np.array([-10, 2, 3, 4]),
          np.array([9, 10, 2, 12]), np.array([-(2**62), 3, 1, 2])[1:], np.array([-120, 100, 3, -5])]
PROGRAMS = [rows, windows, start_changes, written_where_it_begins, drawn, small_integers]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("backend", ["llvm", "eager"])
def test_results(program, backend):
    with dl.config.patch(strict=True):
        compiled = dl.compile(program, backend=backend)
        for starts in [*STARTS, *STARTS]:
            args = starts, X
            wrong = differences(outcome_of_copy(compiled, args), outcome_of_copy(program, args))
            assert not wrong, (starts, wrong)


@pytest.mark.parametrize("coins", [(1, 5, 10), (3, 7), (0, 2), (-1, 2), (40, 50), (-40,)])
def test_coins(coins):
    check(dl.compile(coin_change), coin_change, np.array(coins), 30)


def test_no_place_is_looked_at_where_the_loop_begins_from_zero():
    program = lower(optimize(graph_of(coin_change, np.arange(1, 40), 300)))
    (branch,) = [one for one in all_steps(program.steps) if isinstance(one, Branch)]
    (quick,), (other,) = branch.true, branch.false
    assert isinstance(quick, Loop) and isinstance(other, Loop)
    assert [count(quick), count(other)] == [1, 4]


def count(loop):
    """The checks in each iteration."""
    kernels = [one.kernel for one in all_steps((loop,)) if isinstance(one, Launch)]
    return sum(isinstance(one, Check) for kernel in kernels for one in kernel.statements)
