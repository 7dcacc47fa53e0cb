"""Opcode handlers, in tables by topic."""
from . import (
    blocks,
    calls,
    containers,
    coverage,
    generators,
    intrinsics,
    jumps,
    matching,
    names,
    operators,
    stack,
)
from .table import HANDLERS

__all__ = [
    "HANDLERS", "blocks", "calls", "containers", "coverage", "generators", "intrinsics", "jumps",
    "matching",
    "names", "operators", "stack",
]  # fmt: skip
