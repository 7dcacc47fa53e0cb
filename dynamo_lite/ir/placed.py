"""A graph as Python code whose operations are at the user's lines: what NumPy warns of there, and
where it raises, is told as if the program itself had called it."""
from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

from .control import all_nodes
from .graph import Graph
from .node import Location
from .printer import GRAPH_FILE

UNITS = 8
"""Instructions that one entry of a table of lines is at most about."""
SAME_LINE = 0x80 | 13 << 3
"""The entry, less the number of instructions, that has no columns; see CPython's `locations.md`."""


def placed(graph: Graph) -> Callable[..., tuple[Any, ...]]:
    """What `graph.source.compile()` gives, with a frame of the user's around each operation."""
    source = graph.source
    tree = ast.parse(source.text)
    lines = located(graph, source.text)
    for statement in ast.walk(tree):
        if isinstance(statement, ast.Assign) and statement.lineno in lines:
            statement.value = ast.fix_missing_locations(ast.copy_location(
                ast.Call(ast.Lambda(NO_ARGUMENTS, statement.value), [], []), statement.value))
    return source.define(at_lines(compile(tree, GRAPH_FILE, "exec"), lines))


NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])


def located(graph: Graph, text: str) -> dict[int, Location]:
    """The places of the lines of a printed graph that compute something."""
    known = {str(node.location): node.location for node in all_nodes(graph) if node.location}
    ends = (line.rpartition(" · ")[2] for line in text.splitlines())
    return {number: known[end] for number, end in enumerate(ends, 1) if end in known}


def at_lines(code: CodeType, lines: Mapping[int, Location]) -> CodeType:
    """The code, in which functions without a name are those of the places where they begin."""
    inner = tuple([at_lines(each, lines) if isinstance(each, CodeType) else each
                   for each in code.co_consts])
    code = code.replace(co_consts=inner)
    if code.co_name != "<lambda>":
        return code
    place = lines[code.co_firstlineno]
    return code.replace(
        co_filename=place.filename, co_firstlineno=place.line, co_name=place.function,
        co_qualname=place.function, co_linetable=one_line(len(code.co_code) // 2))


def one_line(count: int) -> bytes:
    """The table of lines of so many instructions that are all on the first line."""
    sizes = [UNITS] * (count // UNITS) + [count % UNITS] * (count % UNITS > 0)
    return b"".join(bytes((SAME_LINE | size - 1, 0)) for size in sizes)
