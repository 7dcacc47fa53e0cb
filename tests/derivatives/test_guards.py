"""What differentiated functions are compiled for: what the functions themselves are."""
from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import dynamo_lite as dl

from .checking import central, close

RNG = np.random.default_rng(7)
WEIGHTS = {"w": RNG.standard_normal((4, 3)), "v": RNG.standard_normal(3)}


def normal(*shape):
    return RNG.standard_normal(shape)


def network(p, x, y):
    return ((np.tanh(x @ p["w"]) @ p["v"] - y) ** 2).mean()


def heated(u, k):
    u = u.copy()
    for _ in range(50):
        u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])
    return (u * u).sum()


def either(x):
    if x.sum() > 0:
        return (x * x).sum()
    return np.sin(x).sum()


def longer(x):
    if x.shape[0] > 3:
        x = x[:3]
    return (np.concatenate([x, x]).reshape(2, -1) ** 2).sum()


def first(x, n):
    return (x[:n] ** 2).sum() if n > 2 else x.sum()


def positive(x):
    return (x[x > 0] ** 2).sum()


CALLS = {
    network: [(WEIGHTS, normal(n, 4), normal(n)) for n in (5, 9)],
    heated: [(normal(n), 0.1) for n in (6, 9)],
    either: [(normal(6) + 3,), (normal(9) + 3,)],
    longer: [(normal(6),), (normal(8),)],
    first: [(normal(6), 3), (normal(8), 4)],
    positive: [(normal(6),), (normal(8),)],
}
ABOUT_DATA = re.compile(r"array of|\.shape|[<>=!]=? ")


def guards_of_arguments(transformed, function, calls):
    """What the entry for later sizes asks of the arguments, by the names that `function` has."""
    names = list(inspect.signature(function).parameters)
    explain = dl.explain(transformed)
    for call in calls:
        record = explain(*call).records[-1]
    texts = {str(guard).split("  # ")[0] for guard in record.guards}
    texts = {re.sub(r"args\[(\d+)\]", lambda found: names[int(found[1])], text) for text in texts}
    return {text for text in texts if ABOUT_DATA.search(text) and " of call" not in text}


@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("transform", [dl.grad, dl.value_and_grad])
def test_guards_are_those_of_the_function(function, transform):
    expected = guards_of_arguments(function, function, CALLS[function])
    assert expected  # of every one of them something is asked
    assert guards_of_arguments(transform(function), function, CALLS[function]) == expected


def test_new_batches_of_a_network_are_not_compiled():
    slope = dl.value_and_grad(network)
    for n in (32, 48):
        slope(WEIGHTS, normal(n, 4), normal(n))
    with dl.no_recompile():
        for n in (1, 2, 3, 17, 64, 100, 1000):
            x, y, v = normal(n, 4), normal(n), normal(4, 3)
            value, gradient = slope(WEIGHTS, x, y)
            assert close(value, network(WEIGHTS, x, y), 1e-12)
            expected = central(lambda w: network(WEIGHTS | {"w": w}, x, y), WEIGHTS["w"], v)
            assert close((gradient["w"] * v).sum(), expected)


def normalised(w, x):
    away = (x - x.mean(axis=0)) / (x.var(axis=0) + 1)
    return ((away * w + 1) ** 2).sum()


def classified(w, x):
    scores = x * w @ WEIGHTS["w"]
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return -np.log((e / e.sum(axis=1, keepdims=True))[:, 0]).mean()


@pytest.mark.parametrize("function", [normalised, classified])
def test_a_batch_of_one_is_not_compiled(function):
    slope = dl.grad(function, (0, 1))
    for n in (32, 48):
        slope(np.ones(4), normal(n, 4))
    with dl.no_recompile():
        for n in (5, 1):
            x, v, w, u = normal(n, 4), normal(n, 4), normal(4), normal(4)
            by_w, by_x = slope(w, x)
            assert close((by_w * u).sum(), central(lambda w: function(w, x), w, u))
            assert close((by_x * v).sum(), central(lambda x: function(w, x), x, v))


OF_ANY_LENGTH = {
    "padded": lambda x: (np.pad(x, 1) ** 2).sum(),
    "wrapped": lambda x: (np.pad(x, 2, mode="wrap") ** 2).sum(),
    "reflected": lambda x: (np.pad(x, ((1, 0), (0, 2)), mode="reflect") ** 3).sum(),
    "edges": lambda x: (np.pad(x, 2, mode="edge") ** 2).sum(),
    "deleted": lambda x: (np.delete(x, [1, -2], axis=0) ** 2).sum(),
    "slice deleted": lambda x: (np.delete(x, slice(1, 3), axis=1) ** 2).sum(),
    "inserted": lambda x: (np.insert(x, [1, -2], x.sum(), axis=1) ** 2).sum(),
    "row inserted": lambda x: (np.insert(x, 1, x[0] * 2, axis=0) ** 2).sum(),
    "repeated": lambda x: (np.repeat(x, 2, axis=0) ** 2).sum(),
    "resized": lambda x: (np.resize(x, (4, 15)) ** 2).sum(),
    "transposed": lambda x: (x.T @ x @ x.T).sum(),
    "deviation": lambda x: x.std(axis=0).sum(),
    "factor": lambda x: np.linalg.cholesky(x @ x.T + np.eye(len(x)))[-1].sum(),
    "spectrum": lambda x: (np.fft.fft2(x).real ** 2).sum(),
    "sorted": lambda x: (np.sort(x, axis=0) * x).sum(),
    "sums": lambda x: (np.cumsum(x, axis=1) ** 2).sum(),
    "polynomial": lambda x: (np.polyval(x[0] / 4, x[1] / 4) ** 2).sum(),
    "polynomial of numbers": lambda x: np.polyval(x[0] / 4, x[1, 1] / 4),
    "slopes": lambda x: (np.polyder(x[0], 2) ** 2).sum(),
    "integral": lambda x: (np.polyint(x[0]) ** 2).sum(),
    "sum of polynomials": lambda x: (np.polyadd(x[0], x[1, 1:]) ** 2).sum(),
    "powers": lambda x: (np.vander(np.tanh(x[0])) ** 2).sum(),
    "rising powers": lambda x: (np.vander(np.tanh(x[0]), increasing=True) ** 2).sum(),
    "differences": lambda x: (np.diff(x, axis=0) ** 2).sum(),
}


@pytest.mark.parametrize("name", OF_ANY_LENGTH)
def test_other_lengths_are_not_compiled(name):
    function = OF_ANY_LENGTH[name]
    gradient = dl.grad(function)
    for shape in ((5, 6), (7, 8)):
        gradient(normal(*shape))
    with dl.no_recompile():
        for shape in ((4, 4), (9, 10), (3, 12)):
            x, v = normal(*shape), normal(*shape)
            assert close((gradient(x) * v).sum(), central(function, x, v))


@dl.compile
def activated(x):
    return np.tanh(x) if x.shape[0] > 2 else np.sin(x)


@dl.compile(fullgraph=True, dynamic=True)
def damped(x, steps):
    y = x.copy()
    for _ in range(steps):
        y[1:] = 0.5 * y[1:] + 0.1 * y[:-1] * activated(y[:-1])
    return y


def with_compiled_parts(x):
    return (damped(activated(x) * x, 20) ** 2).sum() + activated(x[:2]).sum()


@pytest.mark.parametrize("backend", ["auto", "aot_eager"])
def test_compiled_functions_in_a_differentiated_one(backend):
    with dl.config.patch(backend=backend):
        gradient = dl.grad(with_compiled_parts)
        for n in (5, 7, 9):
            x, v = normal(n), normal(n)
            assert close((gradient(x) * v).sum(), central(with_compiled_parts, x, v))
            _, tangent = dl.jvp(with_compiled_parts, (x,), (v,))
            assert close(tangent, (gradient(x) * v).sum(), 1e-9)


def test_derivatives_in_a_compiled_function_in_a_differentiated_one():
    @dl.compile
    def slope(x):
        return dl.grad(lambda x: (np.sin(x) * x).sum())(x)

    x, v = normal(5), normal(5)
    second = 2 * np.cos(x) - x * np.sin(x)
    assert close(dl.grad(lambda x: (slope(x) * v).sum())(x), second * v, 1e-12)
    assert close(slope(x), np.cos(x) * x + np.sin(x), 1e-12)


def test_a_graph_break_in_a_compiled_function_in_a_differentiated_one():
    @dl.compile
    def tells(x):
        print("here")
        return x * 2

    with pytest.raises(dl.errors.FullGraphRequired, match=r"print(.|\n)*test_guards.*tells"):
        dl.grad(lambda x: tells(x).sum())(normal(3))


OF_ROWS = {
    "sum": lambda x: (x.sum(axis=0) ** 2).sum(), "mean": lambda x: (x.mean(axis=0) ** 2).sum(),
    "cumsum": lambda x: (np.cumsum(x, axis=0) ** 2).sum(),
    "median": lambda x: np.median(x, axis=0).sum(),
    "network": lambda x: np.log(np.exp(x - x.max(1, keepdims=True)).sum(1)).sum(),
    "normed": lambda x: (((x - x.mean(0)) / np.sqrt(x.var(0) + 0.1)) ** 3).sum(),
    "loop": lambda x: sum_of_states(x), "sorted": lambda x: (np.sort(x, axis=0)[0] ** 2).sum(),
}


def sum_of_states(x):
    state = np.zeros(x.shape[1])
    for row in x:
        state = np.tanh(state + row)
    return state.sum()


@pytest.mark.parametrize("name", OF_ROWS)
def test_a_batch_of_one_compiles_no_more_than_the_function_does(name):
    gradient = dl.grad(OF_ROWS[name])
    for n in (5, 7, 1, 2, 9):
        x = np.linspace(0.1, 1.2, 3 * n).reshape(n, 3) ** 2
        found = gradient(x)
        direction = np.cos(np.arange(3.0 * n)).reshape(n, 3)
        assert close((found * direction).sum(), central(OF_ROWS[name], x, direction))
    assert len(gradient.entries()) == 2


@pytest.mark.parametrize("name", ["sum", "cumsum", "network", "loop"])
def test_a_batch_of_none_does_not_either(name):
    gradient = dl.grad(OF_ROWS[name])
    for n in (5, 7, 0, 3, 0):
        x = np.ones((n, 3))
        assert gradient(x).shape == x.shape
    assert len(gradient.entries()) == 2


@pytest.mark.parametrize("shift", [1, -2, 3, 9])
def test_rolls_by_more_than_there_are(shift):
    gradient = dl.grad(lambda x: (np.roll(x, shift) * x * np.arange(x.size)).sum())
    for n in (5, 7, 1, 2, 3, 0, 8):
        x, places = np.linspace(1, 2, n), np.arange(n)
        expected = np.roll(x, shift) * places + np.roll(x * places, -shift)
        assert close(gradient(x), expected, 1e-14)


TRANSFORMED = {
    "filtered": lambda x: np.fft.irfft(np.fft.rfft(x) * x[: len(x) // 2 + 1], n=len(x)),
    "cut": lambda x: np.abs(np.fft.fft(x, len(x) - 2)),
    "padded": lambda x: np.abs(np.fft.rfft(x, 2 * len(x))),
    "to_reals": lambda x: np.fft.irfft(x * (1 + 2j)),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transforms_of_varying_length(name):
    def total(x):
        return (TRANSFORMED[name](x) ** 3).sum()

    gradient = dl.grad(total)
    for n in (8, 12, 10, 9, 15):
        x, direction = np.cos(np.arange(n)), np.sin(np.arange(1.0, n + 1))
        assert close((gradient(x) * direction).sum(), central(total, x, direction))
    assert len(gradient.entries()) == 2
