"""What a value and its gradient cost, in times of the value alone: both compiled.

    python -m benchmarks derivatives
"""
from __future__ import annotations

import functools
import statistics
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import dynamo_lite as dl

from .measure import Figure, interleave

GOAL = 3.0
RNG = np.random.default_rng(0)
X = RNG.standard_normal((500, 200))
V = RNG.standard_normal(100_000)
W1, W2 = RNG.standard_normal((200, 100)) / 14, RNG.standard_normal((100, 10)) / 10
ROD = RNG.uniform(size=1000)
IMAGE = RNG.standard_normal((256, 256))


def heat(u: Any) -> Any:
    u = u.copy()
    for _ in range(1000):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return (u * u).sum()


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    return -np.log(p[:, 0]).mean()


def network(w: Any) -> Any:
    return (np.tanh(np.tanh(X @ w) @ W2) ** 2).mean()


def rosenbrock(x: Any) -> Any:
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def likelihood(x: Any) -> Any:
    return (0.5 * ((x - x.mean()) / x.std()) ** 2 + np.log(x.std())).sum()


def in_place(x: Any) -> Any:
    y = np.sin(x)
    y[1:] *= x[:-1]
    y[::2] += 1.0
    return (y * y).sum()


def recurrence(x: Any) -> Any:
    s = 0.0
    for i in range(x.shape[0]):
        s = np.tanh(0.5 * s + x[i])
    return s


def gaussian_process(x: Any) -> Any:
    distance = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    chol = np.linalg.cholesky(np.exp(-distance) + 0.1 * np.eye(x.shape[0]))
    return np.log(np.diag(chol)).sum()


def regression(w: Any) -> Any:
    signs = np.where(X[:, 0] > 0, 1.0, -1.0)
    return np.log(1 + np.exp(-signs * (X @ w))).mean() + 0.01 * (w * w).sum()


def energy(x: Any) -> Any:
    distances = ((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2) + 0.1
    return (1 / distances ** 6 - 1 / distances ** 3).sum()


def normalised(x: Any) -> Any:
    mean = x.mean(axis=1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=1, keepdims=True)
    return (np.tanh((x - mean) / np.sqrt(variance + 1e-5)) ** 2).sum()


def attention(x: Any) -> Any:
    scores = x @ x.T / 14
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return ((e / e.sum(axis=1, keepdims=True) @ x) ** 2).mean()


def total_variation(u: Any) -> Any:
    dx, dy = u[1:, :-1] - u[:-1, :-1], u[:-1, 1:] - u[:-1, :-1]
    return np.sqrt(dx * dx + dy * dy + 1e-3).sum() + 0.5 * ((u - IMAGE) ** 2).sum()


def call_prices(s: Any) -> Any:
    d1 = (np.log(s / 1.1) + 0.07) / 0.3
    below = [0.5 * (1 + np.tanh(0.8 * (d + 0.045 * d ** 3))) for d in (d1, d1 - 0.3)]
    return (s * below[0] - 1.045 * below[1]).sum()


def mixture(x: Any) -> Any:
    logarithms = -0.5 * (x[:, None] - np.array([-1.0, 0.0, 2.0])) ** 2
    largest = logarithms.max(axis=1)
    return (largest + np.log(np.exp(logarithms - largest[:, None]).sum(axis=1))).sum()


def solved(a: Any) -> Any:
    return (np.linalg.solve(a @ a.T + np.eye(60), V[:60]) ** 2).sum()


PROGRAMS: dict[str, tuple[Callable[..., Any], Any]] = {
    "heat equation, 1,000 steps": (heat, ROD), "softmax": (softmax, X), "network": (network, W1),
    "Rosenbrock": (rosenbrock, V), "likelihood": (likelihood, V), "in place": (in_place, V),
    "recurrence": (recurrence, V[:10_000]), "Gaussian process": (gaussian_process, X[:100, :5]),
    "sines": (lambda x: (np.sin(x) * np.cos(x)).sum(), V),
    "norms": (lambda x: np.linalg.norm(x, axis=1).sum(), X),
    "regression": (regression, W1[:, 0]), "energy": (energy, X[:200, :3]),
    "layer norm": (normalised, X), "attention": (attention, X),
    "total variation": (total_variation, IMAGE), "call prices": (call_prices, np.abs(V) + 0.5),
    "mixture": (mixture, V[:30_000]), "linear system": (solved, X[:60, :60]),
    "Huber": (lambda x: np.where(np.abs(x) < 1, 0.5 * x * x, np.abs(x) - 0.5).sum(), V),
    "running sum": (lambda x: (np.cumsum(np.sin(x)) ** 2).mean(), V),
}


def derivatives() -> Iterator[Figure]:
    ratios = {}
    for name, (function, x) in PROGRAMS.items():
        alone, both = dl.compile(function), dl.value_and_grad(function)
        timed = {"alone": functools.partial(alone, x), "both": functools.partial(both, x)}
        times = interleave(timed, rounds=9)
        ratios[name] = times["both"] / times["alone"]
    median = statistics.median(ratios.values())
    detail = ", ".join(f"{name} {ratio:.1f}" for name, ratio in ratios.items())
    yield Figure("value and gradient ÷ value, compiled, median", f"{median:.1f}", f"<= {GOAL:g}",
                 median <= GOAL, detail)


FIGURES = (derivatives,)
