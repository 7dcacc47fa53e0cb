"""Backends that run the graph with NumPy. They are the oracles for the others."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ir.graph import Graph
from ..ir.passes import optimize
from ..ir.placed import placed

Run = Callable[..., tuple[Any, ...]]


def compile_graph(graph: Graph, example_inputs: Sequence[Any]) -> Run:
    """The graph itself as one Python function."""
    return printed(graph) if not graph.writes else Written(graph, printed)


def printed(graph: Graph) -> Run:
    return graph.source.compile()


def compile_optimized(graph: Graph, example_inputs: Sequence[Any]) -> Run:
    """The graph in its functional form, as code generators see it. NumPy reports what there is to
    report: it does not bail out."""
    return Written(optimize(graph), placed)


class Written:
    """A functional graph that stores what it computes for its inputs, once all is computed."""

    bails_out = True
    """It never has to: nothing is written before the end."""

    def __init__(self, graph: Graph, define: Callable[[Graph], Run]) -> None:
        self.places = [graph.placeholders.index(node) for node, _ in graph.writes]
        self.count = len(graph.outputs)
        whole = Graph(list(graph.nodes[:-1]), dict(graph.symbols), unbacked=graph.unbacked,
                      assertions=graph.assertions)
        whole.output((*graph.outputs, *(final for _, final in graph.writes)))
        self.run = define(whole)

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        results = self.run(*inputs)
        for place, final in zip(self.places, results[self.count :]):
            np.copyto(inputs[place], final)
        return tuple(results[: self.count])
