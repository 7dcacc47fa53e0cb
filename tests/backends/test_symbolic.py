"""The same functions with symbolic sizes, through type inference and the graph passes."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dynamo_lite.backends.hints import hints_of
from dynamo_lite.backends.loop_ir.program import Allocate, Extern
from dynamo_lite.backends.lowering.lower import lower
from dynamo_lite.backends.passes.memory import plan_memory

from dynamo_lite.errors import Unsupported
from dynamo_lite.ir.facts import graph_facts
from dynamo_lite.ir.graph import Graph
from dynamo_lite.ir.node import Node, SymbolOrigin
from dynamo_lite.ir.ops.inference import infer
from dynamo_lite.ir.passes import optimize
from dynamo_lite.ir.sizes import Size, symbol
from dynamo_lite.ir.tree import map_leaves
from dynamo_lite.ir.types import contiguous_strides
from tests.backends.interpret import run_program

from ..oracle import same
from .graphs import trace
from .test_lowering import CASES, FEW_UNITS


def retyped(graph: Graph, values: Any, symbolic: bool) -> Graph:
    """The graph again, with inferred types, and symbols for the sizes of its inputs."""
    made = Graph()
    known: dict[int, Size] = {}
    for index, (node, value) in enumerate(zip(graph.placeholders, values)):
        type_ = node.type
        if symbolic and isinstance(value, np.ndarray) and value.flags.c_contiguous:
            for axis, n in enumerate(value.shape):
                if n > 1 and n not in known:
                    known[n] = symbol(name := f"s{len(known)}")
                    made.symbols[name] = SymbolOrigin(index, "size", axis, n)
            shape = tuple(known.get(n, n) for n in value.shape)
            strides = contiguous_strides(shape, value.itemsize)
            type_ = type_.with_layout(shape, strides)
        made.placeholder(node.name, type_)
    renamed: dict[Node, Node] = dict(zip(graph.placeholders, made.placeholders))
    facts = graph_facts(made)
    for node in graph.calls:
        args, kwargs = map_leaves(
            lambda leaf: renamed[leaf] if isinstance(leaf, Node) else leaf,
            (node.args, node.kwargs),
        )
        kind = infer(node.target, args, kwargs, facts)
        renamed[node] = made.call_function(node.target, args, kwargs, type=kind)
    made.output(tuple(renamed[n] for n in graph.outputs))
    return made


@pytest.mark.parametrize("symbolic", [False, True], ids=["static", "symbolic"])
@pytest.mark.parametrize("name", CASES)
def test_optimized_graphs(name, symbolic):
    function, *values = CASES[name]
    try:
        graph = optimize(retyped(trace(function, *values), values, symbolic))
    except Unsupported as reason:
        pytest.skip(str(reason))
    program = lower(graph)
    with np.errstate(all="ignore"):
        expected = function(*values)
        found = run_program(program, *values)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for got, want in zip(found, expected, strict=True):
        assert same(got, want, FEW_UNITS)
    assert not any(isinstance(s, Extern) for s in program.steps), program.notes


def test_one_program_for_many_sizes():
    x = np.arange(12.0).reshape(3, 4)
    graph = retyped(trace(lambda a: np.sum(a * 2, axis=1)[:, None] + a[:, ::-1], x), [x], True)
    program = lower(optimize(graph))
    for shape in ((3, 4), (5, 2), (2, 7)):
        y = np.random.default_rng(1).normal(size=shape)
        found, expected = run_program(program, y)[0], np.sum(y * 2, axis=1)[:, None] + y[:, ::-1]
        assert same(found, expected, FEW_UNITS)




def totals(x, y):
    return np.sum(np.cumsum(np.cumsum(x * 2))), np.sum(np.cumsum(np.cumsum(y * 3)))


@pytest.mark.parametrize(("lengths", "symbolic", "shared"), [
    ((12, 12), True, True), ((12, 10), True, False), ((10, 12), True, False),
    ((12, 10), False, True), ((12, 12), False, True),
])  # fmt: skip
def test_memory_is_shared_only_where_sizes_are_known_to_fit(lengths, symbolic, shared):
    """Whatever the lengths were when the program was made: symbols are any."""
    values = [np.ones(n) for n in lengths]
    graph = optimize(retyped(trace(totals, *values), values, symbolic))
    planned = plan_memory(lower(graph), hints_of(graph.symbols))
    sizes = [step.type.shape for step in planned.steps if isinstance(step, Allocate)]
    vectors = [shape for shape in sizes if shape]
    assert len(vectors) == (3 if shared else 4), vectors
