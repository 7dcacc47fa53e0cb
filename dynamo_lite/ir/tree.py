"""Arguments of a node are pytrees of tuples, lists, dicts and slices; this walks and rebuilds them.

The containers are few and fixed, so no registry is needed; tuple subclasses are leaves.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def map_leaves(function: Callable[[Any], Any], tree: Any) -> Any:
    """The same structure with every leaf replaced."""
    kind = type(tree)
    if kind is tuple or kind is list:
        return kind([map_leaves(function, item) for item in tree])
    if kind is dict:
        return {key: map_leaves(function, value) for key, value in tree.items()}
    if kind is slice:
        return slice(*(map_leaves(function, part) for part in (tree.start, tree.stop, tree.step)))
    return function(tree)


def leaves(tree: Any) -> list[Any]:
    """Every leaf, left to right."""
    found: list[Any] = []
    _collect((tree,), found)
    return found


def _collect(items: Iterable[Any], found: list[Any]) -> None:
    for item in items:
        kind = type(item)
        if kind is tuple or kind is list:
            _collect(item, found)
        elif kind is dict:
            _collect(item.values(), found)
        elif kind is slice:
            _collect((item.start, item.stop, item.step), found)
        else:
            found.append(item)
