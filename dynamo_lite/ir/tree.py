"""Arguments of a node are pytrees of tuples, lists, dicts and slices; the core walks them.

The containers are few and fixed, so no registry is needed; tuple subclasses are leaves.
`leaves(tree)` is the list of all leaves, left to right, `leaves(tree, type)` of those of that very
type; `map_leaves(function, tree)` is the same structure with every leaf replaced.
"""
from ..native import leaves, map_leaves

__all__ = ["leaves", "map_leaves"]
