"""What dtypes carry besides the kind of elements: metadata, in which programs keep what they know
of an array, and what stands for a missing text."""
import numpy as np
import pytest
from sameness import same

import dynamo_lite as dl

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
