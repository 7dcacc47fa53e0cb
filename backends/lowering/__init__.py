"""From a graph to a program of fused kernels."""
from .lower import lower, lower_steps

__all__ = ["lower", "lower_steps"]
