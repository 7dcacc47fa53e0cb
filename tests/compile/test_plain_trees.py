"""Trees of tuples, lists and dicts are taken apart as optree does, without importing it."""
from __future__ import annotations

import subprocess
import sys
from collections import OrderedDict, namedtuple

import numpy as np
import optree
import pytest

from dynamo_lite.base import pytrees

Pair = namedtuple("Pair", "a b")
X = np.ones(3)
PLAIN = [
    (), [], {}, None, X, 2.0, (X, 1), [X, (2, None)], {"b": X, "a": [1j, ()]},
    ({"z": 1, "y": {"x": np.float64(2)}}, None, [True]),
]
OTHERS = [Pair(1, X), {1: X}, OrderedDict(b=1, a=2), (Pair(1, 2), [X]), "text", ({"b": "text"},)]


def alike(first, second):
    return type(first) is type(second) and np.array_equal(first, second)


@pytest.mark.parametrize("tree", [*PLAIN, *OTHERS], ids=str)
def test_the_same_as_by_optree(tree):
    leaves, shape = pytrees.flatten(tree)
    expected, spec = optree.tree_flatten(tree)
    assert isinstance(shape, pytrees.Plain) is any(tree is each for each in PLAIN)
    assert len(leaves) == len(expected) and all(map(alike, leaves, expected))
    assert pytrees.as_spec(shape) == optree.tree_structure(tree, namespace=pytrees.NAMESPACE)
    made, by_optree = pytrees.unflatten(shape, leaves), optree.tree_unflatten(spec, leaves)
    assert str(made) == str(by_optree) and type(made) is type(by_optree)
    assert pytrees.text(shape) == pytrees.text(spec)


@pytest.mark.parametrize("first", [*PLAIN, *OTHERS], ids=str)
def test_alike_where_optree_says_so(first):
    for second in (*PLAIN, *OTHERS, {"a": [3, ()], "b": X}):
        shapes = pytrees.flatten(first)[1], pytrees.flatten(second)[1]
        specs = optree.tree_structure(first), optree.tree_structure(second)
        assert pytrees.are_alike(*shapes) is (specs[0] == specs[1])


def test_keys_may_be_in_another_order():
    first, second = ({"a": 1, "b": 2}, {"b": 2, "a": 1})
    shapes = [pytrees.flatten(tree)[1] for tree in (first, second)]
    assert shapes[0] == shapes[1] and hash(shapes[0]) == hash(shapes[1])
    assert [*pytrees.unflatten(shapes[1], (1, 2))] == ["b", "a"]


def test_a_plain_shape_is_that_of_optree():
    """Leaves of other classes leave a tree to optree."""
    _, plain = pytrees.flatten((1.0, [X]))
    _, other = pytrees.flatten(("text", [X]))
    assert pytrees.are_alike(plain, other) and pytrees.are_alike(other, plain)
    assert not pytrees.are_alike(plain, pytrees.flatten(("text", [X, X]))[1])


PROGRAM = """
import sys
import numpy as np
import dynamo_lite as dl

def loss(p, x):
    return ((np.tanh(x @ p["w"][0]) + p["b"]) ** 2).sum()

p = {"w": [np.ones((3, 2))], "b": np.zeros(2)}
found = dl.grad(loss)(p, np.ones((4, 3)))
assert list(found) == ["w", "b"] and found["w"][0].shape == (3, 2)
assert "optree" not in sys.modules
"""


def test_gradients_of_plain_trees_do_not_import_optree():
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)
