"""Functions of an array library and an array, the same for NumPy and CuPy."""
from __future__ import annotations


def softmax(xp, x):
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def views(xp, x):
    return x.T[1:] * 2, x[::-1], x.reshape(-1)[3:]


def own_writes(xp, x):
    y = x * 2
    y += 1
    y[0] = xp.abs(x[1])
    return y


def total(xp, x):
    return x.sum() + xp.max(x)


def choose(xp, x):
    return xp.where(x > 0, xp.sqrt(xp.abs(x)), -x), xp.concatenate([x, x], axis=1)


def branch(xp, x):
    if x.shape[0] > 2:
        return xp.tanh(x) * x.shape[1]
    return x


FUNCTIONS = (softmax, views, own_writes, total, choose, branch)
