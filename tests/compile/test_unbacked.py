"""Sizes and ints that depend on data: one graph, exact results, no compile for another length."""
import numpy as np
import pytest
from data_programs import GUARDED, PROGRAMS

import dynamo_lite as dl
from tests.oracle import ROUNDED, check, outcome_of_copy, same


def samples(n):
    rng = np.random.default_rng(n)
    yield from (rng.normal(size=n) * 3, np.ones(n), -np.ones(n), np.arange(n) - 2.0)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_equals_eager(function, backend):
    """One graph for every length from 2, whatever is selected: nothing, one, some or all."""
    compiled = dl.compile(function, backend=backend, fullgraph=True)
    for n in (6, 5, 9, 2, 40, 300):
        for x in samples(n):
            assert same(outcome_of_copy(compiled, (x,)), outcome_of_copy(function, (x,)), ROUNDED)
    assert len(compiled.entries()) == 2
    assert [entry.bailouts for entry in compiled.entries()] == [0, 0]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1])
def test_small_inputs(function, n, backend):
    for x in samples(n):
        check(dl.compile(function, backend=backend), function, x, tolerance=ROUNDED)


@pytest.mark.parametrize("function", GUARDED, ids=lambda f: f.__name__)
def test_errors_are_numpys(function, backend):
    """The graph goes on where nothing is wrong, and Python raises where something is."""
    compiled = dl.compile(function, backend=backend, fullgraph=True, dynamic=True)
    for values in ([1, 2, 2.5], [3, -1, 1, 1, 1], [-1, -1], [1, 2, np.nan, 1], [0, 1, 1, 2, 2],
                   [1, 1, 1, 1, 1, 1], [9, 1, 2], [-3, 2, 1, 2]):
        x = np.array(values, float)
        assert same(outcome_of_copy(compiled, (x,)), outcome_of_copy(function, (x,)), ROUNDED)
    assert len(compiled.entries()) == 1
    assert compiled.entries()[0].hits > 0


def test_branches_on_sizes_that_depend_on_data_are_followed():
    def f(x):
        y = x[x > 0]
        if len(y) > 3:
            return y * 2
        return y - 1

    compiled = dl.compile(f, fullgraph=True)
    for x in np.arange(5.0), np.arange(-3.0, 2.0), np.zeros(5), np.arange(5.0):
        check(compiled, f, x)


def test_graph_prints_as_python_that_runs():
    seen = []

    def keep(graph, inputs):
        seen.append(graph)
        return graph

    def f(x):
        y = x[x > 0]
        return y[: len(y) - 1] + 1, np.zeros(len(y))

    compiled = dl.compile(f, backend=keep)
    x = np.array([1.0, -1, 2, 3])
    assert same(compiled(x), f(x))
    assert "u0 = " in seen[0].code
    assert same(seen[0](x), f(x))


@pytest.mark.parametrize("dynamic", [True, False])
def test_ints_do_not_wrap(dynamic, backend):
    """Arithmetic beyond 64 bits is Python's."""
    def of_data(x):
        n = int(x.sum())
        return x + n * n * n, n * n, n + 1

    def of_arguments(x, n):
        return x + n * n * n, x[: n * n]

    compiled = dl.compile(of_data, backend=backend)
    for values in ([2, 3], [2, 1e10], [3e18, 1], [-3e18, 1], [9.2e18, 0], [1e19, 0], [np.inf, 1]):
        args = (np.array(values),)
        assert same(outcome_of_copy(compiled, args), outcome_of_copy(of_data, args))
    compiled = dl.compile(of_arguments, backend=backend, dynamic=dynamic)
    for n in (3, 5, 10**5, 10**10, 10**18):
        args = (np.ones(3), n)
        assert same(outcome_of_copy(compiled, args), outcome_of_copy(of_arguments, args))


def test_marked_as_unbacked(backend):
    """One compilation, without hints: sizes of 0 and 1 as well."""
    def f(x):
        return x * 2, x.sum(), x.shape[0] + 1, x[:3]

    def branches(x):
        return x * 2 if len(x) > 3 else x

    x = np.arange(5.0)
    dl.mark_unbacked(x, 0)
    compiled = dl.compile(f, backend=backend, fullgraph=True)
    for y in (x, np.ones(1), np.ones(0), np.ones(9)):
        assert same(compiled(y), f(y), ROUNDED)
    assert len(compiled.entries()) == 1
    compiled = dl.compile(branches, backend=backend, fullgraph=True)
    for y in (x, np.ones(1), np.ones(0), np.ones(9)):
        assert same(compiled(y), branches(y), ROUNDED)


REMEDIES = {
    "np.where": lambda x: np.where(x.sum() > 1, x * 2, x - 1),
    "dl.check": lambda x: (dl.check(x.sum() > -100), x * 2)[1],
    "dl.check of a length": lambda x: (dl.check(len(x[x > 0]) <= 9), x[x > 0] + 1)[1],
}


@pytest.mark.parametrize("remedy", REMEDIES)
def test_remedies_give_one_graph(remedy, backend):
    function = REMEDIES[remedy]
    for x in samples(6):
        check(dl.compile(function, backend=backend, fullgraph=True), function, x)


def test_a_failed_check_raises(backend):
    def f(x):
        dl.check(len(x[x > 0]) < 3, "too many")
        return x * 2

    check(dl.compile(f, backend=backend, fullgraph=True), f, np.ones(5))


def windows_of_rows(y, places):
    k = places[0]
    part = y[k:k + 2] * y[k:k + 2]
    return part, part.sum()


def between_two_places(y, places):
    last, first = places[1], places[0]
    part = y[first:last] + 1
    return part, part.sum()


def columns_between_places(y, places):
    part = y[:, places[2]:places[3]] * 2
    return part, part.sum()


@pytest.mark.parametrize("order", "FC")
@pytest.mark.parametrize("function", [
    windows_of_rows, between_two_places, columns_between_places,
], ids=lambda f: f.__name__)
def test_lengths_that_are_differences_are_taken_to_be_long(function, order):
    """The layout of the result is that of rows that are there, and with it the order of the sum."""
    y = np.array(np.cos(np.arange(200.0)).reshape(40, 5), order=order)
    compiled = dl.compile(function, fullgraph=True)
    for k in 3, 0, 31, 17:
        places = np.array([k, k + 7, k % 3, k % 3 + 2])
        assert same(compiled(y, places), function(y, places))


ENDS = ((0.5, 2.0, 0.1), (0.6, 2.5, 0.1), (0.0, 1.0, 0.25), (3, 1.0, -0.3), (1.0, 1.0, 0.5),
        (0.1, 7, 3), (2.5, -1.0, 0.5), (np.float64(0.3), 5.0, 0.7), (1e-3, 1.0, 1e-3))
NO_RANGES = ((0.0, 1.0, 0.0), (0.0, np.nan, 0.1), (0.0, np.inf, 0.1), (0.0, 1e300, 1e-3))


def steps_between(x, first, stop, step):
    times, again = np.arange(first, stop, step), np.arange(first, stop, step)
    return times * x.sum() + again, len(times), np.arange(stop - first).sum()


def test_ranges_between_floats_that_vary(backend):
    """As many steps as NumPy makes, of its very values, and its errors; one graph for all."""
    compiled = dl.compile(steps_between, backend=backend)
    for ends in (*ENDS, *NO_RANGES, *ENDS):
        check(compiled, steps_between, np.ones(3), *ends)
    of_floats = [ends for ends in ENDS if {*map(type, ends)} == {float}]
    compiled = dl.compile(steps_between, backend=backend, fullgraph=True)
    for ends in (*of_floats, *of_floats):
        check(compiled, steps_between, np.ones(3), *ends)
    assert len(compiled.entries()) <= 2 and not any(each.bailouts for each in compiled.entries())
