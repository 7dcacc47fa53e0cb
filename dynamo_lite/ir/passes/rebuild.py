"""Copying a graph node by node, with every reference renamed to the new node."""
from __future__ import annotations

from typing import Any

from ..graph import Graph
from ..node import Node
from ..tree import map_leaves


class Rebuild:
    """A new graph under construction, and what each old node has become in it.

    An old node may become a node, a constant or (functions with several results) a list of them.
    """

    def __init__(self, old: Graph) -> None:
        self.graph = Graph(
            symbols=dict(old.symbols), facts=old.facts, unbacked=old.unbacked,
            assertions=old.assertions,
        )
        self.became: dict[Node, Any] = {}

    def mapped(self, tree: Any) -> Any:
        """A pytree of old nodes in terms of the new graph."""
        return map_leaves(
            lambda leaf: self.became[leaf] if isinstance(leaf, Node) else leaf, tree
        )

    def copy(self, node: Node) -> Any:
        """Add the same step to the new graph."""
        new = self._copied(node)
        self.became[node] = new
        return new

    def call(
        self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], type: Any, old: Node
    ) -> Node:
        """Add a step that does (part of) what an old node does."""
        return self.graph.call_function(
            target, args, kwargs, type=type, location=old.location, errstate=old.errstate
        )

    def _copied(self, node: Node) -> Node:
        if node.op == "placeholder":
            return self.graph.placeholder(node.name, node.type)
        if node.op == "get_attr":
            return self.graph.get_attr(node.target, node.type, node.name)
        if node.op == "output":
            return self.graph.output(self.mapped(node.args[0]), **self.mapped(node.kwargs))
        args, kwargs = self.mapped((node.args, node.kwargs))
        return self.call(node.target, args, kwargs, node.type, node)
