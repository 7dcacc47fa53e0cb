"""Loops that cannot be nodes of the graph: left to Python where their rounds do too little."""
import numpy as np
import pytest

import dynamo_lite as dl

LOG = []


@dl.disable
def note(value):
    LOG.append(value)


def elements(x):
    y = np.tanh(x) * 2
    for i in range(200):
        note(x[i] * 2)
    return y.sum()


def nested(x):
    t = 0.0
    for i in range(20):
        for j in range(50):
            note(i)
            t += x[i] * x[j]
    return t


def forever(x):
    n = 0
    while True:
        note(n)
        n += 1
        if n > 300:
            return n + x[0]


def arrays(x):
    for _ in range(50):
        x = np.tanh(x) + np.exp(-x * x)
        note(0)
        x = x / (1 + np.abs(x).max())
    return x.sum()


def in_a_callee(x):
    def both(value):
        note(value)
        return value

    for v in x:
        both(v)
    return x.sum()


@pytest.mark.parametrize(
    "program, in_python",
    [(elements, True), (nested, True), (forever, True), (in_a_callee, True), (arrays, False)],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_who_runs_the_loop(program, in_python):
    x = np.linspace(0, 1, 2000)
    LOG.clear()
    with dl.config.patch(strict=True):
        found = dl.explain(program)(x)
        told = LOG.copy()
        LOG.clear()
        assert found.result == program(x) and told == LOG
    assert any("Python runs the loop" in reason for reason in found.break_reasons) is in_python
    assert bool(found.graph_count) is (program in (elements, arrays))


def test_a_long_loop_is_not_unrolled_first():
    def program(x):
        t = 0.0
        for v in x:
            note(v)
            t += v
        return t

    with dl.config.patch(strict=True):
        found = dl.explain(program)(np.ones(100_000))
    assert found.result == 100_000 and "marked with disable" in found.break_reasons[0]
