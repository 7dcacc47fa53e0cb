"""bfloat16 in single precision: operands are widened, and each result is rounded once."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..control import all_nodes
from ..facts import Facts
from ..graph import Graph
from ..node import Node
from ..ops.bfloat16 import has_bfloat16
from ..row import Kind, row_of
from ..tree import leaves, map_leaves
from ..types import ArrayType, contiguous_strides, is_bfloat16
from .decompose import NodeEmit
from .rebuild import Rebuild

SINGLE = np.dtype(np.float32)


def in_single(graph: Graph, facts: Facts) -> Graph:
    """The graph in which operations on elements and folds of bfloat16 are of float32."""
    if not any(map(_computes, all_nodes(graph))):
        return graph
    new = Rebuild(graph, lambda body: in_single(body, facts))
    for node in graph:
        if _computes(node):
            new.became[node] = _widened(new, node, facts)
        else:
            new.copy(node)
    return new.graph


def _computes(node: Node) -> bool:
    row = row_of(node.target) if node.op == "call_function" else None
    if row is None or row.kind not in (Kind.POINTWISE, Kind.REDUCTION) or row.bfloat16 == "moved":
        return False
    return has_bfloat16((node.type, *(leaf.type for leaf in leaves(node.args)
                                      if isinstance(leaf, Node))))


def _widened(new: Rebuild, node: Node, facts: Facts) -> Node:
    """What an operation of bfloat16 finds in single precision, rounded."""
    def wide(leaf: Any) -> Any:
        if isinstance(leaf, Node) and has_bfloat16([leaf.type]):
            return _cast(new, leaf, SINGLE, node)
        return leaf

    args, kwargs = map_leaves(wide, new.mapped((node.args, node.kwargs)))
    found: Node = NodeEmit(new, node, facts)(node.target, *args, **kwargs)
    assert isinstance(node.type, ArrayType)
    if is_bfloat16(node.type.dtype):
        found = _cast(new, found, node.type.dtype, node)
    found.type = node.type
    return found


def _cast(new: Rebuild, value: Node, dtype: np.dtype, old: Node) -> Node:
    strides = contiguous_strides(value.type.shape, dtype.itemsize)
    kind = replace(value.type, dtype=dtype, strides=strides)
    return new.call(np.ndarray.astype, (value, dtype), {}, kind, old)
