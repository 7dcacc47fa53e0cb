"""Calls of what looks at the variables of its callers."""
import inspect
import linecache
import sys

import numpy as np
import pytest

import dynamo_lite as dl

X = np.arange(3.0)


def evaluate(text, level=1):
    frame = sys._getframe(level)
    return eval(text, frame.f_globals, dict(frame.f_locals))


def through_another(text):
    return evaluate(text, level=2)


def direct(x):
    c = x + 1
    return evaluate("c * 2 + x")


def at_a_distance(x):
    c = x + 1
    return through_another("c * 2 + x")


def inlined(x):
    c = x * 3
    return in_between(c) + c


def in_between(q):
    r = q * 2
    return evaluate("r + q")


def in_a_closure(x):
    def inner():
        z = x + 1
        return evaluate("z + x")

    return inner()


def after_a_break(x):
    c = x + 1
    print(end="")
    d = c * 2
    return evaluate("(c, d)")


def in_a_block(x):
    c = x + 1
    with np.errstate(all="ignore"):
        d = c / 0
        return evaluate("(c, d)")


def by_itself(x):
    c = x + 1
    return inspect.currentframe().f_locals["c"] * 2


def in_a_text(x):
    c = x + 1
    d = c * 2
    return np.bmat("c; d").A


class Thing:
    def method(self, x):
        t = x + 1
        return evaluate("sorted(locals()), t")


def in_a_method(x):
    return Thing().method(x)


CALLS = (
    direct, at_a_distance, inlined, in_a_closure, after_a_break, in_a_block, by_itself, in_a_method, in_a_text,
)  # fmt: skip


@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__name__)
def test_variables_are_found(function):
    compiled = dl.compile(function)
    for _ in range(2):
        assert repr(compiled(X)) == repr(function(X))


def test_a_debugger_sees_all_variables(monkeypatch):
    def stops(x):
        c = x + 1
        d = c * 2
        breakpoint()
        return d

    seen = []
    monkeypatch.setattr(sys, "breakpointhook", lambda: seen.append(sys._getframe(1).f_locals["c"]))
    np.testing.assert_array_equal(dl.compile(stops)(X), (X + 1) * 2)
    np.testing.assert_array_equal(seen, [X + 1])


def test_the_reason_names_it():
    (broke,) = dl.explain(direct)(X).breaks
    assert broke.reason == "evaluate looks at the variables of its callers"
    assert "evaluate(" in linecache.getline(*broke.location[:2])
    assert broke.remedy.id == "namespaces"


def far(x):
    return one(x * 2) * 3


def one(x):
    return two(x)


def two(x):
    return three(x)


def three(x):
    return in_between(x)


def test_calls_far_from_it_are_compiled():
    compiled = dl.compile(far)
    assert repr(compiled(X)) == repr(far(X))
    assert dl.explain(far)(X).op_count == 2
