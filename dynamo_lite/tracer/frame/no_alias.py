"""What a trace changes is, in later calls too, no alias of anything else that the trace knows."""
from __future__ import annotations

from collections.abc import Sequence
from types import CellType
from typing import TYPE_CHECKING

from ...guards.sources import (
    AttrSource,
    CellSource,
    ConstSource,
    ItemSource,
    OwnDictSource,
    Pinned,
    Source,
)
from ..object_model.cells import CellVariable
from ..trackers.containers.instance_dicts import InstanceDictVariable

if TYPE_CHECKING:
    from ..state.trace import TraceState
    from ..state.tracker import VariableTracker


def guard_no_alias(state: TraceState) -> None:
    """Guards that what was two objects is not one, where that would show."""
    _keep_unaliased(state, [(True, key.source) for key in state.keys if key.source])
    changed = set(state.side_effects.changed())
    if not changed:
        return
    kinds: dict[type, list[VariableTracker]] = {}
    for tracker in dict.fromkeys(state.tracked.values()):
        if tracker.source is not None:
            kinds.setdefault(tracker.python_type(), []).append(tracker)
    for kind, known in kinds.items():
        if kind is CellType:
            _keep_cells_unaliased(state, [t for t in known if isinstance(t, CellVariable)], changed)
        elif not issubclass(kind, dict):
            _keep_unaliased(state, [(t in changed, t.source) for t in known if t.source])
    dicts = [t for kind, known in kinds.items() if issubclass(kind, dict) for t in known]
    _keep_dicts_unaliased(state, dicts, changed)


def _keep_unaliased(state: TraceState, places: Sequence[tuple[bool, Source]]) -> None:
    """Objects at the sources; those that change are marked."""
    changed = [source for is_changed, source in places if is_changed]
    if changed and len(places) > 1:
        others = [source for is_changed, source in places if not is_changed]
        state.guards.forbid_aliases(changed, others)


def _keep_dicts_unaliased(
    state: TraceState, dicts: Sequence[VariableTracker], changed: set[VariableTracker]
) -> None:
    """A dict may be the `__dict__` of an object."""
    owners = [t.owner for t in state.tracked.values() if isinstance(t, InstanceDictVariable)]
    places = [(tracker in changed, tracker.source) for tracker in dicts if tracker.source]
    if places:
        places += [
            (owner in changed, OwnDictSource(owner.source)) for owner in owners if owner.source
        ]
    _keep_unaliased(state, places)


def _keep_cells_unaliased(
    state: TraceState, cells: Sequence[CellVariable], changed: set[VariableTracker]
) -> None:
    """Two functions may have a variable in common."""
    functions = {_function_of(cell.source) for cell in cells}
    fixed = all(isinstance(function, CellSource | ConstSource) for function in functions)
    if fixed or (len(functions) == 1 and None not in functions):
        return
    _keep_unaliased(state, [(cell in changed, _lasting(state, cell.source)) for cell in cells])


def _function_of(source: Source | None) -> Source | None:
    """The function whose closure has the cell; for the frame's own one, the cell itself."""
    if isinstance(source, ItemSource) and isinstance(source.base, AttrSource):
        return source.base.base if source.base.name == "__closure__" else None
    return source if isinstance(source, CellSource) else None


def _lasting(state: TraceState, source: Source | None) -> Source:
    """The cells of the frame's own function are known by themselves."""
    assert source is not None
    if not isinstance(source, CellSource):
        return source
    assert state.function.__closure__ is not None
    return ConstSource(Pinned(state.function.__closure__[source.index]), str(source))
