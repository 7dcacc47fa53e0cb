"""The identity backend: run the graph with NumPy. It is the oracle for the others."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..ir.graph import Graph


def compile_graph(graph: Graph, example_inputs: Sequence[Any]) -> Callable[..., tuple[Any, ...]]:
    """The graph itself as one Python function."""
    return graph.source.compile()
