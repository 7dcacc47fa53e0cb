"""Python's builtins on trackers: callable → handler, in tables by topic."""
from . import (
    attributes,
    class_statements,
    classes,
    containers,
    copying,
    folds,
    iterators,
    library,
    numbers,
    sums,
    text,
    trees,
)
from .table import HANDLERS

__all__ = [
    "HANDLERS", "attributes", "class_statements", "classes", "containers", "copying",
    "folds", "iterators", "library", "numbers", "sums", "text", "trees",
]  # fmt: skip
