"""Trees of classes that a program registered with optree."""
import dataclasses

import numpy as np
import optree
import pytest

import dynamo_lite as dl

X = np.linspace(-1, 1, 7)
EVERYWHERE = optree.registry.__GLOBAL_NAMESPACE


class Point:
    """Two arrays and a name that is none."""

    def __init__(self, x, y, name="p"):
        self.x, self.y, self.name = x, y, name


optree.register_pytree_node(
    Point, lambda point: ((point.x, point.y), point.name, ("x", "y")),
    lambda name, children: Point(*children, name), namespace="dynamo_lite")


@optree.register_pytree_node_class(namespace=EVERYWHERE)
class Pair:
    def __init__(self, left, right):
        self.left, self.right = left, right

    def __tree_flatten__(self):
        return (self.left, self.right), None

    tree_flatten = __tree_flatten__

    @classmethod
    def __tree_unflatten__(cls, metadata, children):
        return cls(*children)

    tree_unflatten = __tree_unflatten__


@dataclasses.dataclass
class State:
    value: np.ndarray
    step: int


optree.register_pytree_node(
    State, lambda state: ([state.value, state.step], None),
    lambda metadata, children: State(*children), namespace="dynamo_lite")


class Foreign(Point):
    """Registered for others."""


optree.register_pytree_node(
    Foreign, lambda point: ((point.x,), None), lambda name, children: Foreign(*children, 0.0),
    namespace="another program")


def carried(x):
    point = dl.while_loop(lambda p: np.abs(p.x).max() > 0.1,
                          lambda p: Point(p.x * 0.5, p.y + 1.0, p.name), Point(x, x * 2, "q"))
    return point.x, point.y, point.name, type(point)


def chosen(x):
    pair = dl.cond(x.sum() > 0, lambda p: Pair(p.right, p.left),
                   lambda p: Pair(p.left + 1, -p.left), Pair(x, x * 3))
    return pair.left, pair.right


def nested(x):
    point = Point({"a": x, "b": (x, 1.0)}, Pair(x, x + 1))
    point = dl.cond(x[0] < 0, lambda p: p, lambda p: p, point)
    return point.x["b"][0], point.y.right, list(point.x)


def scanned(x):
    def step(carry, row):
        return State(carry.value + row, carry.step + 1), Pair(row * 2, carry.value)

    last, ys = dl.scan(step, State(0.0, 0), x)
    return last.value, last.step, ys.left, ys.right, type(last)


def argument(point):
    return Point(point.x + point.y, point.y * 2, point.name)


@pytest.mark.parametrize("function", [carried, chosen, nested, scanned])
def test_registered_classes_are_trees(function):
    compiled = dl.compile(function, fullgraph=True)
    for x in X, -X, X + 5:
        found, expected = compiled(x), function(x)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_equal(one, other)
            assert type(one) is type(other)


def test_they_are_arguments_and_results():
    compiled = dl.compile(argument, fullgraph=True)
    found = compiled(Point(X, X, "r"))
    assert type(found) is Point and found.name == "r"
    np.testing.assert_array_equal(found.x, X + X)


def test_a_changed_structure_is_the_same_error():
    def renamed(x):
        return dl.while_loop(lambda p: p.x.sum() < 5, lambda p: Point(p.x + 1, p.y, "other"),
                             Point(x, x))

    def retyped(x):
        return dl.while_loop(lambda p: p.x.sum() < 5, lambda p: Point(p.x + 1, p.y > 0, "p"),
                             Point(x, x))

    for function in renamed, retyped:
        with pytest.raises(TypeError) as eager:
            function(X)
        with pytest.raises(TypeError) as compiled:
            dl.compile(function)(X)
        assert str(compiled.value) == str(eager.value)


def test_those_of_another_namespace_are_leaves():
    def kept(x):
        return dl.cond(x[0] < 0, lambda p: p, lambda p: p, Foreign(x, x)).x

    np.testing.assert_array_equal(dl.compile(kept)(X), kept(X))


def test_metadata_that_is_no_constant_is_refused_with_a_reason():
    def named_by_data(x):
        point = dl.cond(x[0] < 0, lambda p: p, lambda p: p, Point(x, x, x[1:]))
        return point.x

    explanation = dl.explain(named_by_data)(X)
    np.testing.assert_array_equal(explanation.result, X)
    assert any("Point" in reason and "metadata" in reason for reason in explanation.break_reasons)
