"""Functions that NumPy computes of whole lines along an axis, of matrices in stacks, or of single
elements with the help of whole arrays."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import Unsupported
from ...ir.tree import leaves
from ..partitions.cuts import Value, common_cut
from ..partitions.program import Call, given
from .elementwise import ITEM, recut, single, step, whole, whole_along
from .folds import folded_axes
from .written import written


def operand_and_axes(call: Call) -> tuple[Value, tuple[int, ...], dict[str, Any]]:
    """The array, in blocks that have all of the axes that the function goes along."""
    named = given(call)
    value = next(iter(named.values()))
    if not isinstance(value, Value) or not value.axes:
        raise Unsupported("it is computed of no array in blocks")
    if len(leaves(named.get("axis"), Value)) or any(
        not each.is_whole for each in call.values if each is not value
    ):
        raise Unsupported("its other operands are in several blocks")
    axis = named.get("axis", -1)
    if axis is None and len(value.axes) > 1:
        raise Unsupported("all of its elements are one line")
    axes = folded_axes(axis, len(value.axes))
    return whole_along(call, value, axes), axes, named


def lines(call: Call) -> Any:
    """Each line becomes another one."""
    value, axes, _ = operand_and_axes(call)
    if value.is_whole:
        return whole(call)
    size = call.shape
    cut = [(size[axis],) if axis in axes else each.chunks for axis, each in enumerate(value.axes)]
    onto = tuple(None if axis in axes else axis for axis in range(len(cut)))
    return on_blocks(call, value, onto, cut)


def folded_lines(call: Call) -> Any:
    """Each line becomes an element, or several that lie along new axes before all others."""
    value, axes, named = operand_and_axes(call)
    if value.is_whole:
        return whole(call)
    keeps = named.get("keepdims") is True
    ndim = len(value.axes)
    kept = [axis for axis in range(ndim) if axis not in axes]
    more = len(call.shape) - (ndim if keeps else len(kept))
    cut: list[Any] = [(size,) for size in call.shape]
    onto: list[int | None] = [None] * ndim
    for number, axis in enumerate(kept):
        onto[axis] = more + (axis if keeps else number)
        cut[more + (axis if keeps else number)] = value.axes[axis].chunks
    return on_blocks(call, value, onto, cut)


def on_blocks(
    call: Call, value: Value, onto: Sequence[int | None], cut: Sequence[Any]
) -> Any:
    """The call with each task's own block in the place of its first array."""
    first, *others = call.values
    again = Call(call.program, call.node, *replaced(call, first, value))
    operands = [(value, onto), *((each, (None,) * len(each.axes)) for each in others)]
    return step(again, operands, cut, is_broadcast=False)


def replaced(call: Call, old: Value, new: Value) -> tuple[Any, Any]:
    from_tree = call.args, call.kwargs
    return tuple(new if leaf is old else leaf for leaf in from_tree[0]), {
        name: new if leaf is old else leaf for name, leaf in from_tree[1].items()}


def by_first(call: Call) -> Any:
    return by_element(call, 0)


def by_second(call: Call) -> Any:
    return by_element(call, 1)


def by_element(call: Call, at: int) -> Any:
    """Each element of one operand by itself; every task has all of the others."""
    named = [*given(call).items()]
    value = named[at][1]
    if not isinstance(value, Value) or value.is_whole:
        return whole(call)
    if call.shape != tuple(sum(axis.chunks) for axis in value.axes):
        raise Unsupported("its result has another shape than that operand")
    operands: list[Any] = []
    for each in call.values:
        if each is value:
            operands.append((each, tuple(range(len(each.axes)))))
        else:
            everything = [(sum(axis.sizes),) for axis in each.axes]
            table, _ = recut(call, each, range(len(everything)), everything)
            operands.append((table, (None,) * len(everything)))
    return step(call, operands, value.cut, is_broadcast=False)


def along_each(call: Call) -> Any:
    """Each line of an array with the same line of others."""
    named, values = given(call), call.values
    axis = named.get("axis")
    ndim = len(call.shape)
    if axis is None or any(len(value.axes) != ndim for value in values) or not ndim:
        raise Unsupported("its operands have no lines in common")
    place = axis % ndim
    values = [whole_along(call, value, (place,)) for value in values]
    onto = tuple(None if at == place else at for at in range(ndim))
    cut = common_cut([(value, onto) for value in values], call.shape)
    operands = [recut(call, value, onto, cut) for value in values]
    return step(call, operands, cut, is_broadcast=False)


def averaged(call: Call) -> Any:
    """NumPy's own function where each task has all of the axes."""
    named = given(call)
    values, axis = call.values, named["axis"]
    if len(values) != 2 or not isinstance(axis, int) or named["returned"] or any(
        len(value.axes) != len(values[0].axes) or len(value.axes[axis].chunks) > 1
        for value in values
    ) or named["keepdims"] is True:
        return written(call)
    place = axis % len(values[0].axes)
    onto = [at for at in range(len(values[0].axes)) if at != place]
    places = tuple(None if at == place else onto.index(at)
                   for at in range(len(values[0].axes)))
    cut = common_cut([(value, places) for value in values], call.shape)
    return step(call, [recut(call, value, places, cut) for value in values], cut)


def stacked(call: Call) -> Any:
    """Of each matrix of a stack."""
    values = call.values
    if all(value.is_whole for value in values):
        return whole(call)
    first = call.args[0] if call.args else None
    kinds = call.node.type if isinstance(call.node.type, (tuple, list)) else (call.node.type,)
    if not isinstance(first, Value) or len(first.axes) < 3 or any(
        len(value.axes) != len(first.axes) for value in values
    ):
        raise Unsupported("it is computed of whole matrices")
    lead = len(first.axes) - 2
    values = [whole_along(call, value, (lead, lead + 1)) for value in values]
    onto = (*range(lead), None, None)
    cut = common_cut([(value, onto) for value in values], call.program.shape_of(kinds[0])[:lead])
    operands = [recut(call, value, onto, cut) for value in values]
    return on_stacks(call, operands, cut, kinds)


def on_stacks(
    call: Call, operands: Sequence[Any], cut: Sequence[Any], kinds: Sequence[Any]
) -> Any:
    partition, at, axes = call.place(operands, cut)
    nodes = [partition.local(value, onto, at) for value, onto in operands]
    made = call.emit(partition, (*nodes, *call.args[len(nodes) :]), call.kwargs)
    lead = len(cut)

    def value_of(node: Any, kind: Any) -> Value:
        return call.value(partition, node, (*axes, *single(call, kind)[lead:]), kind)

    if not isinstance(call.node.type, (tuple, list)):
        return value_of(made, call.node.type)
    return tuple(value_of(call.emit(partition, (made, place), target=ITEM), kind)
                 for place, kind in enumerate(kinds))
