"""Results whose sizes data decides, and counts of bins, by blocks."""
import numpy as np
import pytest

import dynamo_lite as dl

da = pytest.importorskip("dask.array")

V = np.random.default_rng(0).random(100)


def selected(x):
    y = x[x > 0.5]
    return y * 2, y.sum(), y.mean(), y.std(), np.nonzero(x > 0.9)[0]


def counted(x):
    counts, edges = np.histogram(x, bins=7, range=(0, 1))
    bins = (x * 5).astype(int)
    return counts, edges, np.bincount(bins, minlength=9), np.bincount(bins, weights=x)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("program", [selected, counted])
def test_results_are_numpys(program, dtype):
    array = V.astype(dtype)
    for found, expected in zip(
        dl.compile(program)(da.from_array(array, 30)), program(array), strict=True
    ):
        value = found.compute(scheduler="sync")
        assert np.asarray(value).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(value, expected, rtol=1e-6 if dtype == "f4" else 1e-12)


def test_partial_results_of_many_blocks_are_combined_in_steps():
    def program(x):
        return x.sum(), x.argmin(), np.cumsum(x), x.max()

    x = np.random.default_rng(1).random(1000)
    lazy = dl.compile(program)(da.from_array(x, 2))
    for found, expected in zip(lazy, program(x), strict=True):
        np.testing.assert_allclose(found.compute(scheduler="sync"), expected, rtol=1e-12)
    graph = dict(lazy[0].__dask_graph__()).values()
    assert max(len(getattr(task, "dependencies", ())) for task in graph) <= 16


def test_selections_of_selections_are_left_to_dask():
    def program(x):
        y = x[x > 0.5]
        return y[y < 0.7].max()

    assert dl.compile(program)(da.from_array(V, 30)).compute() == program(V)


def test_wrong_counts_raise_numpys_error_when_they_are_computed():
    found = dl.compile(np.bincount)(da.from_array(np.array([1, 2, -3, 4]), 2))
    with pytest.raises(ValueError, match="negative"):
        found.compute(scheduler="sync")
