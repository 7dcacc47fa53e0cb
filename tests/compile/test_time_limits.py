"""`config.trace_seconds` ends an analysis whatever it is at: the clock of these tests goes on by
one second each time that it is asked."""
import itertools
import time

import numpy as np
import pytest

import dynamo_lite as dl


def of_branches(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 1 or x[i] < -1:
            out[i] = 1
        elif x[i] > 0.5 or x[i] < -0.5:
            out[i] = 2
    return out


def of_loops(x):
    a = 0.0
    for i in range(len(x)):
        for j in range(i):
            a += x[j]
    return a


def of_rounds(x):
    for _ in range(30):
        x = x * 2 - 1
    return x


def of_calls(x):
    def inner(x, k):
        return x if k == 0 else inner(x + 1, k - 1)
    return inner(x, 20)


def of_one_instruction(x):
    return x + sum(k * k for k in range(60))


def of_items(x):
    return x + len([*map(abs, range(200))])


def of_nodes(x):
    return np.linalg.norm(np.stack([x * k for k in range(30)]))


PROGRAMS = [of_branches, of_loops, of_rounds, of_calls, of_one_instruction, of_items, of_nodes]


@pytest.fixture
def seconds(monkeypatch):
    dl.explain(of_rounds)(np.ones(3))  # what is loaded later would keep the clock
    clock = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    return lambda: next(clock)


@pytest.mark.parametrize("limit", [0.0, 1e-300, 7.0, 40.0])
@pytest.mark.parametrize("function", PROGRAMS)
def test_an_analysis_ends_in_time(function, limit, seconds):
    x = np.linspace(-2, 2, 50)
    with dl.config.patch(trace_seconds=limit, strict=True):
        started = seconds()
        found = str(dl.explain(function)(x))
        assert seconds() - started <= limit + 20
    assert f"{limit:g} seconds (config.trace_seconds)" in found
    np.testing.assert_equal(dl.compile(function, options={"trace_seconds": limit})(x), function(x))


@pytest.mark.parametrize("function", PROGRAMS)
def test_with_time_enough_it_does_not(function, seconds):
    with dl.config.patch(trace_seconds=float("inf")):
        assert "tracing takes longer" not in str(dl.explain(function)(np.linspace(-2, 2, 50)))
