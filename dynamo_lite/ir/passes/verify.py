"""Is a graph well formed? Run in debug mode after every pass, and by the tests."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import BackendError
from ..binding import bound_by
from ..control import bodies
from ..graph import Graph
from ..memory import writes
from ..node import Node
from ..sizes import SizeExpr, symbols
from ..tree import leaves
from ..types import ArrayType, Form

OPS = frozenset({"placeholder", "get_attr", "call_function", "output"})
AXIS_FACTS = ("size", "stride")
FACTS = frozenset({*AXIS_FACTS, "value", "total"})


def verify(graph: Graph, *, functional: bool = False) -> None:
    """BackendError with everything that is wrong; `functional` also forbids writes."""
    problems = [*defects(graph), *(written(graph) if functional else ())]
    if problems:
        raise BackendError("malformed graph: " + "; ".join(problems))


def defects(graph: Graph) -> Iterator[str]:
    """What is wrong, in words."""
    seen: set[Node] = set()
    names: set[str] = set()
    bound: set[str] = set()
    if not graph.is_body:
        yield from _symbol_defects(graph)
    for position, node in enumerate(graph.nodes):
        if node.op not in OPS:
            yield f"{node.name} has the unknown op {node.op!r}"
        if node.name in names:
            yield f"two nodes are called {node.name}"
        if node.op == "output" and position != len(graph.nodes) - 1:
            yield "the output is not the last node"
        for leaf in leaves((node.args, node.kwargs)):
            if isinstance(leaf, Node) and leaf not in seen:
                yield f"{node.name} uses {leaf.name} before its definition"
        bound.update(bound_by(node))
        yield from _type_defects(graph, node, bound)
        for body in bodies(node):
            yield from defects(body)
        names.add(node.name)
        seen.add(node)
    if not graph.nodes or graph.nodes[-1].op != "output":
        yield "there is no output"


def written(graph: Graph) -> Iterator[str]:
    """Nodes that a functional graph must not have."""
    return (f"{node.name} writes" for node in graph if writes(node))


def _symbol_defects(graph: Graph) -> Iterator[str]:
    inputs = graph.placeholders
    for name, origin in graph.symbols.items():
        if origin.fact not in FACTS or not 0 <= origin.placeholder < len(inputs):
            yield f"the symbol {name} comes from nowhere"
        elif origin.fact in AXIS_FACTS and origin.axis >= inputs[origin.placeholder].type.ndim:
            yield f"the symbol {name} comes from an axis that does not exist"


def _type_defects(graph: Graph, node: Node, bound: set[str]) -> Iterator[str]:
    if node.op == "output":
        if not graph.is_body and not all(isinstance(value, Node) for value in node.args[0]):
            yield "an output is not a node"
        return
    if node.type is None and node.op != "call_function":
        yield f"{node.name} has no type"
    for kind in _results(node.type):
        if isinstance(kind, ArrayType):
            yield from _array_defects(node, kind)
        elif kind is not None:
            yield f"the type of {node.name} is {kind!r}"
    for name in _symbols_of(node) if not graph.is_body else ():
        if name not in graph.symbols and name not in bound:
            yield f"{node.name} uses the unbound symbol {name}"


def _results(type: Any) -> Iterator[Any]:
    """The types of a node's results; those of numpy.linalg come as named tuples."""
    for leaf in leaves(type):
        if isinstance(leaf, tuple):
            yield from _results(tuple(leaf))
        else:
            yield leaf


def _array_defects(node: Node, kind: ArrayType) -> Iterator[str]:
    if len(kind.shape) != len(kind.strides):
        yield f"{node.name} has {len(kind.shape)} sizes and {len(kind.strides)} strides"
    if kind.form is not Form.ARRAY and kind.shape:
        yield f"{node.name} is a number with a shape"
    if any(isinstance(size, int) and size < 0 for size in kind.shape):
        yield f"{node.name} has a negative size"


def _symbols_of(node: Node) -> Iterator[str]:
    sizes: list[Any] = list(leaves((node.args, node.kwargs)))
    for kind in _results(node.type):
        if isinstance(kind, ArrayType):
            sizes += [*kind.shape, *kind.strides, kind.value]
    for size in sizes:
        if isinstance(size, SizeExpr):
            yield from symbols(size)
