"""Value numbers: which calls of a graph that is being written are known to give equal results.

A number is a small hashable key: it names the first node that made the same call of operands with
the same numbers, and for memory that is written to in place also the latest write, so that equal
keys mean equal contents.
"""
from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from .memory import Owner, changes, written_by
from .node import Node
from .tree import map_leaves
from .types import Form


class Numbering:
    """The value numbers of a graph's nodes; `owner` gives the node whose memory another one has."""

    def __init__(
        self, nodes: list[Node], owner: Owner, outer: Numbering | None = None,
        repeats: bool = False,
    ) -> None:
        """`outer`: that of the graph of which this one is a body, which `repeats` in a loop: there
        no array from around it is known to be what it was before."""
        self.nodes = nodes
        self.owner = owner
        self.outer = outer
        self.repeats = repeats
        self._seen = 0
        self._numbers: dict[Node, Hashable] = {}
        self._calls: dict[Hashable, Node] = {}
        self._operands: dict[Node, tuple[Any, ...]] = {}
        self._written: dict[Node, Node] = {}

    def of(self, tree: Any) -> Hashable:
        """The number of an argument, with the contents that it has now."""
        self._catch_up()
        return frozen(self._numbered(tree)) or id(tree)

    def of_operand(self, call: Node, place: int) -> Hashable:
        """The number of an argument of a pure call, with the contents that it had then."""
        self._catch_up()
        return frozen(self._operands[call][place])

    def _of(self, node: Node) -> Hashable:
        known = self._numbers.get(node) or self._outside(node)
        if node.op == "get_attr":
            return known
        owner = self.owner(node)
        latest = self._written.get(owner)
        return known if latest is None else ("written", known, id(owner), id(latest))

    def _outside(self, node: Node) -> Hashable:
        """The number of a node of another graph."""
        if self.outer is None:
            return ("node", id(node))
        self.outer._catch_up()
        known = self.outer._of(node)
        is_number = getattr(node.type, "form", Form.ARRAY) is not Form.ARRAY
        return known if is_number or not self.repeats else ("repeated", id(self.nodes), known)

    def _catch_up(self) -> None:
        for node in self.nodes[self._seen :]:
            self._numbers[node] = self._number(node)
            for place in written_by(node, self.owner):
                self._written[self.owner(place)] = node
        self._seen = len(self.nodes)

    def _number(self, node: Node) -> Hashable:
        if node.op != "call_function" or changes(node):
            return ("node", id(node))
        self._operands[node] = args = self._numbered(node.args)
        call = frozen((args, self._numbered(tuple(sorted(node.kwargs.items())))))
        key = id(node.target), call
        first = node if call is None else self._calls.setdefault(key, node)
        return ("node", id(first))

    def _numbered(self, tree: Any) -> Any:
        """A pytree with numbers in the place of its nodes."""
        return map_leaves(
            lambda leaf: _Number(self._of(leaf)) if isinstance(leaf, Node) else leaf, tree
        )


class _Number:
    """A value number among the constants of a call."""

    __slots__ = ("key",)

    def __init__(self, key: Hashable) -> None:
        self.key = key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Number) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


EXACT = frozenset((int, bool, str, type(None)))
"""Types whose equal values cannot be told apart."""


def frozen(tree: Any) -> Hashable | None:
    """A hashable key that tells 1, 1.0, True, 0.0, -0.0 and their NumPy scalars apart."""
    kind = type(tree)
    if kind in EXACT:
        return kind, tree
    if kind in (tuple, list):
        parts = tuple([frozen(item) for item in tree])
        return None if None in parts else (kind, parts)
    if kind is slice:
        return frozen((tree.start, tree.stop, tree.step, "slice"))
    if isinstance(tree, Node):
        return ("node", id(tree))
    if kind in (float, complex) or isinstance(tree, np.generic):
        return (kind, np.asarray(tree).tobytes())
    if isinstance(tree, np.ndarray):
        return None
    return (kind, tree) if getattr(kind, "__hash__", None) else None
