"""Ordinary NumPy functions: compiled equals Python, on every backend, without a graph break."""
import math

import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import EXACT, ROUNDED, check

rng = np.random.default_rng(0)
V = rng.standard_normal(50)
W = rng.standard_normal(50) + 3
M = rng.standard_normal((6, 8))
N = rng.standard_normal((8, 5))
SQUARE = rng.standard_normal((6, 6)) + 6 * np.eye(6)
F32 = rng.standard_normal((6, 8)).astype("f4")
INTS = np.arange(-12, 12).reshape(4, 6)
U8 = np.arange(24, dtype="u1").reshape(4, 6)
B = INTS % 2 == 0
CASES = []


def case(*args, tolerance=EXACT, breaks=0, **kwargs):
    def add(function):
        CASES.append(pytest.param(function, args, kwargs, tolerance, breaks, id=function.__name__))
        return function

    return add


@case(V, W)
def arithmetic(x, y):
    return (x * y + 1) - x / y


@case(INTS, 3)
def integer_arithmetic(x, n):
    return x * n + (x // 4) - (x % 5), x << 1, x & 6, ~x, -x


@case(U8)
def unsigned(x):
    return x + x, x * 200, x - np.uint8(1), x.astype(np.int16) - 5


@case(F32)
def float32_stays(x):
    return x * 2.5 + 1, np.sqrt(np.abs(x)).dtype


@case(W, tolerance=ROUNDED)
def black_scholes(s):
    k, t, r, sigma = 2.5, 0.5, 0.02, 0.3
    d1 = (np.log(np.abs(s) / k) + (r + sigma**2 / 2) * t) / (sigma * np.sqrt(t))
    d2 = d1 - sigma * np.sqrt(t)
    return np.exp(-r * t) * d2 + np.tanh(d1)


@case(M, tolerance=ROUNDED)
def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@case(M, tolerance=ROUNDED)
def layer_norm(x):
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(var + 1e-5)


@case(rng.standard_normal((40, 2)), rng.standard_normal((3, 2)))
def kmeans(points, means):
    return np.argmin(np.linalg.norm(points - means[:, None], axis=2), axis=0)


@case(rng.standard_normal((10, 12)))
def heat(u):
    v = u.copy()
    inner = u[1:-1, 1:-1]
    v[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inner)
    return v


@case(rng.standard_normal((10, 12)))
def heat_in_place(u):
    u[1:-1] = (u[2:] + u[:-2]) / 2
    u += 1
    return u.sum()


@case(V)
def overlapping_views(x):
    x[1:] += x[:-1]
    return x


@case(M, N, tolerance=ROUNDED)
def matmul(a, b):
    return a @ b, np.dot(a, b) + 1, (b.T @ a.T).shape


@case(M, tolerance=ROUNDED)
def reductions(x):
    return (x.sum(), x.sum(axis=0), x.prod(axis=1), x.min(), x.max(axis=0), x.mean(),
            x.std(axis=1), x.argmin(), x.argmax(axis=1), (x > 0).any(axis=0), (x > 0).all())


@case(INTS)
def integer_reductions(x):
    return x.sum(), x.sum(axis=1), x.mean(axis=0), x.max(), np.cumsum(x, axis=1), x.prod(axis=1)


@case(M)
def shapes(x):
    y = x.reshape(2, 3, 8).transpose(1, 0, 2)
    return y, x.T, x[:, None, :], x.ravel(), x.flatten(), np.squeeze(x[None]), np.expand_dims(x, 1)


@case(M)
def slicing(x):
    return x[::2], x[:, ::-1], x[-1], x[1:4, 2], x[..., 0], x[2:1]


@case(M)
def joining(x):
    return (np.concatenate([x, x * 2]), np.stack([x, x + 1], axis=1), np.vstack((x, x)),
            np.hstack((x, x)))


@case(V)
def splitting(x):
    a, b = np.split(x, 2)
    return a + b


@case(M)
def creation(x):
    return (np.zeros(3), np.ones((2, 3), dtype=np.float32), np.full(4, 7), np.arange(10) * 2,
            np.linspace(0, 1, 5), np.eye(3), np.zeros_like(x), np.full_like(x, 2) + x)


@case(M)
def selecting(x):
    return np.where(x > 0, x, 0.0), np.clip(x, -1, 1), np.minimum(x, 0), np.maximum(x, x.T[:1, :1])


@case(M, np.array([0, 2, 2]))
def gathering(x, index):
    return x[index], x[:, index], np.take(x, index, axis=1), x[index, index]


@case(M)
def broadcasting(x):
    return x + x[0], x * np.arange(8), np.broadcast_to(x[0], (3, 8)) + 1, x[:, :1] - x[:1]


@case(M, tolerance=ROUNDED)
def outer_products(x):
    return np.outer(x[0], x[1]), np.tensordot(x, x, axes=([0], [0])), np.einsum("ij,ij->i", x, x)


@case(SQUARE, tolerance=ROUNDED, breaks=None)
def linear_algebra(a):
    return np.linalg.solve(a, a[0]), np.linalg.det(a), np.linalg.norm(a)


@case(V)
def scalars_stay_scalars(x):
    return x[0], x[0] * 2, x.sum() + 1, np.float64(3) * 2, x.size, x.shape, x.ndim, x.dtype


@case(V, 3, 2.5)
def python_numbers(x, n, f):
    return x * n + f, n * 2, f + n, x**n, n * f


@case(V, [V, W], {"a": V})
def containers(x, pair, table):
    first, second = pair
    table["b"] = table["a"] * 2
    return {"sum": first + second, "pair": [x, *pair], "n": len(pair)}


@case(V)
def python_control_flow(x):
    total = np.zeros_like(x)
    for i, scale in enumerate([1.0, 2.0, 3.0]):
        if i % 2 == 0:
            total = total + x * scale
        elif x.shape[0] > 10:
            total -= x
    return total


def scaled(x, *, by=2):
    return x * by


class Model:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def forward(self, x):
        return scaled(x @ self.w + self.b, by=3)

    @property
    def width(self):
        return self.w.shape[1]


@case(Model(N, N[0]), M, tolerance=ROUNDED)
def user_objects(model, x):
    return model.forward(x) / model.width


@case(Model(N, N[0]), M)
def stored_attributes(model, x):
    model.b = model.b + 1
    model.seen = x.shape
    return model.b


@case(V)
def closures(x):
    k = 3

    def scale(y):
        return y * k

    return scale(x) + (lambda y: y - k)(x)


@case(V)
def comprehensions(x):
    parts = [x * i for i in range(3)]
    return sum(parts), {i: p[:2] for i, p in enumerate(parts)}, tuple(p.sum() for p in parts)


@case(V)
def methods_and_functions(x):
    return (x.clip(0, 1), x.round(2), np.abs(x), abs(x), x.astype(int), x.copy(), x.cumsum(),
            np.sign(x))


@case(V, tolerance=ROUNDED)
def transcendental(x):
    y = np.abs(x) + 0.1
    return (np.exp(x), np.log(y), np.sin(x), np.cos(x), np.tanh(x), np.sqrt(y), np.arctan2(x, y),
            y**1.5)


@case(B, INTS)
def booleans(mask, x):
    return mask & (x > 0), mask | ~mask, mask ^ True, mask.sum(), np.logical_and(mask, x), mask * x


@case(np.array(3.0), np.zeros((0, 3)))
def odd_shapes(scalar, empty):
    return scalar + 1, scalar * scalar, empty + 1, empty.sum(), empty.sum(axis=0), empty.T


@case(V)
def math_functions(x):
    return x * math.pi + math.sqrt(2.0)


@case(V, np.asfortranarray(M), M[::2, ::-1], M.T)
def layouts(x, fortran, strided, transposed):
    return fortran * 2, strided + 1, transposed.sum(axis=0), (transposed * 2).T, x[::-3]


@case(V)
def out_arguments(x):
    result = np.empty_like(x)
    np.multiply(x, 2, out=result)
    np.add(result, 1, out=result)
    return result


@case(V)
def memory_with_any_contents(x):
    made = np.empty(len(x))
    shape = (made * 0).shape
    i = 0
    while i < len(x):
        made[i] = x[i] * 2
        i += 1
    return made, shape


@case(V, W)
def augmented_assignment(x, y):
    x *= 2
    x -= y
    y[...] = 0
    y[3] = 7
    return x


@case(M)
def views_alias(x):
    row = x[1]
    row += 10
    x[0, 0] = 5
    return row, x


@case(V, breaks=None)
def sort_and_search(x):
    s = np.sort(x)
    return s, np.argsort(x), np.searchsorted(s, 0.0), np.unique(np.sign(x)), np.median(x)


@pytest.mark.parametrize("function, args, kwargs, tolerance, breaks", CASES)
def test_equals_python(function, args, kwargs, tolerance, breaks, backend):
    compiled = dl.compile(function, backend=backend)
    tolerance = tolerance if backend == "eager" else ROUNDED
    check(compiled, function, *args, tolerance=tolerance, **kwargs)
    found = dl.stats()
    assert found.errors == 0
    if breaks is not None:
        assert found.graph_breaks == breaks, found.break_reasons
        assert found.graphs == 1
    assert compiled.entries()[0].hits == 3


@pytest.mark.parametrize("call", [
    lambda x: x + np.arange(3.0),
    lambda x: x.reshape(7, 7),
    lambda x: x[100],
    lambda x: np.concatenate([x, x[None]]),
    lambda x: x @ x[:3],
    lambda x: x.nothing,
    lambda x: np.linalg.solve(np.zeros((3, 3)), x[:3]),
    lambda x: x.sum(axis=4),
    lambda x: np.arange(10)[x.astype(int) + 50],
])  # fmt: skip
def test_exceptions_are_numpys_own(call, backend):
    check(dl.compile(call, backend=backend), call, V)


@pytest.mark.parametrize("call", [
    lambda x: x / 0,
    lambda x: np.log(x),
    lambda x: np.sqrt(x) + np.exp(x * 1000),
    lambda x: (x * 1e308) * 1e10,
    lambda x: x.astype(int) // 0,
    lambda x: x.astype(int) % np.zeros(50, int),
])  # fmt: skip
def test_warnings_are_numpys_own(call, backend):
    check(dl.compile(call, backend=backend), call, V, tolerance=ROUNDED)
    with np.errstate(all="raise"):
        check(dl.compile(call, backend=backend), call, V, tolerance=ROUNDED)
    with np.errstate(all="ignore"):
        check(dl.compile(call, backend=backend), call, V, tolerance=ROUNDED)


def test_numpys_bools_are_the_two_that_there_are():
    compiled = dl.compile(lambda x: (x[0] > 0, x[1] > 0))
    for _ in range(2):
        first, second = compiled(np.array([1.0, -1.0]))
        assert first is np.True_ and second is np.False_


def test_read_only_arrays_are_never_written(backend):
    def f(x):
        x += 1
        return x

    x = np.arange(4.0)
    x.setflags(write=False)
    compiled = dl.compile(f, backend=backend)
    for _ in range(2):
        with pytest.raises(ValueError, match="read-only"):
            compiled(x)
    assert x.tolist() == [0, 1, 2, 3]
    assert compiled(np.arange(3.0)).tolist() == [1, 2, 3]


def test_results_alias_what_they_alias_in_python(backend):
    def f(x, y):
        return x, x[1:], x.T, y + 1, x

    compiled = dl.compile(f, backend=backend)
    for _ in range(2):
        x, y = np.arange(6.0).reshape(2, 3), np.ones(3)
        a, b, c, d, e = compiled(x, y)
        assert a is x and e is x
        assert np.shares_memory(b, x) and np.shares_memory(c, x) and not np.shares_memory(d, y)
        b[...] = 7
        assert x[1].tolist() == [7, 7, 7]


def test_new_results_every_call(backend):
    compiled = dl.compile(lambda x: x + 1, backend=backend)
    x = np.arange(3.0)
    first, second = compiled(x), compiled(x)
    first[...] = 0
    assert second.tolist() == [1, 2, 3]


def test_random_state_advances_as_in_python(backend):
    def f(x):
        return x + np.random.normal(size=3), np.random.default_rng(0).normal(size=2)

    compiled = dl.compile(f, backend=backend)
    np.random.seed(1)
    expected = [f(np.zeros(3)) for _ in range(3)]
    np.random.seed(1)
    found = [compiled(np.zeros(3)) for _ in range(3)]
    assert repr(found) == repr(expected)
