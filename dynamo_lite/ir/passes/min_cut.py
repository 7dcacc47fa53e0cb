"""What is kept for a sweep back, and what it computes again.

A value that the sweep reads is either kept, which costs the bytes of it, or computed again, which
costs its operations, and that its operands are there. The cheapest choice is a minimum cut: each
value is an edge from being needed to being computed, as wide as it costs to keep it; from there
edges that nothing cuts lead to its operands, and one as wide as it costs to compute it to the end.
"""
from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Any

from ..binding import unbacked_in
from ..facts import Facts
from ..node import Node
from ..row import Kind, row_of
from ..types import ArrayType, Form

Cost = Callable[[Node], float]
PER_BYTE = 0.25
"""Simple operations that it is worth to write a byte and to read it once."""
ACCESS = 8.0
"""The same of finding the place of a value."""
HEAVY = 50.0
"""Of an element of a product, a fold, a loop or a call of NumPy."""
LONGEST = 300
"""Calls among which values are chosen; of more, none is kept."""
START, END = "start", "end"


def kept_values(
    wanted: Iterable[Node], states: Collection[Node], candidates: Collection[Node], limit: float,
    facts: Facts,
) -> set[Node]:
    """Which of the candidates to keep for who wants some values, besides states, so that at most
    `limit` bytes are kept of all; none where that is not possible."""
    if len(candidates) > LONGEST:
        return set()
    loads = partial(loading, states=states, candidates=candidates, facts=facts)
    computes = partial(computing, candidates=candidates, facts=facts)
    for price in (PER_BYTE, 4 * PER_BYTE, 16 * PER_BYTE):
        chosen = minimum_cut(wanted, partial(loads, price=price), computes)
        found = {node for node in chosen if node in candidates}
        if sum(size_of(node, facts) for node in found | (chosen & {*states})) <= limit:
            return found
    return set()


def loading(
    node: Node, states: Collection[Node], candidates: Collection[Node], facts: Facts, price: float
) -> float:
    """What is there anyway costs nothing; states are preferred a little to what follows."""
    if node not in states and node not in candidates:
        return 0.0
    if not can_keep(node.type):
        return 0.0 if node in states else math.inf
    cost = ACCESS + price * size_of(node, facts)
    return cost if node in states else 1.1 * cost


def can_keep(kind: Any) -> bool:
    """Whether a value can be read back as it was."""
    return isinstance(kind, ArrayType) and next(unbacked_in(kind), None) is None and (
        kind.form is not Form.ARRAY or bool(kind.is_c_contiguous))


def computing(node: Node, candidates: Collection[Node], facts: Facts) -> float:
    """Simple operations."""
    if node not in candidates:
        return math.inf
    row = row_of(node.target)
    if row is not None and row.kind in (Kind.VIEW, Kind.STRUCTURE):
        return 0.0
    if row is not None and row.kind is Kind.POINTWISE:
        return row.weight * elements(node, facts)
    return HEAVY * max(elements(each, facts) for each in (node, *node.operands))


def elements(node: Node, facts: Facts) -> int:
    kind = node.type
    if not isinstance(kind, ArrayType) or next(unbacked_in(kind), None) is not None:
        return 1
    return int(facts.hint(kind.size))


def size_of(node: Node, facts: Facts) -> float:
    return elements(node, facts) * node.type.dtype.itemsize if can_keep(node.type) else 0.0


def minimum_cut(wanted: Iterable[Node], load: Cost, compute: Cost) -> set[Node]:
    """The values to load, for who wants some."""
    widths: dict[Any, dict[Any, float]] = defaultdict(lambda: defaultdict(float))
    left, seen = list(wanted), set[Node]()
    for node in left:
        widths[START][node, "needed"] = math.inf
    while left:
        if (node := left.pop()) in seen:
            continue
        seen.add(node)
        widths[node, "needed"][node, "computed"] = load(node)
        if load(node) == 0:
            continue
        widths[node, "computed"][END] = compute(node)
        for operand in node.operands:
            widths[node, "computed"][operand, "needed"] = math.inf
            left.append(operand)
    reached = saturated(widths)
    return {node for node in seen
            if (node, "needed") in reached and (node, "computed") not in reached}


def saturated(widths: dict[Any, dict[Any, float]]) -> set[Any]:
    """What can still be reached from the start when the flow is the largest (Edmonds and Karp)."""
    while True:
        before: dict[Any, Any] = {START: None}
        queue = deque([START])
        while queue and END not in before:
            place: Any = queue.popleft()
            for following, width in widths[place].items():
                if width > 0 and following not in before:
                    before[following] = place
                    queue.append(following)
        if END not in before:
            return {*before}
        path, place = [], END
        while before[place] is not None:
            path.append((before[place], place))
            place = before[place]
        flow = min(widths[one][other] for one, other in path)
        if math.isinf(flow):
            return {*before} - {END}
        for one, other in path:
            widths[one][other] -= flow
            widths[other][one] += flow
