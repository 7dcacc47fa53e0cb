"""Counts of bins: how large they are together, and what each block has of them."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import Unsupported
from ...ir.ops.columns import target_named
from ..partitions.cuts import Axis, Value, outside
from ..partitions.partition import Partition
from ..partitions.program import Call
from ..partitions.space import Operand
from .elementwise import ITEM, recut
from .folds import Folded, at_home, combined, finished, folded_axes


def bincount(call: Call) -> Any:
    """First the largest number of all blocks, then counts of as many bins in each."""
    value, weights, least = bins_of(call)
    if value.is_whole or len(value.axes) != 1 or 0 in value.axes[0].chunks:
        raise Unsupported("one block, or blocks without elements")
    top = extreme(call, value, "maximum")
    assert top.home is not None
    home = top.home
    most = call.emit(home, (top.node,), target=int)  # a small dtype may not hold the next number
    above = call.emit(home, (most, 1), target=np.add)
    size = call.emit(home, (call.emit(home, (above, least), target=np.maximum),), target=int)
    count = Value((), np.dtype(np.intp), home, size)
    operands: list[Operand] = [(value, (0,)), (count, ())]
    if isinstance(weights, Value):
        operands.append(recut(call, weights, (0,), value.cut))
    partition, at, _ = call.place(operands, value.cut)
    local = [partition.local(each, onto, at) for each, onto in operands]
    kwargs = {"minlength": local[1]} | ({"weights": local[2]} if len(local) > 2 else {})
    return summed(call, partition, value, at, call.emit(partition, (local[0],), kwargs))


def bins_of(call: Call) -> tuple[Value, Any, Any]:
    given = dict(zip(("x", "weights", "minlength"), call.args)) | call.kwargs
    value = given.get("x")
    if not isinstance(value, Value):
        raise Unsupported("it counts no array in blocks")
    return value, given.get("weights"), given.get("minlength", 0)


def summed(
    call: Call, partition: Partition, value: Value, at: Any, node: Any, kind: Any = None
) -> Value:
    """The sum over all blocks of what each of them counts."""
    kind = call.node.type if kind is None else kind
    bins = call.program.shape_of(kind)
    counts = call.emit(partition, (node, (None, slice(None))), target=ITEM)
    space = Value((Axis(value.axes[0].chunks, at[0]), Axis(bins[:1])), kind.dtype,
                  partition, counts)
    total = combined(call, partition, space, (0,), [counts], Folded("add", kind.dtype))[0]
    return finished(call, total, (0,), False, kind.dtype)


def extreme(call: Call, value: Value, fold: str) -> Value:
    """The largest or smallest element of all."""
    partition, here = at_home(call, value)
    axes = folded_axes(None, len(value.axes))
    partial = call.emit(partition, (here,), {"axis": axes, "keepdims": True},
                        target=target_named(fold).reduce)
    how = Folded(fold, value.dtype)
    return finished(call, combined(call, partition, value, axes, [partial], how)[0], axes, False,
                    value.dtype)


def histogram(call: Call) -> Any:
    """Counts of each block between the same edges."""
    given = dict(zip(("a", "bins", "range", "density", "weights"), call.args)) | call.kwargs
    value, bins, span = given["a"], given.get("bins", 10), given.get("range")
    if given.get("density") or given.get("weights") is not None or not isinstance(value, Value) or (
        len(value.axes) != 1 or value.is_whole
    ):
        raise Unsupported("a histogram of more than counts of a vector")
    if not isinstance(bins, int) or not plain(span):
        raise Unsupported("a histogram whose edges data decides")
    edges = np.histogram_bin_edges(np.empty(0, value.dtype), bins, span)
    partition, here = at_home(call, value)
    dims = partition.dims_of(value)
    assert dims is not None
    both = call.emit(partition, (here,), {"bins": bins, "range": span})
    counts = call.emit(partition, (both, 0), target=ITEM)
    total = summed(call, partition, value, {0: dims[0]}, counts, call.node.type[0])
    return total, outside(edges)


def plain(span: Any) -> bool:
    return isinstance(span, tuple) and all(isinstance(each, int | float) for each in span)
