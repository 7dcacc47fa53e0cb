"""Unbacked symbols, sizes that depend on data: which calls give equal ones, and where they show."""
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...guards.shapes.symbols import DataResult
from ...ir import control, core
from ...ir.graph import Graph
from ...ir.node import Node
from ...ir.numbering import Numbering
from ...ir.row import Kind, row_of
from ...ir.sizes import Size, is_unbacked, name_of, symbol, symbols
from ...ir.types import python_number

if TYPE_CHECKING:
    from ..state.tx import Tx

Naming = Callable[[str, tuple[int, ...]], DataResult]


def naming(numbering: Callable[[], Numbering], args: Sequence[Any]) -> Naming:
    """For `ShapeEnv.call`: which call makes a size or int, and how that is described."""

    def name(role: str, of: tuple[int, ...]) -> DataResult:
        if any(place >= len(args) for place in of):
            return DataResult(object(), f"the number of {role}" if role else "a value")
        operands = [args[place] for place in of]
        numbers = [*map(numbering().of, operands)]
        if not role and (mask := counted(operands[0])) is not None:
            numbers = [numbering().of_operand(operands[0], 0)]
            role, operands = "nonzero elements", [mask]
        names = ", ".join(map(what_made, operands))
        key = (role, *numbers)
        if not role:
            return DataResult(key, f"the value of {names}", _limit(operands[0]))
        upper = operands[0].type.size if role == "nonzero elements" else None
        return DataResult(key, f"the number of {role} of {names}", upper)

    return name


IN_WORDS: dict[Any, str] = {
    operator.getitem: "an item", control.choose: "a choice", operator.lt: "less",
    operator.le: "less_equal", operator.gt: "greater", operator.ge: "greater_equal",
    operator.eq: "equal", operator.ne: "not_equal",
}
"""What a value is called that another operation than a function of NumPy's gives."""


def what_made(operand: Any) -> str:
    """What reasons call a value: by the operation, where one gives it."""
    if not isinstance(operand, Node):
        return "…"
    if operand.op != "call_function":
        return operand.name.rstrip("_")
    name: str = getattr(operand.target, "__name__", operand.name)
    return IN_WORDS.get(operand.target, name)


def counted(operand: Any) -> Node | None:
    """The mask of which an operand is the number of True elements."""
    if not isinstance(operand, Node) or operand.op != "call_function":
        return None
    row = row_of(operand.target)
    if row is None or len(operand.args) != 1 or operand.kwargs:
        return None
    counts = row.lowering == "count_nonzero"
    if not counts and (row.kind is not Kind.REDUCTION or row.fold != "add"):
        return None
    mask = operand.args[0]
    is_array = isinstance(mask, Node) and mask.type.ndim > 0
    if not counts and is_array and mask.type.dtype != bool:
        return None
    if row.using.get("default_axis") is not None and mask.type.ndim != 1:
        return None
    return mask if is_array else None


def _limit(operand: Any) -> Size | None:
    """What a position is less than."""
    row = row_of(operand.target) if isinstance(operand, Node) else None
    if row is None or row.fold not in ("argmax", "argmin"):
        return None
    array = operand.args[0]
    plain = len(operand.args) == 1 and not operand.kwargs and isinstance(array, Node)
    return array.type.size - 1 if plain else None


def found_in(tx: Tx, node: Node) -> None:
    """Remember where the sizes of a new array can be read, for what needs them as ints."""
    lengths, graph = tx.state.lengths, tx.state.root_graph
    for axis, size in ((None, node.type.value), *enumerate(node.type.shape)):
        name = name_of(size)
        if name is not None and is_unbacked(name):
            lengths.setdefault(name, (node, axis))
            tx.shapes.node_of = lambda name: number_node(graph, lengths, name)


def is_of_body(tx: Tx, size: Size) -> bool:
    """Whether a size is known within the body of a loop or branch only."""
    return any(
        is_unbacked(name) and name not in tx.state.lengths and name not in tx.shapes.infos
        for name in symbols(size)
    )


def number_node(graph: Graph, lengths: dict[str, tuple[Node, int | None]], name: str) -> Node:
    """A node that gives a symbol's value as a Python int."""
    node, axis = lengths[name]
    if axis is None:
        return node
    kind = python_number(int, symbol(name))
    made = graph.call_function(core.length, (node, axis), type=kind, location=node.location)
    lengths[name] = made, None
    return made
