"""What dtypes carry besides the kind of elements: metadata, in which programs keep what they know
of an array, and what stands for a missing text."""
import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import same

UNIT = np.dtype("f8", metadata={"unit": "m"})


def unique(y):
    if y.dtype.metadata is not None and "unique" in y.dtype.metadata:
        return y.dtype.metadata["unique"]
    return np.unique(y)


def with_unique(y):
    try:
        if "unique" in y.dtype.metadata:
            return y
    except TypeError:
        pass
    return y.view(np.dtype(y.dtype, metadata={"unique": np.unique(y)}))


def test_arrays_carry_their_own_metadata():
    compiled, attached = dl.compile(unique), dl.compile(with_unique)
    for items in ([1, 1, 2], [0, 1, 1], [5, 6, 6]):
        y = np.array(items)
        noted = attached(y)
        assert attached(noted) is noted
        for given in (noted, y, with_unique(y)):
            assert same(compiled(given), unique(y))


@pytest.mark.parametrize("function", [
    lambda x: x + 1, lambda x: x[1:], lambda x: np.concatenate([x, x]), lambda x: np.zeros_like(x),
    lambda x: x.astype(UNIT), lambda x: np.zeros(3, UNIT) + x, lambda x: np.where(x > 1, x, 0.0),
    lambda x: x.view(np.dtype("f8", metadata={"k": 1})), lambda x: x.copy(), lambda x: x.sum(),
])
def test_results_have_the_metadata_that_numpy_gives_them(function):
    compiled = dl.compile(function)
    for x in (np.arange(3.0), np.arange(3.0).view(UNIT), np.arange(3.0)) * 2:
        ours, theirs = compiled(x), function(x)
        assert same(ours, theirs) and ours.dtype.metadata == theirs.dtype.metadata


def test_dtypes_of_text_are_told_apart_by_what_stands_for_missing_ones():
    def missing(dtype):
        texts = np.array([dtype.na_object], dtype=dtype)
        return repr(texts), 4 if np.isnan(texts)[0] else 3

    compiled = dl.compile(missing)
    for na in (None, np.nan, "x", None, float("nan")):
        dtype = np.dtypes.StringDType(na_object=na)
        assert compiled(dtype) == missing(dtype)



def chosen(x):
    return np.longdouble("nan") if x.sum() > 3 else x[1]


def summed(x):
    total = np.longdouble(0)
    for item in x:
        total = total + item * np.longdouble("0.1")
    return total


def grown(x):
    size, rounds = x[1], 0
    while size < 100 and rounds < 50:
        size, rounds = size * np.longdouble("1.1"), rounds + 1
    return size, rounds


def larger(x):
    return max(np.longdouble("0.1"), x[0]), max(np.longdouble("-inf"), x[1])


@pytest.mark.parametrize("function", [chosen, summed, grown, larger])
@pytest.mark.parametrize("options", [{}, {"options": {"unroll_budget": 10}}])
def test_long_doubles_where_data_decides(function, options):
    compiled = dl.compile(function, **options)
    for x in (np.arange(5), np.arange(60), np.zeros(5) + 0.1):
        x = x.astype("g") / 3
        assert repr(compiled(x)) == repr(function(x))
