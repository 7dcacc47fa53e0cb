"""Graphs print as Python that runs, and running them is running the user's statements."""
from __future__ import annotations

import operator

import numpy as np
import pytest

from dynamo_lite.errors import BackendError
from dynamo_lite.ir.graph import Graph, Location, Node, SymbolOrigin
from dynamo_lite.ir.passes.verify import verify
from dynamo_lite.ir.placed import placed
from dynamo_lite.ir.sizes import evaluate, floordiv, modulo, symbol
from dynamo_lite.ir.types import array

from .building import Builder


def test_prints_and_runs():
    b = Builder()
    x = b.input("x", array("f8", symbol("s0"), 3))
    b.graph.symbols["s0"] = SymbolOrigin(0, "size", 0, 4)
    weights = np.array([1.0, 2.0, 3.0])
    constant = b.graph.get_attr(weights, array("f8", 3), "weights")
    scaled = b.graph.call_function(
        np.multiply, (x, constant), type=x.type, location=Location("model.py", 7, "forward"))
    total = b.call(np.sum, scaled, axis=1)
    first = b.call(operator.getitem, scaled, (slice(None), 0))
    ramp = b.call(np.arange, symbol("s0") + 1)
    b.graph.output((total, first, ramp))

    assert b.graph.code == (
        "def graph(x):\n"
        "    s0 = x.shape[0]\n"
        "    # weights: constant float64[3]\n"
        "    multiply = np.multiply(x, weights)  # float64[s0, 3] · model.py:7 in forward\n"
        "    sum = np.sum(multiply, axis=1)  # float64[s0]\n"
        "    getitem = multiply[(slice(None, None, None), 0)]  # float64[s0] strides (24,)\n"
        "    arange = np.arange((s0 + 1))  # int64[s0 + 1]\n"
        "    return (sum, getitem, arange,)\n"
    )
    value = np.random.default_rng(0).random((5, 3))
    outputs = b.graph(value)
    for found, expected in zip(outputs, (
        (value * weights).sum(axis=1), (value * weights)[:, 0], np.arange(6),
    )):
        np.testing.assert_array_equal(found, expected)
    verify(b.graph)


@pytest.mark.parametrize("value", [
    np.nan, np.inf, -np.inf, -0.0, 1e300, 2**70, True, None, 1j, "C", np.float32(0.1),
    np.float64("nan"), np.int8(-3), (1, [2.0, {"k": -1}]), slice(None, -1, 2), ..., float,
    np.dtype("f4"), np.float16, np.add, np.linalg.norm,
])
def test_arguments_survive_printing(value):
    graph = Graph()
    node = graph.call_function(_identity, (value,), {"keyword": value}, type=None)
    graph.output((node,))
    ((found, keyword),) = graph()
    assert repr(found) == repr(value) == repr(keyword)
    assert type(found) is type(value)


def _identity(value, *, keyword):
    return value, keyword


def test_statements_write_in_place():
    b = Builder()
    x = b.input("x", array("f8", 4))
    b.call(operator.setitem, x, slice(0, 2), 7.0)
    b.call(operator.iadd, x, x)
    b.graph.output((x,))
    value = np.zeros(4)
    (found,) = b.graph(value)
    assert found is value
    np.testing.assert_array_equal(value, [14.0, 14.0, 0.0, 0.0])


def test_names_do_not_clash():
    graph = Graph()
    names = ["np", "s0", "class", "graph", "x y", "min", "x", "x"]
    nodes = [graph.placeholder(name, array("f8", 2)) for name in names]
    graph.symbols["s0"] = SymbolOrigin(0, "size", 0, 2)
    size = graph.call_function(np.zeros, (symbol("s0"),), type=array("f8", symbol("s0")))
    graph.output((size, *nodes))
    values = [np.full(2, float(i)) for i in range(len(names))]
    found = graph(*values)
    assert found[0].shape == (2,)
    assert all(a is b for a, b in zip(found[1:], values))


def test_bound_and_user_functions_run():
    rng = np.random.default_rng(5)
    b = Builder()
    graph = b.graph
    drawn = graph.call_function(rng.normal, (), {"size": 3}, type=array("f8", 3))
    folded = graph.call_function(np.add.reduce, (drawn,), type=None)
    graph.output((drawn, folded))
    found, total = graph()
    assert total == found.sum()
    np.testing.assert_array_equal(found, np.random.default_rng(5).normal(size=3))


def test_verifier_names_the_defects():
    graph = Graph()
    x = graph.placeholder("x", array("f8", symbol("s0")))
    stray = Node("call_function", "stray", np.add)
    graph.call_function(np.add, (x, stray), type=array("f8", 3))
    with pytest.raises(BackendError, match=r"unbound symbol s0.*uses stray before.*no output"):
        verify(graph)


@pytest.mark.parametrize("divide", [floordiv, modulo])
@pytest.mark.parametrize("left", [2, symbol("a"), symbol("a") + 2, symbol("a") * 2])
@pytest.mark.parametrize("right", [3, symbol("b"), symbol("b") - 1, symbol("b") * 3])
def test_sizes_print_as_what_they_are(divide, left, right):
    size = divide(left, right)
    values = {"a": 7, "b": 5}
    assert eval(str(size), values) == evaluate(size, values)


A, B = symbol("a"), symbol("b")


@pytest.mark.parametrize(("size", "text"), [
    ((2 * A + 7) // 4, "((a + 1) // 2) + 1"),
    ((A - 1) // 2 // 2 + 1, "((a + 3) // 4)"),
    ((A // 2 + B) // 3, "((a + 2*b) // 6)"),
    (-(-A // 4), "((a + 3) // 4)"),
    ((A - A % 4) // 4, "(a // 4)"),
    ((A - A % 4) % 4, "0"),
    ((A * 9 + 11) % 3, "2"),
    ((A % 8 + 9) % 4, "((a + 1) % 4)"),
    (A // 2 // B, "((a // 2) // b)"),
])  # fmt: skip
def test_quotients_are_as_plain_as_they_can_be(size, text):
    assert str(size) == text


def test_operations_are_at_the_users_lines():
    """In two files, and in steps too long for one entry of the table of lines."""
    b, kind = Builder(), array("f8", 2)
    x = b.input("x", kind)
    many = b.graph.call_function(
        np.stack, ([x] * 40,), type=array("f8", 40, 2), location=Location("one.py", 70, "first"))
    log = b.graph.call_function(
        np.log, (many,), type=many.type, location=Location("two.py", 3, "second"))
    run = placed(b.output(log, many))
    with pytest.warns(RuntimeWarning, match="in log") as caught:
        found, _ = run(np.zeros(2))
    assert np.all(np.isneginf(found))
    assert [(one.filename, one.lineno) for one in caught] == [("two.py", 3)]
    with pytest.raises(ValueError) as raised:
        run(Unstackable())
    (frame,) = [each for each in raised.traceback if each.name == "first"]
    assert (str(frame.path).rpartition("/")[2], frame.lineno + 1) == ("one.py", 70)


class Unstackable:
    def __array__(self, dtype=None, copy=None):
        raise ValueError("no array")


def test_an_argument_may_be_called_output():
    b = Builder()
    x = b.input("output", array("f8", 3))
    b.graph.output((b.call(np.negative, x),))
    verify(b.graph)
    (found,) = b.graph(np.ones(3))
    np.testing.assert_array_equal(found, -np.ones(3))
