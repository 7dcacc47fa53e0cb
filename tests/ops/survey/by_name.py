"""Arguments that must be given, given by name."""
# ruff: noqa
import numpy as np

from .entries import B, C, I, M, S, T, V, W, survey


@survey(M, I)
def indexing(x, i): return np.take(a=x, indices=[1, 0], axis=1), np.take(x, indices=i, mode="clip"), x.take(indices=[0, 2]), np.compress(condition=[True, False], a=x, axis=0), np.take_along_axis(arr=x, indices=np.argsort(a=x, axis=1), axis=1)


@survey(M, T)
def shapes(x, t): return np.transpose(a=x), np.squeeze(a=x[None]), np.ravel(a=x, order="F"), np.moveaxis(a=t, source=0, destination=-1), np.swapaxes(a=t, axis1=0, axis2=2), np.rollaxis(a=t, axis=2), np.expand_dims(a=x, axis=0), np.flip(m=x), np.rot90(m=x), np.broadcast_to(array=x, shape=(2, 4, 6)), np.shape(a=x), np.ndim(a=t)


@survey(V, W, M)
def folds(v, w, x): return np.sum(a=x, axis=0), np.cumsum(a=v), np.max(a=x), np.std(a=v, ddof=1), np.median(a=v), np.average(a=v, weights=w * w), np.dot(a=v, b=w), x.dot(b=x.T), np.outer(a=v, b=w), np.trace(a=x), np.diff(a=v), np.quantile(a=v, q=0.3)


@survey(V, W)
def makes(v, w): return np.full(shape=5, fill_value=2.0), np.full(shape=v.shape[0] + 1, fill_value=-1, dtype=np.intp), np.zeros(shape=(2, 3)), np.linspace(start=0, stop=1, num=4), np.full_like(a=v, fill_value=1.5), np.eye(N=3), np.diag(v=v), np.repeat(a=v, repeats=2), v.repeat(repeats=2), np.tile(A=v, reps=2), np.roll(a=v, shift=3), np.pad(array=v, pad_width=2)


@survey(V, B, M)
def writes(v, b, x):
    v, x = v.copy(), x.copy()
    np.copyto(dst=v, src=2.0, where=b)
    np.put(a=v, ind=[0, 2], v=[7.0, 8.0])
    v.put(indices=[1], values=[5.0])
    np.place(arr=v, mask=v < 0, vals=[1.0])
    np.fill_diagonal(a=x, val=3.0)
    return v, x


@survey(V, W, S)
def searches(v, w, s): return np.sort(a=v), np.argsort(a=v), np.searchsorted(a=np.sort(v), v=w), np.sort(v).searchsorted(v=0.5), np.interp(x=0.5, xp=np.sort(a=v), fp=w), np.isin(element=v, test_elements=w), np.linalg.solve(a=s, b=s[0]), np.linalg.norm(x=s)


@survey(C)
def parts(z): return np.real(val=z), np.imag(val=z), np.angle(z=z)


@survey(V, breaks=1, why="NumPy raises TypeError")
def refused(v):
    try:
        return v.swapaxes(axis1=0, axis2=0)
    except TypeError:
        return v + 1
