"""Graphs written by hand, typed by inference."""
from __future__ import annotations

from typing import Any

from dynamo_lite.ir.facts import graph_facts
from dynamo_lite.ir.graph import Graph, Node
from dynamo_lite.ir.ops.inference import infer
from dynamo_lite.ir.types import ArrayType


class Builder:
    """`call` appends a node of the type that NumPy's rules give."""

    def __init__(self) -> None:
        self.graph = Graph()

    def input(self, name: str, kind: ArrayType) -> Node:
        return self.graph.placeholder(name, kind)

    def call(self, target: Any, *args: Any, **kwargs: Any) -> Node:
        kind = infer(target, args, kwargs, graph_facts(self.graph))
        return self.graph.call_function(target, args, kwargs, type=kind)

    def output(self, *values: Node) -> Graph:
        self.graph.output(values)
        return self.graph
