"""Evaluate calls of constants, where NumPy has nothing to report."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...base.suppressed import warnings_as
from ..control import all_nodes, is_control
from ..facts import Facts
from ..graph import Graph
from ..node import Node
from ..row import Kind, row_of
from ..sizes import SizeExpr
from ..tree import leaves
from ..types import ArrayType, Form
from .effects import is_pure
from .rebuild import Rebuild

FOLDED_KINDS = frozenset({Kind.POINTWISE, Kind.REDUCTION})


def fold_constants(graph: Graph, facts: Facts) -> Graph:
    """Pointwise operations and reductions of numbers become NumPy scalars.

    Only scalar results are folded: an array result would have to be a fresh array at every call.
    """
    if not any(_is_foldable(node, node.args, node.kwargs) for node in all_nodes(graph)):
        return graph
    new = Rebuild(graph, lambda body: fold_constants(body, facts))
    for node in graph:
        is_call = node.op == "call_function" and not is_control(node)
        args, kwargs = new.mapped((node.args, node.kwargs)) if is_call else ((), {})
        if not _is_foldable(node, args, kwargs) or not _fold(new, node, args, kwargs):
            new.copy(node)
    return _with_named_outputs(new)


def _is_foldable(node: Node, args: Any, kwargs: Any) -> bool:
    row = row_of(node.target) if node.op == "call_function" else None
    if row is None or row.kind not in FOLDED_KINDS or not is_pure(node):
        return False
    if not isinstance(node.type, ArrayType) or node.type.form is not Form.SCALAR:
        return False
    return not any(isinstance(leaf, (Node, SizeExpr)) for leaf in leaves((args, kwargs)))


def _fold(new: Rebuild, node: Node, args: Any, kwargs: Any) -> bool:
    with np.errstate(all="raise"), warnings_as("error"):
        try:
            value = node.target(*args, **kwargs)
        except (ArithmeticError, ValueError, TypeError, Warning):
            return False
    if not isinstance(value, np.generic) or value.dtype != node.type.dtype:
        return False
    new.became[node] = value
    return True


def _with_named_outputs(new: Rebuild) -> Graph:
    """Outputs are nodes, so a folded output becomes a get_attr."""
    output = new.graph.nodes[-1] if new.graph.nodes else None
    if output is None or output.op != "output" or new.graph.is_body:
        return new.graph
    if all(isinstance(value, Node) for value in output.args[0]):
        return new.graph
    new.graph.nodes.pop()
    values = tuple(
        value if isinstance(value, Node) else new.graph.get_attr(
            value, ArrayType(value.dtype, form=Form.SCALAR))
        for value in output.args[0]
    )
    new.graph.output(values, **output.kwargs)
    return new.graph
