"""A graph as Python text that runs: the readable form, the eager backend and the oracle in one.

Literals are written out where the text gives back exactly the same value; every other object
(arrays, NaN payloads, user callables) is bound by name in the namespace that goes with the text.
"""
from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any

import numpy as np

from ..base.records import dataclass
from . import control, core
from .binding import ShownAt, bound_by
from .node import AnyGraph, Assertion, Node, SymbolOrigin, Unbacked
from .sizes import Size, SizeExpr, substitute, symbol, symbols
from .tree import leaves
from .types import ArrayType

RESERVED = frozenset({
    "np", "operator", "core", "control", "graph", "body", "slice", "min", "max", "bool",
    "int", "float", "complex", "output",
})

BINARY: Mapping[Any, str] = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/",
    operator.floordiv: "//", operator.mod: "%", operator.pow: "**", operator.matmul: "@",
    operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">=",
    operator.eq: "==", operator.ne: "!=", operator.and_: "&", operator.or_: "|",
    operator.xor: "^", operator.lshift: "<<", operator.rshift: ">>",
}

GRAPH_FILE = "<graph>"
"""Where tracebacks say that the lines of printed graphs are."""


@dataclass(frozen=True, slots=True)
class GraphText:
    """Text that defines `graph`, and the objects that it names."""

    text: str
    namespace: dict[str, Any]

    def compile(self) -> Callable[..., tuple[Any, ...]]:
        return self.define(compile(self.text, GRAPH_FILE, "exec"))

    def define(self, code: CodeType) -> Callable[..., tuple[Any, ...]]:
        """`graph`, by the compiled text."""
        scope = {"__name__": __name__, **self.namespace}
        exec(code, scope)
        run: Callable[..., tuple[Any, ...]] = scope["graph"]
        return run


def print_graph(
    nodes: list[Node], backed: Mapping[str, SymbolOrigin],
    unbacked: Mapping[str, Unbacked] | None = None, assertions: Sequence[Assertion] = (),
) -> GraphText:
    """The text and namespace of a whole graph."""
    return _Printer(nodes, backed, unbacked or {}, assertions).source()


class _Printer:
    """Bodies of control flow are functions inside the function; `around` is the printer of it."""

    def __init__(
        self, nodes: list[Node], backed: Mapping[str, SymbolOrigin],
        unbacked: Mapping[str, Unbacked], assertions: Sequence[Assertion],
        around: _Printer | None = None,
    ) -> None:
        self.nodes = nodes
        self.symbols = backed
        self.unbacked = unbacked
        self.assertions = list(assertions)
        self.bound = set(backed)
        self.functions: list[str] = []
        self.namespace: dict[str, Any] = {
            "np": np, "operator": operator, "core": core, "control": control,
        }
        self.taken = _names(nodes) | set(self.namespace)
        self.renamed: dict[str, SizeExpr] = {}
        if around is not None:
            self.namespace, self.taken, self.renamed = (
                around.namespace, around.taken, around.renamed
            )
            self.bound, self.unbacked = {*around.bound}, around.unbacked
            self.assertions = around.assertions
        else:
            self.renamed |= {name: symbol(self._free(name)) for name in (*backed, *unbacked)}

    def source(self) -> GraphText:
        params = [node.name for node in self.nodes if node.op == "placeholder"]
        lines = self.function("graph", [
            *self._symbol_lines(params), *(f"    {line}" for line in self._assertion_lines())
        ])  # fmt: skip
        return GraphText("\n".join(lines) + "\n", self.namespace)

    def function(self, name: str, first: list[str]) -> list[str]:
        """The lines that define a function; `first` are those it begins with."""
        params = [node.name for node in self.nodes if node.op == "placeholder"]
        lines = [f"def {name}({', '.join(params)}):", *first]
        steps = [node for node in self.nodes if node.op != "placeholder"]
        for errstate, nodes in itertools.groupby(steps, lambda node: node.errstate):
            indent = "    "
            if errstate:
                modes = ", ".join(f"{name}={mode!r}" for name, mode in errstate)
                lines.append(f"    with np.errstate({modes}):")
                indent *= 2
            lines += [f"{indent}{line}" for node in nodes for line in self._lines_of(node)]
        return lines

    def body(self, graph: Any) -> str:
        """The name of a body, which is defined before the statement at hand."""
        name = self._free("body")
        printer = _Printer(graph.nodes, {}, {}, (), self)
        self.functions += printer.function(name, [])
        return name

    def _lines_of(self, node: Node) -> Iterator[str]:
        made = list(self._node_lines(node))
        yield from self.functions
        self.functions = []
        yield from made
        if node.op == "call_function":
            yield from self._binding_lines(node)

    def _symbol_lines(self, params: list[str]) -> Iterator[str]:
        facts = {"size": "{x}.shape[{axis}]", "stride": "{x}.strides[{axis}]", "value": "{x}"}
        for name, origin in self.symbols.items():
            if origin.fact == "total":
                yield f"    {self.renamed[name]} = {substitute(origin.sum, self.renamed)}"
                continue
            fact = facts[origin.fact].format(x=params[origin.placeholder], axis=origin.axis)
            yield f"    {self.renamed[name]} = {fact}"

    def _binding_lines(self, node: Node) -> Iterator[str]:
        """What a result tells about its size."""
        found = {name: place for name, place in bound_by(node).items() if name not in self.bound}
        for name, place in found.items():
            self.bound.add(name)
            text = f"{self.renamed[name]} = {_shown(node, place)}"
            known = self.unbacked.get(name)
            yield f"{text}  # {known.what}" if known is not None else text
        if found:
            yield from self._assertion_lines()

    def _assertion_lines(self) -> Iterator[str]:
        """The assertions that can be looked at by now."""
        for one in tuple(self.assertions):
            if self.bound.issuperset((*symbols(one.left), *symbols(one.right))):
                self.assertions.remove(one)
                where = f"  # · {one.location}" if one.location else ""
                yield f"assert {self.size(one.left)} {one.relation} {self.size(one.right)}{where}"

    def _node_lines(self, node: Node) -> Iterable[str]:
        if node.op == "get_attr":
            self.namespace[node.name] = node.target
            return [f"# {node.name}: constant {node.type}"]
        if node.op == "output":
            stores = [f"{base}[...] = {new}" for base, new in node.kwargs.get("writes", ())]
            values = "".join(f"{self.value(value)}, " for value in node.args[0])
            return [*stores, f"return ({values.strip()})"]
        return [f"{self._statement(node)}  # {_comment(node)}"]

    def _statement(self, node: Node) -> str:
        if node.target is operator.setitem:
            base, key, value = map(self.value, node.args)
            return f"{node.name} = {base}[{key}] = {value}"
        return f"{node.name} = {self._call(node)}"

    def _call(self, node: Node) -> str:
        args = [self.value(arg) for arg in node.args]
        if node.target is operator.getitem:
            return f"{args[0]}[{args[1]}]"
        if _hashable(node.target) in BINARY and len(args) == 2:
            return f"{args[0]} {BINARY[node.target]} {args[1]}"
        args += [f"{name}={self.value(value)}" for name, value in node.kwargs.items()]
        if (method := METHODS.get(_hashable(node.target))) is not None and args:
            return f"{args[0]}.{method}({', '.join(args[1:])})"
        return f"{self.callable(node.target)}({', '.join(args)})"

    def callable(self, target: Any) -> str:
        if (path := public_path(target)) is not None:
            return path
        return self._bind(getattr(target, "__name__", "call"), target)

    def value(self, value: Any) -> str:
        """An expression for one argument."""
        kind = type(value)
        if isinstance(value, AnyGraph):
            return self.body(value)
        if kind in WRITERS:
            return WRITERS[kind](self, value)
        if isinstance(value, type) or callable(value):
            return self.callable(value)
        if isinstance(value, np.dtype) and value.isbuiltin == 1:
            return f"np.dtype({value.str!r})"
        return self._bind(kind.__name__, value)

    def size(self, size: Size) -> str:
        text = str(substitute(size, self.renamed))
        return f"({text})"

    def sequence(self, items: Iterable[Any]) -> str:
        return ", ".join(map(self.value, items))

    def number(self, value: float | complex) -> str:
        """repr() where it is exact Python, a bound name for infinities, NaNs and complex values."""
        text = repr(value)
        plain = not any(mark in text for mark in "nj")
        return (f"({text})" if text.startswith("-") else text) if plain else self._bind(
            type(value).__name__ + "_value", value
        )

    def _bind(self, stem: str, value: Any) -> str:
        name = self._free(stem if stem.isidentifier() else "object")
        self.namespace[name] = value
        return name

    def _free(self, stem: str) -> str:
        name = stem
        while name in self.taken or name in RESERVED:
            name += "_"
        self.taken.add(name)
        return name


def _shown(node: Node, place: ShownAt) -> str:
    """The expression that gives a bound symbol's value."""
    result = node.name if isinstance(node.type, ArrayType) else f"{node.name}[{place.result}]"
    return result if place.axis is None else f"{result}.shape[{place.axis}]"


def _comment(node: Node) -> str:
    kind = ", ".join(map(str, node.type)) if isinstance(node.type, (tuple, list)) else node.type
    return f"{kind} · {node.location}" if node.location else f"{kind}"


def _names(nodes: list[Node]) -> set[str]:
    """The names of nodes and of those in their bodies."""
    found = {node.name for node in nodes}
    for node in nodes:
        for leaf in leaves((node.args, node.kwargs)):
            if isinstance(leaf, AnyGraph):
                found |= _names(leaf.nodes)  # type: ignore[attr-defined]
    return found


def _tuple(printer: _Printer, value: tuple[Any, ...]) -> str:
    return f"({printer.sequence(value)}{',' if len(value) == 1 else ''})"


WRITERS: Mapping[type, Callable[[_Printer, Any], str]] = {
    Node: lambda printer, value: value.name,
    SizeExpr: lambda printer, value: printer.size(value),
    tuple: _tuple,
    list: lambda printer, value: f"[{printer.sequence(value)}]",
    dict: lambda printer, value: "{" + ", ".join(
        f"{key!r}: {printer.value(item)}" for key, item in value.items()) + "}",
    slice: lambda printer, value: (
        f"slice({printer.sequence((value.start, value.stop, value.step))})"),
    int: lambda printer, value: repr(value) if value >= 0 else f"({value})",
    bool: lambda printer, value: repr(value),
    float: lambda printer, value: printer.number(value),
    complex: lambda printer, value: printer.number(value),
    str: lambda printer, value: repr(value),
    bytes: lambda printer, value: repr(value),
    type(None): lambda printer, value: "None",
    type(...): lambda printer, value: "...",
}

METHODS: Mapping[Any, str] = {
    getattr(np.ndarray, name): name
    for name in dir(np.ndarray)
    if not name.startswith("_") and callable(getattr(np.ndarray, name))
}


def _hashable(value: Any) -> Any:
    return value if getattr(type(value), "__hash__", None) else None


def public_path(target: Any) -> str | None:
    """How a program names `target`, such as `np.linalg.norm` or `np.add.reduce`."""
    owner = getattr(target, "__self__", None)
    if isinstance(owner, np.ufunc) and (path := public_path(owner)) is not None:
        return f"{path}.{target.__name__}"
    found = _public_paths().get(id(target))
    return found[0] if found is not None and found[1] is target else None


@functools.cache
def _public_paths() -> dict[int, tuple[str, Any]]:
    """By identity: the shortest public name of everything in NumPy and `operator`."""
    paths: dict[int, tuple[str, Any]] = {}
    spaces = (
        (np, "np"), (np.linalg, "np.linalg"), (np.fft, "np.fft"), (np.random, "np.random"),
        (operator, "operator"), (core, "core"), (control, "control"),
    )
    for space, prefix in spaces:
        for name in dir(space):
            value = getattr(space, name)
            if name.startswith("_") or not callable(value):
                continue
            if id(value) not in paths or name == getattr(value, "__name__", None):
                paths[id(value)] = f"{prefix}.{name}", value
    paths |= {id(kind): (kind.__name__, kind) for kind in (bool, int, float, complex)}
    return paths
