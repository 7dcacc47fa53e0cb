"""Typical NumPy functions."""
# ruff: noqa
import copy

import numpy as np

from .programs import V, X, program


@program(X)
def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@program(X)
def standardize(x): return (x - x.mean(0)) / (x.std(0) + 1e-9)


@program(X, X[:2] * 1.5)
def distances(x, y): return np.sqrt(((x[:, None] - y[None]) ** 2).sum(-1)).argmin(axis=1)


@program(X)
def covariance(x):
    c = x - x.mean(axis=0)
    return c.T @ c / (len(x) - 1)


@program(V)
def polynomial(v):
    r = 0
    for c in [1.0, 2.0, 3.0]: r = r * v + c
    return r


@program(V)
def relu_family(v): return np.maximum(v, 0), np.where(v > 0, v, 0.1 * v), 1 / (1 + np.exp(-v)), np.tanh(v), np.clip(v, -1, 1)


@program(X)
def stacking(x): return np.stack([x, x]), np.concatenate([x, x], axis=1), np.vstack((x, x)), np.hstack([x, x])


@program(X)
def stacking_by_position(x):
    out = np.empty((x.shape[0] * 2, x.shape[1]))
    np.concatenate([x, x + 1], 0, out)
    return np.concatenate([x, x], 1), np.concatenate([x, x], 0), np.concatenate([x, x], None), out


@program(X)
def shapes(x): return x.reshape(-1), x.T, x.ravel(), np.expand_dims(x, 0), x[None, :, None], np.squeeze(x[None]), np.swapaxes(x, 0, 1), np.broadcast_to(x[0], (2, 4))


@program(X)
def creation(x): return np.zeros_like(x), np.ones((2, 3)), np.arange(5), np.linspace(0, 1, 5), np.eye(3), np.full((2,), 7.0), np.empty_like(x).shape


@program(X)
def reductions(x): return x.sum(), x.mean(axis=0), x.max(1), x.min(), x.prod(axis=0), x.argmax(), x.any(), x.all(axis=0), np.median(x), x.cumsum(axis=1)


@program(X)
def indexing(x): return x[0], x[-1, ::2], x[[0, 2]], x[:, [1, 0]], x[np.array([0, 1]), np.array([1, 2])], x[1:, :-1]


@program(X)
def masking(x): return x[x > 3]


@program(X)
def mask_where(x): return np.where(x > 3, x, -x), (x > 3).sum(), np.count_nonzero(x > 2)


@program(X)
def linalg(x): return np.linalg.norm(x), np.linalg.norm(x, axis=1), np.linalg.inv(x[:3, :3] + np.eye(3) * 9), np.linalg.det(x[:2, :2]), x @ x.T


@program(X)
def solving(x): return np.linalg.solve(x[:3, :3] + 9 * np.eye(3), x[:3, 0])


@program(X)
def einsum(x): return np.einsum("ij,kj->ik", x, x), np.einsum("ij->j", x), np.dot(x, x.T), np.outer(x[0], x[1]), np.inner(x, x)


@program(V)
def convolution(v): return np.convolve(v, [1, 0, -1], mode="same"), np.diff(v), np.gradient(v)


@program(X)
def sorting(x): return np.sort(x, axis=0), np.argsort(x[0]), np.flip(x), np.roll(x, 1, axis=0)


@program(X)
def dtypes(x): return x.astype(np.float32), x.astype(int), x.dtype == np.float64, np.float32(3) * x, np.asarray(x, dtype="f4"), x.dtype.kind


@program(X)
def statistics(x): return np.percentile(x, 50), np.var(x, ddof=1), np.average(x, axis=0, weights=[1, 2, 3]), np.corrcoef(x)


@program(X)
def heat_step(x):
    u = x.copy()
    for _ in range(3):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] - 2 * u[1:-1, 1:-1])
    return u


@program(X)
def in_place_out(x):
    out = np.empty_like(x)
    np.multiply(x, 2, out=out)
    np.add(out, 1, out=out)
    return out


@program(X)
def meshgrid(x): return np.meshgrid(x[0], x[1])[0], np.indices((2, 2))[0], np.ogrid[0:3].shape


@program(X)
def tiling(x): return np.tile(x, (2, 1)), np.repeat(x, 2, axis=0), np.pad(x, 1)


@program(X)
def triangles(x): return np.tril(x), np.triu(x, 1), np.diag(x[:3, :3]), np.trace(x)


@program(X)
def bits(x):
    n = x.astype(int)
    return n & 3, n | 1, n ^ 5, n << 1, ~n, n % 3, n // 2


@program(X)
def complex_numbers(x):
    z = x + 1j * x
    return z.real, z.imag, np.abs(z), np.conj(z), np.angle(z)


@program(X)
def ufunc_methods(x): return np.add.reduce(x, axis=0), np.maximum.reduce(x), np.multiply.outer(x[0], x[1]), np.add.accumulate(x, axis=1)


@program(X)
def fft(x): return np.fft.fft(x[0]), np.fft.rfft(x, axis=1)


@program(X)
def array_from_lists(x): return np.array([[1, 2], [3, 4]]) * 2, np.array([x[0], x[1]]), np.asarray([x.shape[0], 5])


@program(X)
def vectorised_choice(x): return np.select([x > 5, x > 2], [x, -x], 0), np.isin(x, [1.0, 2.0]), np.searchsorted(x[0], 2.5), np.digitize(x[0], [2, 3])


@program(X)
def attributes(x): return x.shape, x.ndim, x.size, x.itemsize, x.nbytes, x.strides, len(x), x.T.flags.f_contiguous


@program(X)
def split(x): return np.split(x, 2, axis=1), np.array_split(x[0], 3)


@program(X)
def random_generator(x):
    rng = np.random.default_rng(3)
    return rng.normal(size=3) + x[:, 0]


@program(X)
def scalars(x): return x[0, 0] * 2, float(3) * x, x.sum() / x.size, np.float64(2) ** 2, x[0, 0] + x[1, 1]


@program(X)
def apply_axis(x): return np.apply_along_axis(lambda r: r.sum(), 1, x)


@program(X)
def vectorize(x): return np.vectorize(lambda v: v + 1)(x)


@program(X)
def logical(x): return np.logical_and(x > 1, x < 5), (x > 1) & (x < 5), ~(x > 3), np.isnan(x), np.isfinite(x), np.sign(x)


@program(X)
def allclose(x): return np.allclose, np.array_equal(x, x) if False else 1, x


@program(X)
def membership(x):
    found = 2 in x, 7.5 in x, 2 not in x, np.float64(1) in x, x[1, 0] in x, type(2 in x).__name__
    return found, x.__contains__(1), np.nan in x, x[0] in x, 1.5 in x.astype(int)


@program(X)
def membership_of_other_shapes(x):
    try: return np.ones(7) in x
    except ValueError as error: return str(error)


@program(X)
def branch_on_membership(x): return x + 1 if 2 in x else x - 1


@program(X)
def sizes_along_axes(x): return np.size(x, 1), np.size(x, axis=0), np.size(x), np.isfortran(x), np.isfortran(x.T), x.flags.fnc


@program(X, V)
def assigning_sequences(x, v):
    y = x.copy()
    y[0, :3] = v[0], 2 * (v[0] + v[1]), 7
    y[1:] = [v[:1], y[0, :1]]
    y[[0, 2], [1, 0]] = y[2, 0], y[0, 1]
    return y


@program(X.T, [[1, 2], [3, 4]])
def copies_keep_the_layout(x, rows):
    made = copy.copy(x), copy.deepcopy(x), copy.copy(x[::2])
    listed = [(index, value + x[0]) for index, value in np.ndenumerate(rows)]
    return [c.strides for c in made], made, [c is x for c in made], listed


@program(X, breaks="Python has no type for long doubles")
def long_doubles_stay_what_they_are(x):
    wide = x.astype(np.longdouble)
    return type(wide[0, 0].item()).__name__, wide.sum().tolist(), np.zeros((0, 2)).sum()


@program(X, breaks="ufuncs do not accumulate over a 0-d array")
def accumulate_of_a_scalar(x):
    try: return np.add.accumulate(x[0, :1].reshape(()))
    except TypeError as error: return str(error)


class NoUfunc:
    __array_ufunc__ = None
    def __radd__(self, other): return "added"
    def __gt__(self, other): return "greater"


@program(X, NoUfunc())
def no_ufunc(x, other):
    found = [x + other, x < other]
    for operation in (lambda: other + x, lambda: other * x, lambda: x * other):
        try: found.append(operation())
        except TypeError as error: found.append(str(error))
    return found


@program(V)
def methods_of_one_number(v):
    n = v[1]
    v[1], v[0] = v[0], v[1].copy()
    return (n.copy(), n.flatten(), n.ravel(), n.reshape(1, 1), n.squeeze(), n.transpose(), n.view(np.int64),
            n.astype("f4", copy=False), np.float64(0.5).copy() * v, n.astype(bool).copy(order="C"))
