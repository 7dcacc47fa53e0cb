"""Methods and attributes of arrays, NumPy scalars, structured access."""
# ruff: noqa
import numpy as np

from .entries import B, C, F, I, J, M, S, T, V, W, survey


@survey(M)
def attributes(x): return x.shape, x.ndim, x.size, x.dtype, x.itemsize, x.nbytes, x.strides, x.T.shape, len(x)


@survey(M, breaks=1, why="not an operation of the graph")
def flags(x): return x.flags.c_contiguous, x.T.flags.f_contiguous, x.flags["WRITEABLE"], x.flags.owndata


@survey(M, breaks=2, why="not an operation of the graph")
def bases(x): return x[1:].base is x, x.copy().base is None


@survey(C)
def complex_attributes(c):
    c = c.copy()
    c.real = 1.0
    c.imag[:2] = 0
    return c.real, c.imag, c


@survey(M)
def flat_access(x): return x.flat[3], x.flat[1:4], list(x.flat[:2])


@survey(V, breaks=1, why="not an operation of the graph")
def views(x): return x.view("i8"), x.view(), x.view(np.uint8)[:4], x.astype("f4").view("i4")


@survey(M)
def fills(x):
    y = x.copy()
    y.fill(3.0)
    y[0].fill(1)
    return y


@survey(M, close=True)
def fold_methods(x): return x.sum(0), x.prod(), x.min(1), x.max(), x.mean(axis=1), x.std(), x.var(0), x.any(), x.all(), x.cumsum(0), x.cumprod(), x.argmin(0), x.trace()


@survey(M)
def shape_methods(x): return x.reshape(2, 12), x.swapaxes(0, 1), x.transpose(1, 0), x.squeeze(), x.diagonal(), x.repeat(2), x.ravel(), x.flatten(), x.T


@survey(I)
def index_methods(i): return i.take([1, 2]), i.argsort(), i.clip(2, 5), i.choose([i] * 9) if False else i.compress([1, 0, 1]), i.searchsorted(4), i.round()


@survey(V)
def scalar_types(x): return np.float32(x[0]), np.float64(3), np.int64(x[0]), np.float32(1.5) * x, np.bool_(x[0]), np.int8(3) + np.int8(4), np.float32(x)


@survey(V)
def scalar_methods(x): return x[0].astype("f4"), x[0].item() if False else x[0], x.sum().round(2), x[0].dtype, x[0].shape, x.max().clip(0, 1), x[0].sum()


@survey(np.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f8")]))
def structured(r): return r["b"] * 2, r["a"].sum(), r["b"][0]


@survey(np.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f8")]), breaks=1, why="not an operation of the graph")
def structured_writes(r):
    r["b"] += 1
    r["a"][0] = 7
    return r


@survey(M, breaks=1, why="Python gets values, or calls back")
def container_methods(x): return x[0] in [1, 2] if False else 3.0 in x, x.tobytes()[:2] if False else x.nbytes, bool(x.size)


@survey(V, breaks=4, why="Python gets values, or calls back")
def bytes_and_lists(x): return x.tobytes(), x[:2].tolist(), np.frombuffer(x.tobytes()), x.dumps is None


@survey(F, J)
def in_place_operators(f, j):
    f, j = f.copy(), j.copy()
    f += 1
    f *= 2.5
    f /= 3
    f -= f.mean()
    f **= 2
    j //= 2
    j %= 3
    j <<= 1
    j |= 1
    return f, j


@survey(S, breaks=1, why="not an operation of the graph")
def matrix_operator(s):
    s = s.copy()
    s @= s
    return s


@survey(V)
def resize_method(x):
    y = x.copy()
    return y.reshape(3, 4), y[:4].copy().reshape((2, 2))


@survey(M, W)
def comparisons_of_shapes(x, w):
    if x.shape[0] > 3 and x.shape != w.shape:
        return x[:3], x.shape[1] * w
    return w


@survey(V)
def dtype_objects(x): return x.dtype.name, x.dtype.itemsize, x.dtype == float, np.dtype("f4").kind, np.result_type(x, 1), np.promote_types("f4", "i8"), np.can_cast("i4", "f8"), np.min_scalar_type(300)


@survey(B, T)
def chained_methods(b, t): return t.reshape(2, -1).max(axis=1).sum(), b.astype(int).cumsum()[-1], t.mean(0).T.copy(), t.astype("f4").sum(axis=0).round(1)


@survey(I.astype("u1"), np.array([250, 3], "u1"))
def small_integers(i, u): return i + i, u + 10, u.sum(), i * 2.0, u.astype("i8") - 255, np.add(u, 5, dtype="u2"), u.mean(), -i, u << 1


@survey(np.array([1.5, -2.25, 1000.0], "f2"))
def half_precision(h): return h + 1, h * h, h.sum(), h.mean(), np.sqrt(np.abs(h)), h.astype("f4"), h > 0, np.maximum(h, 0), -h, h / 3
