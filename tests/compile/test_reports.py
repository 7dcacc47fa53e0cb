"""Floating-point reports come from the user's own line, as often as without compiling."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

import dynamo_lite as dl


def logarithm(x):
    return np.log(x) * 2 + 1


def heard(function, x, times, action):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        results = [function(x) for _ in range(times)]
    return [(str(w.message), w.category, w.filename, w.lineno) for w in caught], results


@pytest.mark.parametrize("action", ["always", "default", "once", "ignore"])
@pytest.mark.parametrize("data", [[0.0, 1.0], [-1.0, 0.0, 2.0], [np.nan, 1.0], [np.inf, 1.0]])
def test_every_call_warns_as_plain_python_does(action, data):
    compiled, x = dl.compile(logarithm), np.array(data)
    times = 3 * dl.config.retire_after
    expected, wanted = heard(logarithm, x, times, action)
    given, results = heard(compiled, x, times, action)
    assert given == expected
    np.testing.assert_array_equal(results, wanted)


def test_calls_that_always_warn_end_in_plain_python():
    compiled, bad, good = dl.compile(logarithm), np.zeros(5), np.ones(5)
    compiled(good)
    (entry,) = compiled.entries()
    with np.errstate(all="ignore"):
        for _ in range(2 * dl.config.retire_after):
            compiled(bad)
    assert not entry.retired and entry.bailouts == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(dl.config.retire_after - 1):
            compiled(bad)
        compiled(good)
        assert not entry.retired
        for _ in range(dl.config.retire_after):
            compiled(bad)
    assert entry.retired
    np.testing.assert_array_equal(compiled(good), logarithm(good))


@pytest.mark.parametrize("function", [lambda x: np.exp(x) + 1, lambda x: x * 1e-5, np.prod])
@pytest.mark.parametrize("value", [-745.0, 1e-306, 1.0])
def test_underflow_is_reported_where_asked_for(function, value):
    compiled, x = dl.compile(function), np.array([value, 1e-5, 3.0])
    for state in ({"under": "raise"}, {"all": "raise"}, {"under": "ignore"}, {}):
        with np.errstate(**state):
            assert outcome(compiled, x) == outcome(function, x)


def outcome(function, x):
    try:
        return np.round(function(x), 9).tolist()
    except FloatingPointError as error:
        return str(error)
