"""Sorting, searching, counting and sets."""
# ruff: noqa
import numpy as np

from .entries import B, I, J, M, N, V, W, survey


@survey(M)
def sorts(x): return np.sort(x), np.sort(x, axis=0), np.sort(x, axis=None), np.argsort(x), np.argsort(-x, axis=0), np.sort(x)[:, ::-1]


@survey(V)
def sort_methods(x):
    y = x.copy()
    y.sort()
    return y, x.argsort(), x.argsort(kind="stable"), np.sort(x, kind="mergesort"), np.sort_complex(x)


@survey(V)
def partitions(x):
    y = x.copy()
    y.partition(3)
    return np.partition(x, 4), np.argpartition(x, 2)[:3].shape, np.sort(np.partition(x, (2, 5))[:2]), y[3]


@survey(I, V)
def keys(i, x): return np.lexsort((x, i)), x[np.argsort(i, kind="stable")], np.argsort(x)[::-1][:3]


@survey(M)
def positions(x): return np.argmax(x), np.argmin(x, axis=0), x.argmax(axis=1), np.argmax(x, axis=0, keepdims=True), x[np.arange(4), x.argmax(axis=1)]


@survey(I, breaks=1, why="sizes depend on data")
def uniques(i): return np.unique(i)


@survey(I, breaks=2, why="sizes depend on data")
def unique_details(i):
    values, index, inverse, count = np.unique(i, return_index=True, return_inverse=True, return_counts=True)
    return values, index, inverse, count


@survey(I, J, breaks=4, why="sizes depend on data")
def set_operations(i, j): return np.intersect1d(i, j), np.union1d(i, j), np.setdiff1d(i, j), np.setxor1d(i, j)


@survey(I, J)
def membership(i, j): return np.isin(i, j), np.isin(i, [1, 2, 3]), np.isin(i, [1, 2], invert=True), np.isin(j, i).sum()


@survey(V, W)
def searches(x, y): return np.searchsorted(np.sort(x), y), np.argmin(np.abs(x[:, None] - y[None]), axis=1), np.searchsorted([0, 1, 2], 1.5)


@survey(N, B)
def with_gaps(x, b): return np.sort(x), np.argsort(x[0]), np.argmax(x), np.sort(b), np.argmin(b)


@survey(M)
def ranks(x):
    order = x.argsort(axis=1)
    return order.argsort(axis=1), np.take_along_axis(x, order, 1)


@survey(M)
def top_k(x): return np.sort(np.partition(x, -2, axis=1)[:, -2:], axis=1), -np.sort(-x, axis=1)[:, :2]
