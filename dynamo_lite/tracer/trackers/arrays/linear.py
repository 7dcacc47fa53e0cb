"""Ints that a body computes, as sums of other ones."""
from __future__ import annotations

import operator
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from ....ir import core
from ....ir.node import Node
from ....ir.sizes import Size, SizeExpr
from ...object_model.constants import ConstantVariable
from ...recording.nodes import adding_to, numbering, record
from .numbers import ComputedNumber
from .sizes import SizeVariable

if TYPE_CHECKING:
    from ...state.tx import Tx


def key_of(tx: Tx, value: Any) -> Hashable:
    """Equal for ints of a body that are the same sum."""
    found = terms(value)
    assert found is not None
    numbers: dict[Hashable, int] = {}
    for node, count in found[0].items():
        number = numbering(tx).of(node)
        numbers[number] = numbers.get(number, 0) + count
    return frozenset(numbers.items()), found[1]


def terms(value: Any) -> tuple[dict[Node, int], Size] | None:
    """An int as a sum: how often each node is in it, and what else is added."""
    if isinstance(value, ComputedNumber):
        return terms(value.node)
    if isinstance(value, SizeVariable):
        return {}, value.size
    if isinstance(value, ConstantVariable):
        value = value.value
    if type(value) is int or isinstance(value, SizeExpr):
        return {}, value
    if not isinstance(value, Node):
        return None
    target, args = value.target, value.args
    if target is int and (
        isinstance(args[0], SizeExpr) or args[0].type.dtype.kind in "iu"
    ):
        return terms(args[0])
    if target in (operator.add, operator.sub):
        left, right = map(terms, args)
        return None if left is None or right is None else _sum(left, right, SIGNS[target])
    if target is operator.mul and (type(args[0]) is int or type(args[1]) is int):
        number, other = args if type(args[0]) is int else args[::-1]
        return None if (found := terms(other)) is None else _sum(({}, 0), found, number)
    return {value: 1}, 0


def size_of(tx: Tx, value: Any) -> Size | None:
    """An int as a size, where it is made of indices of loops whose ends are known."""
    if (found := terms(value)) is None:
        return None
    counts, total = found
    if not all(node in tx.state.counters for node in counts):
        return None
    for node, count in counts.items():
        total = total + count * _index(tx, node)
    return total


def _index(tx: Tx, node: Node) -> Size:
    """The symbol of an index, which the body of its loop binds."""
    known = tx.state.computed
    if (key := (core.between, node)) not in known:
        counter = tx.state.counters[node]
        with adding_to(tx, counter.graph):
            known[key] = record(tx, core.between, (node, counter.least, counter.most))
    size: Size = known[key].array_type.value  # type: ignore[attr-defined]
    return size


SIGNS = {operator.add: 1, operator.sub: -1}


def _sum(
    left: tuple[dict[Node, int], Size], right: tuple[dict[Node, int], Size], times: int
) -> tuple[dict[Node, int], Size]:
    """`left + times * right`"""
    counts = dict(left[0])
    for node, count in right[0].items():
        counts[node] = counts.get(node, 0) + times * count
    return {node: count for node, count in counts.items() if count}, left[1] + times * right[1]
