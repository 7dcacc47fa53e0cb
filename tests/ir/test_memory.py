"""What a node writes, bodies included, and which calls are known to give the same."""
from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dynamo_lite.ir.control import cond, for_loop
from dynamo_lite.ir.facts import STATIC
from dynamo_lite.ir.graph import Graph
from dynamo_lite.ir.memory import owner_of, writes, written_by
from dynamo_lite.ir.node import Node
from dynamo_lite.ir.numbering import Numbering
from dynamo_lite.ir.types import array, python_number

from .building import Builder

VECTOR = array("f8", 4)
owner = functools.partial(owner_of, facts=STATIC)


def body(write: Callable[[Builder, Node, Node], Any], *, index: bool = False) -> Graph:
    """Takes an index, if asked for, and two arrays; `write` says what is done to them."""
    build = Builder()
    build.graph.is_body = True
    if index:
        build.input("i", python_number(int))
    write(build, build.input("a", VECTOR), build.input("b", VECTOR))
    build.graph.output((True,) if index else ())
    return build.graph


def first(build: Builder, a: Node, b: Node) -> None:
    build.call(operator.setitem, a, 0, 1.0)


def part_of_second(build: Builder, a: Node, b: Node) -> None:
    build.call(operator.iadd, build.call(operator.getitem, b, slice(2)), 1.0)


def by_out(build: Builder, a: Node, b: Node) -> None:
    build.call(np.modf, a, out=(a, b))


def own(build: Builder, a: Node, b: Node) -> None:
    build.call(operator.setitem, build.call(np.add, a, b), 0, 1.0)


def nested(build: Builder, a: Node, b: Node) -> None:
    branch(build, first, own, b, a)


def branch(build: Builder, true: Any, false: Any, a: Node, b: Node) -> Node:
    return build.graph.call_function(cond, (True, body(true), body(false), (a, b)), type=())


def loop(build: Builder, write: Any, a: Node, b: Node) -> Node:
    args = (0, 3, 1, body(write, index=True), (a,), (b,))
    return build.graph.call_function(for_loop, args, type=(VECTOR,))


@pytest.mark.parametrize("write, expected", [
    (first, "a"), (part_of_second, "b"), (by_out, "ab"), (own, ""), (nested, "b"),
])
def test_what_bodies_write(write, expected):
    build = Builder()
    a, b = build.input("a", VECTOR), build.input("b", VECTOR)
    for node in loop(build, write, a, b), branch(build, own, write, a, b):
        assert {place.name for place in written_by(node, owner)} == {*expected}
        assert writes(node) == (expected != "" or write is own)


def test_arrays_that_one_node_writes_are_not_equal():
    build = Builder()
    a, b, c = (build.call(np.zeros, 4) for _ in range(3))
    numbering = Numbering(build.graph.nodes, owner)
    assert numbering.of(a) == numbering.of(b) == numbering.of(c)
    branch(build, first, part_of_second, a, b)
    assert len({*map(numbering.of, (a, b, c))}) == 3


def test_equal_contents_are_known_until_they_change():
    build = Builder()
    x = build.input("x", VECTOR)
    view = build.call(operator.getitem, x, slice(2))
    before = build.call(np.sum, view)
    numbering = Numbering(build.graph.nodes, owner)
    contents, listed = numbering.of(view), numbering.of([view, 1])
    assert numbering.of(build.call(np.sum, view)) == numbering.of(before)
    loop(build, first, x, build.call(np.zeros, 4))
    assert numbering.of(view) != contents and numbering.of([view, 1]) != listed
    assert numbering.of(build.call(np.sum, view)) != numbering.of(before)
    assert numbering.of_operand(before, 0) == contents
