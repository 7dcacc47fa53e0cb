"""Logic functions and bits."""
# ruff: noqa
import numpy as np

from .entries import B, C, I, J, M, N, V, W, survey


@survey(V, W)
def comparisons(x, y): return x > y, x == y, np.greater_equal(x, 0), np.less(x, y), x != 0, np.equal(x, x), (x > 0) & (y < 0), ~(x > 0)


@survey(V, W)
def closeness(x, y): return np.isclose(x, y), np.allclose(x, x + 1e-12), np.array_equal(x, y), np.array_equiv(x, x), np.isclose(x, np.nan, equal_nan=True), np.allclose(x, y, rtol=0.1)


@survey(M)
def truths(x): return np.any(x > 1), np.all(x > -5), np.any(x > 1, axis=0), (x > 0).all(axis=1), np.logical_and(x > 0, x < 1), np.logical_not(x > 0), np.logical_xor(x > 0, x > 1), np.logical_or.reduce([x > 1, x < -1])


@survey(C, N)
def types(c, x): return np.iscomplex(c), np.isreal(c), np.iscomplexobj(c), np.isrealobj(x), np.isscalar(3.0), np.isnan(x).any(), np.issubdtype(x.dtype, np.floating)


@survey(I)
def bits(i): return i & 3, i | 8, i ^ 5, ~i, i << 2, i >> 1, np.bitwise_count(i), np.invert(i), np.bitwise_and(i, 1), np.left_shift(1, i)


@survey(B)
def packing(b): return np.packbits(b), np.unpackbits(np.packbits(b)), np.packbits(b, bitorder="little"), np.unpackbits(np.array([7], "u1"), count=5)


@survey(J)
def bit_folds(j): return np.bitwise_or.reduce(j, axis=0), np.bitwise_and.reduce(j), np.bitwise_xor.reduce(j, axis=1)


@survey(V)
def chained(x):
    small, large = x < -0.5, x > 0.5
    return np.where(small, -1, np.where(large, 1, 0)), (small | large).sum(), not small.all() if False else small.any()


@survey(V)
def conditions_on_types(x):
    if x.dtype == np.float64 and x.ndim == 1 and x.size > 3 and isinstance(x, np.ndarray):
        return x * 2
    return x


@survey(V, W, breaks=3, why="Python branches on data")
def branch_on_data(x, y):
    if np.allclose(x, y):
        return x
    if (x > 100).any():
        return y
    return x + y


@survey(I)
def number_formats(i): return np.binary_repr(5), np.base_repr(10, 3), np.array2string is None, i + 1
