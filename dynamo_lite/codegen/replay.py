"""Replaying side effects: what was done to outside objects while tracing, as instructions.

Each row builds its values first, and gives what performs the effect later.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..tracer.object_model.attributes import is_shadowed
from ..tracer.rules.mro import lookup
from ..tracer.state.emitter import Replay
from ..tracer.state.side_effects import (
    Advance,
    CallForRecords,
    Contents,
    DeleteAttr,
    DeleteCell,
    DeleteGlobal,
    Enter,
    Extend,
    Move,
    StoreAttr,
    StoreCell,
    StoreGlobal,
)
from ..tracer.state.tracker import VariableTracker
from ..tracer.trackers.containers.lists import ListVariable
from .reconstruct import Reconstructor
from .refilling import refill


def prepare_effect(code: Reconstructor, record: Any) -> Replay:
    """Build what one side effect needs; the result emits the effect itself."""
    return EFFECTS[type(record)](code, record)


def _outside(code: Reconstructor, tracker: VariableTracker) -> Replay:
    assert tracker.source is not None
    code.load_source(tracker.source)
    return code.hold_top()


def _contents(code: Reconstructor, record: Contents) -> Replay:
    return refill(code, record, _outside(code, record.tracker))


def _extend(code: Reconstructor, record: Extend) -> Replay:
    target = _outside(code, record.tracker)
    assert isinstance(record.tracker, ListVariable)
    for item in record.tracker.tail:
        code.build(item)
    code.emit("BUILD_LIST", len(record.tracker.tail))
    if record.tracker.run is not None:
        code.build(record.tracker.run)
        code.emit("LIST_EXTEND", 1)
    items = code.hold_top()
    return lambda: code.call_for_effect(list.extend, target, items)


def _store_attr(code: Reconstructor, record: StoreAttr) -> Replay:
    kind = record.tracker.python_type()
    target, value = _outside(code, record.tracker), code.hold(record.value)
    if is_shadowed(kind, record.name):
        return lambda: code.call_for_effect(
            dict.__setitem__, _namespace(code, target), code.constant(record.name), value
        )
    if lookup(kind, "__setattr__") in PLAIN_STORES:
        return lambda: code.store_attribute(target, record.name, value)
    return lambda: code.call_for_effect(
        _base(kind).__setattr__, target, code.constant(record.name), value
    )


PLAIN_STORES = (object.__setattr__, type.__setattr__)
"""What an assignment to an attribute does, where no class has hooks."""


def _delete_attr(code: Reconstructor, record: DeleteAttr) -> Replay:
    kind, target = record.tracker.python_type(), _outside(code, record.tracker)
    if is_shadowed(kind, record.name):
        return lambda: code.call_for_effect(
            dict.__delitem__, _namespace(code, target), code.constant(record.name)
        )
    return lambda: code.call_for_effect(
        _base(kind).__delattr__, target, code.constant(record.name)
    )


def _namespace(code: Reconstructor, target: Replay) -> Replay:
    """The dict of an object."""

    def load() -> None:
        target()
        code.emit("LOAD_ATTR", "__dict__")

    return load


def _base(kind: type) -> type:
    """Classes refuse `object.__setattr__`; their own hook-free one is `type`'s."""
    return type if issubclass(kind, type) else object


def _store_global(code: Reconstructor, record: StoreGlobal) -> Replay:
    value = code.hold(record.value)
    namespace = record.namespace.value
    return lambda: code.call_for_effect(
        dict.__setitem__, code.constant(namespace), code.constant(record.name), value
    )


def _delete_global(code: Reconstructor, record: DeleteGlobal) -> Replay:
    namespace = record.namespace.value
    return lambda: code.call_for_effect(
        dict.__delitem__, code.constant(namespace), code.constant(record.name)
    )


def _store_cell(code: Reconstructor, record: StoreCell) -> Replay:
    cell, value = _outside(code, record.cell), code.hold(record.value)
    return lambda: code.call_for_effect(setattr, cell, code.constant("cell_contents"), value)


def _delete_cell(code: Reconstructor, record: DeleteCell) -> Replay:
    cell = _outside(code, record.cell)
    return lambda: code.call_for_effect(delattr, cell, code.constant("cell_contents"))


def _advance(code: Reconstructor, record: Advance) -> Replay:
    iterator = _outside(code, record.tracker)

    def step() -> None:
        for _ in range(record.count):
            code.call_for_effect(next, iterator, code.constant(None))

    return step


def _move(code: Reconstructor, record: Move) -> Replay:
    iterator, last = _outside(code, record.tracker), code.hold(record.last)
    return lambda: code.call_for_effect(record.move, iterator, last)


def _call(code: Reconstructor, record: CallForRecords) -> Replay:
    return lambda: code.call_for_effect(record.function)


def _enter(code: Reconstructor, record: Enter) -> Replay:
    """Building the token does it: the states are entered in order, before anything else."""
    code.hold(record.token)
    return lambda: None


EFFECTS: dict[type, Callable[[Reconstructor, Any], Replay]] = {
    Contents: _contents,
    Extend: _extend,
    StoreAttr: _store_attr,
    DeleteAttr: _delete_attr,
    StoreGlobal: _store_global,
    DeleteGlobal: _delete_global,
    StoreCell: _store_cell,
    DeleteCell: _delete_cell,
    Advance: _advance,
    Move: _move,
    CallForRecords: _call,
    Enter: _enter,
}
"""How each kind of side effect is replayed."""

