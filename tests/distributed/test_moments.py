"""Variances of arrays in blocks: one pass, near to NumPy's two."""
import itertools

import numpy as np
import pytest

import dynamo_lite as dl

da = pytest.importorskip("dask.array")

RNG = np.random.default_rng(0)
X = RNG.random((23, 6))
ODD = ((5, 1, 0, 17), (4, 2))


def spread(x):
    return x.var(axis=0), np.std(x, axis=0, ddof=1), x.var(), x.std(axis=(0, 1), keepdims=True)


def variance(x):
    return x.var()


def computed(function, x, chunks):
    lazy = dl.compile(function, fullgraph=True)(da.from_array(x, chunks))
    return [each.compute() for each in (lazy if isinstance(lazy, tuple) else (lazy,))]


@pytest.mark.parametrize(("dtype", "chunks"), [
    ("f8", (1, 1)),
    *itertools.product(["f8", "f4", "i4", "u1", "?"], [(5, 6), (4, 3), ODD, (23, 6)]),
])
def test_variances_of_all_axes(dtype, chunks):
    x = (X * 200 - 20).astype(dtype) if dtype != "u1" else (X * 200).astype(dtype)
    for found, expected in zip(computed(spread, x, chunks), spread(x)):
        assert found.dtype == expected.dtype and np.shape(found) == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype == "f4" else 1e-12)


def everything(x):
    return x.mean(axis=0), x.std(axis=0), x.min(axis=0), x.max(axis=0), x.var()


def test_all_statistics_read_each_block_once():
    lines = dl.explain(everything)(da.from_array(X, (5, 6))).text
    assert "11 tasks in 2 partitions" in lines


@pytest.mark.parametrize("offset", [1e3, 1e6, 1e9])
def test_elements_far_from_zero(offset):
    x = RNG.standard_normal(100_000) + offset
    (found,) = computed(variance, x, 1000)
    np.testing.assert_allclose(found, np.var(x.astype(np.longdouble)).astype(float), rtol=1e-12)


@pytest.mark.parametrize("value", [0.1, 1e9 / 7, 1e-300])
def test_equal_elements(value):
    x = np.full(1001, value)
    (found,) = computed(variance, x, 100)
    assert 0 <= found <= (value * 1e-15) ** 2


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number(value):
    x = X.copy()
    x[7, 2] = value
    with np.errstate(invalid="ignore"):
        for found, expected in zip(computed(spread, x, (5, 3)), spread(x)):
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def others(x):
    return (x.astype(np.float16).var(axis=0), np.var(x, axis=0, dtype=np.float32),
            np.std(x, axis=1), np.var(x + 1j, axis=0))


def test_what_takes_two_passes():
    for found, expected in zip(computed(others, X, (5, 6)), others(X)):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=2e-3)


def unfree(x):
    return x.var(axis=0, ddof=1)


def test_no_degrees_of_freedom():
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        expected = unfree(X[:1])
    with pytest.warns(RuntimeWarning):
        lazy = dl.compile(unfree)(da.from_array(X[:1], (1, 3)))
        np.testing.assert_array_equal(lazy.compute(scheduler="sync"), expected)
