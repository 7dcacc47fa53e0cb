"""Indexing routines."""
# ruff: noqa
import numpy as np

from .entries import B, C, I, J, M, S, T, V, W, survey


@survey(M)
def basic(x): return x[0], x[-1, ::2], x[..., 1], x[1:, :-1], x[:, None], x[::-1, ::-1], x[2, 3]


@survey(M)
def fancy(x): return x[[0, 2]], x[:, [1, 0, 1]], x[np.array([0, 1]), np.array([1, 2])], x[[0, 1], 1:3]


@survey(M, I)
def takes(x, i): return np.take(x, [0, 3]), np.take(x, [1, 0], axis=1), x.take(i, mode="wrap"), np.take(x, i, mode="clip"), x.take(2)


@survey(M)
def take_along(x):
    order = np.argsort(x, axis=1)
    return np.take_along_axis(x, order, axis=1), np.take_along_axis(x, x.argmax(axis=0)[None], axis=0)


@survey(V)
def puts(x):
    x = x.copy()
    np.put(x, [0, 2], [7.0, 8.0])
    x.put(1, 3.0)
    return x


@survey(M)
def put_along(x):
    x = x.copy()
    np.put_along_axis(x, np.argmax(x, axis=1, keepdims=True), 99, axis=1)
    return x


@survey(V, W)
def wheres(x, y): return np.where(x > 0, x, y), np.where(x > 0, 1, 0), np.where(x > y, x, np.nan)


@survey(V, W, breaks=3, why="sizes depend on data")
def masked_writes(x, y):
    x = x.copy()
    x[x < 0] = 0
    x[y > 1] += 1
    np.putmask(x, x > 1, 1)
    np.place(x, y < -1, [5.0, 6.0])
    return x


@survey(V, breaks=2, why="sizes depend on data")
def masked_from_values(x):
    x = x.copy()
    x[x > 0] = x[x > 0] * 2
    return x


@survey(V, W)
def choices(x, y): return np.choose([0, 1, 1], [x[:3], y[:3]]), np.select([x < 0, x > 1], [-x, x * 2], default=0.5)


@survey(V)
def constant_masks(x): return np.compress([True, False, True], x), x[[True, False] * 6], x.compress([1, 0, 1])


@survey(M, breaks=1, why="sizes depend on data")
def grids_of_indices(x): return x[np.ix_([0, 2], [1, 3])], x[np.ix_([True, False, True, True], [0, 1])]


@survey(M)
def flat_indices(x): return np.unravel_index(7, x.shape), np.ravel_multi_index((1, 2), x.shape), np.unravel_index(x.argmax(), x.shape)


@survey(S)
def diagonal_writes(x):
    x = x.copy()
    np.fill_diagonal(x, 0)
    x[np.diag_indices(4)] += 2
    return x


@survey(S)
def triangle_indices(x): return x[np.triu_indices(4, 1)], x[np.tril_indices(4)], x[np.triu_indices_from(x)]


@survey(V)
def bins(x): return np.digitize(x, [-1.0, 0.0, 1.0]), np.searchsorted(np.sort(x), [0.0, 0.5]), np.sort(x).searchsorted(0.1, side="right")


@survey(J)
def with_slices(x): return x[slice(0, 2)], x[np.s_[1:, ::2]], x[np.index_exp[0, 1]]


@survey(T)
def ellipses(x): return x[..., 0], x[0, ...], x[..., None, :].shape, x[:, 1, [0, 2]], x[[0, 1], :, 1]


@survey(V, I)
def histogram_by_add_at(x, i):
    total = np.zeros(9)
    np.add.at(total, i, x)
    return total


@survey(V, I)
def gather_scatter(x, i):
    out = np.zeros(12)
    out[i] = x
    out[i[:3]] += 1
    return out, x[i]


@survey(M)
def nonzero_sizes(x): return np.count_nonzero(x > 0), np.count_nonzero(x > 0, axis=1), np.argmax(x > 0)


@survey(M, breaks=3, why="sizes depend on data")
def data_sizes(x): return np.nonzero(x > 0)[0], np.argwhere(x > 0), np.flatnonzero(x > 1)


@survey(M, breaks=2, why="sizes depend on data")
def extracts(x): return np.extract(x > 0, x), x[x > 0].sum()


@survey(V)
def iteration(x): return [v * 2 for v in x[:3]], sum(x[:4]), {i: v for i, v in enumerate(x[:2])}


@survey(M)
def enumerations(x):
    total = 0.0
    for (i, j), v in np.ndenumerate(x[:2, :2]):
        total += (i + 1) * (j + 2) * v
    return total


@survey(M)
def index_loops(x):
    out = np.zeros(x.shape)
    for i, j in np.ndindex(2, 3):
        out[i, j] = x[i, j] * 2
    return out


@survey(V, breaks=6, why="an iterator of NumPy's own")
def iterators(x): return [float(v) for v in np.nditer(x[:3])], [v for v in x.flat][:2]


@survey(C, B)
def complex_index(c, b): return c[::2], c[b[:6]].size if False else c[[0, 1]], c[-1]


@survey(M)
def scalar_items(x): return x[0, 0], x[0][1], x[1].item(0) if False else x[1, 0], x.shape[0] * x[0, 0]


@survey(V, breaks=3, why="Python gets values")
def python_items(x): return x.item(0), x.tolist(), float(x[0])
