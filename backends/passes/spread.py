"""Folds whose results are spread over rows again, as in `x - x.max(axis=1, keepdims=True)`: whether
each is computed between two loops over its row, or before, for many rows at a time.

The first reads memory once and is better for sums, which add up the elements of a vector in a few
steps. The second has an instruction do its work for as many rows as a vector has elements.
"""
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ...ir.node import Node
from ...ir.row import Kind, row_of
from ...ir.sizes import Size
from ...ir.types import ArrayType

Readers = Mapping[Node, Sequence[Node]]
COMPARING = frozenset({"maximum", "minimum", "argmax", "argmin"})
"""Folds that keep NaN, which takes a vector some ten instructions for each halving."""
SHORT_COMPARED, SHORT = 16, 7
"""The most elements that such a fold, and another that is computed several times, is better done
over for many rows at a time (measured: 1 to 5 times as fast for 20,000 and 2 million rows)."""
FEW_ROWS = 16


def why_before(fold: Node, axes: int, readers: Readers, in_order: bool) -> str | None:
    """Why a fold is computed before what reads it, if it is; `axes` is how many the largest array
    has that is folded where it is computed. `in_order`: by one vector after the other."""
    spread = [*_spread_by(fold, readers)]
    if any(reader.type.ndim < axes for reader in spread):
        return "rows that read it are shorter than those that it folds"
    if in_order and spread and _has_rows(fold) and _length(fold) <= _short(fold, spread, readers):
        return "it folds few elements of each row"
    return None


def _short(fold: Node, spread: Sequence[Node], readers: Readers) -> int:
    """The most elements that are few for this fold."""
    if _name(fold) in COMPARING:
        return SHORT_COMPARED
    return SHORT if any(_is_folded_across(fold, each, readers) for each in spread) else 0


def _spread_by(fold: Node, readers: Readers) -> Iterator[Node]:
    """What first reads a value along axes that it has not."""
    for one in _alike(fold, readers):
        for reader in readers.get(one, ()):
            if is_smaller(one, reader) and one.type.ndim <= reader.type.ndim:
                yield reader


def _alike(node: Node, readers: Readers) -> Iterator[Node]:
    """A value, and those of its size that are computed of it, one after the other."""
    left, seen = [node], {node}
    while left:
        yield (one := left.pop())
        for reader in readers.get(one, ()):
            is_array = isinstance(reader.type, ArrayType)
            if is_array and reader not in seen and reader.type.size == one.type.size:
                seen.add(reader)
                left.append(reader)


def _is_folded_across(fold: Node, spread: Node, readers: Readers) -> bool:
    """Whether what a fold is spread over is folded along another axis than the new one: each of its
    elements would be computed as often as the new axis is long."""
    again = (reader for one in _alike(spread, readers) for reader in readers.get(one, ())
             if _is_fold(reader) and isinstance(reader.type, ArrayType))
    return any(_sizes(fold.type) - _sizes(reader.type) for reader in again)


def _length(fold: Node) -> float:
    """How many elements are folded into one, as far as is known."""
    of = fold.args[0]
    if not isinstance(of, Node) or not isinstance(of.type, ArrayType):
        return math.inf
    sizes = (_sizes(of.type) - _sizes(fold.type)).elements()
    return math.prod(size if type(size) is int else math.inf for size in sizes)


def _sizes(kind: ArrayType) -> Counter[Size]:
    return Counter(size for size in kind.shape if size != 1)


def _has_rows(fold: Node) -> bool:
    """Whether there are many at a time; of a number that is not known it is expected."""
    rows = fold.type.size
    return type(rows) is not int or rows >= FEW_ROWS


def _name(fold: Node) -> str | None:
    row = row_of(fold.target)
    return row.fold if row is not None else None


def _is_fold(node: Node) -> bool:
    row = row_of(node.target) if node.op == "call_function" else None
    return row is not None and row.kind is Kind.REDUCTION


def is_smaller(node: Node, reader: Node) -> bool:
    """Whether a value has fewer elements than what reads it."""
    if not isinstance(node.type, ArrayType) or not isinstance(reader.type, ArrayType):
        return False
    return node.type.shape != reader.type.shape and node.type.size != reader.type.size
