"""Tracing a part of a frame into a graph of its own: a body of a node of `ir.control`."""
from __future__ import annotations

import importlib
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...errors import GraphBreak
from ...ir.control import all_nodes
from ...ir.errstates import Errstate
from ...ir.graph import Graph
from ...ir.node import Node
from ...ir.row import Effect, row_of
from ...ir.tree import leaves, map_leaves
from ...ir.types import ArrayType, Form, python_number
from ..recording.nodes import RESULTS, begin_numbering, numbering, owner_of, writes
from ..state.fields import Body, FieldName
from ..state.tracker import COUNTER, VariableTracker
from ..trackers.objects.errstates import current

if TYPE_CHECKING:
    from ..state.tx import Tx


@contextmanager
def capturing(tx: Tx, what: str, carried: frozenset[FieldName] | None = None) -> Iterator[Graph]:
    """Nodes go to a new graph inside; what Python would notice breaks the graph. `carried` are the
    fields that an iteration of a loop may change."""
    state = tx.state
    outer, fields, numbers = state.graph, state.side_effects.fields, numbering(tx)
    lengths = dict(state.list_lengths)
    state.graph = Graph(
        symbols=outer.symbols, facts=outer.facts, unbacked=state.shapes.data,
        assertions=state.shapes.assertions, is_body=True,
    )
    begin_numbering(tx, numbers, carried is not None)
    fields.begin(Body(what, next(COUNTER), carried))
    try:
        yield state.graph
    finally:
        state.graph = outer
        fields.end()
        state.list_lengths = lengths


def close(tx: Tx, bodies: Sequence[Graph]) -> tuple[Node, ...]:
    """Make placeholders of what bodies read from around them; the operands, the same for all."""
    operands: dict[Node, None] = {}
    for body in bodies:
        check_effects(body, current(tx))
        inside = set(body.nodes)
        for node in [n for n in body.nodes if n.op == "get_attr"]:
            body.nodes.remove(node)
            tx.graph.nodes.append(renamed(tx.graph, node))
            inside.discard(node)
        for node in body.nodes:
            for leaf in leaves((node.args, node.kwargs)):
                if isinstance(leaf, Node) and leaf not in inside:
                    operands[leaf] = None
    for body in bodies:
        _take(body, operands)
    return tuple(operands)


def renamed(graph: Graph, node: Node) -> Node:
    node.name = graph._fresh(node.name)
    return node


def _take(body: Graph, operands: Iterable[Node]) -> None:
    """Read operands through placeholders, which come after those that there are."""
    first = body.placeholders
    taken = {node: Node("placeholder", body._fresh(node.name), node.name, type=node.type)
             for node in operands}
    rest = [node for node in body.nodes if node.op != "placeholder"]
    for node in rest:
        node.args, node.kwargs = map_leaves(
            lambda leaf: taken.get(leaf, leaf) if isinstance(leaf, Node) else leaf,
            (node.args, node.kwargs),
        )
    body.nodes[:] = [*first, *taken.values(), *rest]


def check_effects(body: Graph, errstate: Errstate) -> None:
    for node in all_nodes(body):
        if node.errstate != errstate and node.op == "call_function":
            raise GraphBreak("np.errstate inside of a loop or branch on data")
        row = row_of(node.target) if node.op == "call_function" else None
        if row is not None and row.effect is Effect.STATE:
            raise GraphBreak(f"{row.name} changes more than arrays")


def results(
    tx: Tx, target: Callable[..., Any], args: tuple[Any, ...], kinds: Sequence[ArrayType],
    **kwargs: Any,
) -> list[Node]:
    """Record a node of `ir.control`; its results."""
    where: Any = {"location": tx.location(), "errstate": current(tx)}
    node = tx.graph.call_function(target, args, kwargs, type=tuple(kinds), **where)
    return [
        tx.graph.call_function(operator.getitem, (node, place), type=kind, **where)
        for place, kind in enumerate(kinds)
    ]


def tracker_of(node: Node) -> VariableTracker:
    return RESULTS[node.type.form](node)


def type_of(value: VariableTracker) -> ArrayType | None:
    """The type of a value that can enter and leave a body, or None."""
    found = getattr(value, "array_type", None)
    if isinstance(found, ArrayType):
        is_long = found.form is not Form.ARRAY and found.dtype.char in LONG
        return found if found.form is not Form.OBJECT and not is_long else None
    kind = value.python_type() if value.is_constant() else None
    if kind in (bool, int, float):
        return PYTHON_TYPES[kind]
    return None


LONG = "gG"
"""Numbers that no register of a kernel holds: long doubles, and pairs of them."""

PYTHON_TYPES = {kind: python_number(kind) for kind in (bool, int, float)}


def owner(tx: Tx, node: Node) -> Node:
    return owner_of(tx, node)


def is_view(tx: Tx, value: Any) -> bool:
    """Whether a value is an array in memory of another one, which lies there as no copy would."""
    return isinstance(value, Node) and is_array(value) and owner_of(tx, value) is not value


def is_fresh(tx: Tx, node: Node, body: Graph) -> bool:
    """Whether an array is made in a body, in memory of its own."""
    alias = tx.state.may_alias.get(owner_of(tx, node))
    sources = () if alias is None else alias.sources
    return is_made(tx, node, body) and all(is_fresh(tx, source, body) for source in sources)


def is_made(tx: Tx, node: Node, body: Graph) -> bool:
    """Whether an array is made in a body, or is one of the sources that are noted for it."""
    found = owner_of(tx, node)
    alias = tx.state.may_alias.get(found)
    is_inside = found.op == "call_function" and found in body.nodes
    return is_inside and (alias is None or bool(alias.sources))


def checked_close(tx: Tx, bodies: Sequence[Graph]) -> tuple[Node, ...]:
    """`close`, for bodies that may write into arrays around them: these must have no other name."""
    operands = close(tx, bodies)
    changed = changed_places(tx, bodies, len(operands))
    for place in changed:
        writes(tx, operands[place])
        mine = owner_of(tx, operands[place])
        for other, node in enumerate(operands):
            if other != place and is_array(node) and owner_of(tx, node) is mine:
                raise GraphBreak("two views of one array, one of which is written")
    return operands


def changed_places(tx: Tx, bodies: Sequence[Graph], count: int) -> set[int]:
    """Which of the last `count` placeholders of bodies are written by one of them."""
    found: set[int] = set()
    for body in bodies:
        placeholders = body.placeholders
        changed = written(tx, body)
        first = len(placeholders) - count
        found |= {at for at, node in enumerate(placeholders[first:]) if node in changed}
    return found


def written(tx: Tx, body: Graph) -> set[Node]:
    """The placeholders that a body which is done writes into. Most programs have no bodies, and do
    without passes."""
    passes = importlib.import_module("...ir.passes.functionalise", __package__)
    found: set[Node] = passes.written(body, tx.shapes, tx.state.written)
    return found


def is_array(node: Node) -> bool:
    return isinstance(node.type, ArrayType) and node.type.form is Form.ARRAY
