"""Derivatives: pullbacks and pushforwards are replaced by the calls that compute them.

The graph is brought into its functional form first, where what has been written in place is a value
like any other. Derivatives inside a program that is differentiated itself come first in it, and are
nodes like any others when their turn is over.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import NotDifferentiable
from ..derivatives import rows as rows  # which gives rows their rules
from ..facts import Facts, graph_facts
from ..graph import Graph
from ..memory import owner_of
from ..node import Node
from ..ops.libraries import NUMPY
from ..pullback import COPIES, RULED, pullback, pullbacks, pushforward, pushforwards, unknown
from ..row import ROWS, Kind, Op
from ..rules.values import as_type
from ..types import ArrayType, Form
from . import adjoints as adjoints  # which knows control nodes
from . import tangents as tangents
from .decompose import NodeEmit, decompose
from .drop import drop_dead
from .effects import is_silent
from .functionalise import functionalise
from .gathering import gather
from .jacobians import by_columns, by_rows
from .rebuild import Rebuild
from .scopes import SILENT
from .sweeps import ForwardSweep, ReverseSweep


def differentiate(graph: Graph, facts: Facts) -> Graph:
    """The joint graph, in functional form."""
    graph = functionalise(decompose(gather(graph, facts), facts, definition), facts)
    joint = drop_dead(expanded(graph, facts), facts, may_drop)
    return drop_dead(without_variables(joint), facts, may_drop)


def definition(row: Op) -> Callable[..., Any] | None:
    """None where a call has derivatives as it is."""
    has_own = bool(row.vjp) or row.means_first
    return row.keeping or (None if has_own else row.decompose)


def may_drop(node: Node) -> bool:
    """What derivatives add, and nobody reads, is not missed."""
    return is_silent(node) or (node.op == "call_function" and node.errstate is SILENT)


def expanded(graph: Graph, facts: Facts) -> Graph:
    """Derivatives as calls of other operations."""
    new = Rebuild(graph, lambda body: expanded(body, facts))
    for node in graph:
        source = node.args[0] if node.target is operator.getitem else None
        if isinstance(source, Node) and source.target in EXPANSIONS:
            new.became[node] = new.became[source][node.args[1]]
        elif node.op == "call_function" and node.target in EXPANSIONS:
            new.became[node] = EXPANSIONS[node.target](new, node, facts)
        else:
            new.copy(node)
    return new.graph


def reverse(new: Rebuild, node: Node, facts: Facts) -> list[Any]:
    """The values of a pullback."""
    outputs, cotangents, variables = new.mapped(node.args)
    sweep = ReverseSweep(new, variables, facts)
    for output, given in zip(outputs, cotangents):
        start = one(output) if given is None else given
        if isinstance(output, Node) and output in sweep.active:
            sweep.add(output, start, sweep.emit(node))
    sweep.run()
    emit, taken = sweep.emit(node), set[Any]()
    return [finished(emit, sweep.cotangents.get(each), each, taken) for each in variables]


def one(output: Any) -> Any:
    """The cotangent of a single real number."""
    kind = as_type(output.type if isinstance(output, Node) else output)
    if kind.shape:
        raise NotDifferentiable(
            "Gradient only defined for scalar-output functions. Output had shape: "
            f"{tuple(kind.shape)}\n  remedy: dl.jacobian, or dl.vjp")
    if kind.dtype.kind != "f":
        raise NotDifferentiable(
            "grad requires real-valued outputs (output dtype that is a sub-dtype of np.floating), "
            f"but got {kind.dtype.name}\n  remedy: dl.vjp")
    return kind.dtype.type(1)


def forward(new: Rebuild, node: Node, facts: Facts) -> list[Any]:
    """The values of a pushforward."""
    outputs, tangents, variables = new.mapped(node.args)
    sweep = ForwardSweep(new, dict(zip(variables, tangents)), facts)
    sweep.run(outputs)
    emit, taken = sweep.emit(node), set[Any]()
    return [finished(emit, tangent_of(sweep, each), each, taken) for each in outputs]


def tangent_of(sweep: ForwardSweep, output: Any) -> Any:
    return sweep.tangents.get(output) if isinstance(output, Node) else None


def finished(emit: NodeEmit, value: Any, like: Any, taken: set[Any]) -> Any:
    """The derivative that belongs to a value, as the program gets it: an array of its own."""
    kind = emit.type(like)
    if value is None:
        value = emit(np.zeros_like, like) if kind.form is Form.ARRAY else kind.dtype.type(0)
    if not isinstance(value, Node):
        number = kind.dtype.type(value)
        value = emit.new.graph.get_attr(number, ArrayType(number.dtype, form=Form.SCALAR))
    is_own = value not in taken and value.op == "call_function" and (
        ROWS[value.target].kind is not Kind.VIEW)
    taken.add(value)
    if kind.form is Form.ARRAY and not (is_own and value.type.form is Form.ARRAY):
        return emit(np.copy if kind.library == NUMPY else np.positive, value)
    return value


EXPANSIONS: dict[Any, Callable[[Rebuild, Node, Facts], list[Any]]] = {
    pullback: reverse, pushforward: forward, pullbacks: by_rows, pushforwards: by_columns,
}


def without_variables(graph: Graph) -> Graph:
    """Copies become what they are of, now that no derivative asks for them and nothing is written.
    The program gets an array of its own all the same."""
    facts = graph_facts(graph)
    returned = {owner_of(value, facts) for value in graph.outputs if isinstance(value, Node)}
    new = Rebuild(graph, without_variables)
    for node in graph:
        source = node.args[0] if node.target is operator.getitem else None
        if isinstance(source, Node) and source.target in RULED:
            new.became[node] = new.became[source][node.args[1]]
        elif node.op == "call_function" and node.target in RULED:
            new.became[node] = list(new.mapped(node.args[0]))
        elif node.op == "call_function" and node.target is unknown:
            size = node.type.shape, node.type.dtype
            new.became[node] = new.call(np.zeros, size, {}, node.type, node)
        elif node.op != "call_function" or node.target not in COPIES:
            new.copy(node)
        elif node in returned and node.type.form is Form.ARRAY:
            new.became[node] = new.call(np.copy, new.mapped(node.args), {}, node.type, node)
        else:
            new.became[node] = new.mapped(node.args[0])
    return new.graph
