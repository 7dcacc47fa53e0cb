"""What is likely to be one graph is seen by what a function names, and tried in the next run."""
import math
import sys

import numpy as np
import pytest

from dynamo_lite.script.plain_code import NUMBERS, plain_size

if sys.version_info >= (3, 14):
    pytest.skip("regions are not available", allow_module_level=True)

SCALE, TABLE = 0.5, np.arange(4.0)


def smooth(u):
    u[1:-1] = SCALE * (u[2:] + u[:-2])
    return u


def energy(u, n):
    total = 0.0
    for _ in range(n):
        total += math.sqrt(np.sum(smooth(u) ** 2)) + TABLE[0]
    return float(total)


def itself(u):
    return u if len(u) < 2 else itself(u[1:])


def printing(u):
    print(u.sum())


def with_a_method(model, u):
    return model.predict(u) * 2


def with_fft(u):
    return np.fft.fft(u).real


def importing(u):
    import random
    return u * random.random()


def comprehension(u):
    return [x * 2 for x in u]


def sorted_by_python(u):
    return u[sorted(range(len(u)))]


@pytest.mark.parametrize("function", [smooth, energy])
def test_arithmetic_and_functions_like_it_are_plain(function):
    assert plain_size(function)


@pytest.mark.parametrize("function", [
    itself, printing, with_a_method, with_fft, importing, comprehension, sorted_by_python,
])
def test_what_may_be_about_something_else_is_not(function):
    assert plain_size(function) == 0


def test_what_it_calls_is_a_part_of_it():
    assert plain_size(energy) > plain_size(smooth)
    assert plain_size(smooth, 1) and not plain_size(energy, 1)


def walks(u, n):
    path = []
    for _ in range(n):
        path.append(u[np.random.randint(len(u))])
    return path


def plots(u, axes):
    for x in u:
        axes.plot(x)


@pytest.mark.parametrize("function, is_made_of_them", [
    (walks, True), (energy, True), (plots, False)])
def test_functions_of_numbers_and_lists(function, is_made_of_them):
    assert bool(plain_size(function, words=NUMBERS)) is is_made_of_them
