"""Passes keep what the user sees: values, types, aliasing and the contents of written inputs."""
from __future__ import annotations

import operator
import random
from typing import Any

import numpy as np
import pytest

from dynamo_lite.errors import Unsupported
from dynamo_lite.ir import core
from dynamo_lite.ir.errstates import AMBIENT, CONDITIONS
from dynamo_lite.ir.facts import STATIC
from dynamo_lite.ir.graph import Graph
from dynamo_lite.ir.passes import drop_dead, fold_constants, merge_common, optimize
from dynamo_lite.ir.passes.verify import verify
from dynamo_lite.ir.types import Form, array

from ..graphs import graph_of
from .building import Builder


def optimized(graph: Graph) -> Graph:
    """All passes, each result verified."""
    return optimize(graph, observe=lambda name, result: verify(
        result, functional=name not in ("decompose",)))


def same_effect(graph: Graph, *inputs: np.ndarray) -> Graph:
    """Run a graph before and after the passes; results, inputs and sharing must agree."""
    found = optimized(graph)
    before, after = ([value.copy() for value in inputs] for _ in range(2))
    expected, outputs = graph(*before), found(*after)
    for a, b in zip((*expected, *before), (*outputs, *after)):
        np.testing.assert_allclose(a, b, rtol=1e-12)
        assert np.asarray(a).dtype == np.asarray(b).dtype
    for a, b in zip(expected, outputs):
        for x, y in zip((*before, *expected), (*after, *outputs)):
            assert np.shares_memory(a, x) == np.shares_memory(b, y)
    return found


def targets(graph: Graph) -> list[Any]:
    return [node.target for node in graph.calls]


def test_decomposes_statistics():
    b = Builder()
    x = b.input("x", array("f4", 7, 5))
    graph = b.output(b.call(np.mean, x, axis=1), b.call(np.std, x, axis=0, ddof=1))
    found = same_effect(graph, np.random.default_rng(0).random((7, 5), "f4"))
    assert not {np.mean, np.std} & set(targets(found))


def test_mean_is_bit_equal():
    b = Builder()
    x = b.input("x", array("f4", 1001))
    graph = b.output(b.call(np.mean, x), b.call(np.var, x))
    value = np.random.default_rng(1).random(1001, "f4")
    assert optimized(graph)(value) == (value.mean(), value.var())


def test_split_becomes_views():
    b = Builder()
    x = b.input("x", array("f8", 6))
    parts = b.call(np.split, x, 3)
    second = b.call(operator.getitem, parts, 1)
    found = same_effect(b.output(b.call(np.add, second, 1.0), second), np.arange(6.0))
    assert np.split not in targets(found)


def test_folds_silently():
    b = Builder()
    two = b.call(np.add, 1.0, np.float32(1.0))
    bad = b.call(np.divide, np.float64(1.0), np.float64(0.0))
    x = b.input("x", array("f4", 3))
    b.output(b.call(np.multiply, x, two), bad, two)
    found = fold_constants(b.graph, STATIC)
    assert targets(found) == [np.divide, np.multiply]
    with np.errstate(divide="ignore"):
        product, infinite, folded = found(np.ones(3, "f4"))
    assert product.dtype == np.float32 and np.isinf(infinite) and type(folded) is np.float32


def test_merges_equal_calls_but_not_results():
    b = Builder()
    x = b.input("x", array("f8", 3))
    first, second = b.call(np.exp, x), b.call(np.exp, x)
    zero, minus = b.call(np.add, x, 0.0), b.call(np.add, x, -0.0)
    b.output(b.call(np.add, first, second), b.call(np.zeros, 3), b.call(np.zeros, 3), zero, minus)
    found = merge_common(b.graph, STATIC)
    assert targets(found).count(np.exp) == 1
    assert targets(found).count(np.zeros) == 2
    assert targets(found).count(np.add) == 3
    one, other = found(np.ones(3))[1:3]
    assert not np.shares_memory(one, other)


def test_merging_what_reports_with_what_does_not():
    """The later call may be left out where it is the one that reports nothing."""
    silent = tuple((condition, "ignore") for condition in sorted(CONDITIONS))
    for states, count in ((AMBIENT, silent), 1), ((silent, AMBIENT), 2), ((silent, silent), 1):
        b = Builder()
        x = b.input("x", array("f8", 3))
        calls = [b.call(np.exp, x) for _ in states]
        for call, state in zip(calls, states):
            call.errstate = state
        found = merge_common(b.output(b.call(np.add, *calls)), STATIC)
        assert targets(found).count(np.exp) == count


def test_merging_keeps_views_of_different_results_apart():
    b = Builder()
    first, second = b.call(np.zeros, 4), b.call(np.zeros, 4)
    key = slice(0, 2)
    b.output(b.call(operator.getitem, first, key), b.call(operator.getitem, second, key))
    one, other = merge_common(b.graph, STATIC)()
    assert not np.shares_memory(one, other)


def test_drops_only_what_nobody_notices():
    b = Builder()
    x = b.input("x", array("f8", 3))
    b.call(np.negative, x)
    b.call(np.divide, x, 0.0)
    b.call(np.take, x, np.array([0, 9]))
    b.call(np.random.rand, 3)
    b.call(operator.getitem, x, slice(1, 2))
    found = drop_dead(b.output(x), STATIC)
    assert targets(found) == [np.divide, np.take, np.random.rand]


def test_overlapping_views():
    """`a[1:] += a[:-1]` reads what was there before."""
    b = Builder()
    a = b.input("a", array("f8", 6))
    tail = b.call(operator.getitem, a, slice(1, None))
    head = b.call(operator.getitem, a, slice(None, -1))
    b.call(operator.iadd, tail, head)
    found = same_effect(b.output(b.call(np.sum, a)), np.arange(6.0))
    assert core.update in targets(found)
    (placeholder, final), = found.writes
    assert placeholder.name == "a" and final.target is core.update


def test_returned_views_share_the_written_input():
    b = Builder()
    a = b.input("a", array("f8", 4, 3))
    turned = b.call(np.transpose, a)
    b.call(operator.setitem, turned, (0, slice(None)), 5.0)
    same_effect(b.output(turned, b.call(operator.getitem, a, 1), a), np.zeros((4, 3)))


def test_out_and_masks():
    b = Builder()
    x, y = b.input("x", array("f4", 4)), b.input("y", array("f8", 4))
    mask = b.call(np.greater, x, 1.0)
    b.call(np.add, x, 1, out=y)
    b.call(np.copyto, y, x, where=mask)
    b.call(np.sqrt, x, out=x, where=mask)
    b.call(np.ndarray.fill, b.call(operator.getitem, y, slice(3, None)), 9.0)
    same_effect(b.output(x, y), np.arange(4, dtype="f4"), np.zeros(4))


def test_functions_that_write():
    b = Builder()
    x = b.input("x", array("f8", 3, 3))
    b.call(np.ndarray.sort, b.call(np.transpose, x))
    b.call(np.fill_diagonal, x, 0.0)
    b.call(np.add.at, x, ([0, 0], [1, 1]), 2.0)
    b.call(np.cumsum, x, axis=0, out=x)
    found = same_effect(b.output(x), np.random.default_rng(2).random((3, 3)))
    assert targets(found).count(core.perform) == 3
    assert np.cumsum in targets(found)


def test_scatter_lets_the_later_value_win():
    b = Builder()
    x = b.input("x", array("f8", 4))
    index = b.input("i", array("i8", 3))
    picked = b.call(operator.getitem, x, index)
    b.call(operator.setitem, x, index, b.call(np.add, picked, np.array([1.0, 2.0, 3.0])))
    same_effect(b.output(x), np.arange(4.0), np.array([1, 1, -1]))


def test_constants_are_never_written():
    b = Builder()
    kept = b.graph.get_attr(np.zeros(3), array("f8", 3))
    b.call(operator.setitem, kept, 0, 1.0)
    with pytest.raises(Unsupported, match="constant"):
        optimize(b.output(kept))


# -- random programs


VIEWS = (
    lambda rnd: (np.transpose,),
    lambda rnd: (operator.getitem, slice(rnd.choice((None, 1)), None, rnd.choice((1, -1)))),
    lambda rnd: (operator.getitem, (slice(None), slice(None, None, rnd.choice((1, 2, -1))))),
    lambda rnd: (np.flip,),
    lambda rnd: (np.swapaxes, 0, 1),
)


def random_program(rnd: random.Random) -> Graph:
    """Views of views, fresh arrays, and writes through any of them."""
    b = Builder()
    values = [b.input(name, array("f8", 4, 4)) for name in "xy"]
    for _ in range(rnd.randrange(3, 14)):
        value = rnd.choice(values)
        if value.type.ndim != 2 or 0 in value.type.shape:
            continue
        action = rnd.randrange(6)
        if action <= 1:
            view, *rest = rnd.choice(VIEWS)(rnd)
            values.append(b.call(view, value, *rest))
        elif action == 2:
            values.append(b.call(np.add, value, rnd.choice((1.0, value))))
        elif action == 3:
            values.append(b.call(np.reshape, value, value.type.shape[::-1]))
        else:
            write(b, rnd, value, values)
    return b.output(*rnd.sample(values, min(4, len(values))))


def write(b: Builder, rnd: random.Random, target: Any, values: list[Any]) -> None:
    alike = [value for value in values if value.type.shape == target.type.shape]
    source = rnd.choice(alike)
    kind = rnd.randrange(4)
    if kind == 0:
        b.call(operator.iadd, target, source)
    elif kind == 1:
        row = b.call(operator.getitem, source, 0)
        b.call(operator.setitem, target, rnd.choice((0, -1)), row)
    elif kind == 2:
        values.append(b.call(np.multiply, source, 0.5, out=target))
    else:
        b.call(np.copyto, target, source)


@pytest.mark.parametrize("seed", range(150))
def test_random_programs(seed):
    rnd = random.Random(seed)
    graph = random_program(rnd)
    rng = np.random.default_rng(seed)
    same_effect(graph, rng.random((4, 4)), rng.random((4, 4)))


def test_scalars_keep_their_form():
    b = Builder()
    x = b.input("x", array("f8", 3))
    total = b.call(np.sum, x)
    assert total.type.form is Form.SCALAR
    (found,) = optimized(b.output(b.call(operator.mul, total, 2)))(np.ones(3))
    assert type(found) is np.float64


def written_twice(read):
    """`x[1:3] = y`, what `read` makes of that part, and `x[1:3] = -y`."""
    def f(x, y):
        x[1:3] = y * 2
        made = read(x)
        x[1:3] = -y
        return made

    return f


@pytest.mark.parametrize(("read", "stores"), [
    (lambda x: 0, 1),
    (lambda x: np.sqrt(x[1:3]) + 1, 1),
    (lambda x: np.concatenate([x[1:3][1:], x[1:3][:1]]), 1),
    (lambda x: x[1:4] + 1, 2),
    (lambda x: x[1:3].sum(axis=0), 2),
    (lambda x: x[1:3].T.copy(), 2),
    (lambda x: x[1:3], 1),
])
def test_a_store_that_another_replaces(read, stores):
    """It goes unless something depends on its being there, or on where its elements lie."""
    x, y = np.arange(20.0).reshape(5, 4), np.ones((2, 4))
    graph = graph_of(written_twice(read), x.copy(), y)
    found = same_effect(graph, y, x)  # as they are first read
    assert targets(found).count(core.update) == stores


def test_a_store_of_another_type_stays():
    """It may warn, or differ from what is read back."""
    def f(x, y):
        x[1:3] = y * 2.5
        made = x[1:3] + 1
        x[1:3] = y
        return made

    x, y = np.arange(20).reshape(5, 4), np.ones((2, 4))
    found = same_effect(graph_of(f, x.copy(), y), y, x)
    assert targets(found).count(core.update) == 2
