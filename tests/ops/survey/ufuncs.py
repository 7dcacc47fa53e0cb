"""Universal functions: methods, outputs, masks, dtypes."""
# ruff: noqa
import numpy as np

from .entries import B, F, I, J, M, T, V, W, survey


@survey(M)
def reduces(x): return np.add.reduce(x), np.multiply.reduce(x, axis=1), np.maximum.reduce(x, axis=None), np.minimum.reduce(x, keepdims=True), np.logical_or.reduce(x > 0)


@survey(M)
def more_reduces(x): return np.subtract.reduce(x), np.hypot.reduce(x, axis=1), np.fmax.reduce(x), np.add.reduce(x, axis=(0, 1)), np.logaddexp.reduce(x[0]), np.divide.reduce(x + 9)


@survey(M, breaks=1, why="not an operation of the graph")
def reduce_options(x): return np.add.reduce(x, initial=5.0), np.add.reduce(x, where=x > 0), np.maximum.reduce(x, initial=0.0), np.add.reduce(x, dtype="f4"), np.multiply.reduce(x, 1, None, None, True)


@survey(M)
def accumulates(x): return np.add.accumulate(x), np.multiply.accumulate(x, axis=1), np.maximum.accumulate(x, axis=0), np.minimum.accumulate(x[0]), np.logical_and.accumulate(x[0] > 0), np.subtract.accumulate(x[0])


@survey(V, W)
def outers(x, y): return np.add.outer(x, y), np.multiply.outer(x[:2], y[:3]), np.subtract.outer(x, 1.0), np.maximum.outer(x[:3], y[:2]), np.greater.outer(x[:2], y[:2])


@survey(V)
def reduceats(x): return np.add.reduceat(x, [0, 3, 7]), np.maximum.reduceat(x, [0, 5])


@survey(V, I)
def ats(x, i):
    out = np.zeros(9)
    np.add.at(out, i, 1)
    np.maximum.at(out, i, x)
    np.multiply.at(out, [0, 1], 2)
    np.negative.at(out, [0])
    return out


@survey(V, W)
def outputs(x, y):
    out = np.empty(12)
    np.add(x, y, out=out)
    np.multiply(out, 2, out)
    np.sqrt(np.abs(out), out=out)
    return out


@survey(V, W)
def masks(x, y): return np.divide(x, y, out=np.zeros(12), where=y > 0), np.add(x, y, where=x > 0, out=np.ones(12)), np.sqrt(x, where=x > 0, out=np.full(12, -1.0))


@survey(V, F)
def dtypes(x, f): return np.add(f, f, dtype="f8"), np.multiply(x, 2, dtype=float), np.add(1, 2, dtype="f4"), np.sum(f, dtype="f8"), np.true_divide(x, 2, casting="unsafe")


@survey(I, F)
def promotions(i, f): return i + 1.5, f + 1, f * i[0], i / 2, f + np.float64(1), i + np.int8(1), f.astype("f2") + 1, np.float32(2) * i, True + i


@survey(M)
def output_of_folds(x):
    out = np.empty(6)
    np.sum(x, axis=0, out=out)
    x.mean(axis=0, out=out)
    np.cumsum(x[0], out=out)
    return out


@survey(V, breaks=1, why="not an operation of the graph")
def several_outputs(x):
    a, b = np.empty(12), np.empty(12)
    np.modf(x, out=(a, b))
    return a, b, np.frexp(x)[1]


@survey(V)
def generalised(x): return np.vecdot(x, x), np.linalg.outer(x, x)[0], np.matmul(x[None], x[:, None])


@survey(B, I)
def of_integers(b, i): return b + b, b * i, i & b, np.minimum(i, 3), np.add(i, 1, dtype="i4", casting="same_kind"), np.sign(i), np.abs(-i), np.square(i)


@survey(J, T)
def keepdims_everywhere(j, t): return j.sum(0, keepdims=True), t.max(axis=(1, 2), keepdims=True), t - t.mean(axis=-1, keepdims=True), np.argmin(t, axis=1, keepdims=True)


@survey(V)
def attributes_of_ufuncs(x): return np.add.nin, np.add.nout, np.add.identity, np.sin.__name__, np.add(x, np.add.identity), np.multiply.ntypes > 3
