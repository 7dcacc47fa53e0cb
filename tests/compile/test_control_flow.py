"""Control flow as functions: the same compiled as in Python, in one graph."""
from collections import OrderedDict
from typing import NamedTuple

import numpy as np
import pytest

import dynamo_lite as dl

X = np.linspace(-1, 1, 7)


def signed(x):
    return dl.cond(x.sum() > 0, lambda v: v * 2, lambda v: -v, x)


def shrunk(x):
    return dl.while_loop(lambda v: np.abs(v).max() > 1e-3, lambda v: v * 0.5, x)


def counted(x):
    return dl.while_loop(lambda v, i: i < 50, lambda v, i: (v * 0.5 + i, i + 1), x, 0)


def decayed(x):
    return dl.scan(lambda carry, v: (carry * 0.9 + v, carry), 0.0, x)


def decayed_rows(x):
    rows = x[:, None] * np.ones(3)
    return dl.scan(lambda carry, row: (carry * 0.9 + row, carry + row), np.zeros(3), rows)


@pytest.mark.parametrize("function", [signed, shrunk, counted, decayed, decayed_rows])
def test_one_graph_with_the_results_of_python(function):
    compiled = dl.compile(function, fullgraph=True)
    for x in (X, X + 1, -X - 1):
        found, expected = compiled(x), function(x)
        assert type(found) is type(expected)
        parts = (found, expected) if isinstance(found, tuple) else ((found,), (expected,))
        for got, want in zip(*parts, strict=True):
            assert type(got) is type(want)
            np.testing.assert_array_equal(got, want, strict=True)
    assert len(compiled.entries()) == 1


def test_only_the_taken_side_runs():
    def root(x):
        return dl.cond(x.min() >= 0, np.sqrt, lambda v: v * 0, x)

    with np.errstate(all="raise"):
        np.testing.assert_array_equal(dl.compile(root)(-X - 2), np.zeros(7))


class State(NamedTuple):
    position: object
    steps: object


def carried_dict(x):
    start = {"steps": 0, "at": (x * 1.0, None)}
    return dl.while_loop(
        lambda s: s["steps"] < 60,
        lambda s: {"at": (s["at"][0] * 0.5 + s["steps"], None), "steps": s["steps"] + 1}, start,
    )


def carried_named_tuple(x):
    return dl.while_loop(
        lambda s: np.abs(s.position).sum() > 1e-2,
        lambda s: State(s.position * 0.5, s.steps + 1), State(x * 1.0, 0),
    )


def two_trees(x):
    return dl.while_loop(
        lambda i, s: i < 50, lambda i, s: (i + 1, [s[0] + 1, {"y": s[1]["y"] - i}]),
        0, [x, {"y": x}],
    )


def arms_with_dicts(x):
    return dl.cond(
        x.sum() > 0, lambda s: {"a": s["v"] + 1, "b": [s["v"], 2.0]},
        lambda s: {"a": s["v"] - 1, "b": [s["v"] * 2, 3.0]}, {"v": x},
    )


def an_arm_that_gives_its_operand(x):
    return dl.cond(
        x.sum() > 0, lambda s: s, lambda s: OrderedDict(v=s["v"] * 2), OrderedDict(v=x)
    )


def scanned_trees(x):
    rows = {"u": np.outer(x, np.ones(3)), "v": [x, (x * 2, None)]}

    def step(carry, row):
        carry = State(carry.position * 0.9 + row["u"], carry.steps + row["v"][1][0])
        return carry, {"p": carry.position, "q": (row["v"][0], None)}

    return dl.scan(step, State(np.zeros(3), 0.0), rows)


def scanned_backwards(x):
    return dl.scan(lambda c, v: (c * 0.9 + v, c), 0.0, np.tile(x, 9), reverse=True)


def scanned_without_rows(x):
    return dl.scan(lambda c, _: ((c[0] * 0.5, c[1] + 1), c[0].sum()), (x, 0), length=50)


TREES = [carried_dict, carried_named_tuple, two_trees, arms_with_dicts,
         an_arm_that_gives_its_operand, scanned_trees, scanned_backwards, scanned_without_rows]


def shown(tree):
    """A tree as text, with the types and bits of its leaves."""
    if isinstance(tree, np.ndarray | np.generic):
        return f"{type(tree).__name__} {tree.dtype} {tree.tolist()}"
    if isinstance(tree, dict):
        return type(tree), {key: shown(item) for key, item in tree.items()}, list(tree)
    if isinstance(tree, tuple | list):
        return type(tree), [shown(item) for item in tree]
    return type(tree), tree


@pytest.mark.parametrize("function", TREES)
@pytest.mark.parametrize("backend", ["eager", "llvm"])
def test_trees_in_one_graph(function, backend):
    compiled = dl.compile(function, fullgraph=True, backend=backend)
    for x in (X, X + 1, -X - 1):
        assert shown(compiled(x)) == shown(function(x))
    assert len(compiled.entries()) == 1


@pytest.mark.parametrize("function", [carried_dict, two_trees, scanned_backwards])
def test_rounds_are_not_unrolled(function):
    graph = dl.explain(function)(X).graphs[0]
    assert len(graph.calls) < 20


def test_results_are_new_containers():
    operand = {"v": X}
    for call in (dl.cond, dl.compile(dl.cond)):
        found = call(True, lambda s: s, lambda s: s, operand)
        assert found == operand and found is not operand and found["v"] is X


REFUSED = [
    (lambda x: dl.while_loop(lambda s: s["i"] < 9, lambda s: {"i": 9}, {"i": 0, "x": x}),
     TypeError, r"carried is {'i': \*, 'x': \*} before an iteration and {'i': \*} after it, as "
     r".*<lambda> \(.*test_control_flow\.py:\d+\) gives it"),
    (lambda x: dl.while_loop(lambda s: s[0] < 9, lambda s: (9, [s[1][0].astype("f4")]), (0, [x])),
     TypeError, r"carried\[1\]\[0\] is of float64 before an iteration and of float32 after it"),
    (lambda x: dl.scan(lambda c, v: (State(c.position, x[:1]), v), State(x, np.int64(1)), x),
     TypeError, r"scan: carry\.steps is of int64 before an iteration and of float64 after it"),
    (lambda x: dl.scan(lambda c, v: (c + 1, v if c < 1 else [v]), 0, x),
     TypeError, r"scan: y is \* in the first iteration and \[\*\] in a later one"),
    (lambda x: dl.scan(lambda c, v: (c + 1, {"y": v if c < 1 else 1j}), 0, x),
     TypeError, r"scan: y\['y'\] is of float64 in the first iteration and of complex in .*"),
    (lambda x: dl.scan(lambda c, v: (c + 1, x[: 2 + c]), 0, x), ValueError,
     r"scan: the first y is of shape \(2,\), a later one of \(3,\)"),
    (lambda x: dl.scan(lambda c, v: (c, c), 0, {"a": x, "b": x[1:]}), ValueError,
     "scan: arrays of 7 and of 6 rows"),
    (lambda x: dl.scan(lambda c, v: (c, c), 0, x, length=8), ValueError,
     "scan: arrays of 8 and of 7 rows"),
    (lambda x: dl.scan(lambda c, v: (c, c), 0), ValueError, "scan needs arrays or a length"),
    (lambda x: dl.scan(lambda c, v: (c, c), 0.0, x[:0]), ValueError, "at least one row"),
]


@pytest.mark.parametrize(("function", "error", "message"), REFUSED)
def test_what_is_refused_alike(function, error, message):
    with pytest.raises(error, match=message) as eager:
        function(X)
    with pytest.raises(error) as compiled:
        dl.compile(function)(X)
    assert str(compiled.value) == str(eager.value)


@pytest.mark.parametrize(("false_fn", "message"), [
    (lambda x: {"a": x, "b": (x > 2, 3.0)},
     r"result\['b'\]\[0\] is float64\[7\] in one arm (.*\n)*.*test_control_flow.py"),
    (lambda x: {"a": x}, r"parts \['a'\], \['b'\] in one arm .* \['a'\] in the other"),
])
def test_arms_that_differ_are_named(false_fn, message):
    def function(x):
        return dl.cond(x.sum() > 0, lambda x: {"a": x + 1, "b": (x, 2.0)}, false_fn, x)

    assert shown(dl.compile(function)(X - 1)) == shown(function(X - 1))
    with pytest.raises(dl.errors.FullGraphRequired, match=message):
        dl.compile(function, fullgraph=True)(X)
