"""Unmodified functions of NumPy called with Dask's arrays: NumPy's results, in few tasks."""
import warnings

import numpy as np
import pytest

import dynamo_lite as dl

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

RNG = np.random.default_rng(0)
X = RNG.random((60, 8))
V = RNG.random(60)


def blocks(array, *chunks):
    return da.from_array(array, chunks)


def tasks(array):
    return len(array.__dask_graph__())


def same(found, expected, close=True):
    assert isinstance(found, da.Array)
    value = found.compute(scheduler="threads")
    assert np.asarray(value).dtype == np.asarray(expected).dtype == found.dtype
    assert np.shape(value) == np.shape(expected)
    assert found.ndim == np.ndim(expected)
    if close:
        np.testing.assert_allclose(value, expected, rtol=1e-12)
    else:
        np.testing.assert_array_equal(value, expected)


def chain(x):
    return np.maximum(x * 2 - 1, 0.25) + x / 3


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def kmeans_step(x, centres):
    d = ((x[:, None, :] - centres[None, :, :]) ** 2).sum(-1)
    nearest = d.argmin(1)
    members = (nearest[:, None] == np.arange(len(centres))[None, :]).astype(x.dtype)
    return members.T @ x / members.sum(0)[:, None]


def regression_step(x, y, w, rate):
    p = 1 / (1 + np.exp(-(x @ w)))
    return w - rate * (x.T @ (p - y)) / len(y)


def standardised(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def test_a_chain_is_one_task_a_block_and_has_numpys_bits():
    x = blocks(X, 10, 8)
    found = dl.compile(chain)(x)
    assert tasks(found) == tasks(x) + 6
    same(found, chain(X), close=False)


def test_nothing_is_computed_before_it_is_asked_for():
    x = da.from_delayed(dask.delayed(_fails)(), (4,), float)
    found = dl.compile(chain)(x)
    with pytest.raises(RuntimeError, match="computed"):
        found.compute(scheduler="sync")


def _fails():
    raise RuntimeError("computed")


@pytest.mark.parametrize("program, arguments, chunks", [
    (softmax, (X,), [(10, 8)]),
    (kmeans_step, (X, X[:3]), [(10, 8), None]),
    (regression_step, (X, (V > 0.5) * 1.0, np.zeros(8), 0.1), [(10, 8), (10,), None, None]),
    (standardised, (X,), [(10, 8)]),
])
def test_programs_with_blocks_of_rows(program, arguments, chunks):
    lazy = [blocks(a, *c) if c else a for a, c in zip(arguments, chunks)]
    same(dl.compile(program)(*lazy), program(*arguments))


@pytest.mark.parametrize("fold", [np.sum, np.prod, np.max, np.min, np.any, np.all])
@pytest.mark.parametrize("axis, keepdims", [(None, False), (0, True), (-1, False), ((0, 1), True)])
@pytest.mark.parametrize("dtype", ["i1", "f4", "?"])
def test_reductions_have_numpys_types(fold, axis, dtype, keepdims):
    array = (RNG.random((7, 9)) * 3).astype(dtype)

    def program(x):
        return fold(x, axis=axis, keepdims=keepdims)

    found = dl.compile(program)(blocks(array, 3, 4)).compute(scheduler="sync")
    expected = program(array)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_positions_are_those_of_the_first_extreme():
    array = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 9.0])
    x = blocks(array, 3)
    assert dl.compile(np.argmax)(x).compute() == 5
    assert dl.compile(np.argmin)(x).compute() == 1
    array[4] = np.nan
    assert dl.compile(np.argmin)(blocks(array, 3)).compute() == 4


@pytest.mark.parametrize("find", [np.argmax, np.argmin])
@pytest.mark.parametrize("chunks", [(7, 8), (60, 3), (13, 3)])
def test_positions_among_all_elements(find, chunks):
    array = np.round(X * 9)
    assert dl.compile(find)(blocks(array, *chunks)).compute() == find(array)
    array[33, 2] = array[34, 0] = np.nan
    assert dl.compile(find)(blocks(array, *chunks)).compute() == find(array) == 33 * 8 + 2
    explained = dl.explain(lambda x: find(x * 2))(blocks(array, 7, 8)).text
    assert "no part of a fused task" not in explained


def test_arrays_of_positions_are_made_in_every_task():
    def program(x):
        rows, columns = np.arange(len(x))[:, None], np.arange(x.shape[1])[None]
        return x * (rows * 2 + columns) + np.ones(8)[None, :]

    found = dl.compile(program)(blocks(X, 7, 3))
    same(found, program(X), close=False)
    assert "no part of a fused task" not in dl.explain(program)(blocks(X, 7, 3)).text
    assert tasks(found) == tasks(blocks(X, 7, 3)) + 27


def test_arrays_of_sizes_alone_may_be_results():
    def program(x):
        steps = np.arange(len(x)) * 2
        return steps, steps.sum(), steps[3:] + 1, np.ones(len(x)), x * steps[:, None]

    for one, expected in zip(dl.compile(program)(blocks(X, 7, 3)), program(X), strict=True):
        same(one, expected, close=False)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("scan", [np.cumsum, np.cumprod])
def test_running_folds(scan, axis):
    def program(x):
        return scan(x, axis=axis) * 2

    same(dl.compile(program)(blocks(X, 25, 3)), program(X))


def test_a_running_fold_of_an_array_is_two_tasks_a_block():
    """Neither keeps the block's own fold; one more has what comes before each block."""
    x = blocks(V, 3)
    count = x.numblocks[0]
    running = dl.compile(lambda x: np.cumsum(x) / 2)(x)
    assert count > 3 and len(running.__dask_graph__()) - len(x.__dask_graph__()) == 2 * count + 1
    same(running, np.cumsum(V) / 2)
    same(dl.compile(lambda x: np.cumsum(x[2:] * x[:-2]))(x), np.cumsum(V[2:] * V[:-2]))


def test_products_by_blocks():
    def program(a, b, v):
        return a @ b, a @ v, v @ b, v @ v, a.T @ a

    b, v = RNG.random((8, 5)), RNG.random(8)
    found = dl.compile(program)(blocks(X, 20, 3), blocks(b, 3, 2), blocks(v, 3))
    for one, expected in zip(found, program(X, b, v)):
        same(one, expected)


def test_blocks_that_differ_are_brought_together():
    def program(x, y):
        return x * y + y.sum()

    same(dl.compile(program)(blocks(V, 7), blocks(V, 11)), program(V, V))


def test_a_value_may_be_read_as_it_is_and_transposed():
    def program(x):
        y = x * 2
        return y + y.T

    square = X[:8]
    same(dl.compile(program)(blocks(square, 3, 3)), program(square), close=False)


def test_numbers_and_small_arrays_may_change_without_a_new_capture():
    compiled = dl.compile(regression_step)
    for rate in (0.1, 0.2, 0.3):
        w = np.full(8, rate)
        same(compiled(blocks(X, 10, 8), blocks(V, 10), w, rate), regression_step(X, V, w, rate))


def test_what_no_rule_partitions_is_right_all_the_same():
    def program(x):
        return np.sort(x, axis=None)[::2], np.linalg.svd(x)[1]

    for found, expected in zip(dl.compile(program)(blocks(X, 20, 8)), program(X)):
        same(found, expected)


def test_branches_on_data_are_computed_as_dask_does_it():
    def program(x):
        return x + 1 if x.sum() > 0 else x - 1

    same(dl.compile(program)(blocks(V, 20)), V + 1, close=False)


def test_ordinary_calls_go_on_as_before():
    compiled = dl.compile(chain)
    np.testing.assert_array_equal(compiled(X), chain(X))
    same(compiled(blocks(X, 30, 8)), chain(X), close=False)
    np.testing.assert_array_equal(compiled(X), chain(X))


def test_empty_blocks_and_arrays_without_axes():
    x = da.concatenate([blocks(V[:10], 10), blocks(V[:0], 1), blocks(V[10:], 25)])

    def program(x):
        return x.max() + x.sum(), x * 2

    expected = program(V)
    found = dl.compile(program)(x)
    same(found[0], expected[0])
    same(found[1], expected[1])
    same(dl.compile(chain)(blocks(np.array(2.5))), chain(np.array(2.5)))


def test_wrong_shapes_raise_numpys_error_at_the_call():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="broadcast"):
            dl.compile(lambda x, y: x + y)(blocks(V, 20), blocks(V[:50], 25))


def test_what_is_made_of_small_arrays_alone_is_read_by_the_tasks_of_blocks():
    def distances(x, y):
        squares = (x * x).sum(axis=1)[:, None] + (y * y).sum(axis=1)[None, :]
        return np.sqrt(np.maximum(squares - 2 * (x @ y.T), 0))

    found = dl.compile(distances)(blocks(X, 10, 8), X[:5])
    same(found, distances(X, X[:5]))
    ours = [str(key) for key in found.__dask_graph__() if "distances" in str(key)]
    assert len(ours) == 6 + 3  # a block each; the task of `y` alone and its two results
