"""Masks and computed bounds as indices.

A mask in a key is written as `np.nonzero(mask)`, which is how NumPy defines it, so that one
operation alone makes sizes that depend on a mask.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir import core
from ....ir.facts import must
from ....ir.node import Node
from ....ir.sizes import Size, depends_on_data
from ....ir.types import ArrayType, Form, python_number
from ...object_model.constants import ConstantVariable, TypedConstant, constant
from ...recording.nodes import RESULTS, numbering, provoked, record
from ...recording.unbacked import counted
from ...state.tracker import VariableTracker
from ..containers.lists import ListVariable
from ..containers.sequences import SequenceVariable, TupleVariable
from ..containers.slices import DataRangeVariable, RangeVariable, SliceVariable
from .in_arrays import InArrays
from .linear import key_of, size_of
from .long_lists import shared_input
from .numbers import ComputedNumber, ConstantNumber
from .sizes import SizeVariable, size_variable

if TYPE_CHECKING:
    from ...state.tx import Tx


def is_mask(value: VariableTracker) -> bool:
    """A boolean array with at least one axis."""
    kind = getattr(value, "array_type", None)
    return kind is not None and kind.form is Form.ARRAY and kind.dtype == bool and kind.ndim > 0


def is_number(value: VariableTracker) -> bool:
    """One element, of the graph's or known."""
    kind = getattr(value, "array_type", None)
    if kind is not None:
        return not kind.shape
    return value.python_type() in (bool, int, float, complex)


def constant_mask(
    tx: Tx, array: ArrayType, key: VariableTracker
) -> VariableTracker:
    """A list of constant booleans, one for each item, as the positions that it selects."""
    if not isinstance(key, ListVariable) or key.unread is not None:
        return key
    items = key.built_items()
    if not items or any(item.python_type() is not bool for item in items):
        return key
    flags = [item.as_constant(tx) for item in items]
    if not array.shape or array.shape[0] != len(flags):
        return key
    return ListVariable([constant(index) for index, flag in enumerate(flags) if flag])


def spelled_out(
    tx: Tx, array: ArrayType, key: VariableTracker
) -> VariableTracker:
    """The key with the positions in place of each mask."""
    items = list(key.iterate(tx)) if isinstance(key, TupleVariable) else [key]
    if any(isinstance(item, SliceVariable) for item in items):
        items = [
            _with_sizes(tx, item, array.shape[axis])
            if isinstance(item, SliceVariable) and 0 <= axis < array.ndim else item
            for item, axis in zip(items, _axes(items, array.ndim))
        ]
    items = [as_index(tx, item) for item in items]
    if tx.graph.is_body:
        place = _place if is_view(items, array.ndim) else _known_place
        items = [
            place(tx, item, array.shape[axis]) if 0 <= axis < array.ndim else item
            for item, axis in zip(items, _axes(items, array.ndim))
        ]
    if not any(map(is_mask, items)):
        return TupleVariable(items) if isinstance(key, TupleVariable) else items[0]
    made: list[VariableTracker] = []
    for item, axis in zip(items, _axes(items, array.ndim)):
        if is_mask(item):
            check_mask(tx, array, axis, item)
            made += positions(tx, item)
        else:
            made.append(item)
    return made[0] if len(made) == 1 and not isinstance(key, TupleVariable) else TupleVariable(made)


def are_positions(items: Sequence[VariableTracker]) -> bool:
    """Whether all are arrays of integers, as in `np.where(mask)` inside of a key."""
    kinds = [getattr(item, "array_type", None) for item in items]
    return bool(kinds) and all(
        kind is not None and kind.form is Form.ARRAY and kind.dtype.kind in "iu" and kind.ndim
        for kind in kinds)


def as_index(tx: Tx, value: VariableTracker) -> VariableTracker:
    """A member of an IntEnum is an index like any other int, not the int64 it is to ufuncs. Ranges,
    lists of computed ints, and lists and tuples of positions are the arrays that NumPy makes of
    them."""
    if isinstance(value, TypedConstant) and isinstance(value.value, int):
        return constant(int(value.value))
    value = _plain(value)
    if isinstance(value, InArrays):
        return value.as_index(tx)
    if isinstance(value, RangeVariable):
        return ListVariable(list(value.iterate(tx)))
    if isinstance(value, DataRangeVariable):
        return tx.call_builtin(np.arange, *value.ends)
    if isinstance(value, ListVariable) and (array := shared_input(tx, value)) is not None:
        return array
    if isinstance(value, (ListVariable, TupleVariable)):
        items = list(value.iterate(tx))
        integers = all(is_number(item) and item.python_type() in INTEGERS for item in items)
        if len(items) == 1 and are_positions(items):
            return record(tx, np.expand_dims, (items[0].as_argument(tx), 0))
        if are_positions(items) or (integers and any(item.in_graph for item in items)):
            return tx.call_builtin(np.array, ListVariable(items))
    return value


INTEGERS = (int, np.int64)


def _with_sizes(tx: Tx, part: SliceVariable, size: Size) -> SliceVariable:
    """A slice whose bounds are computed: integers of NumPy's become sizes, inside of the axis."""
    start, stop, step = (as_size(tx, bound) for bound in part.parts)
    if isinstance(step, ConstantVariable) and (step.value is None or step.value in STEPS):
        start, stop = _within(tx, start, size), _within(tx, stop, size)
    return SliceVariable(start, stop, step)


STEPS = range(1, 2**31)


def _within(tx: Tx, bound: VariableTracker, size: Size) -> VariableTracker:
    """A bound that depends on data, where it falls."""
    if isinstance(bound, ComputedNumber) and bound.array_type == python_number(int):
        known = size_of(tx, bound)
        return _of_body(tx, core.within, bound.node, size) if known is None else (
            size_variable(tx, known)
        )
    if not isinstance(bound, SizeVariable) or not depends_on_data(bound.size):
        return bound
    settled = tx.shapes.known.settled
    if settled("<", bound.size, 0) is False and settled("<", size, bound.size) is False:
        return bound
    return _once(tx, core.within, bound.size, size)


def is_view(items: Sequence[VariableTracker], ndim: int) -> bool:
    """Whether a key with these items selects a part of the array itself, and not one element."""
    places = [item for item in items if not isinstance(item, SliceVariable)]
    kept = [item for item in places if isinstance(item, ConstantVariable) and (
        item.value in (None, Ellipsis)
    )]
    numbers = len(places) - len(kept)
    return all(item in kept or is_number(item) for item in places) and numbers < ndim


def _place(tx: Tx, item: VariableTracker, size: Size) -> VariableTracker:
    """A computed index in such a key, as a size: the part lies where a view lies."""
    number = as_size(tx, item) if is_number(item) else item
    if isinstance(number, ComputedNumber) and number.array_type == python_number(int):
        known = size_of(tx, number)
        return _of_body(tx, core.position, number.node, size) if known is None else (
            size_variable(tx, known)
        )
    return item


def _known_place(tx: Tx, item: VariableTracker, size: Size) -> VariableTracker:
    """An index that is known to lie inside of the axis, as a size, which nothing needs to check."""
    number = as_size(tx, item) if is_number(item) else item
    if not isinstance(number, ComputedNumber) or number.array_type != python_number(int):
        return item
    known, settled = size_of(tx, number), tx.shapes.known.settled
    if known is None or not (settled("<=", 0, known) and settled("<", known, size)):
        return item
    return size_variable(tx, known)


def as_size(tx: Tx, value: VariableTracker) -> VariableTracker:
    """A computed NumPy integer as a Python int of the same value; anything else as it is."""
    if isinstance(value, ComputedNumber) and value.array_type.dtype.kind in "iu":
        return _count_of_body(tx, value.node) or _once(tx, int, value.node)
    return _plain(value)


def _count_of_body(tx: Tx, node: Node) -> SizeVariable | None:
    """How many elements of a mask are true, as a size that the body at hand knows: that of what the
    mask selects. None of other numbers."""
    while node.target is int and isinstance(node.args[0], Node):
        node = node.args[0]
    mask = counted(node) if tx.graph.is_body else None
    if mask is None or node not in tx.graph.nodes:
        return None
    numbers = numbering(tx)
    if numbers.of_operand(node, 0) != numbers.of(mask):
        return None  # it has changed since
    found: Any = positions(tx, RESULTS[Form.ARRAY](mask))[0]
    return SizeVariable(found.array_type.shape[0], tx.shapes)


def _plain(value: VariableTracker) -> VariableTracker:
    """A known NumPy integer as the Python int that it is as a position."""
    if isinstance(value, ConstantNumber) and value.array_type.dtype.kind in "iu":
        return constant(int(value.value))
    return value


def _once(tx: Tx, target: Callable[..., int], *args: Any) -> VariableTracker:
    """What a call gives; one node for all calls that give the same."""
    if tx.graph.is_body:
        return _of_body(tx, target, *args) if target is core.within else record(tx, target, args)
    key = (target, *map(numbering(tx).of, args))
    known = tx.state.computed
    if key not in known:
        known[key] = record(tx, target, args)
    return known[key]


def _of_body(tx: Tx, target: Callable[..., int], place: Any, size: Size) -> SizeVariable:
    """A place in an axis, as a size that the body at hand knows."""
    key = target, tx.graph, key_of(tx, place), size
    known = tx.state.computed
    if key not in known:
        kind = record(tx, target, (place, size)).array_type  # type: ignore[attr-defined]
        known[key] = SizeVariable(kind.value, tx.shapes)
    found = known[key]
    assert isinstance(found, SizeVariable)
    return found


def _axes(items: Sequence[VariableTracker], ndim: int) -> Iterator[int]:
    """The axis of the array at which each item of a key stands."""
    used = [_axes_of(item) for item in items]
    axis = 0
    for item, count in zip(items, used):
        yield axis
        is_continuation = isinstance(item, ConstantVariable) and item.value is Ellipsis
        axis += ndim - sum(used) if is_continuation else count


def _axes_of(item: VariableTracker) -> int:
    if is_mask(item):
        count: int = item.array_type.ndim  # type: ignore[attr-defined]
        return count
    return 0 if isinstance(item, ConstantVariable) and item.value in (None, Ellipsis) else 1


def check_mask(tx: Tx, array: ArrayType, axis: int, mask: VariableTracker) -> None:
    """A mask must have the sizes of the axes it stands for."""
    shape = mask.array_type.shape  # type: ignore[attr-defined]
    sizes = array.shape[axis : axis + len(shape)]
    fits = len(sizes) == len(shape)
    if not fits or not all(must(tx.shapes, "equal", a, b) for a, b in zip(sizes, shape)):
        reason = "IndexError: the boolean index does not have the shape of the array"
        key = (*[slice(None)] * axis, mask.array_type)  # type: ignore[attr-defined]
        raise provoked(tx, reason, operator.getitem, (array, key))


def positions(tx: Tx, mask: VariableTracker) -> list[VariableTracker]:
    """`np.nonzero(mask)`, one array per axis; made once for equal masks of one graph: what a body
    is given may change from iteration to iteration."""
    node = mask.as_argument(tx)
    known, key = tx.state.positions, (tx.graph, numbering(tx).of(node))
    if key not in known:
        known[key] = _positions(tx, node)
    return known[key]


def _positions(tx: Tx, mask: Any) -> list[VariableTracker]:
    result = record(tx, np.nonzero, (mask,))
    assert isinstance(result, SequenceVariable)
    return list(result.iterate(tx))
