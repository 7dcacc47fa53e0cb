"""The rows themselves, by topic. Importing this package fills `ir.ops.ROWS`."""
from . import pointwise, views

__all__ = ["pointwise", "views"]
