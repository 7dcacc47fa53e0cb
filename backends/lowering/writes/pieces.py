"""The assignments that lead to the final contents of an input."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ....ir import core
from ....ir.errstates import Errstate
from ....ir.node import Node
from ....ir.tree import leaves
from ....ir.types import Form
from ...loop_ir.simplify import Inexact, const, drops_parts
from ..indexing.strided_views import ViewSteps, view_shape
from ..state.context import Lowering, is_size
from ..state.values import CannotLower
from .scatters import views_of

NUMBERS = (int, float, complex, np.bool_, np.number)
Piece = tuple[ViewSteps, Any, Errstate, Node]
"""What is assigned where; the error state of that; and the node."""


def pieces(
    low: Lowering, node: Node, placeholder: Node, done: Node | None = None
) -> list[Piece] | None:
    """The assignments that lead from a placeholder, or from a version that is `done`, to its final
    contents, in order; None when they are not all assignments to strided views."""
    found: list[Piece] = []
    while node is not placeholder and node is not done:
        if node.op != "call_function" or node.target is not core.update:
            return None
        base, view, value = node.args
        try:
            view_shape(low, low.values[placeholder], views_of(view))
        except CannotLower:
            return None
        if not is_storable(low, value, placeholder.type.dtype):
            return None
        found.append((view, value, node.errstate, node))
        node = base
    return found[::-1]


def is_storable(low: Lowering, value: Any, dtype: np.dtype) -> bool:
    """Whether a kernel can store the value: converted between native dtypes, or as it is."""
    if not isinstance(value, Node):
        return dtype in low.native and _is_exact(value, dtype)
    if dtype in low.native:
        return value.type.dtype in low.native and not drops_parts(value.type.dtype, dtype)
    return value.type.form is Form.ARRAY and value.type.dtype == dtype


def _is_exact(value: Any, dtype: np.dtype) -> bool:
    """Whether NumPy stores a constant in arrays of this dtype without a word."""
    if is_size(value):
        return not isinstance(value, int) or -(2**63) <= value < 2**63
    try:
        return isinstance(value, NUMBERS) and const(value, dtype) is not None
    except Inexact:
        return False


def only_pieces(low: Lowering) -> set[Node]:
    """Updates of written placeholders that nothing reads: their full contents are never needed."""
    graph = low.graph
    unread: set[Node] = set()
    for placeholder, final in graph.writes:
        if pieces(low, final, placeholder) is None:
            continue
        chain = _chain(final, placeholder)
        for node in chain:
            if _is_read(graph, node, chain):
                break  # what it builds on is needed as well
            unread.add(node)
    return unread


def is_passed_on(low: Lowering, node: Node) -> bool:
    """Whether an update is one of those that lead to the final contents of an input, with a value
    that is evaluated in any case, and in the same error state as what reads it."""
    value = node.args[2]
    states = {user.errstate for user in low.readers.of(node)} | {node.errstate}
    if not isinstance(value, Node) or states != {value.errstate}:
        return False
    return any(
        pieces(low, final, placeholder) is not None and node in _chain(final, placeholder)
        for placeholder, final in low.graph.writes
    )


def _chain(final: Node, placeholder: Node) -> list[Node]:
    """The updates that lead to the final contents, the last one first."""
    chain = []
    while final is not placeholder:
        chain.append(final)
        final = final.args[0]
    return chain


def _is_read(graph: Any, node: Node, chain: list[Node]) -> bool:
    for user in graph.calls:
        if user in chain and user.args[0] is node and not _mentions(user.args[1:], node):
            continue
        if _mentions((user.args, user.kwargs), node):
            return True
    return any(output is node for output in graph.outputs)


def _mentions(tree: Any, node: Node) -> bool:
    return any(leaf is node for leaf in leaves(tree))


def is_everything(view: ViewSteps) -> bool:
    """Whether a chain selects the whole array."""
    keys = [args[0] for function, args, _ in view if function is operator.getitem]
    everything = (Ellipsis, slice(None))
    return len(keys) == len(view) and all(
        isinstance(key, (slice, type(Ellipsis))) and key in everything for key in keys
    )
