"""The rows themselves, by topic. Importing this package fills `ir.ops.ROWS`."""
from . import pointwise

__all__ = ["pointwise"]
