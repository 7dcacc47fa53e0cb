"""Drop nodes that nobody reads and that nobody could notice."""
from __future__ import annotations

from collections.abc import Callable

from ..binding import bound_by, taken_by, unbacked_in
from ..control import is_control
from ..facts import Facts
from ..graph import Graph
from ..node import Node
from .effects import is_silent
from .rebuild import Rebuild


def drop_dead(
    graph: Graph, facts: Facts, may_drop: Callable[[Node], bool] = is_silent
) -> Graph:
    """A dead division stays: it may warn."""
    binders: dict[str, Node] = {}
    for node in graph.calls if graph.unbacked else ():
        for name in bound_by(node):
            binders.setdefault(name, node)
    asserted = [(one.left, one.right) for one in graph.assertions]
    needed = {binders[name] for name in unbacked_in(asserted) if name in binders}
    for node in reversed(graph.nodes):
        if node in needed or node.op in ("placeholder", "output") or not may_drop(node):
            needed.add(node)
            needed.update(node.operands)
            taken = taken_by(node) if binders else ()
            needed.update(binders[name] for name in taken if name in binders)
    if len(needed) == len(graph.nodes) and not any(map(is_control, graph.calls)):
        return graph
    new = Rebuild(graph, lambda body: drop_dead(body, facts, may_drop))
    for node in graph:
        if node in needed:
            new.copy(node)
    return new.graph
