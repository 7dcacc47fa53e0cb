"""Functional programming, stride tricks and input from Python."""
# ruff: noqa
import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from .entries import I, J, M, T, V, W, survey


@survey(M, breaks=3, why="Python gets values, or calls back")
def along_axis(x): return np.apply_along_axis(np.sum, 0, x), np.apply_along_axis(lambda row: row * 2, 1, x), np.apply_along_axis(np.sort, 1, x)


@survey(T)
def over_axes(x): return np.apply_over_axes(np.sum, x, [0, 2])


@survey(V, breaks=2, why="sizes depend on data")
def piecewises(x): return np.piecewise(x, [x < 0, x >= 0], [-1, 1]), np.piecewise(x, [x < 0], [lambda v: -v, lambda v: v * 2])


@np.vectorize
def _sign_of(a):
    return 1.0 if a > 0 else -1.0


@survey(V, breaks=1, why="numpy.vectorize calls Python for each element")
def vectorized(x): return _sign_of(x)


@survey(V)
def windows(x): return sliding_window_view(x, 3).mean(axis=1), sliding_window_view(x, 4)[::2].max(axis=-1)


@survey(M, close=True)
def windows_2d(x): return sliding_window_view(x, (2, 2)).sum(axis=(2, 3))


@survey(V, breaks=2, why="not an operation of the graph")
def strided(x): return as_strided(x, (3, 4), (8, 8)).sum(axis=1), as_strided(x, shape=(5,), strides=(16,)) * 1


@survey(V, W)
def from_python(x, y): return sum([x, y]), max(3, len(x)), np.array([v for v in (x, y)]), [a + b for a, b in zip(x[:2], y[:2])], list(map(np.sum, [x, y]))


@survey(J)
def reduce_over_rows(j):
    total = np.zeros(4)
    for row in j:
        total = total + row
    return total


@survey(V)
def helpers(x):
    def scale(a, k=2.0):
        return a * k

    return scale(x), (lambda a: a + 1)(x), scale(x, k=3)


@survey(I, breaks=1, why="Python gets values, or calls back")
def errors_of_numpy(i):
    try:
        return np.reshape(i, (5, 5))
    except ValueError:
        return i.reshape(3, 4)


@survey(V)
def with_errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.where(x != 0, 1 / x, 0)
    return r * 2


@np.errstate(divide="ignore", invalid="ignore")
def _safe_divide(a, b):
    return np.where(b != 0, a / b, 0.0)


@survey(V, np.array([0.0, 1, 2] * 4))
def decorated_errstate(x, y): return _safe_divide(x, y) + 1


@survey(np.array([0.0, 1, -1] * 4))
def nested_errstate(x):
    with np.errstate(all="ignore"):
        a = np.log(x)
        with np.errstate(invalid="warn"):
            b = np.sqrt(np.abs(x))
        return a.sum() + b, 1 / x


@survey(V, breaks=4, why="state of the process")
def print_options(x):
    with np.printoptions(precision=2):
        return str(x[:2])
