"""Copying a graph node by node, with every reference renamed to the new node."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..graph import Graph
from ..node import Node
from ..tree import map_leaves


class Rebuild:
    """A new graph under construction, and what each old node has become in it.

    An old node may become a node, a constant or (functions with several results) a list of them.
    `within` rebuilds the bodies that nodes hold.
    """

    def __init__(self, old: Graph, within: Callable[[Graph], Graph] = lambda body: body) -> None:
        self.graph = Graph(
            symbols=dict(old.symbols), facts=old.facts, unbacked=old.unbacked,
            assertions=old.assertions, is_body=old.is_body,
        )
        self.became: dict[Node, Any] = {}
        self.within = within

    def mapped(self, tree: Any) -> Any:
        """A pytree of old nodes in terms of the new graph."""
        return map_leaves(self._leaf, tree)

    def _leaf(self, leaf: Any) -> Any:
        if isinstance(leaf, Node):
            return self.became[leaf]
        return self.within(leaf) if isinstance(leaf, Graph) else leaf

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
