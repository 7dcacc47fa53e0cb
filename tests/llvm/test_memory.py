"""What a call allocates: temporaries go as soon as nothing uses them; memory serves later calls."""
from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest
from dynamo_lite.backends.llvm.backend import compile_graph
from numpy._core.multiarray import get_handler_name

import dynamo_lite as dl
from dynamo_lite.native import _core

from ..backends.graphs import trace


def peak(function, *args):
    """Bytes that a call takes at most: the least of some calls, as other threads take memory."""
    return min(peak_of_one(function, *args) for _ in range(3))


def peak_of_one(function, *args):
    tracemalloc.start()
    function(*args)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_results_of_externs_are_released_after_their_last_use():
    def chain(x):
        for _ in range(6):
            x = np.sort(x + 1, axis=0)
        return x

    x = np.random.default_rng(0).random((500, 500))
    entry = compile_graph(trace(chain, x), [x])
    np.testing.assert_array_equal(entry(x)[0], chain(x))
    assert peak(entry, x) <= 3.1 * x.nbytes


def test_views_keep_what_they_show():
    def views(x):
        rows = np.sort(x, axis=0)[::2]
        part = np.sort(rows[:, ::3], axis=1)
        return part[1:], rows.T, part[1:] + 1

    x = np.random.default_rng(0).random((60, 60))
    entry = compile_graph(trace(views, x), [x])
    for _ in range(3):
        for got, want in zip(entry(x), views(x)):
            np.testing.assert_array_equal(got, want)
            assert np.shares_memory(got, got.base) if want.base is not None else True


def test_intermediate_products_take_no_arrays():
    a = np.random.default_rng(0).random((300, 300))
    entry = compile_graph(trace(lambda a: (a @ a - 1) @ a, a), [a])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(entry(a)[0], (a @ a - 1) @ a)
        assert peak(entry, a) <= 1.1 * a.nbytes
    assert _core.free_scratch() >= a.nbytes


def one_more(x):
    return x + 1


def test_large_results_are_arrays_like_any_other():
    x = np.arange(100_000.0)
    entry = compile_graph(trace(one_more, x), [x])
    for layout in (x, x.reshape(100, 1000), np.asfortranarray(x.reshape(100, 1000))):
        made = compile_graph(trace(one_more, layout), [layout])
        (got,), want = made(layout), one_more(layout)
        assert repr(got.flags) == repr(want.flags) and got.strides == want.strides
        assert got.base is None and get_handler_name(got) == get_handler_name(want)
    (y,) = entry(x)
    y.resize(300_000, refcheck=False)
    assert y.flags.owndata and (y[:100_000] == x + 1).all() and not y[100_000:].any()
    y.resize(3, refcheck=False)
    assert y.tolist() == [1, 2, 3]
    (y,) = entry(x)
    y.__setstate__(x.__reduce__()[2])
    assert (y == x).all() and (pickle.loads(pickle.dumps(entry(x)[0])) == x + 1).all()
    tracemalloc.start()
    y = entry(x)
    assert tracemalloc.get_traced_memory()[0] >= x.nbytes
    del y
    assert tracemalloc.get_traced_memory()[0] < x.nbytes
    tracemalloc.stop()


def test_memory_of_results_serves_later_calls():
    compiled = dl.compile(one_more)
    compiled(np.arange(1000.0)), compiled(np.arange(1100.0))
    _core.free_scratch()
    places = {compiled(np.arange(n)).ctypes.data for n in np.arange(100_000.0, 101_000.0, 100)}
    assert len(places) == 1
    assert 800_000 <= _core.free_scratch() <= 1_100_000
    kept = [compiled(np.arange(n)) for n in (100_000.0, 100_000.0)]
    assert not np.shares_memory(*kept) and _core.free_scratch() == 0
    del kept
    for n in range(1, 12):
        compiled(np.arange(n * 1e6))
    assert _core.free_scratch() <= 64 << 20


def test_arrays_without_contents_have_the_memory_of_those_before():
    _core.free_scratch()
    for shape, dtype in [((300, 700), "f8"), ((600_000,), "<u2"), ((), "f4"), ((0, 3), "D")]:
        made, like = _core.empty(shape, np.dtype(dtype)), np.empty(shape, dtype)
        assert repr(made.flags) == repr(like.flags) and made.strides == like.strides
        assert (made.shape, made.dtype) == (shape, like.dtype)
    places = {_core.empty((200_000,), np.dtype(float)).ctypes.data for _ in range(5)}
    assert len(places) == 1
    with pytest.raises(ValueError, match="negative dimensions"):
        _core.empty((3, -1), np.dtype(float))
    with pytest.raises(ValueError, match="Python objects"):
        _core.empty((3,), np.dtype(object))
    with pytest.raises(TypeError):
        _core.empty((3.5,), np.dtype(float))


@pytest.mark.parametrize("dtype", ["F", "D", "g", "G", "e"])
def test_copies_of_types_that_kernels_do_not_compute_with(dtype):
    """Aligned is what NumPy calls aligned: eight bytes are enough for a complex number."""
    dtype = np.dtype(dtype)
    raw = np.zeros(60 * dtype.itemsize + 64, np.uint8)
    start = -raw.ctypes.data % 64 + dtype.alignment
    x = raw[start:][: 60 * dtype.itemsize].view(dtype).reshape(6, 10)
    x[...] = np.arange(60).reshape(6, 10)
    assert x.flags.aligned
    for function in (np.ravel, np.copy, lambda x: np.concatenate([x, x[::-1]]),
                     lambda x: np.stack([x[:, ::2], x[:, 1::2]]), lambda x: x[np.array([3, 1])]):
        for operand in (x, x.T):
            (got,) = compile_graph(trace(lambda x, f=function: f(x), operand), [operand])(operand)
            assert got.dtype == dtype
            np.testing.assert_array_equal(got, function(operand))


@pytest.mark.parametrize("dtype", ["f8", "u1", "?", "c16"])
def test_large_copies(dtype):
    def program(x, y):
        part = np.concatenate([x, y[5:], x[:3]])
        y[2:] = x[:-2]
        return x.copy(), part, np.stack([x, x])

    compiled = dl.compile(program, dynamic=True)
    for n in (3, 100, 40_000, 1_000_000):
        x, y = (np.arange(2 * n) % 7 % 2).astype(dtype).reshape(2, n)
        found, expected = compiled(x, found_y := y.copy()), program(x, expected_y := y.copy())
        assert all(map(np.array_equal, (*found, found_y), (*expected, expected_y)))
