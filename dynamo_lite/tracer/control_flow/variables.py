"""What iterations of a loop and arms of a branch may leave different: locals, the lengths of lists
whose items are in arrays, and fields of objects and cells that one of them changes."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import CodeType
from typing import TYPE_CHECKING

from ...errors import GraphBreak, PlanLoop, Unsupported
from ..state.fields import Field, FieldName
from ..state.trace import LoopPlan
from ..state.tracker import ObservedException, VariableTracker
from .parts import settled

if TYPE_CHECKING:
    from ..state.tx import Tx


def variables(tx: Tx) -> dict[str, VariableTracker]:
    return tx.locals | shared(tx)


def shared(tx: Tx) -> dict[str, VariableTracker]:
    """The variables that are no locals of a frame."""
    fields = {key: known.value for key, known in tx.side_effects.fields.known.items()}
    return tx.state.list_lengths | fields


def is_shared(name: str) -> bool:
    """No identifier has the sign that their names have."""
    return "#" in name


def assign(tx: Tx, found: Mapping[str, VariableTracker]) -> None:
    """Give variables their values; those that were gone with a body are forgotten."""
    lengths, known = tx.state.list_lengths, tx.side_effects.fields.known
    for name, value in found.items():
        if not is_shared(name):
            tx.locals[name] = value
        elif name in lengths:
            lengths[name] = value
        elif name in known and (changed := known[name]).value is not value:
            changed.owner.store_held(tx, changed.name, value)


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
    wider = replace(plan, fields=plan.fields | body.missing)
    if isinstance(stop, PlanLoop):
        tx.state.options.loops[place] = wider
        raise stop
    raise PlanLoop(place, wider)


def planned_places(
    tx: Tx, value: VariableTracker
) -> Iterator[tuple[Tx, tuple[CodeType, int], LoopPlan, str]]:
    """The loops around the current instruction, from the outermost on, of frames in which a value
    has one name: the frame, the loop's place and plan, and the name."""
    frame: Tx | None = tx
    while frame is not None:
        names = [name for name, known in frame.locals.items() if settled(known) is value]
        around = [loop for loop in frame.loops.values() if frame.current.index in loop.members]
        for loop in sorted(around, key=lambda loop: -len(loop.members)):
            place = frame.code, loop.head
            plan = tx.state.options.loops.get(place, LoopPlan())
            if len(names) == 1 and not plan.reason:
                yield frame, place, plan, names[0]
        frame = frame.parent
