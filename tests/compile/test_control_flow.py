"""Control flow as functions: the same compiled as in Python, in one graph."""
import numpy as np
import pytest

import dynamo_lite as dl

X = np.linspace(-1, 1, 7)


def signed(x):
    return dl.cond(x.sum() > 0, lambda v: v * 2, lambda v: -v, x)


def shrunk(x):
    return dl.while_loop(lambda v: np.abs(v).max() > 1e-3, lambda v: v * 0.5, x)


def counted(x):
    return dl.while_loop(lambda v, i: i < 50, lambda v, i: (v * 0.5 + i, i + 1), x, 0)


def decayed(x):
    return dl.scan(lambda carry, v: (carry * 0.9 + v, carry), 0.0, x)


def decayed_rows(x):
    rows = x[:, None] * np.ones(3)
    return dl.scan(lambda carry, row: (carry * 0.9 + row, carry + row), np.zeros(3), rows)


@pytest.mark.parametrize("function", [signed, shrunk, counted, decayed, decayed_rows])
def test_one_graph_with_the_results_of_python(function):
    compiled = dl.compile(function, fullgraph=True)
    for x in (X, X + 1, -X - 1):
        found, expected = compiled(x), function(x)
        assert type(found) is type(expected)
        parts = (found, expected) if isinstance(found, tuple) else ((found,), (expected,))
        for got, want in zip(*parts, strict=True):
            assert type(got) is type(want)
            np.testing.assert_array_equal(got, want, strict=True)
    assert len(compiled.entries()) == 1


def test_only_the_taken_side_runs():
    def root(x):
        return dl.cond(x.min() >= 0, np.sqrt, lambda v: v * 0, x)

    with np.errstate(all="raise"):
        np.testing.assert_array_equal(dl.compile(root)(-X - 2), np.zeros(7))


@pytest.mark.parametrize("call", [lambda f: f, dl.compile], ids=["python", "compiled"])
def test_scans_that_cannot_be(call):
    with pytest.raises(ValueError, match="at least one row"):
        call(decayed)(X[:0])
    with pytest.raises(TypeError, match="the first y is of float64, a later one of int64"):
        call(lambda x: dl.scan(lambda c, v: (c + 1, v if c < 1 else 1), 0, x))(X)
