"""Calls of NumPy's callables and of Python's operators on values of the graph."""
from .calls import call, handles
from .cupy_twins import numpy_twin
from .operators import binary, is_same, unary

__all__ = ["binary", "call", "handles", "is_same", "numpy_twin", "unary"]
