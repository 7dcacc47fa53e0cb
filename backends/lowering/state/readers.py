"""Who reads the values of a graph, and when for the last time."""
from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence

from ....ir.graph import Graph
from ....ir.node import Node
from ....ir.tree import leaves
from .sharing import handed_out, shared_results


class Readers:
    """`shared` are the results that share memory with others."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.counts: Counter[Node] = Counter()
        self.users: dict[Node, list[Node]] = {}
        self.places = {node: place for place, node in enumerate(graph.nodes)}
        self.last: dict[Node, int] = {}
        self.shared = shared_results(graph)
        passed_on = handed_out(graph, self.shared)
        for place, node in enumerate(graph.nodes):
            operands = node.operands
            self.counts.update(operands)
            for operand in operands:
                self.users.setdefault(operand, []).append(node)
            self._read_at(place, leaves(node.args[1:], Node) if node in passed_on else operands)
        for output in graph.outputs:
            if isinstance(output, Node) and output not in self.shared:
                self.last[output] = len(graph.nodes) - 1

    def _read_at(self, place: int, operands: Iterable[Node]) -> None:
        self.last.update(dict.fromkeys(operands, place))

    def of(self, node: Node) -> Sequence[Node]:
        return self.users.get(node, ())

    def is_only(self, node: Node) -> bool:
        """Whether a value is read once."""
        return self.counts[node] == 1

    def is_last(self, user: Node, node: Node) -> bool:
        """Whether nobody reads a value behind this user of it."""
        return self.last[node] == self.places[user]

    def come_behind(self, user: Node, node: Node) -> bool:
        """Whether somebody does so of a value that it may not use."""
        return self.last.get(node, -1) > self.places[user]

    def look_last(self, placeholder: Node, final: Node, but: Container[Node]) -> None:
        """What leads to the final contents of an input is read after everything else, unless it is
        done before the commit."""
        if final not in but:
            self.last[final] = len(self.graph.nodes)
        while final is not placeholder and final.op == "call_function":
            if final in but:
                return
            self._read_at(len(self.graph.nodes), final.operands)
            first = final.args[0] if final.args else placeholder
            final = first if isinstance(first, Node) else placeholder
