"""Memory that is changed in place: when that may be, and what is logged or computed before."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....ir.control import is_control
from ....ir.graph import Node
from ....ir.sizes import product
from ....ir.tree import leaves
from ....ir.types import ArrayType, Form
from ...loop_ir.loops import Buffer, Load, Offset
from ...loop_ir.program import LogCopy, LogUndo
from .context import Lowering
from .values import Value, load_of


def log_undo(low: Lowering, target: Value, *, whole: bool = False) -> None:
    """A part of an input is overwritten next; with `whole`, nobody knows which part of it."""
    place = load_of(target)
    part = place.buffer, place.offset.constant, target.shape, target.strides()
    if place.buffer in low.ownership.unlogged and part not in low.ownership.logged:
        type_ = ArrayType(target.dtype, target.shape, target.strides())
        is_copied = copied_before(low, place.buffer)
        low.steps.append(
            LogUndo(place.buffer, place.offset.constant, type_, is_copied=is_copied))
        low.ownership.logged.add(part)
    if whole:
        low.ownership.unlogged.discard(place.buffer)


def copied_before(low: Lowering, buffer: Buffer) -> bool:
    """Whether the undo log has a copy of all that an input held; it is made where it is to."""
    value = low.ownership.copied.get(buffer)
    if value is not None:
        low.steps.append(LogCopy(buffer, replace(value.type, form=Form.ARRAY)))
        low.ownership.copied[buffer] = None
    return buffer in low.ownership.copied


def may_change(low: Lowering, node: Node, value: Value, user: Node) -> bool:
    """Whether `user` may change the memory of `node`: that was made for it, and whatever else
    reads it comes first. What has been put off until later is computed now."""
    if not low.ownership.is_owned(value) or not low.readers.is_last(user, node):
        return False
    if low.readers.is_only(node) and not is_control(user):
        return True
    given, buffer = user.operands, load_of(value).buffer

    def reads(found: object) -> bool:
        return isinstance(found, Value) and low.ownership.reads(found, buffer)

    if given.count(node) > 1 or (is_control(user) and any(
        n is not node and reads(found := low.values.get(n)) and is_read_inside(found)
        for n in given
    )):
        return False
    late = [
        other for other, found in low.values.items()
        if other is not node and low.readers.come_behind(user, other)
        and any(map(reads, leaves(found)))
    ]
    if not can_compute(low, late, value):
        return False
    for other in late:
        low.values[other] = computed(low, low.values[other])
    return True


def is_read_inside(value: object) -> bool:
    """Whether a body that is given a value looks at it where it lies; most numbers get memory of
    their own before (`bodies.ready`)."""
    if not isinstance(value, Value) or value.type.form is Form.ARRAY:
        return True
    return isinstance(value.expr, Load) and value.expr.offset is Offset()


def can_compute(low: Lowering, late: Sequence[Node], changed: Value) -> bool:
    """Whether values that are read after memory has changed are computed before, rather than
    from a copy of it. Where it is an input, that is so if they are smaller."""
    values = [low.values[node] for node in late]
    if not all(isinstance(value, Value) for value in values):
        return False
    arrays = [v.is_memory and v.type.form is Form.ARRAY for v in values]
    if any(array and node in low.graph.outputs for node, array in zip(late, arrays)):
        return False
    if load_of(changed).buffer in low.ownership.fixed and not low.graph.is_body:
        elements = sum(low.relations.hint(product(value.shape)) for value in values)
        is_small = elements <= low.relations.hint(product(changed.shape))
        return is_small and low.readers.shared.isdisjoint(late)
    return not any(arrays) and (
        low.graph.is_body or not any(value.shape for value in values)
    )


def own_copy(low: Lowering, value: Value, why: str, layout: ArrayType | None = None) -> Value:
    """A value in memory that was made for it, and may be changed."""
    return low.ownership.owned(low.materialise(value, why, layout=layout))


def computed(low: Lowering, value: Value) -> Value:
    """The same value in memory of its own."""
    layout = replace(value.type, dtype=value.dtype, form=Form.ARRAY)
    if value.type.form is Form.ARRAY:
        return own_copy(low, value, "it is read before it changes")
    made = low.materialise(value, "", layout=layout)
    return replace(value, array=made.array, expr=made.expr)
