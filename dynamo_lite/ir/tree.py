"""Arguments of a node are pytrees of tuples, lists, dicts and slices; this walks and rebuilds them.

The containers are few and fixed, so no registry is needed; tuple subclasses are leaves.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
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


def leaves(tree: Any) -> Iterator[Any]:
    """Every leaf, left to right."""
    kind = type(tree)
    if kind is tuple or kind is list:
        for item in tree:
            yield from leaves(item)
    elif kind is dict:
        for item in tree.values():
            yield from leaves(item)
    elif kind is slice:
        yield from leaves((tree.start, tree.stop, tree.step))
    else:
        yield tree
