"""A backend makes the graph of a trace into what an entry calls."""
from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from ..backends.registry import Unprofitable, lookup_backend, memory_of
from ..base import logs
from ..base.config import config
from ..errors import BackendError
from ..guards.programs.reasons import Values
from ..ir.graph import Graph, Node
from ..ir.pullback import expanded, has_derivatives
from ..ir.sizes import substitute
from ..native._core import NativeEntry
from ..tracer.state.trace import Returned, Trace
from .options import Options
from .random_states import keep_random_state, random_owners
from .rollback import attempt
from .stats import FrameRecord

GRAPH_CODE = logs.logger("graph_code")
SHORT = 30  # instructions


def compile_graph(
    trace: Trace, outputs: tuple[Node, ...], flat_args: tuple[Any, ...], options: Options,
    record: FrameRecord,
) -> Callable[..., Any] | None:
    """The callable; None when there is nothing to compute. The record is told what memory it
    takes."""
    graph = complete(trace, outputs)
    if GRAPH_CODE.isEnabledFor(logging.INFO):
        GRAPH_CODE.info("%s", graph)
    if not graph.calls and not outputs:
        return None
    values = Values(flat_args, trace.function)
    inputs = [values[source] for source in trace.inputs]
    name = config.backend if options.backend == "auto" else options.backend
    run = lookup_backend(name)(graph, inputs)
    if not callable(run) and not isinstance(run, Unprofitable):
        raise BackendError(f"the backend {name!r} gave {run!r}, which is no callable")
    record.memory = memory_of(run)
    if isinstance(run, Unprofitable) and (config.compile_unprofitable or not is_short(trace)):
        run = run.run
    if not isinstance(run, (NativeEntry, Unprofitable)):
        written = trace.guards.written()
        run = attempt(run, [i for i, source in enumerate(trace.inputs) if source in written])
    owners = random_owners(graph)
    return keep_random_state(run, owners) if owners and type(run) is not Unprofitable else run


def complete(trace: Trace, outputs: tuple[Node, ...]) -> Graph:
    """The graph with its outputs, and derivatives as operations."""
    graph = trace.graph
    graph.output(outputs)
    if has_derivatives(graph):
        with trace.shapes.reopened(graph.calls[-1].location):
            graph = expanded(graph, trace.shapes)
        if fixed := trace.shapes.fixed():
            graph.resize(lambda size: substitute(size, fixed))
    return graph


def is_short(trace: Trace) -> bool:
    """Whether the whole frame ran to its end in so few instructions that Python takes no longer
    for them than compiled code for its guards."""
    return isinstance(trace.end, Returned) and trace.steps <= SHORT
