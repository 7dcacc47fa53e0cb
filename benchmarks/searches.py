"""What programs ask of sequences, item by item, against Python: `any`, `all` and `next` of
generator expressions, `min` by a key, `index`; and the choices of reinforcement learning: the best
action, one of the best, one with these probabilities."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .measure import Figure, against_python

NUMBERS = np.random.default_rng(0).random(3000)
FEW = np.random.default_rng(0).random(10)
VALUES = np.random.default_rng(1).integers(0, 3, (7, 10, 4)).astype(float)
ACTIONS = [0, 1, 2, 3]
START, GOAL = [3, 0], [3, 7]


def never_any(x):
    return any(v > 2 for v in x)


def always_all(x):
    return all(x[i] < 2 for i in range(len(x)))


def first_place(x):
    return next((i for i, v in enumerate(x) if v > 0.9999), -1)


def least_by_key(x):
    return min(range(len(x)), key=lambda i: x[i])


def nearest(x):
    distances = [(v - 0.5) ** 2 for v in x]
    return distances.index(min(distances))


def among_few(x):
    doubled = [v * 2 for v in x]
    return any([v > 2 for v in doubled])  # noqa: C419


def one_of_the_best(values, state):
    row = values[state[0], state[1], :]
    return np.random.choice([a for a, value in enumerate(row) if value == np.max(row)])


def one_by_weight(p):
    weights = np.exp(p - p.max())
    return np.random.choice(len(p), p=weights / weights.sum())


def moved(state, action):
    i, j = state
    if action == 0:
        return [max(i - 1, 0), j]
    elif action == 1:
        return [min(i + 1, 6), j]
    elif action == 2:
        return [i, max(j - 1, 0)]
    return [i, min(j + 1, 9)]


def greedy(values, state):
    if np.random.binomial(1, 0.1) == 1:
        return np.random.choice(ACTIONS)
    return one_of_the_best(values, state)


def episode(values):
    """Sarsa in a grid world."""
    state, steps = START, 0
    action = greedy(values, state)
    while state != GOAL:
        following = moved(state, action)
        following_action = greedy(values, following)
        values[state[0], state[1], action] += 0.5 * (
            values[following[0], following[1], following_action] - 1
            - values[state[0], state[1], action])
        state, action = following, following_action
        steps += 1
    return steps


PROGRAMS: dict[Callable[..., Any], tuple[Any, ...]] = {
    never_any: (NUMBERS,), always_all: (NUMBERS,), first_place: (NUMBERS,),
    least_by_key: (NUMBERS,), nearest: (NUMBERS,), among_few: (FEW,),
    one_of_the_best: (VALUES, [1, 2]), one_by_weight: (FEW,), episode: (VALUES,),
}


def drawn(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """What it gives, and the random numbers behind it, where these begin anew."""
    np.random.seed(3)
    arguments = tuple(np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments)
    return repr([function(*arguments) for _ in range(3)]), np.random.random()


LEAST = 5.0


def searches() -> list[Figure]:
    return [
        against_python(function, arguments, drawn, LEAST)
        for function, arguments in PROGRAMS.items()
    ]


FIGURES = (searches,)
