"""Which of two equal zeros is the least or greatest element is NumPy's to say."""
import itertools

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

LENGTHS = (1, 2, 3, 5, 8, 9, 16, 17, 33, 64, 65, 100, 513, 70_000)
SIGNS = (-1.0, 0.0, -0.0)


def same_bits(function, *args):
    compiled = dl.compile(function)
    for given in args:
        check(compiled, function, given)


def zeros(shape, dtype, seed, ones=0.4):
    rng = np.random.default_rng(seed)
    rest = (1 - ones) / 2
    return rng.choice(SIGNS, size=shape, p=[ones, rest, rest]).astype(dtype)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("length", LENGTHS)
def test_of_all_elements(dtype, length):
    for seed in range(6):
        x = zeros(length, dtype, seed)
        same_bits(lambda x: x.max(), x, x[::-1], x[::2])
        same_bits(lambda x: (-x).min(), x)


AXES = (None, 0, 1, (0, 1))


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("shape", [(3, 40), (40, 3), (17, 19), (200, 70)], ids=str)
def test_along_axes(axis, shape):
    for seed in range(3):
        x = zeros(shape, "f8", seed, ones=0.9)
        same_bits(lambda x: x.max(axis=axis), x, x.T.copy().T, x[:, ::2], x[::2])
        same_bits(lambda x: (x * -1.0).min(axis=axis, keepdims=True), x)


def test_in_loops():
    def program(x):
        found = []
        for k in range(len(x) - 4):
            part = x[k : k + 4] * 1.0
            found.append(part.max())
            found.append(np.abs(part).min())
        return np.array(found)

    for seed in range(6):
        same_bits(program, zeros(50, "f8", seed))


@pytest.mark.parametrize("function", [
    lambda x: x.max(), lambda x: np.abs(x).min(), lambda x: x.max(axis=0), lambda x: (x * x).min(),
])  # fmt: skip
def test_zeros_of_one_sign_are_compiled(function):
    compiled = dl.compile(function)
    for zero in (0.0, -0.0):
        x = np.full((30, 30), zero)
        x[3:5] = -1.0
        check(compiled, function, x)
    assert dl.stats().bailouts == 0


def test_zeros_of_both_signs_do_not_matter_where_there_is_something_greater():
    compiled = dl.compile(lambda x: x.max())
    x = np.array([*itertools.islice(itertools.cycle(SIGNS), 100), 1.0])
    assert compiled(x) == 1.0 and dl.stats().bailouts == 0


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("function", [np.maximum, np.minimum, np.fmax, np.fmin])
def test_element_by_element(function, dtype):
    for length in LENGTHS[:-1]:
        pair = zeros((2, length), dtype, length)
        same_bits(lambda pair: function(pair[0], pair[1]), pair, pair[:, ::2])
        same_bits(lambda pair: function(pair, 0.0), pair)
