"""Polyfills of what lists do in C, of those that loops of the graph change."""
from __future__ import annotations

from typing import Any

__all__ = ["extend"]


def extend(out: Any, items: Any) -> None:
    """`out.extend(items)`"""
    for item in items:
        out.append(item)
