"""Kernels that assign at positions from arrays, one element after the other."""
from inspect import signature

import numpy as np
import pytest
from dynamo_lite.backends.loop_ir.in_turn import axes_in_turn
from dynamo_lite.backends.loop_ir.program import Extern, Launch, all_steps
from dynamo_lite.backends.lowering.lower import lower

import dynamo_lite as dl
from dynamo_lite.ir.passes import optimize
from tests.backends.interpret import run_program

from ..graphs import graph_of
from ..oracle import differences, outcome


def arguments():
    m = np.arange(24.0).reshape(6, 4)
    return [np.arange(6.0), m, np.array([4, 1, 4, -6]), np.array([7.0, 8.0, 9.0, 0.5])]


def last_wins(x, m, i, v):
    x[i] = v
    return x * 2


def rows(x, m, i, v):
    m[i] = v
    m[:, [3, 3, -4]] = x[:3]
    return m.sum()


def updated(x, m, i, v):
    x[i] += v
    m[i, 1:] *= 2
    return x.sum() + m


def of_what_was_there(x, m, i, v):
    x[i] = x[1:5] * 2
    x[i] = x[0]
    return x


def made_here(x, m, i, v):
    counts = np.zeros((6, 4))
    counts[i, [0, 0, 1, 0]] = v
    counts[i, 2] += x[i]
    return counts


def added(x, m, i, v):
    total, counts = np.zeros(6), np.zeros(6, int)
    np.add.at(total, i, v)
    np.subtract.at(total, i, 1)
    np.add.at(counts, i, 1)
    np.maximum.at(x, i, v)
    np.multiply.at(m[:, 1], i, v)
    np.add.at(m, (i, i % 4), v)
    return total, counts, x.sum(), m.sum()


def added_at_one_place(x, m, i, v):
    np.add.at(x, np.zeros(4, int), v)
    np.add.at(x, np.broadcast_to(i[:1], 4), x[1:5])
    return x


def added_to_itself(x, m, i, v):
    np.add.at(x, i, x[:4])
    for k in range(3):
        np.add.at(x, i, x[k])
    return x


def functions(x, m, i, v):
    x[i] = np.exp(v) + m[:4].sum(axis=1)
    return x


PROGRAMS = (last_wins, rows, updated, of_what_was_there, made_here, added, added_at_one_place,
            added_to_itself, functions)


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_call_of_numpy(program):
    compiled = dl.compile(program, backend="llvm", options={"math": "numpy"})
    for _ in range(2):
        assert not differences(outcome(compiled, arguments()), outcome(program, arguments()))
    assert dl.stats().graph_breaks == 0
    steps = [*all_steps(lowered(program).steps)]
    assert not [step for step in steps if isinstance(step, Extern)]
    assert any(axes_in_turn(step.kernel) for step in steps if isinstance(step, Launch))


@pytest.mark.parametrize("program", (last_wins, rows, updated, made_here, added))
def test_what_a_program_means(program):
    """In the interpreter, too, one point comes after the other."""
    values, expected = arguments(), arguments()
    graph = optimize(graph_of(program, *arguments()))
    given = dict(zip(signature(program).parameters, values))
    found = run_program(lower(graph, in_order=True), *(given[n.name] for n in graph.placeholders))
    result = program(*expected)
    assert all(map(np.array_equal, values, expected))
    assert all(map(np.array_equal, found, result if isinstance(result, tuple) else (result,)))


def lowered(program):
    return lower(optimize(graph_of(program, *arguments())), in_order=True)


def backwards(x, m, i, v):
    x[i[::-1]] = v[::-1]
    return x


def columns(x, m, i, v):
    x[np.asfortranarray(np.array([[0, 1], [1, 0]]))] = v.reshape(2, 2).T
    return x


@pytest.mark.parametrize("program", (backwards, columns))
def test_numpy_follows_the_memory_of_positions(program):
    compiled = dl.compile(program, backend="llvm")
    assert not differences(outcome(compiled, arguments()), outcome(program, arguments()))


@pytest.mark.parametrize("at", [[0, 6], [-7], [2, 1, 100]])
def test_nothing_is_written_before_all_positions_are_checked(at):
    def assign(x, y, i):
        y[0] = x.sum()
        x[i] = 5
        np.add.at(y, i, 1)
        return x, y

    compiled = dl.compile(assign, backend="llvm")
    for places in ([0, 1], at, [2, 2]):
        def build(places=places):
            return [np.arange(6.0), np.zeros(6), np.array(places)]

        assert not differences(outcome(compiled, build()), outcome(assign, build()))


def test_elements_in_turn_are_those_of_the_axes_that_positions_vary_along():
    def rows_of(x, i, v):
        x[i] = v
        return x + 1

    graph = graph_of(rows_of, np.zeros((9, 300)), np.array([1, 1, 5]), np.ones((3, 300)))
    kernels = [s.kernel for s in lower(optimize(graph), in_order=True).steps
               if isinstance(s, Launch)]
    (kernel,) = [kernel for kernel in kernels if axes_in_turn(kernel)]
    assert axes_in_turn(kernel) == {kernel.axes[0]}
    assert kernel.vector is kernel.axes[1]
    assert not kernel.parallel


@pytest.mark.parametrize("key", [
    np.s_[1:], np.s_[..., ::2], np.s_[1:, None], (), None, 1, np.s_[:, 2],
], ids=str)
def test_ufuncs_at_slices(key):
    def add(x, v):
        np.add.at(x, key, v)
        np.maximum.at(x, key, 2)
        return x * 2

    with dl.config.patch(strict=True):
        found, expected = (
            outcome(function, [np.arange(12.0).reshape(3, 4), 0.5])
            for function in (dl.compile(add, backend="llvm"), add)
        )
    assert not differences(found, expected)
