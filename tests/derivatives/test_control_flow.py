"""Derivatives through branches and loops, natively and by NumPy, against central differences."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl

from .checking import central, check_second, close

U = np.arange(6.0) ** 2 / 20


def heat(u, k):
    u = u.copy()
    for _ in range(100):
        u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])
    return (u * u).sum()


def few_steps(u, k):
    u = u.copy()
    for _ in range(20):
        u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2]) * np.sin(u[1:-1])
    return (u * u).sum()


def root(a):
    x = a
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
    if x > 2:
        return x * x * x
    return a * x


def until_large(x):
    s = 0.0
    for i in range(x.shape[0]):
        s = s + x[i] * np.sin(x[i])
        if s > 10:
            break
    return s * s


def last_of_a_loop(x):
    for i in range(50):
        y = np.sin(x[i % 6] * i)
    return y * y


def backwards_in_steps(x):
    s = 1.0
    for i in range(5, 0, -2):
        s = s * np.cos(x[i] + s)
    return s


def nested(x):
    total = 0.0
    for i in range(40):
        for j in range(40):
            total = total + np.tanh(total * 0.1 + x[i % 6] * x[j % 6])
    return total


def arms(x):
    if x.sum() > 1:
        y = x * x
        y[0] = y[1]
    else:
        y = np.sin(x)
    return (y * x).sum()


def recurrence(x):
    s = 0.0
    for i in range(1, x.shape[0]):
        s = np.tanh(s + x[i] * x[i - 1])
    return s


ALL = {
    "heat": (lambda u: heat(u, 0.1), U), "conductivity": (lambda k: heat(U, k), np.float64(0.1)),
    "few steps": (lambda u: few_steps(u, 0.1), U),
    "root": (root, np.float64(3.0)), "larger root": (root, np.float64(30.0)),
    "break": (until_large, np.linspace(0, 2, 300)), "no break": (until_large, U),
    "last value": (last_of_a_loop, U), "backwards": (backwards_in_steps, U),
    "nested": (nested, U), "first arm": (arms, U), "second arm": (arms, U / 100),
    "recurrence": (recurrence, np.linspace(0, 1, 50)),
}


@pytest.fixture(params=["aot_eager", "auto"])
def backend(request):
    with dl.config.patch(backend=request.param):
        yield


@pytest.mark.parametrize("name", ALL)
def test_first_derivatives(name, backend):
    function, x = ALL[name]
    v = np.random.default_rng(2).standard_normal(np.shape(x))[()]
    value, gradient = dl.value_and_grad(function)(x)
    assert close(value, function(x), 1e-12)
    assert close(np.sum(gradient * v), central(function, x, v))


@pytest.mark.parametrize("name", ALL)
def test_tangents(name, backend):
    function, x = ALL[name]
    v = np.random.default_rng(2).standard_normal(np.shape(x))[()]
    value, tangent = dl.jvp(function, (x,), (v,))
    assert close(value, function(x), 1e-12) and close(tangent, central(function, x, v))


@pytest.mark.parametrize("name", ALL)
def test_second_derivatives(name):
    function, x = ALL[name]
    v = np.random.default_rng(2).standard_normal(np.shape(x))[()]
    check_second(function, x, v, 1.0)


def first_large(x):
    """Python's 0.0 where the loop ends at once, else a number of NumPy's."""
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] > 3:
            break
        s = s + x[i] ** 3
    return s


def test_numbers_of_a_type_that_data_decides(backend):
    x = np.arange(1.0, 6.0)
    assert close(dl.grad(first_large)(x), 3 * x * x * (x <= 3), 1e-12)
    assert close(dl.hessian(first_large)(x), np.diag(6 * x * (x <= 3)), 1e-12)


def test_lengths_share_one_graph():
    gradient = dl.grad(recurrence)
    gradient(np.linspace(0, 1, 40)), gradient(np.linspace(0, 1, 45))
    with dl.no_recompile():
        x = np.linspace(0, 1, 90)
        assert close(gradient(x) @ x, central(recurrence, x, x))


def test_a_training_loop_in_one_graph():
    @dl.compile(fullgraph=True)
    def descend(w, x, y):
        for _ in range(200):
            w = w - 0.1 * dl.grad(lambda w: ((x @ w - y) ** 2).mean())(w)
        return w

    x = np.random.default_rng(0).standard_normal((20, 3))
    w = np.array([1.0, -2.0, 3.0])
    assert close(descend(np.zeros(3), x, x @ w), w, 1e-6)
