"""Calls of NumPy's callables and of Python's operators on values of the graph."""
from .calls import call, handles
from .cupy import numpy_counterpart
from .operators import binary, is_same, unary

__all__ = ["binary", "call", "handles", "is_same", "numpy_counterpart", "unary"]
