"""Which memory a call writes, and whose memory its result is.

Bodies write too: a loop or branch may change whatever it is given, in a body of a body as well. In
a functional graph nothing writes.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import Unsupported
from .control import bodies, given, is_control
from .facts import Facts
from .node import Node, typed
from .row import Effect, Kind, Op, row_of
from .tree import leaves
from .types import ArrayType, Form

Owner = Callable[[Node], Node]
"""`owner_of`, with facts."""

SHARING = frozenset({Kind.VIEW, Kind.WRITE})
"""Kinds of operations whose result is, or may be, memory of the first argument."""


def writes(node: Node) -> bool:
    """Whether a node changes memory that other nodes may read."""
    if node.op != "call_function":
        return False
    if is_control(node):
        return any(writes(inner) for body in bodies(node) for inner in body)
    return row_of(node.target) is None or bool(places(node.target, node.args, node.kwargs))


def changes(node: Node) -> bool:
    """Whether a call does more than give its results: writes memory, or advances a random state."""
    if is_control(node):
        return any(changes(inner) for body in bodies(node) for inner in body.calls)
    row = row_of(node.target)
    return row is None or row.effect is not Effect.PURE or writes(node)


def written_by(node: Node, owner: Owner) -> Iterator[Node]:
    """The operands into whose memory a node may write."""
    if is_control(node):
        operands = given(node)
        for body in bodies(node):
            changed = written_in(body, owner)
            inside = body.placeholders[len(body.placeholders) - len(operands) :]
            yield from (operand for operand, own in zip(operands, inside) if own in changed)
    elif node.op == "call_function":
        yield from places(node.target, node.args, node.kwargs)


def written_in(graph: Any, owner: Owner) -> set[Node]:
    """The nodes of a graph whose own memory it changes."""
    return {owner(place) for node in graph for place in written_by(node, owner)}


def places(target: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Node]:
    """The nodes that a call writes into; all that an unknown one is given."""
    row = row_of(target)
    if row is None:
        return leaves((tuple(args), dict(kwargs)), Node)
    first = args[:1] if row.effect is Effect.WRITES else ()
    outputs = args[getattr(target, "nin", len(args)) :]
    return leaves((tuple(first), kwargs.get("out"), tuple(outputs)), Node)


def owner_of(node: Node, facts: Facts) -> Node:
    """The node whose memory `node` is a view of, or may be."""
    *_, owner = views(node, facts)
    return owner


def views(node: Node, facts: Facts) -> Iterator[Node]:
    """A node, what it is a view of, what that is one of, and so on to the owner."""
    yield node
    while (shared := _shared(node, facts)) is not None:
        yield (node := shared)


def _shared(node: Node, facts: Facts) -> Node | None:
    """The operand in whose memory a result lies, or may lie."""
    if node.op != "call_function" or is_control(node):
        return None
    if (outputs := node.kwargs.get("out")) is not None:
        return next(iter(leaves(outputs, Node)), None)
    row, first = row_of(node.target), node.args[0] if node.args else None
    if row is None or not isinstance(first, Node):
        return None
    if not isinstance(first.type, ArrayType):
        return _given_for(first, node.args[1])
    return first if first.type.form is Form.ARRAY and _may_share(row, node, facts) else None


def _given_for(call: Node, place: int) -> Node | None:
    """The array that a call with several results was given to write one of them into; else the
    call itself: the parts that `np.split` gives are views."""
    if is_control(call):
        return None
    outputs = call.kwargs.get("out")
    return call if outputs is None or outputs[place] is None else outputs[place]


def _may_share(row: Op, node: Node, facts: Facts) -> bool:
    """Whether a result is, or may be, memory of the first argument."""
    if row.strided_view is None:
        return row.kind in SHARING or row.shares
    try:
        return strided_view_of(node, facts) is not None
    except Unsupported:
        return True


def strided_view_of(node: Node, facts: Facts) -> Any:
    """Which `StridedView` of its first operand the result of a call is; None for what is none.
    Unsupported where nothing says so."""
    row = row_of(node.target)
    if row is None or row.strided_view is None:
        return None
    args, kwargs = typed((node.args, node.kwargs))
    return row.strided_view(*args, facts=facts, **kwargs)
