"""Compute each common subexpression once."""
from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from ..control import is_control
from ..errstates import is_silent
from ..facts import Facts
from ..graph import Graph
from ..memory import writes
from ..node import Node
from ..numbering import frozen
from ..row import Kind, lowering_of, row_of
from ..tree import leaves, map_leaves
from ..types import ArrayType
from .effects import is_pure
from .rebuild import Rebuild

Key = Hashable


def merge_common(graph: Graph, facts: Facts) -> Graph:
    """Equal calls of a functional graph become one; a graph that writes stays as it is.

    Two outputs must not become the same array, since the caller may write to one of them: results
    that are returned, or that share memory with one, keep a node of their own. Neither must the two
    operands of a matrix product, which NumPy computes in another way when they share memory.
    """
    if any(writes(node) for node in graph):
        return graph
    equal = _equal(graph)
    if not equal and not any(map(is_control, graph.calls)):
        return graph
    new = Rebuild(graph, lambda body: merge_common(body, facts))
    for node in graph:
        if (first := equal.get(node)) is not None:
            new.became[node] = new.became[first]
        else:
            new.copy(node)
    return new.graph


def _equal(graph: Graph) -> dict[Node, Node]:
    """The calls to leave out, each with an earlier one that is equal. Calls are looked at closely
    from the second one on of the same function on the same nodes."""
    equal: dict[Node, Node] = {}
    alone: dict[Key, Node | None] = {}
    seen: dict[Key, Node] = {}
    returned, partners = _returned(graph), _partners(graph)
    for node in graph.calls:
        if not _may_merge(node):
            continue
        outline = _outline(node, equal)
        if outline not in alone:
            alone[outline] = node
            continue
        if (other := alone[outline]) is not None:
            _add(seen, _keys(other, equal), other)
            alone[outline] = None
        keys = _keys(node, equal)
        asked = keys if is_silent(node.errstate) else keys[:1]
        first = next((seen[key] for key in asked if key in seen), None)
        others = [equal.get(partner, partner) for partner in partners.get(node, ())]
        if first is not None and node not in returned and first not in others:
            equal[node] = first
        else:
            _add(seen, keys, node)
    return equal


def _add(seen: dict[Key, Node], keys: Sequence[Key], node: Node) -> None:
    seen.update(dict.fromkeys(keys[:1], node))
    for key in keys[1:]:
        seen.setdefault(key, node)


def _outline(node: Node, equal: dict[Node, Node]) -> Key:
    kwargs = sorted(node.kwargs.items()) if node.kwargs else None
    operands = leaves((node.args, kwargs), Node)
    return (id(node.target), *[id(equal.get(operand, operand)) for operand in operands])


def _partners(graph: Graph) -> dict[Node, list[Node]]:
    """For the operands of products, the other operand's array, if that is another one."""
    found: dict[Node, list[Node]] = {}
    for node in graph.calls:
        is_product = lowering_of(node.target) == "product_of"
        if is_product and all(isinstance(arg, Node) for arg in node.args[:2]):
            a, b = map(_array_of, node.args[:2])
            if a is not b:
                found.setdefault(a, []).append(b)
                found.setdefault(b, []).append(a)
    return found


def _array_of(node: Node) -> Node:
    """What a view is a view of."""
    while (row := row_of(node.target) if node.op == "call_function" else None) is not None:
        if row.strided_view is None or not isinstance(node.args[0], Node):
            break
        node = node.args[0]
    return node


def _returned(graph: Graph) -> set[Node]:
    """The outputs, and the arrays they may be views of."""
    found = {value for value in graph.outputs if isinstance(value, Node)}
    for node in reversed(graph.nodes):
        row = row_of(node.target) if node in found and node.op == "call_function" else None
        if row is not None and row.strided_view is not None and isinstance(node.args[0], Node):
            found.add(node.args[0])
    return found


def _may_merge(node: Node) -> bool:
    row = row_of(node.target)
    return (
        row is not None and row.kind not in (Kind.EXTERN, Kind.CONTROL) and is_pure(node)
        and row.lowering != "empty"  # made to be written into: one for two would be copied
    )


def _keys(node: Node, equal: dict[Node, Node]) -> tuple[Key, ...]:
    """What equal calls have in common: first with the error state, then without, which is enough
    for a call that reports nothing."""
    def renamed(leaf: Any) -> Any:
        return equal.get(leaf, leaf) if isinstance(leaf, Node) else leaf

    parts = frozen(map_leaves(renamed, (node.args, tuple(sorted(node.kwargs.items())))))
    if parts is None:
        return ()
    row = row_of(node.target)
    errstate = None if row is not None and row.kind is Kind.VIEW else node.errstate
    types = node.type if isinstance(node.type, ArrayType) else tuple(leaves(node.type))
    whole = (id(node.target), parts, types)
    return (*whole, errstate), whole
