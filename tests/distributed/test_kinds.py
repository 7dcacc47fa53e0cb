"""One program for each kind of operation and of operand: lazy, with NumPy's values and types."""
import numpy as np
import pytest

import dynamo_lite as dl

da = pytest.importorskip("dask.array")

V = np.arange(10.0)


def assigned(x):
    y = x.copy()
    y[y > 3] = 0
    y[2:4], y[-1] = y[5:7], 3
    return y


def added(x):
    total = 0.0
    for i in range(3):
        total = total + x[i]
    return total


@pytest.mark.parametrize("program", [
    lambda x: x / len(x), lambda x: x * float(x.sum()), lambda x: np.median(x),
    lambda x: np.percentile(x, 30),
    lambda x: x[[1, 5, 7]], assigned, added, lambda x: x.reshape(5, 2) @ np.ones(2),
    lambda x: np.outer(x, x), lambda x: x.astype("i1").prod(), lambda x: np.abs(x * (1 + 2j)),
    lambda x: x.astype("f4").var(ddof=1), lambda x: x * np.linspace(0, 1, len(x)),
    lambda x: np.ones(len(x)) + np.full(x.shape, 2.0), lambda x: x[::-1] * x[::2].sum(),
    lambda x: np.nanmax(x) + np.nansum(x), lambda x: np.unique(x // 3),
    lambda x: np.count_nonzero(x > 3), lambda x: np.einsum("i,i->", x, x),
    lambda x: x.reshape(5, 2)[:2] + np.eye(2), lambda x: np.where(x > 3, x, np.arange(10)),
    lambda x: np.stack([x, x * 2]), lambda x: x[3] * x, lambda x: np.fft.fft(x),
])
def test_the_result_is_numpys(program):
    found = dl.compile(program)(da.from_array(V, 4))
    assert isinstance(found, da.Array)
    value, expected = found.compute(scheduler="sync"), program(V)
    assert np.asarray(value).dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(value, expected, rtol=1e-12)


def test_numbers_of_pythons_are_numbers():
    assert type(dl.compile(lambda x: float(x.sum()))(da.from_array(V, 4))) is float
    size, twice = dl.compile(lambda x: (x.shape[0], x * 2))(da.from_array(V, 4))
    assert size == 10 and isinstance(twice, da.Array)


def test_writes_into_an_argument_are_dasks_own():
    x = da.from_array(V.copy(), 4)

    def program(x):
        x[0] = 5
        return x * 2

    np.testing.assert_array_equal(dl.compile(program)(x).compute()[:2], [10, 2])
    assert x.compute()[0] == 5


def test_what_numpy_refuses_is_refused():
    with pytest.raises(ValueError, match="zero-size"):
        dl.compile(lambda x: x.max())(da.from_array(V[:0], 1)).compute()
