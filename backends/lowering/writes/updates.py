"""Functional updates of arrays: what nothing else reads is changed in its own memory.

The memory of inputs counts as such where they are changed before the commit (`overwriting`).
"""
from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ....ir.node import Node
from ....ir.sizes import Size, SizeExpr, minimum, product
from ....ir.types import ArrayType, Form
from ...hints import goes_forward
from ...loop_ir import affine, simplify
from ...loop_ir.loops import Check, Gather, Load, Store, walk
from ...loop_ir.simplify import const
from ...passes.materialise import Access
from ..arithmetic.pointwise import compare, dtype_of, operand_at, require_native
from ..indexing.masks import deposit, deposited_by
from ..indexing.selections import gathered, moves, selection
from ..indexing.strided_views import ViewSteps, strided_view, view_shape
from ..indexing.structure import is_moved
from ..indexing.views import position_in, slice_start, spelled_out
from ..state.changes import computed, log_undo, may_change, own_copy
from ..state.context import Lowering, lowers, packed
from ..state.values import CannotLower, Value, load_of
from .overwriting import log_positions
from .pieces import NUMBERS, is_everything, is_passed_on
from .scatters import elements_at, ready_value, set_aside, store_at, views_of


@lowers(reads=Access.REST, others=Access.COPY)
def update(low: Lowering, node: Node, base: Any, view: ViewSteps, value: Any) -> Value:
    """The array `base` after an assignment, in the memory of `base` when only this reads it."""
    if not isinstance(base, Value):
        raise CannotLower("an update of a constant")
    no_kernels = base.dtype not in low.native or may_run_back(low, base.type)
    if no_kernels and low.ownership.is_unlogged(base):
        return stored(low, node, base, view, value)
    if no_kernels:
        raise CannotLower(f"no kernels for {base.type}")
    require_native(low, base.dtype, *([value.dtype] if isinstance(value, Value) else ()))
    if not isinstance(value, (Value, SizeExpr, *NUMBERS)):
        raise CannotLower("an assignment of a sequence")
    simplify.check_parts(dtype_of(value), base.dtype)
    if any(map(moves, view)):
        return moved(low, node, base, view, check_number(low, value, base.dtype))
    view_shape(low, base, views_of(view))
    value = check_number(low, value, base.dtype)
    if is_everything(view) and is_passed_on(low, node) and value.shape == base.shape:
        return replace(value, type=node.type, expr=simplify.convert(value.expr, base.dtype),
                       array=None, fresh=True)
    if views_of(view) is not view:
        if not may_change(low, node.args[0], base, node):
            base = own_copy(low, base, f"{node.name} changes it", node.type)
        scatter(low, node, base, view, value)
        return replace(base, type=node.type)
    if isinstance(value, Value) and low.ownership.is_owned(base) and reads_elsewhere(
        low, value, strided_view(low, base, view)
    ):
        value = computed(low, value)
    if not may_change(low, node.args[0], base, node):
        base = copied_for_assignment(low, node, replace(base, type=node.type), view)
    part = strided_view(low, base, view)
    log_undo(low, part)
    assign(low, part, value)
    return low.ownership.owned(replace(base, type=node.type))


def may_run_back(low: Lowering, kind: ArrayType) -> bool:
    """Whether complex numbers may lie in reverse order in memory: by which formula NumPy computes
    with them depends on it, so they stay there."""
    return kind.dtype.kind == "c" and not goes_forward(kind, low.graph.symbols)


def stored(low: Lowering, node: Node, base: Value, view: ViewSteps, value: Any) -> Value:
    """An assignment by NumPy into an input."""
    views = views_of(view)
    view_shape(low, base, views)
    if not may_change(low, node.args[0], base, node):
        raise CannotLower("an update of other elements")
    if views is view:
        log_undo(low, strided_view(low, base, view))
    else:
        log_elements(low, node, base, view)
    store_at(low, base, view, value)
    return replace(base, type=node.type)


def log_elements(low: Lowering, node: Node, base: Value, view: ViewSteps) -> None:
    """Log what is at positions from integer arrays; everything, where they come from a mask."""
    if not low.ownership.is_unlogged(base):
        return
    if deposited_by(low, node) is not None:
        log_undo(low, base, whole=True)
    else:
        log_positions(low, gathered(low, strided_view(low, base, view[:-1]), view[-1][1][0]))


def reads_elsewhere(low: Lowering, value: Value, target: Value) -> bool:
    """Whether an element of the value is computed from others of that memory than the one where it
    is stored."""
    place = load_of(target)
    if not low.ownership.reads(value, place.buffer):
        return False
    element = operand_at(low, squeezed(value, len(target.shape)), target.axes, target.dtype)
    return any(
        part != place and low.ownership.root(part.buffer) == place.buffer
        for part in walk((element,)) if isinstance(part, (Load, Gather))
    )


def moved(low: Lowering, node: Node, base: Value, view: ViewSteps, value: Any) -> Value:
    """An assignment at positions that are computed."""
    if isinstance(value, Value) and value.shape and base.is_loaded and (
        low.ownership.reads(value, load_of(base).buffer)
    ):
        value = computed(low, value)
    if not may_change(low, node.args[0], base, node):
        base = own_copy(low, base, f"{node.name} changes it", node.type)
    base = replace(base, type=node.type)
    target = selection(low, base, view)
    if isinstance(target.expr, Gather) and not is_moved(target):
        raise CannotLower("an assignment at positions from an array, in a part that is computed")
    log_positions(low, target)
    write_elements(low, target, value)
    return low.ownership.owned(base)


def write_elements(low: Lowering, target: Value, value: Any) -> None:
    """Assign to elements at computed positions."""
    expr = operand_at(low, squeezed(value, len(target.shape)), target.axes, target.dtype)
    place = target.expr
    assert isinstance(place, (Gather, Load))
    indices = place.indices if isinstance(place, Gather) else ()
    low.launch(target.axes, Store(place.buffer, place.offset, expr, indices))


def check_number(low: Lowering, value: Any, dtype: np.dtype) -> Any:
    """NumPy stores a number in an array of integers by way of a Python int, which must fit."""
    if not isinstance(value, Value) or value.type.form is Form.ARRAY or dtype.kind not in "iu":
        return value
    number = low.broadcast(value, ())
    for name, bound in bounds_of(number.dtype, dtype):
        low.launch((), Check(compare(name, number, const(bound, number.dtype))))
    return replace(value, type=replace(value.type, form=Form.SCALAR))


def bounds_of(source: np.dtype, target: np.dtype) -> list[tuple[str, Any]]:
    """What numbers of one dtype must fulfil to be numbers of an integer dtype."""
    limits = np.iinfo(target)
    if source.kind == "f":
        lowest, highest = source.type(limits.min), source.type(limits.max)
        if int(highest) > limits.max:
            highest = np.nextafter(highest, source.type(0))
        return [("greater_equal", lowest), ("less_equal", highest)]
    if source.kind not in "iu":
        return []
    own = np.iinfo(source)
    found: list[tuple[str, Any]] = []
    if own.min < limits.min:
        found.append(("greater_equal", limits.min))
    if own.max > limits.max:
        found.append(("less_equal", limits.max))
    return found


def copied_for_assignment(low: Lowering, node: Node, base: Value, view: ViewSteps) -> Value:
    """New memory that holds `base`, at least where the assignment does not replace it."""
    box = box_of(low, base, view)
    if box is None or product_hint(low, base.shape) < LARGE > product_hint(low, box[1]):
        return own_copy(low, base, f"{node.name} changes it")
    kind = packed(node.type, base.shape, base.dtype)
    made = low.memory_value(kind, low.allocate(kind))
    for starts, sizes in slabs(base.shape, *box):
        low.store(part_of(low, made, starts, sizes), part_of(low, base, starts, sizes))
    return made


LARGE = 4096
"""Below so many elements one kernel that copies everything is better than one for each border."""
Box = tuple[list[Size], list[Size]]


def product_hint(low: Lowering, shape: Sequence[Size]) -> int:
    return low.relations.hint(product(shape))


def box_of(low: Lowering, base: Value, view: ViewSteps) -> Box | None:
    """Where the assigned elements begin and how many they are, along each dimension; None when they
    are not a box of neighbours."""
    if not view:
        return [0] * len(base.shape), list(base.shape)
    ((function, args, _), *more) = view
    if more or function is not operator.getitem:
        return None
    key = args[0] if isinstance(args[0], tuple) else (args[0],)
    items = spelled_out(key, len(base.shape))
    steps = [item.step for item in items if isinstance(item, slice)]
    if None in items or any(step not in (None, 1) for step in steps):
        return None
    lengths = iter(view_shape(low, base, view))
    starts: list[Size] = []
    sizes: list[Size] = []
    for item, size in zip(items, base.shape):
        if not isinstance(item, slice):
            starts.append(position_in(low, item, size))
            sizes.append(1)
            continue
        start, length = slice_start(low, item.start, size, 1), next(lengths)
        follows = low.relations.follows
        is_within = follows("<", 0, length) or follows("<=", start, size - length)
        starts.append(start if is_within else minimum(start, size - length))  # empty: anywhere
        sizes.append(length)
    return starts, sizes


def slabs(shape: Sequence[Size], starts: list[Size], sizes: list[Size]) -> Iterator[Box]:
    """Boxes that together are everything outside of one box."""
    for dim, size in enumerate(shape):
        after = starts[dim] + sizes[dim]
        for start, length in ((0, starts[dim]), (after, size - after)):
            if not affine.is_zero(length):
                before = [0] * (len(shape) - dim - 1)
                yield (
                    [*starts[:dim], start, *before],
                    [*sizes[:dim], length, *shape[dim + 1 :]],
                )


def part_of(low: Lowering, value: Value, starts: Sequence[Size], sizes: Sequence[Size]) -> Value:
    """The box of `value` with these first elements and sizes."""
    axes = low.axes(sizes)
    index = [
        affine.plus(affine.along(axis), affine.Offset(start)) for axis, start in zip(axes, starts)
    ]
    return low.view(replace(value.type, shape=tuple(sizes)), value, axes, index)


def scatter(low: Lowering, node: Node, base: Value, view: ViewSteps, value: Any) -> None:
    """Assign at positions from integer arrays, in memory that may be changed."""
    target = None if deposited_by(low, node) else elements_at(low, base, view, value)
    if target is None:
        log_elements(low, node, base, view)
        place(low, node, base, view, value)
        return
    value = ready_value(low, value, load_of(base).buffer)
    log_positions(low, target)
    write_elements(low, target, value)


def place(low: Lowering, node: Node, target: Value, view: ViewSteps, value: Any) -> None:
    """Assign at positions from integer arrays."""
    if deposited_by(low, node) is not None:
        value = set_aside(low, value, target.dtype, {load_of(target).buffer})
        if deposit(low, node, target, value):
            return
    store_at(low, target, view, value)


def assign(low: Lowering, target: Value, value: Any) -> None:
    """Store a value, of a shape that broadcasts, with the conversion of an assignment."""
    value = squeezed(value, len(target.shape))
    expr = operand_at(low, value, target.axes, target.dtype)
    place = load_of(target)
    low.launch(target.axes, Store(place.buffer, place.offset, expr))


def squeezed(value: Any, ndim: int) -> Any:
    """Assignment drops leading dimensions of one element that the target does not have."""
    if not isinstance(value, Value) or len(value.shape) <= ndim:
        return value
    extra = len(value.shape) - ndim
    type_ = replace(value.type, shape=value.shape[extra:])
    return replace(value, type=type_, axes=value.axes[extra:])
