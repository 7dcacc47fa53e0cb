"""NumPy functions that are called in a loop see the arrays as they are in each iteration."""
import numpy as np
import pytest

import dynamo_lite as dl


def sorted_in_place(u):
    for _ in range(60):
        u = np.sort(u)
        u[0] += 1
    return u


def transformed(u):
    v = u * 2
    for _ in range(60):
        v = np.sort(v)
        v = v + np.fft.fft(v).real / 100
    return v


def kept(u):
    v = u * 2
    for _ in range(60):
        w = np.sort(v)
        v[1:] = w[:-1] + 1
    return v, w


def taking_turns(u):
    a, b = u * 2, u + 1
    for _ in range(61):
        a, b = np.fft.ifft(np.fft.fft(b)).real, np.sort(a) + b
    return a, b


def of_a_part(u):
    v = u.copy()
    for i in range(60):
        v = v[::-1] + np.partition(v[2:], 2)[i % 5]
    return v


@pytest.mark.parametrize(
    "program", [sorted_in_place, transformed, kept, taking_turns, of_a_part],
    ids=lambda f: f.__name__,
)
def test_calls(program):
    u = np.random.default_rng(0).random(8)
    with dl.config.patch(strict=True):
        compiled = dl.compile(program, fullgraph=True)
        for _ in range(3):
            found, expected = compiled(u.copy()), program(u.copy())
            np.testing.assert_array_equal(np.array(found), np.array(expected))
