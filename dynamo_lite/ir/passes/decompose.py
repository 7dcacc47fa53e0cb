"""Decompositions: composed functions are replaced by the calls that their definitions make."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ...errors import Unsupported
from ..control import all_nodes
from ..facts import Facts
from ..graph import Graph
from ..node import Node
from ..ops.inference import infer
from ..row import Op, row_of
from ..rules.values import Wrong, as_type
from ..sizes import Size
from ..types import ArrayType
from .rebuild import Rebuild

Definition = Callable[..., Any]


def decompose(
    graph: Graph, facts: Facts,
    definition: Callable[[Op], Definition | None] = lambda row: row.decompose,
) -> Graph:
    """Nodes whose definition does not cover their arguments stay as they are, and those of rows
    of which the caller has none."""

    def definition_of(node: Node) -> Definition | None:
        row = row_of(node.target) if node.op == "call_function" else None
        return None if row is None else definition(row)

    if not any(map(definition_of, all_nodes(graph))):
        return graph
    new = Rebuild(graph, lambda body: decompose(body, facts, definition))
    for node in graph:
        found = definition_of(node)
        if found is None or not _replace(new, node, found, facts):
            new.copy(node)
    return _resolved(new)


class NodeEmit:
    """Calls become nodes of the new graph, at the location of the node they replace."""

    def __init__(self, new: Rebuild, node: Node, facts: Facts) -> None:
        self.new = new
        self.node = node
        self.facts = facts

    def __call__(self, target: Any, *args: Any, **kwargs: Any) -> Any:
        row = row_of(target)
        if isinstance(args[0], (list, tuple)) and hasattr(target, "__objclass__"):
            raise Unsupported("a method of a sequence")
        if row is not None and row.decompose is not None:
            start = len(self.new.graph.nodes)
            try:
                return row.decompose(self, *args, **kwargs)
            except Unsupported:
                _truncate(self.new.graph, start)
        kind = infer(target, args, kwargs, self.facts_about(target))
        return self.new.call(target, args, kwargs, kind, self.node)

    def facts_about(self, target: Any) -> Facts:
        """Who answers what the type of a call's result depends on."""
        return self.facts

    def type(self, value: Any) -> ArrayType:
        return as_type(value.type if isinstance(value, Node) else value)

    def laid_out(self, value: Node, strides: tuple[Size, ...]) -> Node:
        kind = value.type
        value.type = ArrayType(kind.dtype, kind.shape, strides, library=kind.library)
        return value

    def whole(self, like: Any, *args: Any) -> Any:
        raise Unsupported("an operation that stays whole")


def _replace(new: Rebuild, node: Node, definition: Definition, facts: Facts) -> bool:
    start = len(new.graph.nodes)
    args, kwargs = new.mapped((node.args, node.kwargs))
    try:
        value = definition(NodeEmit(new, node, facts), *args, **kwargs)
    except (Unsupported, Wrong):
        _truncate(new.graph, start)
        return False
    if isinstance(value, Node):
        value.type = node.type if len(new.graph.nodes) > start else value.type
    new.became[node] = value
    return True


def _truncate(graph: Graph, start: int) -> None:
    """Take back what a definition added before it raised Unsupported."""
    del graph.nodes[start:]


def _resolved(new: Rebuild) -> Graph:
    """Reads out of a list of results (`np.split(x, 2)[0]`) name the part itself."""
    if not any(isinstance(value, (list, tuple)) for value in new.became.values()):
        return new.graph
    old = new.graph
    again = Rebuild(old)
    for node in old:
        source = node.args[0] if node.target is operator.getitem else None
        if isinstance(source, (list, tuple)):
            again.became[node] = again.mapped(source[node.args[1]])
        else:
            again.copy(node)
    return again.graph


