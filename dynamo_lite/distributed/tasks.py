"""What a task runs: the graph of a partition as one compiled function, made once a process."""
from __future__ import annotations

import ast
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from multiprocessing import parent_process
from types import FunctionType
from typing import Any, Union

import numpy as np

from ..base.config import config
from ..base.records import dataclass
from ..guards.shapes.dynamic import SizeHistory
from ..ir.graph import Graph
from ..ir.node import Location, Node
from ..ir.tree import map_leaves
from ..native import CompiledFunction, set_num_threads
from ..runtime.compile_frame import Options, compiled_function
from ..tracer.frame.printed_graphs import PRINTED, Fact, Printed
from .packed import Packed, packed, unpacked
from .sources import Piece

SPACES = frozenset({"np", "operator", "core", "control"})
"""The modules that the text of a graph names."""
Takes = Union[int, tuple[int, int]]
Gives = Union[int, tuple[tuple[int, ...], ...]]
_made: dict[str, CompiledFunction] = {}
_making = threading.Lock()


@dataclass(frozen=True, slots=True)
class BlockFunction:
    """A graph that computes blocks from blocks.

    `token` tells it from all others. `takes` says which parameters each argument of a task is made
    of: 0 for the argument as it comes; the number of views of a region, where it is a list of a
    `Mosaic` and the blocks that have its parts; `(at, count)` where it is a list of partial results
    of several tasks, for the stacks of the arrays of the tuple that each of them has at that place.
    `gives` has the results by port: a place, or tuples of places. `constants` stand in the place of
    the last parameters; `likely` has what differs from task to task of the others.
    """

    name: str
    token: str
    graph: Packed
    options: Options
    takes: tuple[Takes, ...]
    gives: tuple[Gives, ...]
    likely: tuple[tuple[Fact, int], ...] = ()
    constants: tuple[tuple[str, Any], ...] = ()

    def with_constants(self, constants: tuple[tuple[str, Any], ...]) -> BlockFunction:
        if not constants:
            return self
        return replace(self, constants=constants, token=f"{self.token}-{constants}")

    def __call__(self, *arguments: Any) -> Any:
        inputs: list[Any] = []
        for argument, count in zip(arguments, self.takes):
            if type(argument) is Piece:
                inputs.append(argument.read())
            elif isinstance(count, tuple):
                inputs += stacked(argument, *count)
            else:
                inputs += argument[0].of(argument[1:]) if count else (argument,)
        results = self.compiled()(*map(alike, inputs))
        for result in results:
            writeable(result)
        ports = [map_leaves(results.__getitem__, port) for port in self.gives]
        return ports[0] if len(ports) == 1 else tuple(ports)

    def compiled(self) -> CompiledFunction:
        """The function of this process, which all tasks of its kind share."""
        if (known := _made.get(self.token)) is not None:
            return known
        with _making:
            if self.token not in _made:
                share_cores()
                history = SizeHistory(symbolic=frozenset(fact for fact, _ in self.likely))
                _made[self.token] = compiled_function(
                    self.function(), self.options, history=history)
            return _made[self.token]

    def function(self) -> FunctionType:
        """The graph as a Python function whose statements stand on the user's lines, for errors and
        warnings. What is compiled is the graph itself."""
        graph = with_values(unpacked(self.graph), dict(self.constants))
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
        PRINTED[function] = Printed(graph, dict(self.likely))
        return function


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


def alike(value: Any) -> Any:
    """Blocks that came from other processes cannot be written, and lie anywhere in a message: with
    all read-only and aligned, one compiled function serves for all."""
    if type(value) is not np.ndarray:
        return value
    flags = value.flags
    if not flags.aligned:
        value = value.copy(order="K")
    elif flags.writeable:
        value = value.view()
    value.flags.writeable = False
    return value


def writeable(result: Any) -> None:
    """Of a view of a block, what the block itself is."""
    if type(result) is np.ndarray and not result.flags.writeable:
        with contextlib.suppress(ValueError):
            result.flags.writeable = True


def share_cores() -> None:
    """In a worker process: as many threads as Dask gives libraries there, where the program does
    not say how many; there is a process for each of the others."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    is_worker = "distributed.worker" in sys.modules and parent_process() is not None
    if is_worker and config.threads == 0 and given.isdecimal():
        set_num_threads(max(1, int(given)))


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


def stacked(parts: Sequence[Any], fold: int, count: int) -> list[np.ndarray]:
    """The arrays at each place of the tuples for one combination, one above the other."""
    return [np.stack([part[fold][at] for part in parts]) for at in range(count)]


def block_function(
    graph: Graph, name: str, options: Options, takes: tuple[Takes, ...],
    gives: tuple[Gives, ...], tokenize: Callable[..., str],
    likely: tuple[tuple[Fact, int], ...] = (),
) -> BlockFunction:
    """The function of a finished graph, with its output."""
    source = graph.source
    bound = {name: value for name, value in source.namespace.items() if name not in SPACES}
    lines = {node.name: node.location for node in graph.calls if node.location is not None}
    settings = (options.backend, options.settings)
    token = tokenize(source.text, sorted(bound.items()), sorted(lines.items()), settings,
                     likely)
    return BlockFunction(name, token, packed(graph), options, takes, gives, likely)
