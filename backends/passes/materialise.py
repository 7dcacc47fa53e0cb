"""Which graph values get memory of their own, and why; the others are computed where they are read.

Decided on the graph, before lowering. Each node collects its *uses*: the kernels (named by the node
that such a kernel computes) that would evaluate it, along which path of views and reductions. Two
uses mean that it would be computed twice.
"""
from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

import numpy as np

from ...base.records import dataclass
from ...ir.errstates import is_silent
from ...ir.graph import Graph
from ...ir.node import Node, SymbolOrigin
from ...ir.passes.effects import narrows
from ...ir.row import Kind, lowering_of, row_of
from ...ir.sizes import Size
from ...ir.tree import leaves
from ...ir.types import ArrayType, Form
from .. import costs
from ..hints import least_of
from ..loop_ir import affine
from .spread import is_smaller, why_before


class Access(Enum):
    """How a call reads an operand."""

    SAME = "each element once"
    FOLD = "each element once, in a loop of its own"
    VIEW = "every element, elsewhere"
    PART = "some elements, elsewhere"
    COPY = "every element, in a kernel of its own"
    REST = "the elements that are not replaced, in a kernel of its own"
    MEMORY = "through its address"
    SHAPE = "not at all, only its shape counts"


@dataclass(frozen=True, slots=True)
class Use:
    """A kernel that would evaluate a value: `kernel` names its box, `path` the way the value is
    reached, `covers` whether all of its elements are evaluated, `reports` whether what becomes of
    floating-point reports is the same all the way."""

    kernel: tuple[Any, ...]
    path: tuple[Any, ...] = ()
    covers: bool = True
    reports: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """How a lowering reads its first operand, and the others where that is different.

    `copies`: it gives the elements of its operand; reading those is as good as reading the result.
    `in_place`: an element of the view is read where an element of the operand is. `moved`: what an
    array holds at a computed position is read there, not through an address. `checks`: where
    integers may not fit, a kernel computes the result to see, wherever it is read."""

    first: Access
    others: Access | None = None
    copies: bool = False
    in_place: bool = False
    moved: bool = False
    checks: bool = False


Readings = dict[str, Reading]
"""Name of a lowering → how it reads."""
Symbols = Mapping[str, SymbolOrigin]
MANY_USES = 16
RECOMPUTE_BUDGET = 4
RECOMPUTE_BUDGET_IN_ROW = 24
LONGEST_EXPRESSION = 160
SHORT_SCALAR = 12
"""A number that costs so little is computed again by each kernel that needs it."""


def choose_materialised(
    graph: Graph, readings: Readings, by_address: Collection[Node] = (), in_order: bool = False
) -> dict[Node, str]:
    """The nodes to compute into memory, each with the reason. Those in `by_address` read all of
    their operands through their addresses. `in_order`: kernels compute one vector after the other,
    not all of their points at a time."""
    readers = _readers(graph, readings, by_address)
    forced = _forced(graph, readers)
    chosen = _choose(graph, readings, forced, readers, in_order)
    folds = {
        node: reason for node, reason in chosen.items()
        if node not in forced and access_of(node, readings) is Access.FOLD
    }
    if not folds:
        return chosen
    forced |= folds  # what they read is read once
    return _choose(graph, readings, forced, readers, in_order)


def _choose(
    graph: Graph, readings: Readings, forced: dict[Node, str], readers: Readers, in_order: bool
) -> dict[Node, str]:
    """`forced` and what else is worth it, given those."""
    uses: dict[Node, frozenset[Use]] = {}
    stages = _stages(graph, readings)
    stores: Counter[tuple[Any, ...]] = Counter()
    for node in reversed(graph.nodes):
        if node in forced:
            box = (*_box_of(node, stages[node]), node.errstate)
            uses[node] = frozenset((Use((stores[box] // costs.MOST_STORES, *box)),))
            stores[box] += 1
        else:
            uses[node] = frozenset(_uses(graph, readings, node, readers.get(node, []), uses))
    readers_of = {node: [reader for reader, _ in found] for node, found in readers.items()}
    return _decide(graph, readings, forced, uses, readers_of, stages, in_order)


def _decide(
    graph: Graph, readings: Readings, forced: dict[Node, str], uses: dict[Node, frozenset[Use]],
    readers: Mapping[Node, Sequence[Node]], stages: Mapping[Node, int], in_order: bool,
) -> dict[Node, str]:
    """Forward over the graph, so that the cost of a value starts at what is in memory already."""
    chosen = dict(forced)
    cost: dict[Node, int] = {}
    reporting: set[Node] = set()  # what may raise flags where it is computed
    folded: dict[Node, int] = {}
    for node in graph.calls:
        operands = node.operands
        fresh = own_cost(node, readings)
        for operand in operands:
            if access_of(node, readings, operand) is Access.SHAPE:
                continue
            once = operand in chosen or _is_hoisted(operand, node, readings)
            fresh += costs.LOAD if once else cost.get(operand, costs.LOAD)
        cost[node] = fresh
        folded[node] = _axes_folded(node, readings, chosen, folded)
        if may_flag(node) or any(o in reporting and o not in chosen for o in operands):
            reporting.add(node)
        if node in chosen:
            continue
        if reason := why_materialise(node, uses[node], cost[node]):
            chosen[node] = reason
        elif cost[node] >= costs.REDUCTION and _is_checked_before(
            node, readings, stages[node], uses[node]
        ):
            chosen[node] = "it is checked before a kernel reads it"
        elif access_of(node, readings) is Access.FOLD and (
            reason := why_before(node, folded[node], readers, in_order)
        ):
            chosen[node] = reason
        elif node in reporting and not _is_reported(node, uses[node], readers.get(node, ())):
            chosen[node] = "what becomes of its floating-point reports differs from its reader's"
    return chosen


def _is_checked_before(
    node: Node, readings: Readings, stage: int, uses: Collection[Use]
) -> bool:
    """Whether a kernel that is not among the readers computes the node, to see whether it fits."""
    reading, type_ = reading_of(node, readings), node.type
    if reading is None or not reading.checks or not isinstance(type_, ArrayType):
        return False
    box = _box_of(node, stage)  # in the name of a kernel, behind how many it has before it
    return type_.dtype.kind in "iu" and any(use.kernel[1 : 1 + len(box)] != box for use in uses)


def _is_reported(node: Node, uses: Collection[Use], readers: Sequence[Node]) -> bool:
    """Whether what it raises is reported as it should be, if it is computed where it is read: where
    nothing is reported it may be computed once more."""
    others = [reader.errstate for reader in readers if reader.errstate != node.errstate]
    if not others:
        return True
    return all(map(is_silent, others)) and any(use.covers and use.reports for use in uses)


def _axes_folded(
    node: Node, readings: Readings, chosen: Collection[Node], folded: Mapping[Node, int]
) -> int:
    """How many axes the largest array has that is folded where the node is computed."""
    inside = [folded.get(each, 0) for each in node.operands if each not in chosen]
    if access_of(node, readings) is Access.FOLD and isinstance(node.args[0], Node):
        inside.append(node.args[0].type.ndim)
    return max(inside, default=0)


def why_materialise(node: Node, uses: frozenset[Use], cost: int) -> str | None:
    """Why a value is computed once and stored, or None when it is computed where it is read."""
    if not isinstance(node.type, ArrayType):
        return None
    if not uses:
        return "nothing reads it, but its warnings count" if counts_flags(node) else None
    if counts_flags(node) and not any(use.covers for use in uses):
        return "only parts of it are read, but all of its warnings count"
    if cost > LONGEST_EXPRESSION and cost < costs.REDUCTION:
        return "the expression is long"
    count = len({(use.kernel, use.path) for use in uses})
    if count == 1 or cost <= (SHORT_SCALAR if node.type.ndim == 0 else costs.LOAD):
        return None
    in_row = len({use.kernel for use in uses}) == 1 and all(_is_row_path(use.path) for use in uses)
    budget = RECOMPUTE_BUDGET_IN_ROW if in_row else RECOMPUTE_BUDGET
    if cost * (count - 1) > budget:
        return f"it would be computed {count} times"
    return None


def _is_row_path(path: tuple[Any, ...]) -> bool:
    return all(isinstance(step, tuple) and step[0] is Access.FOLD for step in path)


def own_cost(node: Node, readings: Readings) -> int:
    match access_of(node, readings):
        case Access.FOLD:
            return costs.REDUCTION
        case Access.SAME if (reading := reading_of(node, readings)) is None or not reading.copies:
            row = row_of(node.target)
            return costs.OTHER if row is None else row.weight
    return 0


def access_of(node: Node, readings: Readings, operand: Node | None = None) -> Access:
    """How a call reads an operand (by default its first)."""
    if node.op != "call_function":
        return Access.MEMORY
    reading = reading_of(node, readings)
    if reading is not None and operand is not None and operand is not node.args[0]:
        if reading.others is not None:
            return reading.others
    if node.target is operator.getitem:
        return _access_of_getitem(node)
    if reading is not None:
        is_part = reading.moved and _is_moved(node.args[0])
        return Access.COPY if is_part else reading.first
    return Access.SAME if isinstance(node.target, np.ufunc) else Access.MEMORY


def reading_of(node: Node, readings: Readings) -> Reading | None:
    return readings.get(lowering_of(node.target) or "")


def _access_of_getitem(node: Node) -> Access:
    source, key = node.args
    if isinstance(source, Node) and not isinstance(source.type, ArrayType):
        return Access.VIEW
    if any(isinstance(leaf, (Node, np.ndarray, list)) for leaf in leaves(key)):
        return Access.PART if _moves(key) and _is_moved(source) else Access.MEMORY
    items = key if isinstance(key, tuple) else (key,)
    whole = (slice(None), slice(None, None, -1), None, Ellipsis)
    return Access.VIEW if all(item in whole for item in items) else Access.PART


def _is_moved(value: Any) -> bool:
    """Whether a value is a part of an array at a position that is a number of the graph."""
    return isinstance(value, Node) and value.target is operator.getitem and _moves(value.args[1])


def _moves(key: Any) -> bool:
    """Whether a key has positions that are numbers of the graph, and none that are arrays."""
    found = [leaf for leaf in leaves(key) if isinstance(leaf, (Node, np.ndarray, list))]
    return bool(found) and all(
        isinstance(leaf, Node) and isinstance(leaf.type, ArrayType) and not leaf.type.shape
        and leaf.type.form is not Form.ARRAY for leaf in found
    )


def counts_flags(node: Node) -> bool:
    """Whether somebody is told of the conditions that computing the node raises."""
    return may_flag(node) and not is_silent(node.errstate)


def may_flag(node: Node) -> bool:
    """Whether computing the node may raise a floating-point condition that NumPy reports."""
    row = row_of(node.target)
    if row is not None and not row.flags and not narrows(node):
        return False
    operands = node.operands
    types = [node.type, *(operand.type for operand in operands)]
    return any(isinstance(t, ArrayType) and t.dtype.kind in "fc" for t in types)


Readers = dict[Node, list[tuple[Node, Access]]]


def _readers(graph: Graph, readings: Readings, by_address: Collection[Node]) -> Readers:
    found: Readers = {}
    for node in graph.nodes:
        for leaf in node.operands:
            called = node in by_address
            access = Access.MEMORY if called else access_of(node, readings, leaf)
            found.setdefault(leaf, []).append((node, access))
    return found


def _forced(graph: Graph, readers: Readers) -> dict[Node, str]:
    """Values whose address matters: outputs, what views in them share, operands of externs."""
    found: dict[Node, str] = {}
    for node in reversed(graph.nodes):
        for reader, access in readers.get(node, ()):
            if reader.op == "output":
                found.setdefault(node, "it is an output")
            elif access is Access.MEMORY:
                found.setdefault(node, f"{reader.name} reads it through its address")
            elif access in (Access.VIEW, Access.PART) and reader in found and _is_view(reader):
                found.setdefault(node, f"{reader.name} is a view of it")
    return found


def _is_view(node: Node) -> bool:
    return isinstance(node.type, ArrayType) and node.type.form.value == "array"


def _stages(graph: Graph, readings: Readings) -> dict[Node, int]:
    """How many steps that are no kernels a node comes after, one after the other."""
    found: dict[Node, int] = {}
    for node in graph.nodes:
        operands = node.operands
        found[node] = max((found[o] + _is_no_kernel(o, readings) for o in operands), default=0)
    return found


def _is_no_kernel(node: Node, readings: Readings) -> bool:
    return node.op == "call_function" and access_of(node, readings) is Access.MEMORY


def _box_of(node: Node, stage: int) -> tuple[Any, ...]:
    """What the kernels that may become one have in common."""
    shape = node.type.shape if isinstance(node.type, ArrayType) else (node.name,)
    return (stage, *shape)


def _uses(
    graph: Graph, readings: Readings, node: Node, readers: list[tuple[Node, Access]],
    uses: dict[Node, frozenset[Use]],
) -> Iterator[Use]:
    for reader, access in readers:
        if access is Access.SHAPE:
            continue
        reading = reading_of(reader, readings)
        if access is Access.VIEW and reading is not None and reading.in_place:
            yield from _few(uses.get(reader, ()))
            continue
        for use in _few(uses.get(reader, ())):
            found = _through(node, reader, access, use, graph.symbols)
            reports = use.reports and reader.errstate == node.errstate
            yield found if found.reports == reports else replace(found, reports=reports)


def _few(uses: Collection[Use]) -> Collection[Use]:
    return sorted(uses, key=repr)[:MANY_USES] if len(uses) > MANY_USES else uses


def _through(node: Node, reader: Node, access: Access, use: Use, symbols: Symbols) -> Use:
    match access:
        case Access.SAME:
            if is_smaller(node, reader):
                kept = tuple(s for s in use.path if not _is_row_path((s,)))
                return Use(use.kernel, kept, use.covers and not _may_vanish(node, reader, symbols))
            return use
        case Access.FOLD:
            axis = reader.kwargs.get("axis", reader.args[1] if len(reader.args) > 1 else None)
            return Use(use.kernel, ((Access.FOLD, str(axis)), *use.path), use.covers)
        case Access.VIEW:
            return Use(use.kernel, (_map_of(reader), *use.path), use.covers)
        case Access.PART:
            return Use(use.kernel, (_map_of(reader), *use.path), False)
    return Use((reader.name,), (), access is not Access.REST)


def _map_of(view: Node) -> tuple[Any, ...]:
    """What distinguishes one way of looking at an array from another."""
    return (getattr(view.target, "__name__", ""), repr(view.args[1:]), repr(view.kwargs))


def _is_hoisted(operand: Node, reader: Node, readings: Readings) -> bool:
    """Whether the operand is broadcast, so that it is computed once per row."""
    return access_of(reader, readings, operand) is Access.SAME and is_smaller(operand, reader)


def _may_vanish(node: Node, reader: Node, symbols: Symbols) -> bool:
    """Whether broadcasting to no elements at all may leave the operand unread; a fold of no
    elements has nothing to report."""
    if any(affine.is_zero(n) for n in node.type.shape):
        return False
    added = set(reader.type.shape) - set(node.type.shape) - _folded(node)
    return any((least_of(n, symbols) or 0) < 1 for n in added)


def _folded(node: Node) -> set[Size]:
    """The sizes of what a fold goes over."""
    row = row_of(node.target) if node.op == "call_function" else None
    if row is None or row.kind is not Kind.REDUCTION or not isinstance(node.args[0], Node):
        return set()
    return {*node.args[0].type.shape}
