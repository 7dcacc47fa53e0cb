"""Graphs for partitioning."""
from __future__ import annotations

from ...ir.graph import Graph
from ...ir.passes import PASSES, forward_stores, optimize


def optimized(graph: Graph) -> Graph:
    """By all passes but one: a part of an array that was just assigned is read from there, where it
    lies in the blocks of the others."""
    return optimize(graph, passes=[run for run in PASSES if run is not forward_stores])
