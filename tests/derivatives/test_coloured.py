"""Jacobians of which most elements are zero: as many products as colours."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.derivatives.coloured import coloured

from .checking import close

N = 9
BAND = np.abs(np.arange(N)[:, None] - np.arange(N)) <= 1
X = np.linspace(0.1, 1, N)


def stencil(x):
    y = x * x
    y[1:-1] += x[2:] * np.sin(x[:-2])
    return y


def sums(x):
    return np.stack([x[:4].sum() ** 2, (x[4:] * x[4:]).sum()])


HALVES = np.repeat(np.eye(2), [4, 5], axis=1)


def test_a_band_has_three_colours():
    assert len(coloured(BAND).directions) == 3 and coloured(BAND).forwards


def test_rows_are_coloured_where_they_need_fewer():
    assert len(coloured(HALVES).directions) == 1 and not coloured(HALVES).forwards


@pytest.mark.parametrize(
    "function, sparsity", [(stencil, BAND), (sums, HALVES), (sums, HALVES + 1)],
    ids=["forwards", "backwards", "dense"])
def test_the_same_elements(function, sparsity):
    expected = dl.jacobian(function)(X)
    assert close(dl.jacobian(function, sparsity=sparsity)(X), expected, 1e-14)
    inside = dl.compile(lambda x: 2 * dl.jacobian(function, sparsity=sparsity)(x))
    assert close(inside(X), 2 * expected, 1e-14)


@pytest.mark.parametrize("kind", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("function, sparsity", [(stencil, BAND), (sums, HALVES)])
def test_a_sparse_matrix_gives_one(function, sparsity, kind):
    sparse = pytest.importorskip("scipy.sparse")
    for make in (sparse.csr_array, sparse.csr_matrix):
        pattern = make(sparsity).asformat(kind)
        found = dl.jacobian(function, sparsity=pattern)(X)
        assert type(found) is type(pattern) and found.dtype == X.dtype
        assert close(found.toarray(), dl.jacobian(function)(X), 1e-14)


def test_places_that_are_given_twice_or_are_zero():
    sparse = pytest.importorskip("scipy.sparse")
    rows, columns = np.nonzero(BAND | (np.arange(N) == 0))
    values = np.where(BAND[rows, columns], 1, 0)
    twice = sparse.coo_array((np.tile(values, 2), (np.tile(rows, 2), np.tile(columns, 2))))
    found = dl.jacobian(stencil, sparsity=twice)(X)
    assert found.nnz == BAND.sum() and close(found.toarray(), dl.jacobian(stencil)(X), 1e-14)


def test_a_large_band_takes_no_square_of_memory():
    sparse = pytest.importorskip("scipy.sparse")
    size = 30_000
    pattern = sparse.diags_array([1.0, 1, 1], offsets=[-1, 0, 1], shape=(size, size), format="csr")
    x = np.linspace(0.1, 1, size)
    found = dl.jacobian(stencil, sparsity=pattern)(x)
    direction = np.sin(np.arange(size))
    assert close(found @ direction, dl.jvp(stencil, (x,), (direction,))[1], 1e-12)


def test_other_arguments():
    def scaled(a, x):
        return a * stencil(x)

    found = dl.jacobian(scaled, 1, sparsity=BAND)(3.0, X)
    assert close(found, 3 * dl.jacobian(stencil)(X), 1e-14)


def test_what_is_no_sparsity():
    with pytest.raises(TypeError, match="not an array of 1 axes"):
        dl.jacobian(stencil, sparsity=np.ones(N))
    with pytest.raises(TypeError, match=r"\(4, 4\), and the Jacobian is of \(9, 9\)"):
        dl.jacobian(stencil, sparsity=np.ones((4, 4)))(X)
    with pytest.raises(TypeError, match="of one argument"):
        dl.jacobian(stencil, (0, 1), sparsity=BAND)
    with pytest.raises(TypeError, match="one array by another"):
        dl.jacobian(lambda x: (x, x), sparsity=BAND)(X)
