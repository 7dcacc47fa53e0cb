"""Why a compiled call bailed out: which operation at which line, and what NumPy says about it.

Compiled code only knows that NumPy may have something to say. The graph of the call, run with
NumPy on copies of the arguments, says what: the call has had no effect, so they are as they were.
"""
from __future__ import annotations

import copy
import re
import traceback
from collections.abc import Sequence
from types import FunctionType
from typing import Any

import numpy as np

from ..base.suppressed import warnings_as
from ..errors import OutOfTime, Unsupported
from ..guards.programs.reasons import Values
from ..guards.shapes.symbols import in_words
from ..ir import control, core
from ..ir.control import all_nodes
from ..ir.graph import Graph, Location
from ..ir.node import Assertion, Node
from ..ir.printer import GRAPH_FILE
from ..ir.row import row_of
from ..ir.sizes import symbols
from ..tracer.control_flow.iterations import number_of
from ..tracer.frame.speculation import translate
from ..tracer.state.trace import TraceOptions
from .random_states import random_owners
from .stats import Bailout, Break, FrameRecord
from .users_lines import users_line

UNKNOWN = "NumPy reports nothing for these arguments, but a check of compiled code failed"
OTHER_SIZE = "the values of this call give a size that the code was not compiled for"
FEW_ITERATIONS = 1000
NOT_SEEN = "dl.explain tells why"
CONDITION = re.compile(r"^(?P<what>.*) encountered in ")


def why_bailed_out(
    function: FunctionType, flat_args: Sequence[Any], options: TraceOptions, record: FrameRecord,
    is_asked: bool = True,
) -> Bailout:
    """What NumPy says, run on copies of the arguments of a call that bailed out; where that is
    nothing, the call came to an arm that was left to Python, if there is one. What may take long,
    or is no operation of NumPy's, runs only if that `is_asked` for."""
    found = said_by_numpy(function, flat_args, options, record.location, is_asked)
    is_told = found.reason not in (UNKNOWN, NOT_SEEN, core.UNMET)
    return found if is_told or not record.cold_arms else of_cold_arm(record.cold_arms[0])


def of_cold_arm(arm: Break) -> Bailout:
    """At the user's line where the arm is a library's."""
    assert arm.location is not None
    return Bailout(arm.reason, users_line(arm.location))


def said_by_numpy(
    function: FunctionType, flat_args: Sequence[Any], options: TraceOptions, place: Location,
    is_asked: bool,
) -> Bailout:
    """What it raises or reports, and at which line; `place` is where the function begins."""
    try:
        trace = translate(function, flat_args, options)
    except (Unsupported, OutOfTime, RecursionError, MemoryError):
        return Bailout(UNKNOWN, place)
    graph = trace.graph
    if not is_asked and not all(map(is_plain, all_nodes(graph))):
        return Bailout(NOT_SEEN, place)
    if random_owners(graph):
        return Bailout("a call that draws random numbers was given up: see its arguments", place)
    values = Values(flat_args, function)
    graph.output(())
    error = _error_of(graph, [values[source] for source in trace.inputs])
    if error is None:
        return Bailout(UNKNOWN, place)
    line = _line_at(graph, error)
    found = _required_at(graph, line) or _node_at(graph, line)
    where = found.location if found is not None and found.location is not None else place
    return Bailout(_reason(graph, found, error), users_line(where))


def _reason(graph: Graph, found: Node | Assertion | None, error: Exception) -> str:
    if isinstance(found, Assertion):
        names = {*symbols(found.left), *symbols(found.right)} & graph.unbacked.keys()
        known = {name: graph.unbacked[name].what for name in names}
        sides = (in_words(str(side), known) for side in (found.left, found.right))
        return f"this line requires {f' {found.relation} '.join(sides)}"
    if isinstance(error, AssertionError):  # a line of a loop or branch that has no node
        return OTHER_SIZE
    return _reason_of_node(found, error)


def _reason_of_node(node: Node | None, error: Exception) -> str:
    if node is not None and node.target is core.expect:
        reason: str = node.args[1] if len(node.args) > 1 else core.UNMET
        return reason
    name = getattr(node.target, "__name__", "the call") if node is not None else "the call"
    return f"{name} {_said(error)}"


def is_plain(node: Node) -> bool:
    """Whether it is an operation of NumPy's, or a loop of few iterations of them."""
    if node.op != "call_function" or node.target is control.cond:
        return True
    if node.target is control.for_loop:
        ends = node.args[:3]
        return all(isinstance(end, int) for end in ends) and number_of(*ends) <= FEW_ITERATIONS
    return row_of(node.target) is not None and not control.is_control(node)


def _error_of(graph: Graph, inputs: Sequence[Any]) -> Exception | None:
    """What running the graph with NumPy raises, where warnings and floating-point reports that are
    not ignored are raised as well."""
    modes: Any = {condition: mode if mode == "ignore" else "raise"
                  for condition, mode in np.geterr().items()}
    try:
        with np.errstate(**modes), warnings_as("error"):
            graph(*map(copy.copy, inputs))
    except Exception as error:  # whatever NumPy raises is the answer
        return error
    return None


def _line_at(graph: Graph, error: Exception) -> str:
    """The line in the printed graph that raised an exception."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
             if frame.filename == GRAPH_FILE]
    return graph.code.splitlines()[lines[-1] - 1] if lines and lines[-1] is not None else ""


def _required_at(graph: Graph, text: str) -> Assertion | None:
    """What a line that checks a size says."""
    checked = graph.assertions if text.strip().startswith("assert ") else ()
    return next((one for one in checked if text.endswith(f"· {one.location}")), None)


def _node_at(graph: Graph, text: str) -> Node | None:
    """The node whose line in the printed graph it is."""
    nodes = [node for node in all_nodes(graph) if node.location is not None
             and text.endswith(f"· {node.location}")]
    named = [node for node in nodes if text.strip().startswith(f"{node.name} = ")]
    return next(iter(named or nodes), None)


def _said(error: Exception) -> str:
    if isinstance(error, FloatingPointError) and (found := CONDITION.match(str(error))):
        return f"reports '{found['what']}'"
    kind = "warns" if isinstance(error, Warning) else f"raises {type(error).__name__}"
    return ": ".join((kind, *str(error).splitlines()[:1]))
