"""The default backend: Triton for CuPy arrays, LLVM for NumPy arrays."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..ir.graph import Graph
from .registry import lookup_backend


def compile_graph(graph: Graph, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """Choose by the library of the graph's arrays."""
    libraries = {node.type.library for node in graph.placeholders}
    backend = lookup_backend("triton" if "cupy" in libraries else "llvm")
    return backend(graph, example_inputs)
