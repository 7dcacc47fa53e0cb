"""The rows themselves, by topic. Importing this package fills `ir.ops.ROWS`."""
from . import creation, folds, pointwise, views

__all__ = ["creation", "folds", "pointwise", "views"]
