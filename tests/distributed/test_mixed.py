"""Compiled functions among operations of Dask's own: NumPy's results, in as few tasks."""
import random

import numpy as np
import pytest

import dynamo_lite as dl

from ..fuzz.seeds import chunks

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

FUNCTIONS = [dl.compile(function, recompile_limit=100) for function in (
    lambda a, b: a * 2 + b,
    lambda a, b: np.sqrt(a * a + 1) * b - a,
    lambda a, b: np.where(a > b, a, b) + a,
    lambda a, b: a.T @ np.ones(a.shape[0]),
    lambda a, b: a + np.arange(a.shape[-1]),
    lambda a, b: (a - a.mean(axis=0)) * b,
    lambda a, b: a[..., None] + b[None],
    lambda a, b: a.T,
    lambda a, b: a.sum(axis=-1, keepdims=True) * b,
)]
DASKS_OWN = (
    lambda xp, a: a + 1, lambda xp, a: xp.sin(a), lambda xp, a: a.T, lambda xp, a: a[..., None],
    lambda xp, a: a * a, lambda xp, a: a - a.sum(), lambda xp, a: a[::2],
    lambda xp, a: xp.expand_dims(a, 0),
)


def leaf(rng, n, k):
    """An array as NumPy has it, and in blocks (or not)."""
    shape = rng.choice([(n, k), (n, k), (n,), (k,), (1, k), (n, 1)])
    sizes = tuple(rng.choice([1, 2, 3, size]) if size > 1 else 1 for size in shape)
    values = np.random.default_rng(rng.randrange(99)).random(shape)
    return rng.choice([
        lambda: (np.ones(shape), da.ones(shape, chunks=sizes)),
        lambda: (np.full(shape, 2.5), da.full(shape, 2.5, chunks=sizes)),
        lambda: (values, da.from_array(values, chunks=sizes)),
        lambda: (values, values),
    ])()


def step(rng, a, b):
    """An operation on both kinds of arrays, or None where NumPy has an error for it."""
    try:
        if rng.random() < 0.5:
            function = rng.choice(FUNCTIONS)
            one, other = rng.choice([(a, b), (b, a), (a, a)])
            expected = function.__wrapped__(one[0], other[0])
            if np.ndim(expected) > 2:
                return None
            return expected, function(one[1], other[1])
        function = rng.choice(DASKS_OWN)
        expected = function(np, a[0])
    except ValueError:
        return None
    xp = da if isinstance(a[1], da.Array) else np
    return None if np.ndim(expected) > 2 else (expected, function(xp, a[1]))


def check(seed):
    rng = random.Random(seed)
    n, k = rng.choice([(7, 3), (8, 5), (10, 4)])
    a, b = leaf(rng, n, k), leaf(rng, n, k)
    for _ in range(rng.randrange(1, 7)):
        found = step(rng, a, b)
        if found is not None:
            a, b = found, rng.choice([a, b, b])
    expected, found = a
    value = found.compute(scheduler="sync") if isinstance(found, da.Array) else found
    assert np.shape(value) == np.shape(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("seeds", chunks(60, 30))
def test_random_mixtures(seeds):
    for seed in seeds:
        check(seed)


def optimised(array):
    return len(dict(dask.base.collections_to_expr(array).optimize().__dask_graph__()))


@pytest.mark.parametrize("function", [
    lambda x: x * 2 + 1, lambda x: x.T + 1, lambda x: x - np.arange(5),
    lambda x: np.exp(x - x.max(axis=1, keepdims=True)),
])  # fmt: skip
def test_what_dask_makes_and_does_around_it_is_in_the_same_task(function):
    compiled = dl.compile(function)
    x = da.ones((100, 5), chunks=(10, 5))
    for array in (compiled(x), compiled(x) + 1, da.sin(compiled(x * 2))):
        assert optimised(array) == 10


def test_an_axis_of_one_block_beside_one_of_several():
    column = dl.compile(lambda v: v[:, None])(da.ones(8, chunks=8))
    table = da.from_array(np.arange(24.0).reshape(8, 3), chunks=(8, 1))
    assert (column + table).compute().tolist() == (np.arange(24.0).reshape(8, 3) + 1).tolist()
    added = dl.compile(lambda a, b: a + b)(column, table)
    assert added.compute().tolist() == (np.arange(24.0).reshape(8, 3) + 1).tolist()
