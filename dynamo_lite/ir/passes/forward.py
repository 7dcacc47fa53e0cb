"""Store-to-load forwarding, and dead stores.

Who reads a part of an array that has just been assigned gets the assigned value itself. An
assignment to a part that the next one replaces, which nobody reads in between, is left out.
"""
from __future__ import annotations

import operator
from typing import Any

from ...base.records import dataclass
from .. import core
from ..control import is_control
from ..facts import Facts
from ..graph import Graph
from ..node import Node
from ..numbering import frozen
from ..ops.inference import infer
from ..row import Kind, row_of
from ..types import ArrayType, Form
from .rebuild import Rebuild

Users = dict[Node, list[Node]]


def forward_stores(graph: Graph, facts: Facts) -> Graph:
    """The functional form without reads of what has just been written, and without dead stores."""
    stores = [node for node in graph.calls if node.target is core.update]
    if not stores and not any(map(is_control, graph.calls)):
        return graph
    users = _users(graph)
    found = {node: store for node in stores if (store := _store(node, users)) is not None}
    taken = {read: store.value for store in found.values() for read in store.reads}
    dead = {node for node, store in found.items() if store.is_dead}
    moved = {*taken}
    new = Rebuild(graph, lambda body: forward_stores(body, facts))
    for node in graph:
        if node in dead:
            new.became[node] = new.became[node.args[0]]
        elif node in taken:
            new.became[node] = new.became[taken[node]]
        elif _is_view(node) and node.args[0] in moved:
            moved.add(node)
            args = new.mapped(node.args)
            kind = infer(node.target, args, {}, facts)
            new.became[node] = new.call(node.target, args, {}, kind, node)
        else:
            new.copy(node)
    return new.graph


@dataclass(eq=False, slots=True)
class Store:
    """An assignment to a part of an array: the value, and the reads of that part that get it."""

    value: Node
    reads: list[Node]
    is_dead: bool


def _store(node: Node, users: Users) -> Store | None:
    """What an update of an array is for those that follow; None where that is nothing."""
    base, chain, value = node.args
    if len(chain) != 1 or not _is_block(base, chain[0]):
        return None
    (_, (key,), _), = chain
    reads = [user for user in users[node] if _is_part(user, node, key)]
    if not isinstance(value, Node) or not _is_alike(value.type, base.type):
        return None
    others = [user for user in users[node] if user not in reads]
    is_dead = len(others) == 1 and _replaces(others[0], node, key, value)
    takers = [(user, read) for read in reads for user in users[read]]
    if any(read.type.shape != value.type.shape for read in reads):
        return None
    if is_dead and all(_reads_elements(user, read, users) for user, read in takers):
        return Store(value, reads, True)
    if reads and all(_is_same_kernel(user, value) for user, _ in takers):
        return Store(value, reads, False)
    return None


def _is_block(base: Any, step: tuple[Any, ...]) -> bool:
    """Whether a step selects neighbours, in the order of a C-contiguous array."""
    function, args, _ = step
    if function is not operator.getitem or not isinstance(base, Node):
        return False
    items = args[0] if isinstance(args[0], tuple) else (args[0],)
    return base.type.is_c_contiguous and all(map(_is_basic, items))


def _is_basic(item: Any) -> bool:
    """Whether an index is a position or a slice of neighbours."""
    if isinstance(item, slice):
        return item.step in (None, 1)
    if isinstance(item, Node):
        return not item.type.shape and item.type.dtype.kind in "iu"
    return item is Ellipsis or (isinstance(item, int) and not isinstance(item, bool))


def _is_alike(value: Any, base: ArrayType) -> bool:
    """Whether what is assigned is what will be there, laid out in the same order. Formulas for
    complex numbers depend on more than that."""
    return (
        isinstance(value, ArrayType) and value.form is Form.ARRAY and value.is_c_contiguous
        and value.dtype == base.dtype and value.dtype.kind in "fiub"
    )


def _is_part(user: Node, array: Node, key: Any) -> bool:
    """Whether a node reads the part of an array with this key."""
    return (
        user.op == "call_function" and user.target is operator.getitem and user.args[0] is array
        and array not in user.operands[1:] and _is_equal(user.args[1], key)
    )


def _is_equal(left: Any, right: Any) -> bool:
    found = frozen(left)
    return found is not None and found == frozen(right)


def _replaces(user: Node, array: Node, key: Any, value: Node) -> bool:
    """Whether a node assigns to the same part, values that fill it."""
    if user.op != "call_function" or user.target is not core.update:
        return False
    base, chain, other = user.args
    is_same = len(chain) == 1 and chain[0][0] is operator.getitem and _is_equal(chain[0][1], (key,))
    return (
        is_same and base is array and user.operands.count(array) == 1
        and isinstance(other, Node) and isinstance(other.type, ArrayType)
        and other.type.shape == value.type.shape and other.type.dtype == value.type.dtype
    )


def _is_view(node: Node) -> bool:
    """Whether a node is a block of elements of an array."""
    if node.op != "call_function" or node.target is not operator.getitem:
        return False
    kind = node.args[0].type if isinstance(node.args[0], Node) else None
    key = node.args[1]
    return isinstance(kind, ArrayType) and all(
        map(_is_basic, key if isinstance(key, tuple) else (key,)))


def _reads_elements(user: Node, read: Node, users: Users) -> bool:
    """Whether the result depends on the elements of an operand alone, not on where they lie."""
    if user.op != "call_function" or user.operands.count(read) > 1:
        return False
    if user.target is core.update:
        return user.args[2] is read
    if _is_view(user) and user.args[0] is read:
        return all(_reads_elements(each, user, users) for each in users[user])
    row = row_of(user.target)
    return row is not None and row.kind in (Kind.POINTWISE, Kind.STRUCTURE)


def _is_same_kernel(user: Node, value: Node) -> bool:
    """Whether a node computes element by element what has the shape of the value."""
    row = row_of(user.target) if user.op == "call_function" else None
    return (
        row is not None and row.kind is Kind.POINTWISE and isinstance(user.type, ArrayType)
        and _is_full(value.type, user.type)
    )


def _is_full(operand: ArrayType, result: ArrayType) -> bool:
    """Whether an operand of an element-wise call has as many elements as its result: sizes that are
    written in two ways are equal, for else they would not fit."""
    return operand.ndim == result.ndim and all(
        own == made or not isinstance(own, int) for own, made in zip(operand.shape, result.shape))


def _users(graph: Graph) -> Users:
    users: Users = {node: [] for node in graph}
    for node in graph:
        for operand in dict.fromkeys(node.operands):
            users[operand].append(node)
    return users
