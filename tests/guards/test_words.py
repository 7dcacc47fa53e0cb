"""Guards in plain words: what is relied on, without a word of how it is checked."""
import functools
import re

import numpy as np
import pytest

import dynamo_lite as dl
from tests.words import INTERNAL

X, MATRIX = np.arange(5.0), np.ones((4, 3))
SCALE, NAMES = 3, {"first": 1.0}


class Model:
    def __init__(self):
        self.weights, self.depth = [1.0, 2.0], 2

    def __len__(self):
        return 2


def told(function, *calls, **options):
    """The guards that the last call is told of, without the lines of the program."""
    explained = dl.explain(function, **options)
    for arguments in calls:
        found = explained(*arguments)
    assert "  guards:" in str(found)
    assert not INTERNAL.search("\n".join(found.guards)), found.guards
    return [guard.partition("  # ")[0] for guard in found.guards]


@pytest.mark.parametrize(("array", "words"), [
    (X, "float64 array of shape (5,), contiguous"),
    (MATRIX, "float64 array of shape (4, 3), contiguous"),
    (MATRIX.T, "float64 array of shape (3, 4), contiguous in Fortran's order"),
    (MATRIX[:, :2], "float64 array of shape (4, 2), with strides of 24, 8 bytes"),
    (np.array(2.0), "float64 array of shape (), contiguous"),
    (np.broadcast_to(X, (5,)), "float64 array of shape (5,), contiguous"),
])
def test_arrays(array, words):
    assert f"x: {words}" in told(lambda x: x + 1, (array,))


def test_flags_that_the_code_reads():
    def function(x):
        return x + x.flags.writeable

    words = "x: float64 array of shape (5,), contiguous, read-only"
    assert words in told(function, (np.broadcast_to(X, (5,)),))


def test_sizes_that_vary():
    add = functools.partial(told, lambda x: x + 1)
    assert add((X,), (X[:3],)) == [
        "x: float64 array of 1 axis, contiguous; its first size may vary"]
    assert add((MATRIX,), (MATRIX[:2],)) == [
        "x: float64 array of 2 axes (…, 3), contiguous; its first size may vary"]
    both = add((MATRIX,), (np.ones((7, 5)),))
    assert both == ["x: float64 array of 2 axes, contiguous; its first size may vary; "
                    "its second size may vary"]
    shared = told(lambda x, y: x + y, (X, X + 1), (X[:3], X[1:4] + 1))
    assert "y: float64 array of 1 axis, contiguous; its first size is x.shape[0]" in shared
    assert any(" >" in each or " <" in each for each in told(
        lambda x: x + 1 if x.shape[0] < 100 else x, (X,), (X[:3],)))


def test_numbers_and_names():
    found = told(lambda x, n: np.sqrt(x) * n * SCALE, (X, 2), (X, 4))
    assert "n: an int that may vary" in found
    assert "SCALE == 3" in found and "np: the module numpy" in found
    assert "numpy.sqrt is unchanged" in found


def scaled(x, factor=2.0):
    return x * factor


def test_objects():
    def both(x, model, extra):
        for weight in model.weights:
            x = x * weight
        if "second" not in extra:
            x = x + len(model)
        return scaled(x) * NAMES["first"] + model.depth

    found = told(both, (X, Model(), {}))
    assert "model: a Model" in found and "model.weights: 2 items long" in found
    assert any("scaled: the function scaled" in each for each in found)
    assert not any(re.search("[A-Z]{3,}_?[A-Z]+:", each.replace("NAMES", "")) for each in found)


def test_variables_of_closures():
    def outer(k):
        def inner(x):
            return x * k
        return inner

    assert any(each.startswith("k") for each in told(outer(3.0), (X,)))


def test_memory_that_is_written():
    def fill(x, y):
        x[:] = y
        return x

    assert "x and y share no memory" in told(fill, (X.copy(), X))
