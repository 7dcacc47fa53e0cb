"""What a task computes: the graph of a partition, as it is sent, and as a Python function."""
from __future__ import annotations

import ast
from collections.abc import Mapping
from types import FunctionType
from typing import Any, Union

from dask.base import tokenize

from ...base.records import dataclass
from ...guards.shapes.dynamic import SizeHistory
from ...guards.sources import LocalSource
from ...ir.graph import Graph
from ...ir.node import Location, Node
from ...ir.row import Kind, row_of
from ...ir.tree import map_leaves
from ...native import CompiledFunction
from ...runtime.compile_frame import compiled_function
from ...runtime.options import Options
from ...tracer.frame.printed_graphs import PRINTED, Printed
from .packed import Packed, unpacked
from .size_hints import Hints

IN_KERNELS = frozenset({Kind.POINTWISE, Kind.REDUCTION, Kind.VIEW, Kind.CREATION})
OF_NUMPY = "of_an_extremum"
"""The question that decides of `argmin` and `argmax`, which NumPy often computes itself."""
SPACES = frozenset({"np", "operator", "core", "control"})
"""The modules that the text of a graph names."""
Takes = Union[int, tuple[int, int]]
Gives = Union[int, tuple[tuple[int, ...], ...]]


@dataclass(frozen=True, slots=True)
class Definition:
    """A graph that computes blocks from blocks.

    `takes` says which parameters each argument of a task is made of: 0 for the argument as it
    comes; the number of views of a footprint, where it is a list of a `Mosaic` and the blocks that
    have its parts; `(at, count)` where it is a list of partial results of several tasks, for the
    stacks of the arrays of the tuple that each of them has at that place. `gives` has the results
    by port: a place, or tuples of places. `hints` have what differs from task to task.
    """

    name: str
    graph: Packed
    options: Options
    takes: tuple[Takes, ...]
    gives: tuple[Gives, ...]
    hints: Hints

    @property
    def reads_unaligned(self) -> bool:
        """Whether all is computed by kernels, to which it is the same whether an array is aligned;
        BLAS and NumPy itself copy such an array first."""
        rows = [row_of(target) for op, _, target, *_ in self.graph.rows if op == "call_function"]
        return all(row is not None and row.kind in IN_KERNELS and row.preference != OF_NUMPY
                   for row in rows)

    def compiled(self, constants: Mapping[str, Any]) -> CompiledFunction:
        """With constants in the place of the last parameters."""
        names = [name for op, name, *_ in self.graph.rows if op == "placeholder"]
        seen: list[dict[Any, Any]] = [
            {(LocalSource(at, names[at]), what, axis): size for (at, what, axis), size in call}
            for call in self.hints.calls]
        history = SizeHistory(seen, symbolic=frozenset(fact for fact, _ in self.hints.likely))
        return compiled_function(self.function(constants), self.options, history=history)

    def function(self, constants: Mapping[str, Any]) -> FunctionType:
        """The graph as a Python function whose statements stand on the user's lines, for errors and
        warnings. What is compiled is the graph itself."""
        graph = with_values(unpacked(self.graph), constants)
        lines = {node.name: node.location for node in graph.calls if node.location is not None}
        source = graph.source
        tree = ast.parse(source.text)
        definition = tree.body[0]
        assert isinstance(definition, ast.FunctionDef)
        filename = on_lines(definition, lines)
        scope = {"__name__": __name__, **source.namespace}
        exec(compile(tree, filename, "exec"), scope)
        made = scope["graph"]
        assert isinstance(made, FunctionType)
        name = next((place.function for place in lines.values()), self.name)
        code = made.__code__.replace(co_name=name, co_qualname=name)
        function = FunctionType(code, scope, name)
        PRINTED[function] = Printed(graph, dict(self.hints.likely))
        return function


def identity(graph: Graph) -> str:
    """What tells what a graph computes, and where the user's program says so, from all others."""
    source = graph.source
    bound = {name: value for name, value in source.namespace.items() if name not in SPACES}
    lines = [(node.name, node.location) for node in graph.calls if node.location is not None]
    found: str = tokenize(source.text, sorted(bound.items()), repr(lines))
    return found


def with_values(graph: Graph, constants: Mapping[str, Any]) -> Graph:
    """The graph with constants in the place of the parameters of these names."""
    if not constants:
        return graph

    def known(leaf: Any) -> Any:
        return constants[leaf.name] if isinstance(leaf, Node) and leaf.name in constants else leaf

    for node in graph.nodes:
        node.args, node.kwargs = map_leaves(known, (node.args, node.kwargs))
    graph.nodes[:] = [node for node in graph.nodes if node.name not in constants]
    return graph


def on_lines(definition: ast.FunctionDef, lines: Mapping[str, Location]) -> str:
    """Put each statement on the line that it comes from, and say of which file; lines of other
    files are told as the first one of this."""
    found = [lines[name] for name in lines]
    if not found:
        return "<graph>"
    filename, first = found[0].filename, found[0].line
    for part in ast.walk(definition):
        if hasattr(part, "lineno"):
            place(part, first)
    for statement in ast.walk(definition):
        if isinstance(statement, ast.Assign):
            there = lines.get(ast.unparse(statement.targets[0]))
            if there is not None and there.filename == filename:
                for part in ast.walk(statement):
                    place(part, there.line)
    return filename


def place(part: Any, line: int) -> None:
    if hasattr(part, "lineno"):
        part.lineno = part.end_lineno = line
        part.col_offset = part.end_col_offset = 0
