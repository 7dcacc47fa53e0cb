"""The rows themselves, by topic. Importing this package fills `ir.ops.ROWS`."""
from . import composites, creation, folds, pointwise, structure, views, writes

__all__ = [
    "composites", "creation", "folds", "pointwise", "structure", "views", "writes",
]
