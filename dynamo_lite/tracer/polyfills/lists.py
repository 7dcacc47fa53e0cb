"""Polyfills of what lists do in C, of those that loops of the graph change."""
from __future__ import annotations

from typing import Any

__all__ = ["extend", "largest", "smallest"]


def extend(out: Any, items: Any) -> None:
    """`out.extend(items)`"""
    for item in items:
        out.append(item)


def largest(items: Any) -> Any:
    """`max(items)`, of a list that is not empty."""
    best = items[0]
    for item in items:
        if item > best:
            best = item
    return best


def smallest(items: Any) -> Any:
    """`min(items)`"""
    best = items[0]
    for item in items:
        if item < best:
            best = item
    return best
