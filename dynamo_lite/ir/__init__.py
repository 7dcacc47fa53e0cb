"""The graph level: sizes, types, graphs, the operation registry and passes."""
from . import rows

__all__ = ["rows"]
