"""Calls for which NumPy's own loop is faster than a kernel: they are steps that call NumPy.

Each was measured on arrays that are in memory. What the graph computes on the way is not: a
kernel reads it where it is made.
"""
from __future__ import annotations

import operator
from collections.abc import Callable

from ...ir.node import Node
from ...ir.row import Kind, row_of
from ...ir.sizes import product
from ...ir.types import ArrayType, Form, contiguous_strides
from ..hints import Hint

FEW = 4096
"""Elements up to which calling NumPy costs more than its loop saves."""
IN_CACHE = 1 << 20
"""Elements up to which it matters how fast a loop is, rather than how fast memory is."""


def why_numpy(node: Node, hint: Hint) -> str | None:
    """Why NumPy had better compute a call, or None."""
    row = row_of(node.target)
    if row is None or row.preference is None or not PREFERENCES[row.preference](node, hint):
        return None
    return "NumPy's own loop is faster"


def array(node: Node, place: int) -> ArrayType | None:
    """The type of an operand that is an array in memory."""
    found = node.args[place] if place < len(node.args) else None
    if not isinstance(found, Node) or not isinstance(found.type, ArrayType):
        return None
    return found.type if found.type.form is Form.ARRAY and is_in_memory(found) else None


def is_in_memory(node: Node) -> bool:
    """Whether a value is an input, what NumPy gives, or a view of these."""
    while node.op == "call_function":
        row = row_of(node.target)
        if row is None or row.kind is Kind.EXTERN:
            return True
        if row.strided_view is None or not node.args or not isinstance(node.args[0], Node):
            return False
        node = node.args[0]
    return True


def is_contiguous(kind: ArrayType) -> bool:
    return kind.strides == contiguous_strides(kind.shape, kind.dtype.itemsize)


def of_an_extremum(node: Node, hint: Hint) -> bool:
    """Bools end at the first one; the others have instructions for it in NumPy."""
    kind = array(node, 0)
    if kind is None or not kind.shape or not is_contiguous(kind):
        return False
    last = hint(kind.shape[-1])
    if kind.dtype == bool:
        return hint(kind.size) > FEW and last > 64
    return kind.dtype.char in "fdB" and FEW < hint(kind.size) <= IN_CACHE and last > 64


def of_bools(node: Node, hint: Hint) -> bool:
    """A product of bools is over at the first one that is true."""
    kinds = array(node, 0), array(node, 1)
    if any(kind is None or kind.dtype != bool for kind in kinds):
        return False
    return max(hint(kind.size) for kind in kinds if kind is not None) > 256


def of_strided_vectors(node: Node, hint: Hint) -> bool:
    """NumPy makes vectors contiguous before it multiplies them."""
    kinds = array(node, 0), array(node, 1)
    return of_bools(node, hint) or all(
        kind is not None and kind.ndim == 1 and hint(kind.size) > FEW and not is_contiguous(kind)
        for kind in kinds
    )


def of_rows(node: Node, hint: Hint) -> bool:
    """Elements, or whole rows of bytes, at positions."""
    source, places = array(node, 0), array(node, 1)
    if source is None or places is None or not is_contiguous(source) or node.args[2:]:
        return False
    is_take = node.target is not operator.getitem
    plain = is_take and not set(node.kwargs) - {"axis"}
    axis = node.kwargs.get("axis", 0 if source.ndim == 1 else None)
    row = hint(product(source.shape[1:]))
    if places.dtype.kind != "i" or hint(places.size) * row <= 2 * FEW:
        return False
    if source.ndim == 1:
        return plain and axis in (0, None)
    is_bytes = source.dtype.itemsize == 1 and row > 16
    return is_bytes and (axis == 0 if plain else not is_take)


PREFERENCES: dict[str, Callable[[Node, Hint], bool]] = {
    question.__name__: question
    for question in (of_an_extremum, of_bools, of_strided_vectors, of_rows)
}
"""What rows call the questions whether NumPy's own loop is faster."""
