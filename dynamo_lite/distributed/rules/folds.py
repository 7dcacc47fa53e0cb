"""Reductions as trees, and running folds: each task folds its blocks, later ones their results."""
from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...base.records import dataclass
from ...errors import Unsupported
from ...ir.graph import Graph
from ...ir.node import Node
from ...ir.ops.columns import target_named
from ...ir.row import row_of
from ..partitions.cuts import Axis, Value
from ..partitions.partition import Partition, StackedParts
from ..partitions.program import Call
from .elementwise import ITEM, recut, rows_cut, step
from .reshaping import reshaped

RETYPED = frozenset({"add", "multiply"})
"""Folds that are told the type of their result."""


@dataclass(frozen=True, slots=True)
class Folded:
    """Partial results that one function folds along the axis of their stack."""

    fold: str
    dtype: Any
    in_steps: bool = True

    def combine(self, graph: Graph, stacks: Sequence[Node]) -> list[Node]:
        kwargs = {"dtype": self.dtype} if self.fold in RETYPED else {}
        return [graph.call_function(
            target_named(self.fold).reduce, (stacks[0],), {"axis": 0, **kwargs}, type=None)]


@dataclass(frozen=True, slots=True)
class Extremes:
    """Extremes and their positions; of equal ones, the first."""

    function: Callable[..., Any]
    dtype: Any
    in_steps: bool = True

    def combine(self, graph: Graph, stacks: Sequence[Node]) -> list[Node]:
        where = graph.call_function(
            self.function, (stacks[0],), {"axis": 0, "keepdims": True}, type=None)
        return [graph.call_function(
            ITEM, (graph.call_function(np.take_along_axis, (stack, where, 0), type=None), 0),
            type=None) for stack in stacks]


def arguments(call: Call) -> dict[str, Any]:
    """The arguments of a reduction by name, but for the array."""
    row = row_of(call.target)
    names = row.using.get("takes", ("axis",)) if row is not None else ("axis",)
    given = dict(zip(names, call.args[1:])) | call.kwargs
    if row is not None and "default_axis" in row.using:
        given.setdefault("axis", row.using["default_axis"])
    return given


def fold_of(call: Call) -> str:
    """The name of what it folds with, or ""."""
    row = row_of(call.target)
    return "" if row is None or row.fold is None else row.fold


def operand(call: Call) -> Value:
    first = call.args[0]
    if not isinstance(first, Value):
        raise Unsupported("it folds no array in blocks")
    if len(call.values) > 1:
        raise Unsupported("its other operands are arrays too")
    return first


def folded_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    given = axis if isinstance(axis, tuple) else (axis,)
    return tuple(sorted(each % ndim for each in given))


def reduction(call: Call) -> Any:
    """Along axes that are one block as it stands; along others in two steps or more."""
    value, given = operand(call), arguments(call)
    axes = folded_axes(given.get("axis"), len(value.axes))
    keeps = bool(given.get("keepdims", False))
    if all(len(value.axes[axis].chunks) == 1 for axis in axes):
        return along(call, value, axes, keeps)
    fold = fold_of(call)
    if given.keys() - {"axis", "dtype", "keepdims"} or not fold:
        raise Unsupported("no rule says how its partial results are combined")
    if fold in ("argmax", "argmin"):
        return position(call, value, axes, keeps)
    return partial(call, value, given, axes, keeps)


def along(call: Call, value: Value, axes: Sequence[int], keeps: bool) -> Any:
    """Fold axes that each task has all of."""
    kept = [axis for axis in range(len(value.axes)) if axis not in axes]
    place = {axis: axis if keeps else kept.index(axis) for axis in kept}
    cut = [value.axes[axis].chunks for axis in kept]
    if keeps:
        cut = [(1,) if axis in axes else each.chunks for axis, each in enumerate(value.axes)]
    onto = tuple(place.get(axis) for axis in range(len(value.axes)))
    return step(call, [(value, onto)], cut)


def partial(
    call: Call, value: Value, given: Mapping[str, Any], axes: tuple[int, ...], keeps: bool
) -> Value:
    fold = fold_of(call)
    if fold in ("maximum", "minimum"):
        value = without_empty(call, value)
    retyped = {"dtype": given["dtype"]} if given.get("dtype") is not None else {}
    partition, here = at_home(call, value)
    key = (here, fold, axes, str(retyped))
    if key not in partition.known:
        node = call.emit(partition, (here,), {"axis": axes, "keepdims": True, **retyped})
        partition.known[key] = combined(
            call, partition, value, axes, [node], Folded(fold, call.node.type.dtype))[0]
    return finished(call, partition.known[key], axes, keeps)


def without_empty(call: Call, value: Value) -> Value:
    """The array in blocks that all have elements."""
    if not any(0 in axis.chunks for axis in value.axes):
        return value
    wanted = [tuple(size for size in axis.chunks if size) for axis in value.axes]
    if () in wanted:
        raise Unsupported("an array without elements")
    return recut(call, value, range(len(wanted)), wanted)[0]


def at_home(call: Call, value: Value) -> tuple[Partition, Node]:
    """The partition that computes a value, or one that reads it."""
    onto = tuple(range(len(value.axes)))
    partition, at, _ = call.place([(value, onto)], value.cut)
    return partition, partition.local(value, onto, at)


def combined(
    call: Call, partition: Partition, value: Value, axes: Sequence[int], nodes: Sequence[Node],
    how: Any,
) -> list[Value]:
    """What partial results along the axes give, with axes of one element in their place."""
    dims = partition.dims_of(value)
    assert dims is not None
    folded = frozenset(dim for axis, dim in enumerate(dims) if axis in axes and dim is not None)
    parting = call.program.space.parting(partition, folded, how.in_steps)
    first = len(parting.nodes)
    target = parting.target.now
    became = {dim: parting.dims[dim].now for dim in dims if dim in parting.dims}
    kept = tuple(
        Axis((1,)) if axis in axes else Axis(each.chunks, became.get(dim) if dim else None)
        for axis, (each, dim) in enumerate(zip(value.axes, dims)))
    parting.nodes += nodes
    parting.cuts += [kept for _ in nodes]
    parting.folds.append((len(nodes), how))
    stacks = [target.take("p", StackedParts(parting, first + at)) for at in range(len(nodes))]
    return [Value(kept, how.dtype, target, node)
            for node in how.combine(target.graph, stacks)]


def finished(
    call: Call, value: Value, axes: Sequence[int], keeps: bool, dtype: Any = None
) -> Value:
    """The result without the axes of one element, where they do not stay."""
    if keeps:
        return value
    partition = value.home
    assert partition is not None and value.node is not None
    key = tuple(0 if axis in axes else slice(None) for axis in range(len(value.axes)))
    made = call.emit(partition, (value.node, key), target=ITEM)
    kept = tuple(each for axis, each in enumerate(value.axes) if axis not in axes)
    return Value(kept, call.node.type.dtype if dtype is None else dtype, partition, made)


def position(call: Call, value: Value, axes: tuple[int, ...], keeps: bool) -> Value:
    """The position of an extreme along one axis."""
    value = without_empty(call, value)
    if len(axes) > 1:
        return flat_position(call, value, axes, keeps)
    (axis,) = axes
    partition, here = at_home(call, value)
    dims = partition.dims_of(value)
    assert dims is not None
    where = call.emit(partition, (here,), {"axis": axis, "keepdims": True})
    extreme = call.emit(partition, (here, where, axis), target=np.take_along_axis)
    start = partition.by_block(dims[axis], value.axes[axis].starts)
    there = call.emit(partition, (where, start), target=np.add)
    found = combined(call, partition, value, axes, [extreme, there],
                     Extremes(call.target, call.node.type.dtype))
    return finished(call, found[1], axes, keeps)


def flat_position(call: Call, value: Value, axes: tuple[int, ...], keeps: bool) -> Value:
    """The position among all elements, where each block has whole rows of them."""
    value = rows_cut(call, value)
    first, *others = value.axes
    partition, here = at_home(call, value)
    dims = partition.dims_of(value)
    assert dims is not None
    row = math.prod(axis.length for axis in others)
    where = call.emit(partition, (here,), {"keepdims": True})
    extreme = call.emit(partition, (here,), {"axis": axes, "keepdims": True},
                        target=np.max if fold_of(call) == "argmax" else np.min)
    start = partition.by_block(dims[0], [start * row for start in first.starts])
    there = call.emit(partition, (where, start), target=np.add)
    found = combined(call, partition, value, axes, [extreme, there],
                     Extremes(call.target, call.node.type.dtype))
    return finished(call, found[1], axes, keeps)


def scan(call: Call) -> Any:
    """A running fold: the blocks' own, then what has come before each of them is added. Blocks
    from outside are read for both; what is computed of them is kept with their own fold."""
    value, given = operand(call), arguments(call)
    ufunc = ufunc_of(call)
    axis = given.get("axis", 0 if call.target is ufunc.accumulate else None)
    if axis is None and len(value.axes) > 1:
        value = reshaped(call, value, call.shape)
    if given.keys() - {"axis", "dtype"}:
        raise Unsupported("no rule says how its partial results are combined")
    axis = (axis or 0) % len(value.axes)
    if len(value.axes[axis].chunks) == 1:
        return step(call, [(value, tuple(range(len(value.axes))))], value.cut)
    if 0 in value.axes[axis].chunks and ufunc.identity is None:
        raise Unsupported("a block is empty")
    return carried(call, value, axis)


def carried(call: Call, value: Value, axis: int) -> Value:
    ufunc = ufunc_of(call)
    partition, here = at_home(call, value)
    dims = partition.dims_of(value)
    assert dims is not None and dims[axis] is not None
    dtype = call.node.type.dtype
    own = {"axis": axis, "dtype": dtype}
    total = call.emit(partition, (here,), {**own, "keepdims": True}, target=ufunc.reduce)
    before = combined(call, partition, value, (axis,), [total],
                      Running(call.target, identity_of(ufunc, dtype), dtype))[0]
    runs = Value((Axis((len(value.axes[axis].chunks),)), *before.axes), dtype,
                 before.partition, before.node)
    onto = tuple(range(len(value.axes)))
    is_read_again = value.home is None
    folded = value if is_read_again else Value(
        tuple(Axis(each.chunks, dim) for each, dim in zip(value.axes, dims)), dtype, partition,
        call.emit(partition, (here,), own))
    partition, at, axes = call.place([(folded, onto), (runs, (None, *onto))], value.cut)
    number = partition.by_block(at[axis], range(len(value.axes[axis].chunks)))
    offset = call.emit(partition, (partition.local(runs, (None, *onto), at), number), target=ITEM)
    here = partition.local(folded, onto, at)
    if is_read_again:
        here = call.emit(partition, (here,), own)
    return call.value(partition, call.emit(partition, (here, offset), target=ufunc), axes)


def ufunc_of(call: Call) -> np.ufunc:
    """What a running fold folds with: `np.maximum.accumulate` is the ufunc's own method."""
    owner = getattr(call.target, "__self__", None)
    return owner if isinstance(owner, np.ufunc) else target_named(fold_of(call))


def identity_of(ufunc: np.ufunc, dtype: Any) -> Any:
    """What changes nothing that is folded with it."""
    if ufunc.identity is not None or dtype.kind not in "biuf":
        return ufunc.identity
    least, most = (False, True) if dtype.kind == "b" else (-np.inf, np.inf) if (
        dtype.kind == "f") else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return least if ufunc(least, most) == most else most


@dataclass(frozen=True, slots=True)
class Running:
    """What comes before each of the partial results."""

    function: Callable[..., Any]
    identity: Any
    dtype: Any
    in_steps: bool = False

    def combine(self, graph: Graph, stacks: Sequence[Node]) -> list[Node]:
        (stack,) = stacks
        first = graph.call_function(ITEM, (stack, slice(0, 1)), type=None)
        none = graph.call_function(np.full_like, (first, self.identity), type=None)
        rest = graph.call_function(ITEM, (stack, slice(0, -1)), type=None)
        sums = graph.call_function(self.function, (rest,), {"axis": 0}, type=None)
        return [graph.call_function(np.concatenate, ((none, sums),), type=None)]
