"""Lists in the places of arrays, `np.prod([a, b])`, become arrays: rules see no lists."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import Unsupported
from ..control import all_nodes
from ..facts import Facts
from ..graph import Graph
from ..node import Node
from ..row import ROWS, Kind, row_of
from ..rules.values import Wrong
from ..tree import leaves
from .decompose import NodeEmit
from .fitting import is_continuous
from .rebuild import Rebuild
from .scopes import silent_emit


def gather(graph: Graph, facts: Facts) -> Graph:
    """The graph in which functions of arrays are given arrays for lists of computed numbers."""
    if not any(map(has_nest, all_nodes(graph))):
        return graph
    new = Rebuild(graph, lambda body: gather(body, facts))
    for node in graph:
        if not has_nest(node):
            new.copy(node)
            continue
        emit, several = silent_emit(new, node, facts), ROWS[node.target].arrays_at
        args, kwargs = new.mapped((node.args, node.kwargs))
        args = tuple([tuple([gathered(emit, item) for item in arg]) if place in several else
                      gathered(emit, arg) for place, arg in enumerate(args)])
        kwargs = {name: gathered(emit, arg) for name, arg in kwargs.items()}
        new.became[node] = new.call(node.target, args, kwargs, node.type, node)
    return new.graph


def has_nest(node: Node) -> bool:
    """Whether a function of arrays has a list with computed numbers among its arguments."""
    row = row_of(node.target) if node.op == "call_function" else None
    takes_arrays = row is not None and not row.nests and bool(
        row.partials or row.vjp or row.means or row.decompose or row.kind is Kind.WRITE)
    return takes_arrays and any(map(is_nest, (*node.args, *node.kwargs.values())))


def is_nest(arg: Any) -> bool:
    return type(arg) in (list, tuple) and any(
        is_continuous(leaf.type) for leaf in leaves(arg, Node))


def gathered(emit: NodeEmit, arg: Any) -> Any:
    """The array that NumPy makes of a list; where it makes none, the list."""
    if not is_nest(arg):
        return arg
    try:
        return emit(np.stack, [gathered(emit, item) for item in arg])
    except (Unsupported, Wrong):
        return arg
