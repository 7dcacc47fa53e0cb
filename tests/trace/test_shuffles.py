"""`shuffle` of NumPy's generators: arrays are shuffled in place, from the same stream."""
import random

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

GENERATORS = {
    "legacy": np.random.RandomState, "default": np.random.default_rng,
    "mt19937": lambda seed: np.random.Generator(np.random.MT19937(seed)),
}
ARRAYS = {
    "ints": lambda: np.arange(37), "floats": lambda: np.linspace(0, 1, 20, dtype="f4"),
    "rows": lambda: np.arange(30.0).reshape(10, 3), "cubes": lambda: np.arange(24).reshape(4, 3, 2),
    "one": lambda: np.arange(1), "none": lambda: np.zeros((0, 2)),
    "columns": lambda: np.arange(30.0).reshape(10, 3).T, "steps": lambda: np.arange(40)[::-3],
    "list": lambda: list(range(20)), "0-d": lambda: np.array(3.0), "text": lambda: np.array(["a", "b", "c"]),
    "tuple": lambda: (1, 2, 3), "bytes": lambda: bytearray(b"abcdef"), "number": lambda: 3,
}  # fmt: skip


def read_only(values):
    values.flags.writeable = False
    return values


@pytest.mark.parametrize("make", [*ARRAYS.values(), lambda: read_only(np.arange(9))],
                         ids=[*ARRAYS, "read-only"])
@pytest.mark.parametrize("generator", GENERATORS)
def test_shuffles_are_numpys(generator, make):
    def shuffled(x, rng):
        rng.shuffle(x)
        return x, rng.random()

    check(dl.compile(shuffled), shuffled, make(), GENERATORS[generator](3))


def test_along_another_axis():
    def shuffled(x, rng):
        rng.shuffle(x, axis=1)
        rng.shuffle(x, 0)
        return x, rng.random()

    check(dl.compile(shuffled), shuffled, np.arange(12).reshape(3, 4), np.random.default_rng(0))


def test_of_the_global_generator():
    def shuffled(x):
        np.random.seed(5)
        np.random.shuffle(x)
        return x, np.random.random(), x.sum()

    check(dl.compile(shuffled, fullgraph=True), shuffled, np.arange(50.0))


def test_epochs_are_one_graph():
    def trained(x, y, rng):
        weights, order = np.zeros(3), np.arange(len(x))
        for _ in range(50):
            rng.shuffle(order)
            for i in order:
                weights += 0.01 * (y[i] - x[i] @ weights) * x[i]
        return weights, order

    x = np.random.default_rng(0).random((60, 3))
    compiled = dl.compile(trained, fullgraph=True)
    check(compiled, trained, x, x.sum(1), np.random.default_rng(1))
    check(compiled, trained, x, x.sum(1), np.random.default_rng(2))


def test_views_and_arrays_that_are_read_later():
    def shuffled(x, rng):
        before = x.copy()
        rng.shuffle(x[2:8])
        part = x[::2]
        rng.shuffle(part)
        return before, part, x * 2

    check(dl.compile(shuffled, fullgraph=True), shuffled, np.arange(12.0), np.random.default_rng(1))


def test_pythons_shuffle_stays_pythons():
    def shuffled(x):
        random.seed(1)
        items = list(range(9))
        random.shuffle(items)
        return x * items[0], items

    check(dl.compile(shuffled), shuffled, np.arange(3.0))
