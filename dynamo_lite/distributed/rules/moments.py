"""Variances in one pass: each task leaves what its block has of them, of which those of all blocks
follow (Chan, Golub and LeVeque, Updating Formulae and a Pairwise Algorithm for Computing Sample
Variances, 1979)."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...base.records import dataclass
from ...errors import Unsupported
from ...ir.graph import Graph
from ...ir.node import Node
from ...ir.row import row_of
from ...ir.types import is_half
from ..partitions.cuts import Value
from ..partitions.partition import Partition
from ..partitions.program import Call, given, signature
from .elementwise import ITEM
from .folds import at_home, combined, finished, folded_axes, operand, reduction, without_empty


@dataclass(frozen=True, slots=True)
class Spread:
    """Of each block how many elements it has, a number near their mean, how far from it the mean
    lies, and the sum of the squares of the elements' distances from it.

    Means are compared before they are rounded: distances from a number that is near to all lose
    nothing, however far from zero the elements are.
    """

    dtype: Any
    in_steps: bool = True

    def combine(self, graph: Graph, stacks: Sequence[Node]) -> list[Node]:
        def call(target: Any, *args: Any) -> Node:
            return graph.call_function(target, args, type=None)

        def total(stack: Node) -> Node:
            return graph.call_function(np.sum, (stack,), {"axis": 0}, type=None)

        counts, near, beside, spreads = stacks
        count, first = total(counts), call(ITEM, near, 0)
        means = call(np.add, call(np.subtract, near, first), beside)
        mean = call(np.true_divide, total(call(np.multiply, means, counts)), count)
        apart = call(np.square, call(np.subtract, means, mean))
        spread = total(call(np.add, spreads, call(np.multiply, apart, counts)))
        return [count, first, mean, spread]


SAID = frozenset({"a", "axis", "ddof", "keepdims", "correction"})
"""What a call may say; all else has its default."""


def variance(call: Call) -> Any:
    """`np.var` and `np.std`: in one pass where tasks have parts of what is folded."""
    try:
        return in_one_pass(call)
    except Unsupported:
        expanded = call.program.expanded(call)
        return reduction(call) if expanded is None else expanded


def in_one_pass(call: Call) -> Value:
    value, found = operand(call), given(call)
    axes = folded_axes(found["axis"], len(value.axes))
    if all(len(value.axes[axis].chunks) == 1 for axis in axes):
        raise Unsupported("each task has all of what is folded")
    if value.dtype.kind not in "biuf" or is_half(value.dtype) or not is_plain(call, found):
        raise Unsupported("it is not of real numbers alone")
    freedom = math.prod(value.axes[axis].length for axis in axes) - freedoms(found)
    if freedom <= 0:
        raise Unsupported("a variance without degrees of freedom, which warns")
    spread = spread_of(call, without_empty(call, value), axes)
    partition = spread.home
    assert partition is not None
    made = call.emit(partition, (spread.node, freedom), target=np.true_divide)
    row = row_of(call.target)
    if row is not None and row.using.get("root"):
        made = call.emit(partition, (made,), target=np.sqrt)
    made = call.emit(partition, (made, call.node.type.dtype), target=np.ndarray.astype)
    result = Value(spread.axes, call.node.type.dtype, partition, made)
    return finished(call, result, axes, found["keepdims"] is True)


def is_plain(call: Call, found: Mapping[str, Any]) -> bool:
    """Whether nothing is said but axes and degrees of freedom."""
    plain = signature(call.target).parameters
    return isinstance(freedoms(found), int) and all(
        name in SAID or value is plain[name].default for name, value in found.items())


def freedoms(found: Mapping[str, Any]) -> Any:
    """How many are taken from the number of elements."""
    correction = found.get("correction", np._NoValue)
    return found["ddof"] if correction is np._NoValue else correction


def spread_of(call: Call, value: Value, axes: tuple[int, ...]) -> Value:
    """The sum of the squares of all distances from the mean."""
    partition, here = at_home(call, value)
    key = (here, "spread", axes)
    if key not in partition.known:
        folded = {"axis": axes, "keepdims": True}
        near = call.emit(partition, (here,), folded, target=np.mean)
        count = elements(call, partition, here, near, axes, len(value.axes))
        apart = call.emit(partition, (here, near), target=np.subtract)
        beside = call.emit(partition, (apart,), folded, target=np.mean)
        squares = call.emit(partition, (apart,), target=np.square)
        spread = call.emit(partition, (squares,), folded, target=np.sum)
        parts = [count, near, beside, spread]
        partition.known[key] = combined(
            call, partition, value, axes, parts, Spread(np.dtype(float)))[-1]
    found: Value = partition.known[key]
    return found


def elements(
    call: Call, partition: Partition, here: Node, near: Node, axes: Sequence[int], ndim: int
) -> Node:
    """How many elements of these axes a block has, for each of its means. They are counted, for
    tasks may take blocks apart."""
    line = tuple(slice(None) if axis in axes else slice(0, 1) for axis in range(ndim))
    first = call.emit(partition, (here, line), target=ITEM)
    ones = call.emit(partition, (first,), {"dtype": np.intp}, target=np.ones_like)
    count = call.emit(partition, (ones,), {"axis": axes, "keepdims": True}, target=np.sum)
    none = call.emit(partition, (near,), {"dtype": np.intp}, target=np.zeros_like)
    return call.emit(partition, (none, count), target=np.add)
