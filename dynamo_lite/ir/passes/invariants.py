"""Loop-invariant code motion: what every iteration would compute alike is computed before the loop.

Only what costs more than to load it again moves, with what it is made of: steps that NumPy or BLAS
does, folds of arrays, and functions like `exp` of whole arrays. What a loop gives or writes into
stays, because it is a new array in each iteration. A call that raises or reports, does so before
the loop now; either way the graph bails out, and Python runs all of the program's statements.
"""
from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from .. import core
from ..binding import bound_by, bound_in, taken_by, unbacked_in
from ..control import bodies, for_loop, given, is_control, while_loop
from ..facts import Facts
from ..graph import Graph
from ..memory import owner_of
from ..node import Node
from ..ops.foreign import is_users_own
from ..row import Kind, row_of
from ..sizes import SizeExpr
from ..tree import leaves
from ..types import ArrayType, Form
from .effects import is_pure
from .rebuild import Rebuild

EXPENSIVE = frozenset({Kind.EXTERN, Kind.MATMUL, Kind.REDUCTION, Kind.SCAN})
MOVABLE = EXPENSIVE | {Kind.POINTWISE, Kind.VIEW, Kind.CREATION, Kind.STRUCTURE}


def hoist_invariants(graph: Graph, facts: Facts) -> Graph:
    """Inner loops first: what leaves them may go on out of the outer ones."""
    if not any(map(is_control, graph.calls)):
        return graph
    new = Rebuild(graph, lambda body: hoist_invariants(body, facts))
    for node in graph:
        if node.op == "call_function" and _runs(node, facts):
            _hoist(new, node, facts)
        else:
            new.copy(node)
    return new.graph


def _runs(node: Node, facts: Facts) -> bool:
    """Whether a loop has an iteration, as far as sizes are likely ones: where it has none, what was
    computed for it was in vain."""
    if node.target is while_loop:
        return node.args[0] is True
    ends = node.args[:3]
    if node.target is not for_loop or not all(isinstance(end, (int, SizeExpr)) for end in ends):
        return False
    return bool(range(*map(facts.hint, ends)))


def _hoist(new: Rebuild, node: Node, facts: Facts) -> None:
    """Add a loop to the new graph, and before it what moves out of its body."""
    args, kwargs = new.mapped((node.args, node.kwargs))
    *lead, body, carried, operands = args
    fixed = len(operands) - kwargs.get("versions", 0)
    first = len(body.placeholders) - len(operands)
    outside = dict(zip(body.placeholders[first : first + fixed], operands))
    if moved := _moved(body, outside, facts):
        before = Rebuild(body)
        before.graph, before.became = new.graph, dict(outside)
        for each in moved:
            before.copy(each)
        needed = _needed(body, moved)
        body = _without(body, moved, needed, first + fixed)
        made = before.mapped(tuple(needed))
        operands = (*operands[:fixed], *made, *operands[fixed:])
    new.became[node] = new.call(
        node.target, (*lead, body, carried, operands), kwargs, node.type, node)


def _moved(body: Graph, outside: Mapping[Node, Any], facts: Facts) -> dict[Node, None]:
    """The nodes of a body that are worth moving, with what they are made of, in their order."""
    stays, own = _staying(body, facts), bound_in(body)
    invariant = {place for place, value in outside.items()
                 if isinstance(value, Node) and value.type == place.type}
    for node in body:
        if not _may_move(node) or not invariant.issuperset(node.operands):
            continue
        if owner_of(node, facts) not in stays and own.isdisjoint(_symbols_of(node)):
            invariant.add(node)
    wanted: set[Node] = set()
    for node in reversed(body.nodes):
        if node in invariant and (node in wanted or _is_expensive(node)):
            wanted.update((node, *node.operands))
    return dict.fromkeys(node for node in body if node in wanted and node not in outside)


def _staying(body: Graph, facts: Facts) -> set[Node]:
    """Whose memory a body gives, or makes new versions of."""
    found = leaves(body.outputs, Node)
    for node in body.calls:
        if node.target in (core.update, core.perform):
            found.append(node.args[0] if node.target is core.update else node.args[1])
        elif is_control(node):
            found += _given_on(node, facts)
    return {owner_of(node, facts) for node in found}


def _given_on(node: Node, facts: Facts) -> Iterator[Node]:
    """What a loop or branch may give as it got it, or make new versions of."""
    operands = given(node)
    for body in bodies(node):
        stays = _staying(body, facts)
        inside = body.placeholders[len(body.placeholders) - len(operands) :]
        yield from (value for value, own in zip(operands, inside)
                    if isinstance(value, Node) and own in stays)
    yield from leaves(node.args[-2], Node)


def _may_move(node: Node) -> bool:
    row = row_of(node.target) if node.op == "call_function" else None
    return node.op == "get_attr" or (
        row is not None and row.kind in MOVABLE and is_pure(node) and row.lowering != "empty"
        and not is_users_own(node.target) and not bound_by(node)
    )


def _symbols_of(node: Node) -> Iterable[str]:
    return (*taken_by(node), *unbacked_in(node.type)) if node.op == "call_function" else ()


def _is_expensive(node: Node) -> bool:
    """Whether it costs more than to load it; of several results, each."""
    if node.op != "call_function" or not isinstance(node.type, ArrayType):
        return False
    call = node
    if node.target is operator.getitem and not isinstance(node.args[0].type, ArrayType):
        call = node.args[0]
    row = row_of(call.target)
    kinds = (node.type, *(operand.type for operand in call.operands))
    has_array = any(isinstance(kind, ArrayType) and kind.form is Form.ARRAY for kind in kinds)
    return row is not None and has_array and (row.kind in EXPENSIVE or row.weight > 1)


def _needed(body: Graph, moved: Collection[Node]) -> list[Node]:
    """Those that are read by what does not move; constants are there twice."""
    read = {operand for node in body if node not in moved for operand in node.operands}
    return [node for node in moved if node in read and node.op == "call_function"]


def _without(body: Graph, moved: Collection[Node], needed: list[Node], position: int) -> Graph:
    """A body that takes what it needs of what has moved, from that placeholder on."""
    new, inputs = Rebuild(body), body.placeholders
    for node in inputs[:position]:
        new.copy(node)
    for node in needed:
        new.became[node] = new.graph.placeholder(node.name, node.type)
    for node in inputs[position:]:
        new.copy(node)
    for node in body:
        if node.op == "get_attr" or (node.op != "placeholder" and node not in moved):
            new.copy(node)
    return new.graph
