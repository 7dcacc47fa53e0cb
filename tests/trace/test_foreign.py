"""What is not NumPy's in the graph: ufuncs of other libraries, functions that the user allows."""
import asyncio
import functools

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.ir.ops.foreign import is_numbers_ufunc
from tests.oracle import same

X = np.linspace(0.5, 2, 60)


def whole(function, *arguments):
    """The result of a call that is one graph."""
    explained = dl.explain(function, fullgraph=True)(*arguments)
    assert explained.graph_count == 1 and not explained.bailouts
    return explained.result


# -- ufuncs


@pytest.mark.parametrize("x", [X, X.astype("f4"), X.reshape(6, 10).T, X[::3], X[:0]])
def test_ufuncs_of_scipy_are_steps_of_the_graph(x):
    special = pytest.importorskip("scipy.special")

    def errors(x):
        return special.erf(x) * 2 + special.gammaln(x + 1), special.beta(x, 2.5).sum()

    assert same(whole(errors, x), errors(x))


@pytest.mark.parametrize("name", ["log1p", "expm1", "exp2", "cbrt"])
def test_of_two_ufuncs_of_one_name_the_right_one_runs(name):
    special = pytest.importorskip("scipy.special")
    theirs, numpys = getattr(special, name), getattr(np, name)

    def both(x):
        return theirs(x) + 1, numpys(x) + 1

    with dl.config.patch(math="numpy"):
        assert same(whole(both, X), both(X))


def test_a_ufunc_that_raises_does_so_from_the_users_line():
    special = pytest.importorskip("scipy.special")
    compiled = dl.compile(lambda x: special.gammaln(x - 1) * 2)
    with special.errstate(singular="raise"), pytest.raises(special.SpecialFunctionError):
        compiled(np.array([1.0, 2.0]))
    assert same(compiled(X), special.gammaln(X - 1) * 2)


def test_ufuncs_of_python_objects_stay_outside():
    assert is_numbers_ufunc(np.add) is False  # which also has a loop of objects
    seen = []
    ufunc = np.frompyfunc(lambda value: seen.append(value) or value, 1, 1)
    assert not is_numbers_ufunc(ufunc)
    explained = dl.explain(lambda x: ufunc(x))(X[:2])
    assert explained.graph_break_count and len(seen) == 2


# -- functions that are allowed


def test_an_allowed_function_is_one_node():
    calls = []

    @dl.allow_in_graph
    def opaque(x, k=2):
        calls.append(type(x))
        return np.sort(x.ravel())[::-1] * k

    def function(x):
        return opaque(x + 1, k=3) - 1

    explained = dl.explain(function, fullgraph=True)(X)
    assert [node.target for node in explained.graphs[0].calls] == [np.add, opaque, np.subtract]
    assert same(explained.result, function(X)) and {*calls} == {np.ndarray}
    compiled = dl.compile(function)
    for x in (X, X[:7], X[:9], X.astype("f4"), X.reshape(6, 10)):
        assert same(compiled(x), function(x))


def test_its_type_may_be_given():
    calls = []

    @dl.allow_in_graph(like=lambda x: (x, x[0]))
    def parts(x):
        calls.append(len(x))
        return x * 2, x[0] + 1

    def function(x):
        doubled, first = parts(x)
        return doubled + first

    assert same(whole(function, X), X * 2 + X[0] + 1)
    assert calls == [len(X)]


def test_where_the_given_type_is_wrong_python_runs_the_call():
    @dl.allow_in_graph(like=lambda x: x)
    def summed(x):
        return x.sum(keepdims=True)

    compiled = dl.compile(lambda x: summed(x) + 1)
    for _ in range(3):
        assert same(compiled(X), X.sum(keepdims=True) + 1)


def test_what_it_raises_comes_from_the_users_call():
    @dl.allow_in_graph
    def positive(x):
        if (x < 0).any():
            raise ValueError("negative")
        return x * 2

    compiled = dl.compile(lambda x: positive(x) + 1)
    assert same(compiled(X), X * 2 + 1)
    with pytest.raises(ValueError, match="^negative$"):
        compiled(-X)


# -- dl.why


async def waits(x):
    return x


async def steps(x):
    yield x


def numbers(x):
    yield x


class Scale:
    def __call__(self, x):
        return x * 2

    @property
    def size(self):
        return 2

    @functools.cached_property
    def weight(self):
        return 3


@pytest.mark.parametrize(("function", "id", "action"), [
    (waits, "coroutine", "skip"), (steps, "async-generator", "skip"),
    (numbers, "generator", "inline"), (np.ma.array, "numpy-masked", "skip"),
    (np.ma.add, "numpy-masked", "skip"), (np.ma.MaskedArray.sum, "numpy-masked", "skip"),
    (np.char.upper, "numpy-strings", "skip"), (np.strings.str_len, "numpy-strings", "skip"),
    (np.ma.getdata, "numpy-inline", "inline"), (np.add, "numpy", "graph"),
    (np.busday_count, "numpy-skip", "skip"), (np.frompyfunc(abs, 1, 1), "numpy-skip", "skip"),
    (Scale(), "user-inline", "inline"), (Scale.size, "user-inline", "inline"),
    (Scale.__dict__["weight"], "user-inline", "inline"),
    (np.datetime64, "numpy-no-number", "skip"), (np.timedelta64, "numpy-no-number", "skip"),
    (np.float32, "numpy", "graph"), (np.testing.assert_allclose, "numpy-inline", "inline"),
])
def test_why_knows_kinds_of_functions(function, id, action):
    rule = dl.why(function)
    assert (rule.id, rule.action.value) == (id, action)


def test_masked_arrays_have_one_reason_for_each_call():
    masked = np.ma.array([1.0, 2.0], mask=[0, 1])
    explained = dl.explain(lambda x: x.sum())(masked)
    (reason,) = explained.break_reasons
    assert reason.startswith("calling numpy.ma.MaskedArray.sum: masked arrays")
    assert explained.result == 1.0


def test_async_functions_and_generators_run_as_they_are():
    assert asyncio.run(dl.compile(waits)(3)) == 3
    assert [*dl.compile(numbers)(3)] == [3]
