"""Graphs as they travel: rows without references to each other, whatever their length."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.records import dataclass
from ...ir.graph import Graph
from ...ir.node import Node
from ...ir.tree import map_leaves


@dataclass(frozen=True, slots=True)
class Ref:
    """The node of that number, in the graph or in the one around it."""

    at: int
    outwards: int = 0


@dataclass(frozen=True, slots=True)
class Packed:
    """A graph without its facts; `rows` have what nodes are made of, in order."""

    rows: tuple[tuple[Any, ...], ...]
    symbols: Mapping[str, Any]
    unbacked: Mapping[str, Any]
    assertions: tuple[Any, ...]
    is_body: bool


def packed(graph: Graph, around: tuple[Mapping[Node, int], ...] = ()) -> Packed:
    scopes = ({node: at for at, node in enumerate(graph.nodes)}, *around)

    def sent(leaf: Any) -> Any:
        if isinstance(leaf, Graph):
            return packed(leaf, scopes)
        if not isinstance(leaf, Node):
            return leaf
        outwards = next(at for at, scope in enumerate(scopes) if leaf in scope)
        return Ref(scopes[outwards][leaf], outwards)

    rows = [(node.op, node.name, node.target, *map_leaves(sent, (node.args, node.kwargs)),
             node.type, node.location, node.errstate) for node in graph.nodes]
    return Packed(tuple(rows), graph.symbols, graph.unbacked, tuple(graph.assertions),
                  graph.is_body)


def unpacked(pack: Packed, around: tuple[list[Node], ...] = ()) -> Graph:
    nodes: list[Node] = []
    scopes = (nodes, *around)

    def received(leaf: Any) -> Any:
        if isinstance(leaf, Packed):
            return unpacked(leaf, scopes)
        return scopes[leaf.outwards][leaf.at] if isinstance(leaf, Ref) else leaf

    for op, name, target, args, kwargs, *rest in pack.rows:
        args, kwargs = map_leaves(received, (args, kwargs))
        nodes.append(Node(op, name, target, args, kwargs, *rest))
    return Graph(nodes, dict(pack.symbols), None, dict(pack.unbacked), list(pack.assertions),
                 pack.is_body)
