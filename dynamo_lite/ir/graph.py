"""The captured graph: an append-only list of nodes that prints as runnable Python.

NumPy IR is the level the translator writes: only public NumPy and `operator` callables, in program
order, in-place operations included, so that running it is running the user's statements.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .types import ArrayType


class Location(NamedTuple):
    """The user's line that asked for a node."""

    filename: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.filename}:{self.line} in {self.function}"


@dataclass(eq=False, slots=True)
class Node:
    """One step: `op` is placeholder, call_function, get_attr or output.

    `args` and `kwargs` are pytrees (tuple, list, dict, slice) of nodes and constants. `type` is an
    ArrayType, a tuple or list of types for functions with several results, or None for no value.
    A size inside `args` (int or SizeExpr) may be symbolic.
    """

    op: str
    name: str
    target: Any
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    type: Any = None
    location: Location | None = None

    def __repr__(self) -> str:
        return self.name


@dataclass(eq=False, slots=True)
class Graph:
    """Nodes in program order. Calling it runs it with NumPy and returns the outputs as a tuple."""

    nodes: list[Node] = field(default_factory=list)
    symbols: dict[str, SymbolOrigin] = field(default_factory=dict)
    _names: dict[str, int] = field(default_factory=dict)

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
    ) -> Node:
        name = self._fresh(getattr(target, "__name__", "call"))
        return self._append(
            Node("call_function", name, target, tuple(args), kwargs or {}, type, location)
        )

    def output(self, values: tuple[Any, ...]) -> Node:
        """The results, always a flat tuple of nodes; comes last and once."""
        return self._append(Node("output", "output", "output", (tuple(values),)))

    @property
    def placeholders(self) -> list[Node]:
        return [node for node in self.nodes if node.op == "placeholder"]

    @property
    def outputs(self) -> tuple[Any, ...]:
        return self.nodes[-1].args[0] if self.nodes and self.nodes[-1].op == "output" else ()

    @property
    def calls(self) -> list[Node]:
        return [node for node in self.nodes if node.op == "call_function"]

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def _append(self, node: Node) -> Node:
        self.nodes.append(node)
        return node

    def _fresh(self, stem: str) -> str:
        count = self._names.get(stem, 0)
        self._names[stem] = count + 1
        return stem if not count else self._fresh(f"{stem}_{count}")


@dataclass(frozen=True, slots=True)
class SymbolOrigin:
    """Where a symbol's value is found at run time: a fact of one placeholder.

    `fact` is "size", "stride" (bytes) or "value" (a Python int placeholder itself); `axis` is the
    dimension for the first two. `hint` is the value seen when the graph was captured.
    """

    placeholder: int
    fact: str
    axis: int
    hint: int
