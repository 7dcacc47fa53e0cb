"""Graphs for partitioning: functions that have a rule for blocks are not decomposed, until the rule
asks for it."""
from __future__ import annotations

from ...ir.facts import Facts, graph_facts
from ...ir.graph import Graph
from ...ir.node import Node
from ...ir.passes import PASSES, decompose, forward_stores, optimize
from ...ir.tree import leaves, map_leaves


def optimized(graph: Graph) -> Graph:
    """By all passes, but for that, and for one: a part of an array that was just assigned is read
    from there, where it lies in the blocks of the others."""
    first, *others = PASSES
    assert first is decompose
    return optimize(graph, passes=(decompose_for_blocks,
                                   *(run for run in others if run is not forward_stores)))


def decompose_for_blocks(graph: Graph, facts: Facts) -> Graph:
    return decompose(graph, facts, lambda row: None if row.blocks else row.decompose)


def expanded(node: Node, around: Graph) -> tuple[Graph, list[Node]] | None:
    """The decomposition of one call in a graph, and what its placeholders are; None where it has
    none for these arguments."""
    graph = Graph([], dict(around.symbols), None, dict(around.unbacked))
    operands = list(dict.fromkeys(leaves((node.args, node.kwargs), Node)))
    inside = {each: graph.placeholder(each.name, each.type) for each in operands}
    args, kwargs = map_leaves(
        lambda leaf: inside[leaf] if isinstance(leaf, Node) else leaf, (node.args, node.kwargs))
    made = graph.call_function(node.target, args, kwargs, type=node.type, location=node.location,
                               errstate=node.errstate)
    graph.output((made,))
    found = decompose(graph, graph_facts(graph))
    if any(each.target is node.target for each in found.calls):
        return None
    return found, operands
