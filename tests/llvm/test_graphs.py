"""Whole graphs, through all passes, as native entries: equal to NumPy in every respect."""
from __future__ import annotations

import numpy as np
import pytest
from dynamo_lite.backends.llvm.backend import compile_graph

from dynamo_lite.errors import Unsupported
from dynamo_lite.native import _core

from ..backends.graphs import trace
from ..backends.test_lowering import CASES
from ..backends.test_symbolic import retyped
from ..oracle import ROUNDED, same


def compare(entry, function, values):
    with np.errstate(all="ignore"):
        want, got = function(*values), entry(*values)
    assert got is not _core.BAILOUT
    assert same(tuple(got), want if isinstance(want, tuple) else (want,), ROUNDED)


@pytest.mark.parametrize("symbolic", [False, True], ids=["static", "symbolic"])
@pytest.mark.parametrize("name", CASES)
def test_graph(name, symbolic):
    function, *values = CASES[name]
    graph = trace(function, *values)
    if symbolic:
        try:
            graph = retyped(graph, values, True)
        except Unsupported as reason:
            pytest.skip(str(reason))
    compare(compile_graph(graph, values), function, values)


def softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def layernorm(x):
    mean = np.mean(x, axis=1, keepdims=True)
    return (x - mean) / np.sqrt(np.var(x, axis=1, keepdims=True) + 1e-5)


def stencil(x):
    return x[1:-1, 1:-1] + 0.1 * (x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2])


@pytest.mark.parametrize("function", [softmax, layernorm, stencil, np.transpose,
                                      lambda x: x[:, ::-1] * x[::-1] + 1,
                                      lambda x: np.cumsum(x, axis=1),
                                      lambda x: np.cumsum(x, axis=0),
                                      lambda x: (np.sum(x), np.argmax(x, axis=1))])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_sizes_share_an_entry(function, dtype):
    first = np.random.default_rng(0).random((5, 7)).astype(dtype)
    try:
        graph = retyped(trace(function, first), [first], True)
    except Unsupported as reason:
        pytest.skip(str(reason))
    entry = compile_graph(graph, [first])
    for shape in [(5, 7), (2, 3), (33, 65), (3, 1500), (200, 9), (64, 64)]:
        compare(entry, function, [np.random.default_rng(1).random(shape).astype(dtype)])


def test_large_results_do_not_depend_on_the_number_of_threads():
    x = np.random.default_rng(0).random((1000, 1000)).astype(np.float32)
    entry = compile_graph(trace(lambda x: (softmax(x), np.sum(x), np.sum(x, axis=0)), x), [x])
    threads = _core.get_num_threads()
    try:
        results = []
        for count in (1, 2, 4):
            _core.set_num_threads(count)
            results.append(entry(x))
    finally:
        _core.set_num_threads(threads)
    for other in results[1:]:
        for a, b in zip(results[0], other):
            np.testing.assert_array_equal(a, b)
    assert same(results[0][0], softmax(x), ROUNDED)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_products_and_sums_are_rounded_separately(dtype):
    x, y, z = np.random.default_rng(0).standard_normal((3, 1001)).astype(dtype)

    def function(x, y, z):
        return x * y + z, x * y - z, (x - y) * (x + y) / z + x * x * y

    entry = compile_graph(trace(function, x, y, z), [x, y, z])
    for got, want in zip(entry(x, y, z), function(x, y, z)):
        np.testing.assert_array_equal(got, want)
