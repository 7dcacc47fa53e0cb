"""Python's ints of which a program keeps the lowest bits only: sums and products need not fit.

An int that the graph computes has 64 bits, and the call bails out where one more would be needed.
Of `(a * b + c) & 0xFFFFFFFF` nobody sees more than the lowest bits, and these follow from the
lowest bits of the operands alone.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .. import core
from ..control import is_control
from ..facts import Facts
from ..graph import Graph
from ..node import Node
from ..tree import leaves
from ..types import python_number
from .rebuild import Rebuild

INT = python_number(int)
WRAPPED: Mapping[Callable[..., Any], Callable[..., Any]] = {
    operator.add: core.wrapped_sum, operator.sub: core.wrapped_difference,
    operator.mul: core.wrapped_product,
}
KEEPING = frozenset({*WRAPPED, operator.and_, operator.or_, operator.xor})
"""The lowest bits of the result follow from those of the operands."""
ASKING = frozenset(WRAPPED.values())
"""Only the lowest bits of the operands are asked for."""


Call = tuple[Any, tuple[Any, ...]]


def wrap_masked(graph: Graph, facts: Facts) -> Graph:
    low = kept_in_part(graph)
    others = {node: call for node in graph.calls if (call := changed(node, node in low))}
    if not others and not any(map(is_control, graph.calls)):
        return graph
    new = Rebuild(graph, lambda body: wrap_masked(body, facts))
    for node in graph:
        if (call := others.get(node)) is None:
            new.copy(node)
        else:
            target, args = call
            new.became[node] = new.call(target, new.mapped(args), {}, node.type, node)
    return new.graph


def changed(node: Node, is_kept_in_part: bool) -> Call | None:
    """What a node becomes; None where it stays what it is."""
    target, args = by_bits(node)
    if is_kept_in_part and target in WRAPPED:
        return WRAPPED[target], args
    return (target, args) if node.target is operator.mod and target is not node.target else None


def kept_in_part(graph: Graph) -> set[Node]:
    """The ints of which only the lowest bits are used."""
    low, whole = set[Node](), set[Node]()
    for node in reversed(graph.nodes):
        in_part = {*operands_in_part(node, node in low and node not in whole)}
        for leaf in leaves((node.args, node.kwargs)):
            if isinstance(leaf, Node):
                (low if leaf in in_part else whole).add(leaf)
    return low - whole


def operands_in_part(node: Node, is_kept_in_part: bool) -> Iterator[Node]:
    """The operands of which a node uses the lowest bits only; of itself others may be used."""
    if node.op != "call_function" or node.type != INT:
        return
    target, args = by_bits(node)
    is_mask = target is operator.and_ and any(type(arg) is int and arg >= 0 for arg in args)
    if is_mask or target in ASKING or (is_kept_in_part and target in KEEPING):
        yield from (arg for arg in args if isinstance(arg, Node) and arg.type == INT)


def by_bits(node: Node) -> Call:
    """The call, where that is the same as an operator whose lowest bits are known."""
    if node.type == INT and (row := SAME.get(node.target)) is not None:
        return row(*node.args) or (node.target, node.args)
    return node.target, node.args


def masked(value: Any, divisor: Any) -> Call | None:
    is_power = type(divisor) is int and divisor > 0 and divisor & (divisor - 1) == 0
    return (operator.and_, (value, divisor - 1)) if is_power else None


def multiplied(value: Any, places: Any) -> Call | None:
    is_known = type(places) is int and 0 <= places < 63
    return (operator.mul, (value, 1 << places)) if is_known else None


SAME: Mapping[Any, Callable[..., Call | None]] = {
    operator.mod: masked, operator.lshift: multiplied,
    operator.neg: lambda value: (operator.sub, (0, value)),
}
