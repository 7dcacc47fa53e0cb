"""The default backend: Triton for CuPy arrays and with `device="cuda"`, else LLVM."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base.config import config
from ..errors import Unsupported
from ..ir.graph import Graph
from ..ir.types import Form
from .registry import lookup_backend


def compile_graph(graph: Graph, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """Choose by the library of the graph's arrays, and by where they are to be computed."""
    arrays = [node.type for node in graph.placeholders if node.type.form is Form.ARRAY]
    libraries = {kind.library for kind in arrays}
    if len(libraries) > 1:
        raise Unsupported(f"arrays of {' and '.join(sorted(libraries))} in one graph")
    is_for_gpu = "cupy" in libraries or config.device == "cuda"
    backend = lookup_backend("triton" if is_for_gpu else "llvm")
    return backend(graph, example_inputs)
