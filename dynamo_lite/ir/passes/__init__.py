"""Graph → graph. Each pass is a function of the graph and the facts; `optimize` runs them in order.

A pass never changes its argument, except that nodes are taken over when nothing about them changes.
The result computes the same values with the same types, raises and warns where the original does,
and keeps placeholders (their number, order and names) as they are.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence

from ...base.config import config
from ..facts import Facts, graph_facts
from ..graph import Graph
from .decompose import decompose
from .drop import drop_dead
from .fold import fold_constants
from .forward import forward_stores
from .functionalise import functionalise
from .invariants import hoist_invariants
from .merge import merge_common
from .verify import verify
from .wrap import wrap_masked

Pass = Callable[[Graph, Facts], Graph]

PASSES: tuple[Pass, ...] = (
    decompose, functionalise, fold_constants, wrap_masked, merge_common, forward_stores,
    hoist_invariants, drop_dead,
)


def optimize(
    graph: Graph, facts: Facts | None = None,
    observe: Callable[[str, Graph], None] | None = None, passes: Sequence[Pass] = PASSES,
) -> Graph:
    """Run all passes; `observe(name, graph)` sees the result of each, verified in strict mode."""
    facts, functional = facts or graph_facts(graph), False
    for run in passes:
        graph, functional = run(graph, facts), functional or run is functionalise
        if config.strict:
            verify(graph, functional=functional)
        if observe is not None:
            observe(run.__name__, graph)
    return graph


__all__ = [
    "PASSES", "decompose", "drop_dead", "fold_constants", "forward_stores", "functionalise",
    "hoist_invariants", "merge_common", "optimize", "wrap_masked",
]
