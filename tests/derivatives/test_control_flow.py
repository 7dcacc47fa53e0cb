"""Derivatives through branches and loops, natively and by NumPy, against central differences."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl

from ..graphs import graph_of
from .checking import central, check, check_second, close

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


def linear(x):
    """An iteration backwards reads no state."""
    u = x.copy()
    for _ in range(70):
        u[1:] = 0.5 * u[1:] + 0.3 * u[:-1]
    return (u * x).sum()


def until(x):
    """What it reads is where its index is."""
    i, s = 0, 1.0
    while s < 50:
        s = s * 1.3 + x[i % 6]
        i += 1
    return s


ALL = {
    "heat": (lambda u: heat(u, 0.1), U), "conductivity": (lambda k: heat(U, k), np.float64(0.1)),
    "few steps": (lambda u: few_steps(u, 0.1), U),
    "root": (root, np.float64(3.0)), "larger root": (root, np.float64(30.0)),
    "break": (until_large, np.linspace(0, 2, 300)), "no break": (until_large, U),
    "last value": (last_of_a_loop, U), "backwards": (backwards_in_steps, U),
    "nested": (nested, U), "first arm": (arms, U), "second arm": (arms, U / 100),
    "recurrence": (recurrence, np.linspace(0, 1, 50)),
    "linear": (linear, U), "until": (until, U),
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


def states_kept(function, x):
    """The stacks of states that the joint graph makes."""
    return sum(node.target is np.empty for node in graph_of(dl.grad(function), x))


def test_states_that_are_not_needed_are_not_kept():
    assert states_kept(linear, U) == states_kept(lambda x: heat(x, 0.1), U) == 0
    assert states_kept(lambda k: heat(U, k), np.float64(0.1)) == 1
    assert states_kept(recurrence, np.linspace(0, 1, 60)) == 1


def shrunk_in_a_while_loop(x):
    v = x.copy()
    while v.sum() > 0.1:
        v[v > 0] *= 0.7 * x[0]
        v -= 0.1
    return (v * v).sum()


def shrunk_in_an_arm(x):
    v = x * x - 0.5
    if v.sum() > 0:
        v[v > 0] *= x[1]
    else:
        v[v < 0] += x[1]
    return (v * v).sum()


def with_elements_of_another(x):
    v, w = x.copy(), np.sin(x)
    while v.sum() > 0.1:
        mask = w > 0
        v[mask] -= w[mask]
        w = w - 0.1
    return (v * v).sum()


@pytest.mark.parametrize(
    "function", [shrunk_in_a_while_loop, shrunk_in_an_arm, with_elements_of_another])
def test_masks_in_loops_and_branches(function):
    for x in np.array([0.5, -0.3, 0.8, -0.2, 0.9]), np.array([0.1, 0.7, -0.4]):
        check(function, x)


def behind_a_branch(x):
    s = 0.0
    if x.sum() > 0:
        v = x * 3
        s = v.sum()
    t = [v * s for v in (x, x * x)]
    return t[0].sum() * t[1].sum() if s > 1 else s + t[1].sum()


def in_a_loop(x):
    s = 0.0
    for _ in range(60):
        if s > 3:
            v = x * 3
            s = s - v.sum()
        s = s + sum([v * x[0] for v in (1, 2)])
    return s


def kept_behind(x):
    v = x * 2
    if x.sum() > 0:
        v = x * 3
    return sum([v * 2 for v in x]) * v.sum()


@pytest.mark.parametrize("function", [behind_a_branch, in_a_loop, kept_behind])
def test_a_comprehension_has_a_name_of_a_variable(function):
    for x in np.array([0.5, 1.3, 0.8]), np.array([-0.5, -1.3, 0.8]):
        check(function, x)


def drawn(x):
    rng = np.random.default_rng(0)
    for _ in range(50):
        x = x + 0.1 * np.sin(x) * rng.normal()
    return x.sum()


def drawn_in_an_arm(x):
    if x.sum() > 1:
        x = x * np.random.normal(size=6)
    return x.sum()


@pytest.mark.parametrize("function", [drawn, drawn_in_an_arm])
@pytest.mark.parametrize("take", [dl.grad, lambda f: lambda x: dl.jvp(f, (x,), (x,))])
def test_numbers_that_would_be_drawn_again(function, take):
    with pytest.raises(dl.errors.NotDifferentiable, match="normal again.*(\n.*)+draw all numbers"):
        take(function)(U)


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
