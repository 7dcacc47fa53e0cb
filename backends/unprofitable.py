"""Programs that are not worth running: NumPy does all of it, or does it in fewer passes.

What such a program computes is right. But a call of NumPy from compiled code costs more than one
from Python, because it must not say anything that could be said twice; and one operation in place
is computed twice, once before the commit.
"""
from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace

from ..ir.control import is_control
from ..ir.graph import Graph
from ..ir.node import Node
from ..ir.row import Effect, Kind, row_of
from ..ir.sizes import Size, depends_on_data, product
from ..ir.tree import leaves
from ..ir.types import ArrayType, Form
from .hints import hints_of
from .loop_ir.loops import Load, Store
from .loop_ir.program import (
    Commit,
    Extern,
    Launch,
    LogCopy,
    LogUndo,
    Program,
    Require,
    Step,
    View,
    all_steps,
)

IN_CACHE = 4096
"""Elements up to which computing in place twice is cheaper than NumPy's overhead."""
NO_WORK = (Extern, View, Require, LogCopy, LogUndo, Commit)
"""What Python does as fast, or does not have to do."""
SHORT = 4
"""Calls that do little."""


def why_unprofitable(graph: Graph, program: Program) -> str:
    """Why Python alone is as fast; empty where it is not known to be."""
    steps = list(all_steps(program.steps))
    if any(isinstance(step, Extern) for step in steps):
        if all(isinstance(step, NO_WORK) for step in steps):
            return "all of it is calls of NumPy"
        if len(operations(graph)) == 1 and not any(map(is_control, graph.calls)):
            return "it is one call of NumPy"
        return why_few_numbers(graph, program)
    hint = hints_of(program.symbols, program.unbacked)
    sizes = [product(node.type.shape) for node in operations(graph)
             if (row := row_of(node.target)) is not None and row.zeroed]
    if len(operations(graph)) == len(sizes) == 1 and hint(sizes[0]) > IN_CACHE:
        return "NumPy gets memory that is zero from the system"
    if (size := size_in_place(graph, program)) is not None and hint(size) > IN_CACHE:
        return "it is one operation in place, on memory that is not in the cache"
    return ""


def why_few_numbers(graph: Graph, program: Program) -> str:
    """The state of a random generator is recorded before a call, which takes half a microsecond."""
    calls = operations(graph)
    rows = [row_of(node.target) for node in calls]
    if len(calls) > SHORT or not any(row and row.effect is Effect.RANDOM for row in rows):
        return ""
    hint = hints_of(program.symbols, program.unbacked)
    kinds = [leaf for node in calls for leaf in leaves(node.type) if isinstance(leaf, ArrayType)]
    small = all(hint(kind.size) <= IN_CACHE for kind in kinds)
    return "few random numbers are drawn, and little is done with them" if small else ""


def limited(graph: Graph, program: Program) -> Program:
    """The program; it bails out where its only operation in place gets too large."""
    size = size_in_place(graph, program)
    if size is None or isinstance(size, int) or depends_on_data(size):
        return program
    return replace(program, steps=(Require("<=", size, IN_CACHE), *program.steps))


def operations(graph: Graph) -> list[Node]:
    """The calls that compute something: not views, nor items of several results, nor
    the second half of `x[1:] += y`."""
    return [node for node in graph.calls if not (is_view(node) or is_stored_back(node))]


def is_view(node: Node) -> bool:
    """Whether a call only says which elements, of an array or of several results."""
    row = row_of(node.target)
    if row is None or row.kind is not Kind.VIEW:
        return False
    chosen = (leaf.type for leaf in leaves((node.args[1:], node.kwargs), Node))
    return not any(isinstance(kind, ArrayType) and kind.form is Form.ARRAY for kind in chosen)


def is_stored_back(node: Node) -> bool:
    """Whether a view is assigned to the place where it is."""
    if node.target is not operator.setitem or not isinstance(view := node.args[2], Node):
        return False
    return view.target is operator.getitem and view.args == node.args[:2]


def size_in_place(graph: Graph, program: Program) -> Size | None:
    """How many elements the program computes twice, where that is all that it does."""
    if len(operations(graph)) != 1:
        return None
    place = next((k for k, s in enumerate(program.steps) if isinstance(s, Commit)), None)
    if place is None:
        return None
    before, after = launches(program.steps[:place]), launches(program.steps[place:])
    if not before or len(after) != 1 or not is_computed(after[0]):
        return None
    return product(axis.extent for axis in after[0].kernel.axes)


def launches(steps: Iterable[Step]) -> list[Launch]:
    return [step for step in steps if isinstance(step, Launch)]


def is_computed(step: Launch) -> bool:
    """Whether a kernel computes what it stores."""
    (first, *more) = step.kernel.statements
    return not more and isinstance(first, Store) and not isinstance(first.value, Load)
