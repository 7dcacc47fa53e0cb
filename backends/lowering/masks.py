"""Boolean masks: counted, then what they select is copied into memory of just that size."""
from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from ...ir import core
from ...ir.binding import bound_by
from ...ir.node import Node
from ...ir.sizes import Size, product
from ...ir.types import ArrayType, Form, contiguous_strides
from .. import affine, simplify
from ..fusion import Access
from ..program import Count, Extract
from .context import Lowering, lowers
from .pointwise import require_native
from .values import CannotLower, Value, load_of

BOOL = np.dtype(bool)
INDEX = np.dtype(np.intp)


@lowers(np.nonzero, reads=Access.MEMORY)
def nonzero(low: Lowering, node: Node, a: Any) -> tuple[Value, ...]:
    """The positions, unless all that is done with them is to select elements of whole arrays."""
    if not isinstance(a, Value) or not a.shape:
        raise CannotLower("np.nonzero of a constant or number")
    require_native(a.dtype)
    mask = packed_mask(low, node, a)
    (name,) = bound_by(node)
    count = Count(
        name if name not in low.bound else None, load_of(mask).buffer, product(mask.shape),
        low.buffer(INDEX, "starts"),
    )
    low.steps.append(count)
    if count.symbol is not None:
        low.bind((name,))
    low.counts_of[node] = count
    return places(low, node, count, mask.shape)


def packed_mask(low: Lowering, node: Node, a: Value) -> Value:
    """The truth of all elements, packed in C order from the beginning of a buffer."""
    strides = contiguous_strides(a.shape, 1)
    is_packed = a.dtype == BOOL and a.is_memory and load_of(a).offset.constant == 0
    if is_packed and a.strides() == strides:
        return a
    type_ = ArrayType(BOOL, a.shape, strides, form=Form.ARRAY)
    made = Value(type_, a.axes, simplify.convert(a.expr, BOOL), fresh=True)
    return low.materialise(made, f"{node.name} counts it", layout=type_)


def places(
    low: Lowering, node: Node, count: Count, shape: tuple[Size, ...]
) -> tuple[Value, ...]:
    """One value per axis: the columns of a block."""
    kinds, ndim = node.type, len(shape)
    found = kinds[0].shape[0]
    block = ArrayType(INDEX, (found,) if ndim == 1 else (found, ndim))
    block = replace(block, strides=contiguous_strides(block.shape, INDEX.itemsize))
    if all(is_selection(reader) for item in readers(low, node) for reader in readers(low, item)):
        out = low.buffer(INDEX, "unused")
    else:
        out = low.allocate(block)
        low.steps.append(Extract(out, count, shape=shape))
    made = [low.memory_value(kind, out, k * INDEX.itemsize) for k, kind in enumerate(kinds)]
    return tuple(made if ndim == 1 else (replace(value, array=None) for value in made))


def readers(low: Lowering, node: Node) -> list[Node]:
    """The nodes that take a node as an operand."""
    return low.users.get(node, [])


def is_selection(node: Node) -> bool:
    """Whether a node is `x[mask]` for an array and a mask of the same dimensions."""
    if node.target is core.length:
        return True
    if node.op != "call_function" or node.target not in (operator.getitem, np.take):
        return False
    return selected_by(node) is not None


def selected_by(node: Node) -> Node | None:
    """The `np.nonzero` all of whose results, in order, are the whole key of an index."""
    array, key = node.args[:2]
    kind = array.type if isinstance(array, Node) else None
    if not isinstance(kind, ArrayType) or not kind.ndim or len(node.args) > 2 or node.kwargs:
        return None
    if node.target is np.take and kind.ndim != 1:
        return None
    items = key if isinstance(key, tuple) else (key,)
    if len(items) != kind.ndim or not all(isinstance(item, Node) for item in items):
        return None
    origins = {item.args[0] if item.target is operator.getitem else None for item in items}
    origin = origins.pop()
    if origins or not isinstance(origin, Node) or origin.target is not np.nonzero:
        return None
    in_order = [item.args[1] for item in items] == list(range(kind.ndim))
    mask = origin.args[0].type
    plain = kind.ndim == 1 or kind.is_c_contiguous
    return origin if in_order and plain and mask.shape == kind.shape else None


def select(low: Lowering, node: Node, source: Value) -> Value | None:
    """`x[mask]` without positions; None where that is not what the node is."""
    origin = selected_by(node)
    if origin is None or (count := low.counts_of.get(origin)) is None:
        return None
    source = low.in_memory(source, f"{node.name} selects from it")
    if len(source.shape) > 1 and source.strides() != contiguous_strides(
        source.shape, source.dtype.itemsize
    ):
        packed = source.type.with_layout(
            source.shape, contiguous_strides(source.shape, source.dtype.itemsize)
        )
        source = low.materialise(source, f"{node.name} selects from it", layout=packed)
    load = load_of(source)
    stride: Size = source.dtype.itemsize
    if len(source.shape) == 1 and not affine.is_one(source.shape[0]):
        stride = source.strides()[0]
    made = low.memory_value(node.type, low.allocate(node.type))
    out = load_of(made).buffer
    low.steps.append(Extract(out, count, load.buffer, load.offset.constant, stride))
    return low.owned(made)
