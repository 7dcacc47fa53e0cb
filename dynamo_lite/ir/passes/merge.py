"""Compute each common subexpression once."""
from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from ..facts import Facts
from ..graph import Graph
from ..node import Node
from ..numbering import frozen
from ..ops import Kind, row_of
from ..tree import leaves
from ..types import ArrayType
from .effects import is_pure, writes
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
    new = Rebuild(graph, lambda body: merge_common(body, facts))
    seen: dict[Key, Any] = {}
    returned, partners = _returned(graph), _partners(graph)
    for node in graph:
        key = _key(new, node)
        apart = [new.became.get(partner) for partner in partners.get(node, ())]
        if key in seen and node not in returned and seen[key] not in apart:
            new.became[node] = seen[key]
            continue
        new.copy(node)
        if key is not None:
            seen[key] = new.became[node]
    return new.graph


PRODUCTS = (np.matmul, np.dot, np.inner)
NEW_MEMORY = (np.empty, np.empty_like)
"""What is made to be written into: one for two would have to be copied."""


def _partners(graph: Graph) -> dict[Node, list[Node]]:
    """For the operands of products, the other operand's array, if that is another one."""
    found: dict[Node, list[Node]] = {}
    for node in graph.calls:
        if node.target in PRODUCTS and all(isinstance(arg, Node) for arg in node.args[:2]):
            a, b = map(_array_of, node.args[:2])
            if a is not b:
                found.setdefault(a, []).append(b)
                found.setdefault(b, []).append(a)
    return found


def _array_of(node: Node) -> Node:
    """What a view is a view of."""
    while (row := row_of(node.target) if node.op == "call_function" else None) is not None:
        if row.window is None or not isinstance(node.args[0], Node):
            break
        node = node.args[0]
    return node


def _returned(graph: Graph) -> set[Node]:
    """The outputs, and the arrays they may be views of."""
    found = {value for value in graph.outputs if isinstance(value, Node)}
    for node in reversed(graph.nodes):
        row = row_of(node.target) if node in found and node.op == "call_function" else None
        if row is not None and row.window is not None and isinstance(node.args[0], Node):
            found.add(node.args[0])
    return found


def _key(new: Rebuild, node: Node) -> Key | None:
    row = row_of(node.target) if node.op == "call_function" else None
    if row is None or not is_pure(node) or row.kind in (Kind.EXTERN, Kind.CONTROL) or (
        node.target in NEW_MEMORY
    ):
        return None
    args, kwargs = new.mapped((node.args, node.kwargs))
    parts = frozen((args, tuple(sorted(kwargs.items()))))
    errstate = None if row.kind is Kind.VIEW else node.errstate
    types = node.type if isinstance(node.type, ArrayType) else tuple(leaves(node.type))
    return None if parts is None else (id(node.target), parts, types, errstate)
