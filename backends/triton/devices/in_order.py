"""Folds of floats in NumPy's order, for Triton's interpreter; a GPU has its own.

A loop that adds up blocks collects them instead (`Pieces`), and what folds the lanes in the end
folds them all: rows pairwise as NumPy does, and one after the other what lies outside of rows.
"""
from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter

from ...loop_ir.evaluation import scalar_operation
from ..kernels.folds import IN_TURN, PARTS_OF_ROWS


class Pieces:
    """Tensors that are to be folded, in their order."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items


def collected(total: Any, item: Any) -> Pieces:
    """In place of a sum or product so far and an item; what it begins with changes nothing."""
    if not isinstance(total, Pieces):
        return Pieces([item])
    total.items.append(item)
    return total


def row_fold(op: str) -> Any:
    """The fold of the first `count` lanes of each of the rows that pieces make up."""
    def fold(lanes: Any, count: Any, order: int) -> Any:
        return folded(op, lanes, number(count), order)

    return fold


def folds_of_rows(op: str) -> Any:
    """The same where a program has several rows, which become a column."""
    def fold(lanes: Any, count: Any, order: int) -> Any:
        return folded(op, lanes, number(count), order, keepdims=True)

    return fold


def lane_fold(op: str) -> Any:
    """The fold of pieces of which each is a step of a row, in every lane."""
    def fold(total: Any, count: Any, order: int) -> Any:
        if not isinstance(total, Pieces):
            return total
        last, length = total.items[-1], number(count)
        data = np.stack([item.handle.data for item in total.items], axis=-1)
        rows = (data[..., k : k + length] for k in range(0, data.shape[-1], length))
        return tensor_like(last, in_order(op, rows, order, False), last.type)

    return fold


def folded(op: str, lanes: Any, count: int, order: int, keepdims: bool = False) -> Any:
    items = lanes.items if isinstance(lanes, Pieces) else [lanes]
    found = in_order(op, rows_of([item.handle.data for item in items], count), order, keepdims)
    kind = items[0].dtype
    if not keepdims:
        return tensor_like(items[0], found.reshape(1), kind)
    return tensor_like(items[0], found, tl.block_type(kind, list(found.shape)))


def rows_of(pieces: list[np.ndarray], count: int) -> Iterator[np.ndarray]:
    each = max(1, -(-count // pieces[0].shape[-1]))
    for first in range(0, len(pieces), each):
        yield np.concatenate(pieces[first : first + each], axis=-1)[..., :count]


def in_order(name: str, rows: Iterator[np.ndarray], order: int, keepdims: bool) -> np.ndarray:
    """The fold of rows along their last axis. A sum of nothing is 0.0."""
    op = scalar_operation(name)
    if order == IN_TURN:
        whole = np.concatenate(list(rows), axis=-1)
        found = np.asarray(op.accumulate(whole, axis=-1, dtype=whole.dtype)[..., -1])
        return found[..., None] if keepdims else found
    total = None
    for row in rows:
        packed = np.ascontiguousarray(row)
        if order == PARTS_OF_ROWS:
            packed = paired(packed, -np.zeros(packed.shape, packed.dtype))
        found = op.reduce(packed, axis=-1, dtype=packed.dtype, keepdims=keepdims)
        found = np.ascontiguousarray(found.real) if order == PARTS_OF_ROWS else np.asarray(found)
        total = found if total is None else op(total, found)
    assert total is not None
    return np.asarray(total)


def paired(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
    """Complex numbers of these parts."""
    made = np.empty(np.broadcast_shapes(real.shape, imag.shape), f"c{2 * real.itemsize}")
    made.real, made.imag = real, imag
    return made


def number(count: Any) -> int:
    return count if isinstance(count, int) else int(count.handle.data.item())


def tensor_like(one: Any, data: np.ndarray, kind: Any) -> Any:
    return tl.tensor(interpreter.TensorHandle(data, one.handle.dtype), kind)


IN_PLACE = {
    "fold_add": collected, "fold_multiply": collected,
    "row_sum": row_fold("add"), "row_product": row_fold("multiply"),
    "sums_of_rows": folds_of_rows("add"), "products_of_rows": folds_of_rows("multiply"),
    "lane_sum": lane_fold("add"), "lane_product": lane_fold("multiply"),
    "quotient_of_halves": operator.truediv,
}
"""What stands in place of the prelude's functions of these names."""
