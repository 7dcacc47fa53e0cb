"""What every iteration computes alike is computed once, and what differs in any way is not."""
import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.ir.control import all_nodes, bodies, for_loop, while_loop
from dynamo_lite.ir.passes import optimize

from ..graphs import graph_of
from ..oracle import CLOSE, check

RNG = np.random.default_rng(0)
ROOT = RNG.standard_normal((4, 4))
X, A = RNG.standard_normal((90, 4)), ROOT @ ROOT.T + np.eye(4)


def densities(x, a):
    out = np.zeros(len(x))
    for i in range(len(x)):
        d = x[i] - x[0]
        out[i] = np.exp(-0.5 * d @ np.linalg.pinv(a) @ d) / np.sqrt(np.linalg.det(a))
    return out


def phases(x, a):
    for _ in range(90):
        x = x * np.exp(-1j * a[0] ** 2) + np.sin(a).sum(axis=0)
    return x


def through_two_loops(x, a):
    total = 0.0
    for i in range(50):
        for j in range(70):
            total += np.linalg.inv(a)[i % 4, j % 4] + np.exp(a[:, 1:])[0, 0]
    return total


def parts(x, a):
    for _ in range(80):
        q, r = np.linalg.qr(a)
        x = x @ q + r[0]
    return x


def in_a_while(x, a):
    k = 0
    while np.abs(x).sum() > 1e-3 and k < 90:
        x = x * 0.5 @ (np.linalg.inv(a) / np.linalg.norm(np.linalg.inv(a)))
        k = k + 1
    return x, k


MOVED = {
    densities: {np.linalg.pinv, np.linalg.det}, phases: {np.exp, np.sin, np.sum},
    through_two_loops: {np.linalg.inv, np.exp}, parts: {np.linalg.qr},
    in_a_while: {np.linalg.inv},
}


def inside(graph):
    """What the loops of a graph call."""
    loops = [node for node in all_nodes(graph) if node.target in (for_loop, while_loop)]
    return {inner.target for node in loops for body in bodies(node) for inner in all_nodes(body)}


@pytest.mark.parametrize("function", MOVED, ids=lambda f: f.__name__)
def test_what_is_the_same_in_each_iteration_is_computed_before(function):
    graph = graph_of(function, X, A)
    assert MOVED[function] <= inside(graph)
    assert not MOVED[function] & inside(optimize(graph))
    compiled = dl.compile(function)
    for rows in 90, 70, 2:
        check(compiled, function, X[:rows], A, tolerance=CLOSE)


def given_back(x, a):
    for i in range(60):
        b = np.linalg.inv(a)
        x[i] = b[0]
    return x, b


def given_back_in_part(x, a):
    for _ in range(60):
        b = np.exp(a)
        row = b[1]
    row[:] = 0
    return row, a


def written(x, a):
    for i in range(60):
        b = np.linalg.inv(a)
        b[0] += i
        x[i] = b.sum(axis=0)
    return x


def carried(x, a):
    b = a
    for i in range(60):
        x[i] = np.exp(b)[0]
        b = np.linalg.inv(a)
    return x


def written_in_an_inner_loop(x, a):
    for i in range(60):
        b = np.exp(a)
        for j in range(4):
            b[j] = b[j - 1] * 0.5
        x[i] = b[1]
    return x


def of_what_the_loop_writes(x, a):
    for i in range(60):
        x[i] = np.linalg.inv(a)[0]
        a[i % 4, i % 3] += 1.0
    return x


def drawn(x, a):
    rng = np.random.default_rng(0)
    for i in range(60):
        x[i] += rng.standard_normal(4) @ np.cos(a)
    return x


def of_no_iterations(x, a):
    for i in range(len(x) - 90):
        x[i] = np.linalg.inv(a - a)[0]
    return x


STAYING = [given_back, given_back_in_part, written, carried, written_in_an_inner_loop,
           of_what_the_loop_writes, drawn, of_no_iterations]


@pytest.mark.parametrize("function", STAYING, ids=lambda f: f.__name__)
def test_what_a_loop_gives_or_changes_is_as_in_numpy(function):
    check(dl.compile(function), function, X, A, tolerance=CLOSE)


def test_what_it_raises_is_raised_in_the_first_iteration():
    done = []

    def function(x, a):
        for i in range(50):
            x[i] += 1.0
            x[i] = np.linalg.inv(a)[0]
            done.append(i)
        return x

    compiled, singular = dl.compile(function), np.zeros((4, 4))
    compiled(X.copy(), A)
    for run in compiled, function:
        x = X.copy()
        done.clear()
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            run(x, singular)
        assert np.array_equal(x[0], X[0] + 1.0) and np.array_equal(x[1:], X[1:]) and not done


def test_each_iteration_warns():
    def function(x, a):
        for i in range(50):
            x[i] += np.log(a).sum()
        return x

    check(dl.compile(function), function, X, -A, calls=3)
    check(dl.compile(function), function, X, A * 0, calls=3)


def test_a_function_that_was_allowed_runs_in_each_iteration():
    calls = []

    def counted(a):
        calls.append(1)
        return a * 2.0

    dl.allow_in_graph(counted)

    def function(x, a):
        for i in range(50):
            x[i] += counted(a)[0]
        return x

    compiled = dl.compile(function)
    compiled(X.copy(), A)
    calls.clear()
    compiled(X.copy(), A)
    assert len(calls) == 50
