"""Boolean masks: counted, then what they select is copied into memory of just that size."""
from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from ....ir import core
from ....ir.binding import bound_by
from ....ir.masks import positions_of
from ....ir.node import Node
from ....ir.row import lowering_of
from ....ir.sizes import Size, product
from ....ir.types import ArrayType, Form, contiguous_strides
from ...loop_ir import affine, simplify
from ...loop_ir.program import Allocate, Count, Deposit, Extract
from ...passes.materialise import Access
from ..arithmetic.pointwise import require_native
from ..state.context import Lowering, lowers
from ..state.values import CannotLower, Value, load_of

BOOL = np.dtype(bool)
INDEX = np.dtype(np.intp)


@lowers(reads=Access.MEMORY)
def nonzero(low: Lowering, node: Node, a: Any) -> tuple[Value, ...]:
    """The positions, unless all that is done with them is to select elements of whole arrays."""
    if not isinstance(a, Value) or not a.shape:
        raise CannotLower("np.nonzero of a constant or number")
    require_native(low, a.dtype)
    mask = packed_mask(low, node, a)
    (name,) = bound_by(node)
    symbol = name if name not in low.relations.bound else None
    starts = low.buffer(INDEX, "starts")
    count = Count(symbol, load_of(mask).buffer, product(mask.shape), starts)
    low.steps.append(count)
    low.ownership.own.discard(count.mask)  # it is looked at again
    if count.symbol is not None:
        low.relations.bind((name,))
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
    """One value per axis: the columns of a block, which owns the memory as in NumPy."""
    kinds = node.type
    columns = (kinds[0].shape[0], len(shape))
    block = ArrayType(INDEX, columns, contiguous_strides(columns, INDEX.itemsize))
    out = low.buffer(INDEX, "places")
    steps = (Allocate(out, block, "scratch"), Extract(out, count, shape=shape))
    users = (reader for item in low.readers.of(node) for reader in low.readers.of(item))
    if all(is_selection(low, user) for user in users):
        low.put_off[out] = steps
    else:
        low.steps += steps
    made = [low.memory_value(kind, out, k * INDEX.itemsize) for k, kind in enumerate(kinds)]
    return tuple(replace(value, array=None) for value in made)


def is_selection(low: Lowering, node: Node) -> bool:
    """Whether a node is `x[mask]` for an array and a mask of the same dimensions, or assigns to
    it."""
    if node.target is core.length:
        return True
    if node.target is core.update:
        return deposited_by(low, node) is not None
    if node.op != "call_function" or lowering_of(node.target) not in ("getitem", "take"):
        return False
    return selected_by(node) is not None


def selected_by(node: Node) -> Node | None:
    """The `np.nonzero` all of whose results, in order, are the whole key of an index."""
    array, key = node.args[:2]
    kind = array.type if isinstance(array, Node) else None
    if not isinstance(kind, ArrayType) or not kind.ndim or len(node.args) > 2 or node.kwargs:
        return None
    if lowering_of(node.target) == "take" and kind.ndim != 1:
        return None
    return whole_mask(kind, key)


def whole_mask(kind: ArrayType, key: Any) -> Node | None:
    """The `np.nonzero` of a mask of the shape of an array, whose results in order are the key."""
    origin = positions_of(key)
    if origin is None:
        return None
    plain = kind.ndim == 1 or kind.is_c_contiguous
    return origin if plain and origin.args[0].type.shape == kind.shape else None


def deposited_by(low: Lowering, node: Node) -> Node | None:
    """The `np.nonzero` of the mask by which an update assigns elements one after the other."""
    base, view, value = node.args
    while isinstance(base, Node) and base.target is core.update:
        base = base.args[0]
    if len(view) != 1 or view[0][0] is not operator.getitem or not isinstance(value, Node):
        return None
    if value.type.form is not Form.ARRAY or not {node.type.dtype, value.type.dtype} <= low.native:
        return None
    if any(written.type.dtype == BOOL for written, _ in low.graph.writes):
        return None  # it may be the mask
    origin = whole_mask(node.type, view[0][1][0])
    if origin is None or value.type.shape != origin.type[0].shape:
        return None
    packed = node.type.ndim == 1 or (isinstance(base, Node) and base.type.is_c_contiguous)
    return origin if packed else None


def deposit(low: Lowering, node: Node, target: Value, value: Any) -> bool:
    """Assign elements in memory to where a mask is true; False where an update is not that."""
    origin = deposited_by(low, node)
    if origin is None or (count := low.counts_of.get(origin)) is None:
        return False
    source, out = load_of(value), load_of(target)
    low.steps.append(Deposit(
        out.buffer, count, source.buffer, source.offset.constant, element_stride(value),
        out.offset.constant, element_stride(target),
    ))
    return True


def element_stride(value: Value) -> Size:
    """Bytes from one element to the next of an array that is packed or has one axis."""
    if len(value.shape) == 1 and not affine.is_one(value.shape[0]):
        return value.strides()[0]
    return value.dtype.itemsize


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
    made = low.memory_value(node.type, low.allocate(node.type))
    out = load_of(made).buffer
    low.steps.append(Extract(out, count, load.buffer, load.offset.constant, element_stride(source)))
    return low.ownership.owned(made)
