"""Where symbols that the graph computes get their values, and who needs them."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..base.records import dataclass
from .node import AnyGraph, Node
from .sizes import SizeExpr, is_unbacked, name_of, symbols
from .tree import leaves
from .types import ArrayType


@dataclass(frozen=True, slots=True)
class ShownAt:
    """Where a node's result shows a symbol: result number `result`, and its axis; None for the
    value of a Python int."""

    result: int
    axis: int | None


def bound_by(node: Node) -> dict[str, ShownAt]:
    """The symbols that a node can bind."""
    if node.op != "call_function":
        return {}
    shown: dict[str, ShownAt] = {}
    for result, kind in enumerate(leaves(node.type)):
        if not isinstance(kind, ArrayType):
            continue
        for axis, size in ((None, kind.value), *enumerate(kind.shape)):
            name = name_of(size)
            if name is not None and is_unbacked(name):
                shown.setdefault(name, ShownAt(result, axis))
    given = set(taken_by(node)) if shown else ()
    return {name: place for name, place in shown.items() if name not in given}


def bound_in(body: AnyGraph) -> set[str]:
    """The symbols that a body binds for itself."""
    return {name for node in body.nodes for name in bound_by(node)}  # type: ignore[attr-defined]


def taken_by(node: Node) -> Iterator[str]:
    """The unbacked symbols that a node gets with its operands."""
    for leaf in leaves((node.args, node.kwargs)):
        if isinstance(leaf, AnyGraph):
            for inner in leaf.nodes:  # type: ignore[attr-defined]
                yield from (*taken_by(inner), *unbacked_in(inner.type))
        else:
            yield from unbacked_in(leaf.type if isinstance(leaf, Node) else leaf)


def unbacked_in(tree: Any) -> Iterator[str]:
    """The unbacked symbols in sizes and types."""
    for leaf in leaves(tree):
        if isinstance(leaf, SizeExpr):
            yield from filter(is_unbacked, symbols(leaf))
        elif isinstance(leaf, ArrayType):
            yield from unbacked_in((leaf.shape, leaf.strides, leaf.value))
