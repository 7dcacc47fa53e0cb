"""np.roll by numbers that the program computes."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import check

SHIFTS = ((0, 1), (3, -2), (-9, 100), (2**62, -(2**62)))


def rolled(x, shifts, axis):
    return np.roll(x, shifts[0], axis=axis)


def rolled_twice(x, shifts, axis):
    return np.roll(x, shifts[0], axis=axis) + np.roll(x, shifts[1] - 2, axis=axis)


def rolled_in_place(x, shifts, axis):
    x[...] = np.roll(x, shifts[0], axis=axis)
    return np.roll(x, int(shifts[1]), axis)


def layouts(shape, dtype):
    base = (np.random.default_rng(1).random(tuple(2 * n for n in shape)) * 9).astype(dtype)
    part = base[tuple(slice(0, n) for n in shape)]
    apart, backwards = (base[tuple(slice(None, None, step) for _ in shape)] for step in (2, -2))
    return part, np.asfortranarray(part), apart, backwards


@pytest.mark.parametrize("function", [rolled, rolled_twice, rolled_in_place])
@pytest.mark.parametrize("dtype", ["?", "i4", "f8", "c16"])
@pytest.mark.parametrize("shape", [(6,), (5, 7), (3, 2, 5), (4, 1), (0, 3)])
def test_computed_shifts(function, dtype, shape):
    for axis in (*range(len(shape)), -1):
        compiled = dl.compile(function, fullgraph=True)
        for x in layouts(shape, dtype):
            for shifts in SHIFTS:
                check(compiled, function, x, np.array(shifts), axis, calls=1)


def test_a_lattice_that_streams():
    def step(f, cx, cy):
        for i in range(9):
            f[:, :, i] = np.roll(f[:, :, i], cx[i], axis=1)
            f[:, :, i] = np.roll(f[:, :, i], cy[i], axis=0)
        return f.sum(axis=2)

    f = np.random.default_rng(1).random((20, 30, 9))
    velocities = np.random.default_rng(2).integers(-1, 2, (2, 9))
    check(dl.compile(step, fullgraph=True), step, f, *velocities)
