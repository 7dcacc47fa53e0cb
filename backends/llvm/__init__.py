"""Code generation for the CPU through LLVM."""
from .backend import compile_graph

__all__ = ["compile_graph"]
