"""What shares the memory of written inputs: the versions of their contents, and parts that are
results."""
from __future__ import annotations

from collections.abc import Iterator

from ....errors import Unsupported
from ....ir import core
from ....ir.control import is_control
from ....ir.facts import graph_facts
from ....ir.graph import Graph
from ....ir.memory import strided_view_of
from ....ir.node import Node
from ....ir.types import ArrayType, Form


def versions(placeholder: Node, final: Node) -> list[Node] | None:
    """The nodes that hold the contents of an input, one write after the other; None where one of
    them is something unusual."""
    found: list[Node] = []
    node: Node | None = final
    while node is not None and node is not placeholder:
        found.append(node)
        node = before(node)
    return None if node is None else found[::-1]


def before(node: Node) -> Node | None:
    """The version of an array that a write makes this one of; None where it is no write."""
    if node.op != "call_function":
        return None
    if node.target is core.update:
        return _as_node(node.args[0])
    if node.target is core.perform:
        return _as_node(node.args[1])
    origin = written_in(node)
    if origin is None:
        return None
    operands = origin.args[-1]
    return _as_node(operands[len(operands) - len(origin.type) + node.args[1]])


def written_in(node: Node) -> Node | None:
    """The loop or branch of which a node is the new version of an operand."""
    origin = node.args[0] if node.args else None
    if not isinstance(origin, Node) or not is_control(origin):
        return None
    first = len(origin.type) - origin.kwargs.get("versions", 0)
    return origin if node.args[1] >= first else None


def _as_node(value: object) -> Node | None:
    return value if isinstance(value, Node) else None


def shared_results(graph: Graph) -> frozenset[Node]:
    """Written inputs and the parts of them that are results, with what leads to these. Their
    elements are what the caller finds there after all writes."""
    shared: set[Node] = set()
    written = {placeholder for placeholder, _ in graph.writes}
    for output in graph.outputs if written else ():
        path = list(_path(graph, output))
        if path[-1] in written:
            shared.update(path)
    return frozenset(shared)


def _path(graph: Graph, node: Node) -> Iterator[Node]:
    """A node, what it is a part of, and so on."""
    yield node
    while isinstance(node, Node) and node.op == "call_function" and is_strided_view(graph, node):
        node = node.args[0]
        yield node


def is_strided_view(graph: Graph, node: Node) -> bool | None:
    """Whether a node is a view of its first operand; a number that is read there is none. None
    where nothing says so."""
    if not isinstance(node.type, ArrayType) or node.type.form is not Form.ARRAY:
        return False
    if not node.args or not isinstance(node.args[0], Node):
        return False
    try:
        return strided_view_of(node, graph_facts(graph)) is not None
    except Unsupported:
        return None


def handed_out(graph: Graph, shared: frozenset[Node]) -> frozenset[Node]:
    """Those of the shared nodes, and the output, that look at no element themselves."""
    (*nodes, last) = graph.nodes
    found = {last}
    read: set[Node] = set()
    for node in reversed(nodes):
        if node in shared and node not in read and node.op == "call_function":
            found.add(node)
        else:
            read.update(node.operands)
    return frozenset(found)
