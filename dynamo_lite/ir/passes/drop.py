"""Drop nodes that nobody reads and that nobody could notice."""
from __future__ import annotations

from ..facts import Facts
from ..graph import Graph
from ..node import Node
from .effects import is_silent, operands
from .rebuild import Rebuild


def drop_dead(graph: Graph, facts: Facts) -> Graph:
    """A dead division stays: it may warn."""
    needed: set[Node] = set()
    for node in reversed(graph.nodes):
        if node in needed or node.op in ("placeholder", "output") or not is_silent(node):
            needed.add(node)
            needed.update(operands(node))
    new = Rebuild(graph)
    for node in graph:
        if node in needed:
            new.copy(node)
    return new.graph
