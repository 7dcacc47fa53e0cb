"""Backends that run the graph with NumPy. They are the oracles for the others."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import DataDiffers
from ..ir.core import UNMET
from ..ir.graph import Graph
from ..ir.passes import optimize
from ..ir.placed import placed
from ..native import BAILOUT

Run = Callable[..., tuple[Any, ...]]


def compile_graph(graph: Graph, example_inputs: Sequence[Any]) -> Run:
    """The graph itself as one Python function."""
    return printed(graph) if not graph.writes else Written(graph, printed)


def printed(graph: Graph) -> Run:
    return graph.source.compile()


def compile_optimized(graph: Graph, example_inputs: Sequence[Any]) -> Run:
    """The graph in its functional form, as code generators see it. NumPy reports what there is to
    report: it bails out only where data is not as the graph expects it."""
    return BailsOut(compile_oracle(graph, example_inputs))


def compile_oracle(graph: Graph, example_inputs: Sequence[Any]) -> Run:
    """The same, where that raises `DataDiffers`."""
    return Written(optimize(graph), placed)


class BailsOut:
    """A graph that has no effect where it raises, as an attempt."""

    bails_out = True

    def __init__(self, run: Run) -> None:
        self.run = run

    def __call__(self, *inputs: Any) -> Any:
        try:
            return self.run(*inputs)
        except DataDiffers:
            return BAILOUT


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
        try:
            results = self.run(*inputs)
        except AssertionError as error:
            raise DataDiffers(UNMET) from error
        for place, final in zip(self.places, results[self.count :]):
            np.copyto(inputs[place], final)
        return tuple(results[: self.count])
