"""The captured graph: an append-only list of nodes that prints as runnable Python.

NumPy IR is the level the translator writes: only public NumPy and `operator` callables, in program
order, in-place operations included, so that running it is running the user's statements.
"""
from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ..base import markup
from ..base.counting import counted
from ..base.records import dataclass, field
from .errstates import AMBIENT, Errstate
from .node import AnyGraph, Assertion, Location, Node, SymbolOrigin, Unbacked
from .printer import RESERVED, GraphText, print_graph
from .sizes import Size, SizeExpr
from .tree import map_leaves
from .types import ArrayType

__all__ = ["Assertion", "Graph", "Location", "Node", "SymbolOrigin", "Unbacked"]


@dataclass(eq=False, slots=True)
class Graph(AnyGraph):
    """Nodes in program order. Calling it runs it with NumPy and returns the outputs as a tuple.

    `facts` answers questions about the symbols that the capture has already settled (a `Facts`).
    `unbacked` has the symbols that the graph itself binds, `assertions` what must hold of them.
    `is_body`: the graph is an argument of a node of `ir.control`; its symbols are those of the
    graph around it and those that it binds, and its outputs may also be constants and sizes.
    """

    nodes: list[Node] = field(default_factory=list)
    symbols: dict[str, SymbolOrigin] = field(default_factory=dict)
    facts: Any = None
    unbacked: dict[str, Unbacked] = field(default_factory=dict)
    assertions: list[Assertion] = field(default_factory=list)
    is_body: bool = False
    _names: dict[str, int] = field(default_factory=dict)
    _compiled: tuple[int, Callable[..., tuple[Any, ...]]] | None = None

    def placeholder(self, name: str, type: ArrayType) -> Node:
        return self._append(Node("placeholder", self._fresh(name), name, type=type))

    def get_attr(self, value: Any, type: ArrayType, name: str = "constant") -> Node:
        """A constant array; its identity is kept, its contents must not change."""
        return self._append(Node("get_attr", self._fresh(name), value, type=type))

    def call_function(
        self,
        target: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
        *,
        type: Any,
        location: Location | None = None,
        errstate: Errstate = AMBIENT,
    ) -> Node:
        name = self._fresh(getattr(target, "__name__", "call"))
        parts = tuple(args), kwargs or {}, type, location, errstate
        return self._append(Node("call_function", name, target, *parts))

    def output(self, values: tuple[Any, ...], **kwargs: Any) -> Node:
        """The results, always a flat tuple of nodes; comes last and once.

        A functional graph (`passes.functionalise`) has `writes` here: pairs of a placeholder and
        the node that holds its final contents.
        """
        return self._append(Node("output", "output", "output", (tuple(values),), kwargs))

    def resize(self, simplify: Callable[[Size], Size]) -> None:
        """Replace every symbolic size, in the types and arguments of all nodes, bodies included."""

        def resized(leaf: Any) -> Any:
            if isinstance(leaf, SizeExpr):
                return simplify(leaf)
            if isinstance(leaf, ArrayType):
                shape, strides = (tuple(map(simplify, part)) for part in (leaf.shape, leaf.strides))
                return replace(leaf, shape=shape, strides=strides)
            if isinstance(leaf, Graph):
                leaf.resize(simplify)
            return leaf

        for node in self.nodes:
            node.args, node.kwargs, node.type = map_leaves(
                resized, (node.args, node.kwargs, node.type)
            )

    @property
    def placeholders(self) -> list[Node]:
        return [node for node in self.nodes if node.op == "placeholder"]

    @property
    def outputs(self) -> tuple[Any, ...]:
        return self.nodes[-1].args[0] if self.nodes and self.nodes[-1].op == "output" else ()

    @property
    def writes(self) -> tuple[tuple[Node, Node], ...]:
        """(placeholder, node of its final contents) of a functional graph."""
        return self.nodes[-1].kwargs.get("writes", ()) if self.nodes else ()

    @property
    def calls(self) -> list[Node]:
        return [node for node in self.nodes if node.op == "call_function"]

    @property
    def source(self) -> GraphText:
        """The printed function and the objects its text refers to."""
        return print_graph(self.nodes, self.symbols, self.unbacked, self.assertions)

    @property
    def code(self) -> str:
        """The graph as Python text: `def graph(x, y): ...`."""
        return self.source.text

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        if self._compiled is None or self._compiled[0] != len(self.nodes):
            self._compiled = len(self.nodes), self.source.compile()
        return self._compiled[1](*args)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __str__(self) -> str:
        return self.code

    def __repr__(self) -> str:
        return (f"<Graph of {counted(len(self.placeholders), 'input')} and "
                f"{counted(len(self.calls), 'operation')}>")

    def _repr_html_(self) -> str:
        """For notebooks: the steps with their types and lines, and the text below."""
        rows = [(node.name, step(node), types_of(node), node.location or "")
                for node in self.nodes if node.op != "output"]
        steps = markup.table(("value", "step", "type", "line"), rows)
        return markup.paragraph(repr(self)[1:-1]) + steps + markup.folded(
            "as Python", markup.preformatted(self.code))

    def _append(self, node: Node) -> Node:
        self.nodes.append(node)
        return node

    def _fresh(self, stem: str) -> str:
        if not stem.isidentifier():
            stem = "call"
        if stem in RESERVED or keyword.iskeyword(stem):
            stem += "_"
        while count := self._names.get(stem, 0):
            self._names[stem] = count + 1
            stem = f"{stem}_{count}"
        self._names[stem] = 1
        return stem


def step(node: Node) -> str:
    """What makes the node's value."""
    if node.op == "call_function":
        return str(getattr(node.target, "__name__", node.target))
    return {"placeholder": "input", "get_attr": "constant"}.get(node.op, node.op)


def types_of(node: Node) -> str:
    """The type of what the node gives, or those of its results."""
    types = node.type if isinstance(node.type, (tuple, list)) else [node.type or ""]
    return ", ".join(map(str, types))
