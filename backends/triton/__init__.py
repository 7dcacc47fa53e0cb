"""Code generation for GPUs through Triton."""
from .backend import compile_graph

__all__ = ["compile_graph"]
