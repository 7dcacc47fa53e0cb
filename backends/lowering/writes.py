"""Writes: functional updates of arrays, and the final contents of written inputs.

An update of an array that nothing else reads happens in its memory. The new contents of inputs are
computed into fresh memory, for the written regions only; after the commit they are copied.
"""
from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...ir import core
from ...ir.node import Node
from ...ir.tree import leaves
from ...ir.types import Form
from .. import simplify
from ..fusion import Access
from ..loops import Buffer, Const, Load, Scalar, Store
from ..program import Commit
from .context import Lowering, lowers
from .pointwise import operand_at, require_native
from .values import CannotLower, Value, load_of
from .windows import ViewSteps, region, why_not_window

@lowers(core.update, reads=Access.MEMORY)
def update(low: Lowering, node: Node, base: Any, view: ViewSteps, value: Any) -> Value:
    """The array `base` after an assignment, in the memory of `base` when only this reads it."""
    if not isinstance(base, Value):
        raise CannotLower("an update of a constant")
    require_native(base.dtype)
    if not isinstance(value, (Value, int, float)):
        raise CannotLower("an assignment of a sequence")
    source = node.args[0]
    if not (low.is_owned(base) and low.readers[source] == 1):
        base = low.owned(low.materialise(replace(base, type=node.type), f"{node.name} changes it"))
    target = region(low, base, view)
    assign(low, target, value)
    return low.owned(replace(base, type=node.type))


def assign(low: Lowering, target: Value, value: Any) -> None:
    """Store a value, of a shape that broadcasts, with the conversion of an assignment."""
    value = squeezed(low, value, len(target.shape))
    expr = operand_at(low, value, target.axes, target.dtype)
    place = load_of(target)
    low.launch(target.axes, Store(place.buffer, place.offset, expr))


def squeezed(low: Lowering, value: Any, ndim: int) -> Any:
    """Assignment drops leading dimensions of one element that the target does not have."""
    if not isinstance(value, Value) or len(value.shape) <= ndim:
        return value
    extra = len(value.shape) - ndim
    type_ = replace(value.type, shape=value.shape[extra:])
    return replace(value, type=type_, axes=value.axes[extra:])


def pieces(node: Node, placeholder: Node) -> list[tuple[ViewSteps, Any]] | None:
    """The assignments that lead from a placeholder to its final contents, in order."""
    found: list[tuple[ViewSteps, Any]] = []
    while node is not placeholder:
        if node.op != "call_function" or node.target is not core.update:
            return None
        base, view, value = node.args
        if any(why_not_window(step) for step in view):
            return None
        found.append((view, value))
        node = base
    return found[::-1]


def only_pieces(graph: Any) -> set[Node]:
    """Updates of written placeholders that nothing reads: their full contents are never needed."""
    chains: set[Node] = set()
    for placeholder, final in graph.writes:
        node = final
        while node is not placeholder and pieces(final, placeholder) is not None:
            chains.add(node)
            node = node.args[0]
    return {node for node in chains if not _is_read(graph, node, chains)}


def _is_read(graph: Any, node: Node, chains: set[Node]) -> bool:
    for user in graph.calls:
        if user in chains and user.args[0] is node and not _mentions(user.args[1:], node):
            continue
        if _mentions((user.args, user.kwargs), node):
            return True
    return any(output is node for output in graph.outputs)


def _mentions(tree: Any, node: Node) -> bool:
    return any(leaf is node for leaf in leaves(tree))


def write_inputs(low: Lowering) -> None:
    """Compute what is written to inputs, commit, and copy it there."""
    written = {load_of(low.values[p]).buffer for p, _ in low.graph.writes}
    copies: list[tuple[Value, Any]] = []
    for placeholder, final in low.graph.writes:
        target = low.values[placeholder]
        chain = pieces(final, placeholder)
        for view, value in [((), final)] if chain is None else chain:
            operand = low.values[value] if isinstance(value, Node) else value
            part = region(low, target, view)
            copies.append((part, prepared(low, part, operand, written)))
    if low.graph.writes:
        low.steps.append(Commit())
    for part, ready in copies:
        assign(low, part, ready)


def prepared(low: Lowering, target: Value, value: Any, written: set[Buffer]) -> Any:
    """The value in memory that the copies do not touch, already of the target's dtype."""
    if not isinstance(value, Value):
        return value
    value = squeezed(low, value, len(target.shape))
    expr = simplify.convert(value.expr, target.dtype)
    if isinstance(expr, (Const, Scalar)):
        return replace(value, expr=expr)
    if isinstance(expr, Load) and expr.buffer not in written:
        return value
    type_ = replace(value.type, dtype=target.dtype, shape=value.shape, form=Form.ARRAY)
    return low.materialise(replace(value, expr=expr, type=type_), "it is written to an input")
