"""What iterations of a loop and arms of a branch may leave different: locals, the lengths of lists
whose items are in arrays, and fields of objects and cells that one of them changes."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import CodeType
from typing import TYPE_CHECKING, Any

from ...errors import GraphBreak, PlanLoop, Unsupported
from ..object_model.cells import CellVariable
from ..state.fields import Field, FieldName
from ..state.side_effects import StoreAttr
from ..state.trace import LoopPlan
from ..state.tracker import ObservedException, VariableTracker
from .parts import settled

if TYPE_CHECKING:
    from ..state.tx import Tx


LENGTH = "#length"
"""What the names of lengths of lists have in them, and no others."""


SLOT = "stack "
"""What names of places of the stack begin with: no identifier does."""


FIELD = "field "
"""The same of fields of objects, which the frame has made or has stored something in."""


def variables(tx: Tx) -> dict[str, VariableTracker]:
    return tx.locals | shared(tx)


def shared(tx: Tx) -> dict[str, VariableTracker]:
    """The variables that are no locals of a frame."""
    fields = {key: known.value for key, known in tx.side_effects.fields.known.items()}
    return tx.state.list_lengths | fields


def slot_name(place: int) -> str:
    """What a place of the stack is called among the variables: a comprehension has what it makes
    there while it loops."""
    return f"{SLOT}{place}"


def slot_of(name: str) -> int | None:
    return int(name.removeprefix(SLOT)) if name.startswith(SLOT) else None


def is_field(name: str) -> bool:
    return name.startswith(FIELD)


def field_of(tx: Tx, name: str) -> Field | None:
    """The field of that name, if there is such an object yet and it has the attribute."""
    of, attribute = name.removeprefix(FIELD).rsplit(" ", 1)
    for key, owner in owners(tx):
        if key == of and attribute in owner.attributes:
            return Field(owner, attribute)
    return None


def fields_with(tx: Tx, value: VariableTracker) -> list[str]:
    """The fields which have a value."""
    return [
        f"{FIELD}{key} {name}" for key, owner in owners(tx)
        for name, known in owner.attributes.items() if settled(known) is value
    ]


def owners(tx: Tx) -> Iterator[tuple[str, Any]]:
    """The objects that have fields, and what each is called in other runs of the analysis too."""
    for owner, number in tx.side_effects.fields.made.items():
        if hasattr(owner, "attributes"):
            yield str(number), owner
    rows = [row for row in tx.side_effects.records if isinstance(row, StoreAttr)]
    for tracker in dict.fromkeys(row.tracker for row in rows):
        if hasattr(tracker, "attributes"):
            yield str(tracker.source), tracker


def held(tx: Tx, name: str) -> VariableTracker | None:
    """What a local, a cell of the frame's, a place of the stack or a field has, if anything."""
    if (place := slot_of(name)) is not None:
        return settled(tx.stack[place]) if place < len(tx.stack) else None
    if is_field(name):
        return settled(found.value) if (found := field_of(tx, name)) is not None else None
    return settled(bound_to(tx, name))


def bound_to(tx: Tx, name: str) -> VariableTracker | None:
    local = tx.locals.get(name)
    return local.bound if isinstance(local, CellVariable) and local.source is None else local


def hold(tx: Tx, name: str, value: VariableTracker) -> None:
    if (place := slot_of(name)) is not None:
        tx.stack[place] = value
    elif is_field(name):
        if (found := field_of(tx, name)) is not None:
            found.owner.hold(found.name, value)
            if not tx.graph.is_body:
                tx.side_effects.store_attr(found.owner, found.name, value)  # type: ignore[arg-type]
    elif isinstance(cell := tx.locals.get(name), CellVariable):
        cell.hold(name, value)
    else:
        tx.locals[name] = value


def is_of_body(tx: Tx, value: VariableTracker) -> bool:
    """Whether a value was made in the body that is being traced, if any: it may become an array of
    the graph there. An older one would become another array in each iteration, or in one arm."""
    return not tx.graph.is_body or value.born >= tx.side_effects.since


def names_of(frame: Tx, value: VariableTracker) -> list[str]:
    """The locals of a frame, and cells that it made, that have a value."""
    outer = frame.code.co_freevars
    return [name for name in frame.locals if name not in outer and held(frame, name) is value]


def is_shared(name: str) -> bool:
    """No identifier has the sign that their names have."""
    return "#" in name


def assign(tx: Tx, found: Mapping[str, VariableTracker]) -> None:
    """Give variables their values; those that were gone with a body are forgotten."""
    lengths, known = tx.state.list_lengths, tx.side_effects.fields.known
    for name, value in found.items():
        if not is_shared(name):
            tx.locals[name] = value
        elif name in known:
            if (changed := known[name]).value is not value:
                changed.owner.store_held(tx, changed.name, value)
        elif name in lengths or LENGTH in name:
            lengths[name] = value


def find_field(tx: Tx, name: FieldName) -> Field | None:
    """The field that a loop has been planned with, or None where it is not there yet."""
    fields = tx.side_effects.fields
    if name.made is not None:
        owners = [owner for owner, number in fields.made.items() if number == name.made]
        owner = owners[0] if owners else None
    else:
        assert name.value is not None and name.source is not None
        owner = tx.wrap(name.value.value, name.source)  # type: ignore[assignment]
    if owner is None or not hasattr(owner, "held") or owner.own(tx, name.name) is None:
        return None
    return Field(owner, name.name)


@contextmanager
def planned_fields(tx: Tx, place: tuple[CodeType, int], plan: LoopPlan) -> Iterator[None]:
    """Inside, an iteration of a loop is traced, which hands on the fields that are planned. Where
    it turns out to change others, the analysis starts again, whatever else is found there."""
    body = tx.side_effects.fields.bodies[-1]
    stop: Exception | None = None
    try:
        yield
    except (Unsupported, ObservedException) as found:
        if not body.missing:
            raise
        stop = found
    if not body.missing:
        return
    if body.missing <= plan.fields:
        raise GraphBreak(f"{body.what} changes objects that it finds on its way")
    plan = tx.state.options.loops.get(place, plan)
    wider = replace(plan, fields=plan.fields | body.missing)
    if isinstance(stop, PlanLoop):
        tx.state.options.loops[place] = wider
        raise stop
    raise PlanLoop(place, wider)


def is_in_loop(tx: Tx) -> bool:
    """Whether a frame is in a loop, traced as a whole or iteration by iteration."""
    frame: Tx | None = tx
    while frame is not None:
        if any(frame.current.index in loop.members for loop in frame.loops.values()):
            return True
        frame = frame.parent
    return False


def planned_places(
    tx: Tx, value: VariableTracker
) -> Iterator[tuple[Tx, tuple[CodeType, int], LoopPlan, str]]:
    """The loops around the current instruction, from the outermost on, of frames in which a value
    has one name: the frame, the loop's place and plan, and the name."""
    frame: Tx | None = tx
    fields = fields_with(tx, value)
    while frame is not None:
        names = names_of(frame, value)
        slots = [place for place, known in enumerate(frame.stack) if settled(known) is value]
        around = [loop for loop in frame.loops.values() if frame.current.index in loop.members]
        for loop in sorted(around, key=lambda loop: -len(loop.members)):
            place = frame.code, loop.head
            plan = tx.state.options.loops.get(place, LoopPlan())
            below = [slot_name(slot) for slot in slots if slot < frame.depths.get(loop.head, 0)]
            if len(found := names + below + fields) == 1 and not plan.reason:
                yield frame, place, plan, found[0]
        frame = frame.parent
