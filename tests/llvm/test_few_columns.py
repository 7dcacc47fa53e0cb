"""Matrices of few columns: vectors are along their rows, which are read and written whole."""
from __future__ import annotations

from itertools import cycle, islice, product

import numpy as np
import pytest

import dynamo_lite as dl

ROWS = {
    "nearest": lambda x: ((x[:, None] - x[None, :3]) ** 2).sum(axis=-1).argmin(axis=1),
    "largest": lambda x: x.max(axis=1),
    "lengths": lambda x: np.sqrt((x * x).sum(axis=1)),
    "without one": lambda x: (x[:, 1:] + x[:, :-1]).prod(axis=1),
    "backwards": lambda x: (x[::-1, ::-1] - x).sum(axis=1),
    "in planes": lambda x: (x[:-1].reshape(2, -1, x.shape[1]) * x[1]).sum(axis=(0, 2)),
    "named": lambda x: x[:, 0] * x[:, x.shape[1] // 2] - x[:, -1] / (x[:, -2 % x.shape[1]] + 1),
    "named and folded": lambda x: (x[:, 0] + x[:, 1 % x.shape[1]]) * x.max(axis=1),
    "every other": lambda x: (x[::2, :3] * 2).sum(axis=1) + x[::2, 0] - x[::2, -1],
    "of differences": lambda x: (x[1:, 0] - x[:-1, 0]) * (x[1:, -1] - x[:-1, -1]),
}


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("name", ROWS)
def test_vectors_along_rows_of_few_columns(name, dtype, level):
    """Which are read as rows, and transposed; of each number of columns in two of six layouts."""
    rng = np.random.default_rng(0)
    layouts = cycle(product([5, 77], [
        lambda wide: wide[:, 3:].copy(), lambda wide: wide[:, 2:-1],
        lambda wide: wide[::-1, :-3]]))  # fmt: skip
    for columns in [1, 3, 4, 7, 8, 12, 17]:
        for rows, layout in islice(layouts, 2):
            x = layout((rng.standard_normal((rows, columns + 3)) * 4).astype(dtype))
            found, expected = dl.compile(ROWS[name])(x), ROWS[name](x)
            assert found.tobytes() == expected.tobytes(), (rows, x.shape, x.strides)


WHOLE = {
    "unit length": lambda x: x / np.sqrt((x * x).sum(axis=1, keepdims=True)),
    "centred": lambda x: x - x.mean(axis=0),
    "by the first": lambda x: np.where(x[:, :1] > 0, x * x[:, :1], -x),
    "booleans": lambda x: (x > 0.5) & (x[:, :1] < 1),
    "one hot": lambda x: (np.arange(len(x))[:, None] % x.shape[1] == np.arange(x.shape[1])) * 2.0,
    "places": lambda x: x * np.arange(x.shape[1]) + np.arange(len(x))[:, None],
    "two results": lambda x: (x * x[:, -1:], x[:, -1:] - x),
    "pairs of points": lambda x: x[:, None] - x[None, :40],
    "of integers": lambda x: np.rint(x).astype("i4") + np.rint(x[:, :1]).astype("i2"),
    "complex": lambda x: x * (x[:, :1] + 1j),
}


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("name", WHOLE)
def test_rows_that_are_written_whole(name, dtype, level):
    rng = np.random.default_rng(0)
    for columns in 1, 2, 3, 4, 5:
        symbolic = dl.compile(WHOLE[name], dynamic=True)
        lengths = 5, 77, 160
        for rows in lengths:
            wide = (rng.standard_normal((rows, columns + 1)) * 4).astype(dtype)
            for x in (wide[:, 1:].copy(), wide[:, :-1]):
                assert same(symbolic(x), WHOLE[name](x)), x.shape
            if rows == lengths[columns % 3]:
                assert same(dl.compile(WHOLE[name])(x), WHOLE[name](x)), x.shape


def same(found, expected):
    if isinstance(expected, tuple):
        return all(map(same, found, expected))
    return (found.dtype, found.strides, found.tobytes()) == (
        expected.dtype, expected.strides, expected.tobytes())


@pytest.mark.parametrize("columns", [2, 3, 4])
def test_reports_are_those_of_all_columns(columns):
    """A division by zero is reported, in whichever row it is, and nothing else is."""
    def halves(x):
        return x / x[:, :1]

    compiled = dl.compile(halves)
    for place in (0, 0), (40, 0), (70, 0), (76, columns - 1):
        x = np.ones((77, columns))
        assert same(compiled(x), halves(x))
        x[place] = 0.0 if place[1] == 0 else np.inf
        with np.errstate(all="raise"):
            if place[1] == 0:
                with pytest.raises(FloatingPointError):
                    compiled(x)
            else:
                assert same(compiled(x), halves(x))


def test_rows_that_are_overwritten_column_by_column():
    def step(x):
        for _ in range(3):
            x[:, 1:] += x[:, :-1] * 0.5
            x /= np.sqrt((x * x).sum(axis=1, keepdims=True))
        return x

    x = np.random.default_rng(0).standard_normal((77, 4))
    assert dl.compile(step)(x.copy()).tobytes() == step(x.copy()).tobytes()
