"""Array creation routines."""
# ruff: noqa
import numpy as np

from .entries import B, C, F, I, M, S, T, V, W, survey


@survey(V)
def zeros_ones(x): return np.zeros(3) + np.ones(3), np.zeros((2, 3), dtype="f4"), np.ones_like(x, dtype=int)


@survey(M)
def empties(x):
    out = np.empty_like(x)
    out[...] = x * 2
    return out


@survey(M)
def fulls(x): return np.full((2, 2), 7), np.full(3, np.nan), np.full_like(x, 2.5), np.full((2, 3), [1, 2, 3])


@survey(V)
def aranges(x): return np.arange(5), np.arange(1, 10, 2.5), np.arange(len(x)) * 0.1, np.arange(3, dtype="f4")


@survey(V)
def linspaces(x): return np.linspace(0, 1, 7), np.linspace(-1, 1, 4, endpoint=False), np.linspace(x[0], x[1], 5)


@survey(V)
def linspace_step(x):
    grid, step = np.linspace(0, 2, 9, retstep=True)
    return grid * x[0], step


@survey(V, close=True)
def logspaces(x): return np.logspace(0, 3, 4), np.geomspace(1, 1000, 4) * x[:4]


@survey(M)
def eyes(x): return np.eye(3), np.eye(3, 4, k=1), np.identity(4) @ x


@survey(V)
def diags(x): return np.diag(x[:3]), np.diag(x[:3], k=1), np.diagflat(x[:2])


@survey(S)
def diag_of_matrix(x): return np.diag(x), np.diag(x, 1), np.diagonal(x), np.trace(x)


@survey(S)
def triangles(x): return np.tri(3), np.tril(x), np.triu(x, 1), np.tril(x, -1)


@survey(V)
def vanders(x): return np.vander(x[:3]), np.vander(x[:4], 3, increasing=True)


@survey(V, W)
def meshgrids(x, y):
    a, b = np.meshgrid(x[:3], y[:4])
    return a + b, np.meshgrid(x[:2], y[:3], indexing="ij")[0]


@survey(V, W)
def sparse_meshgrid(x, y):
    a, b = np.meshgrid(x[:3], y[:4], sparse=True)
    return a * b


@survey(V)
def index_tricks(x): return np.r_[x, 0.0, x[:2]], np.c_[x, x * 2], np.r_[1:4, 9]


@survey(V)
def mgrids(x):
    a, b = np.mgrid[0:3, 0:4]
    return a * x[0] + b, np.mgrid[0:1:5j], np.ogrid[0:3, 0:2][0]


@survey(M)
def indices_of_shape(x):
    rows, columns = np.indices(x.shape)
    return rows * columns + x


@survey(M)
def from_function(x): return np.fromfunction(lambda i, j: i + j, x.shape) * x


@survey(V)
def from_lists(x): return np.array([1.0, 2.0]) * x[0], np.array([[x[0], x[1]], [x[2], 0.0]]), np.asarray([x, x])


@survey(V)
def from_iterables(x): return np.array(list(range(4))), np.array((1, 2, 3), dtype="f4"), np.array([len(x), 2])


@survey(V, breaks=1, why="not an operation of the graph")
def from_generator(x): return np.fromiter((i * i for i in range(5)), dtype=float) + x[0]


@survey(M)
def copies(x): return x.copy(), np.copy(x), np.array(x), np.array(x, copy=True, order="F"), np.asarray(x) is x


@survey(M)
def contiguous(x): return np.ascontiguousarray(x.T), np.asfortranarray(x), np.require(x, requirements="C")


@survey(M)
def contiguous_lists(x): return np.ascontiguousarray([x.T, x.T]), np.asfortranarray([x, x]), np.asfortranarray([x[0], x[1]], "f4")


@survey(M)
def conversions(x): return x.astype(int), x.astype("f4"), x.astype(bool), np.astype(x, np.float32)


@survey(V)
def array_with_options(x): return np.array(x, dtype="f4", ndmin=2), np.array([1, 2, 3], ndmin=2), np.asarray(x, order="F")


@survey(M, F)
def likes(x, f): return np.zeros_like(x, shape=(2,)), np.empty_like(f).dtype, np.ones_like(f)


@survey(I, B, C)
def dtypes_of(i, b, c): return np.zeros_like(i), np.ones_like(b), np.zeros_like(c), i.dtype, c.dtype.kind


@survey(V)
def bmat_block(x): return np.block([[x[:2, None], np.ones((2, 2))], [np.zeros((1, 3))]])


@survey(T)
def windows_functions(x): return np.hanning(5), np.hamming(4), np.blackman(6), np.bartlett(5), np.kaiser(5, 14.0)
