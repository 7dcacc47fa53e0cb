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


def written(xp, x):
    x += 1
    x[1:] *= 2
    x[0, 0] = 7
    return x.sum(axis=1)


def masked(xp, x):
    x[x < 0] = 0
    return x[x > 1], *xp.nonzero(x)


def until_small(xp, x):
    n = 0
    while xp.abs(x).max() > 0.1:
        x = x / 2
        n += 1
    return x, n


def on_data(xp, x):
    largest = x.max()
    if largest > 1 and x.sum() < 100:
        return x / largest
    return x - 1


def in_rounds(xp, x):
    for i in range(300):
        x = xp.sin(x) + i
    return x


def one_by_one(xp, x):
    y = x.ravel() * 1
    for i in range(1, y.size):
        y[i] = y[i - 1] * 0.5 + y[i]
    return y


def made(xp, x):
    columns = xp.arange(x.shape[1])
    out = xp.zeros(x.shape)
    out[1:] = x[:-1] * columns
    return out + xp.full(x.shape[1], 2.0), x[0, 0], xp.linspace(0, 1, 5), xp.eye(3)


def numbers(xp, x):
    total = float(x.sum())
    return total * 2, bool((x > 0).all()), x.shape[0] + 1, x * total


def by_rows(xp, x):
    total = xp.zeros(x.shape[1])
    for row in x:
        total += row
    order = xp.argsort(x[0])
    xp.add.at(total, xp.array([0, 0, 1]), 1.0)
    return total, x[:, order], xp.sort(x, axis=1)


def complex_parts(xp, x):
    z = x + 1j * x[::-1]
    return abs(z), z.real + z.imag, z.conj() * z


WRITES = (
    written, masked, until_small, on_data, in_rounds, one_by_one, made, numbers, by_rows,
    complex_parts,
)
"""More of them: writes into inputs, flow on data, arrays and numbers made on the way."""
