"""Python's builtins on trackers: callable → handler, in tables by topic."""
from . import attributes, classes, containers, copying, folds, iterators, numbers, text
from .table import HANDLERS

__all__ = [
    "HANDLERS", "attributes", "classes", "containers", "copying", "folds", "iterators", "numbers",
    "text",
]  # fmt: skip
