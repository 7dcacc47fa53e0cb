"""From Python's objects to trackers: one tracker for one object, however it is reached."""
from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import GraphBreak
from ...guards.kinds import IS, NO_KEY, SAME
from ...guards.sources import CellSource, ConstSource, GlobalSource, Pinned, Source
from ...ir.sizes import Size
from ..calls import dispatch as calls
from ..object_model.constants import ATOMS, constant, observed
from ..state.side_effects import DeleteGlobal, StoreGlobal
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.arrays.sizes import size_tracker
from ..trackers.containers.instance_dicts import InstanceDictVariable
from .wrap import wrap

if TYPE_CHECKING:
    from ..state.tx import Tx


class FrameValues:
    """What a frame finds outside: by sources, as globals, in modules."""

    def wrap(self: Tx, value: Any, source: Source) -> VariableTracker:
        """The tracker of a value that existed before the frame."""
        return wrap(self, value, source)

    def known(self: Tx, value: Any) -> VariableTracker:
        """The tracker of an object that the trace itself fixes: a class, a module, a function."""
        if type(value) in ATOMS:
            return constant(value)
        name = getattr(value, "__qualname__", None) or type(value).__name__
        return wrap(self, value, ConstSource(Pinned(value), str(name)))

    def outside(
        self: Tx, value: Any, source: Source, make: Callable[[Any, Source], VariableTracker]
    ) -> Any:
        """One tracker for one outside object, however it is reached; of an array without elements
        one for each source: it holds nothing to share, and what starts as one array parts."""
        state = self.state
        if type(value) is np.ndarray and not value.size and (seen := state.tracked.get(id(value))):
            return of_empty_array(self, value, source, seen, make)
        if (seen := state.tracked.get(id(value))) is not None:
            place = seen.place if isinstance(seen, InstanceDictVariable) else seen.source
            if place != source and place is not None:
                same_object(self, value, source, place)
                self.state.shapes.policy.observe_again(source, value)
            return seen
        tracker = state.tracked[id(value)] = make(value, source)
        state.keep_alive.append(value)
        return tracker

    def load_global(self: Tx, name: str) -> VariableTracker:
        """A global or builtin name, with this trace's own stores to it."""
        if (stored := self.stored_global(self.globals, name)) is not None:
            return stored
        namespace = self.globals
        if name not in namespace:
            namespace = vars(builtins)
            found = self.globals.get("__builtins__", builtins)
            namespace = found if isinstance(found, dict) else vars(found)
            if name not in namespace:
                raise self.absent(name, self.globals, namespace)
        return self.wrap(namespace[name], GlobalSource(Pinned(self.globals), name))

    def absent(self: Tx, name: str, *namespaces: Mapping[str, Any]) -> ObservedException:
        """The NameError of a name that none of the namespaces has, in later calls neither."""
        for namespace in namespaces:
            source = ConstSource(Pinned(namespace), namespace.get("__name__", "globals"))
            self.guards.install(source, NO_KEY, name, self.location())
        return observed(NameError(f"name {name!r} is not defined", name=name))

    def stored_global(self: Tx, namespace: dict[str, Any], name: str) -> VariableTracker | None:
        row = self.side_effects.global_row(Pinned(namespace), name)
        if isinstance(row, DeleteGlobal):
            raise GraphBreak(f"the deleted global {name!r}")
        return row.value if isinstance(row, StoreGlobal) else None

    def size(self: Tx, size: Size) -> VariableTracker:
        """The tracker of a size: a constant, or an int that is an expression of symbols."""
        return size_tracker(self, size)

    def import_module(self: Tx, name: str, level: int, names: Any) -> VariableTracker:
        """What an import statement binds when the module is loaded already."""
        return calls.import_module(self, name, level, names)


def of_empty_array(
    tx: Tx, value: Any, source: Source, seen: VariableTracker, make: Callable[[Any, Source], Any]
) -> Any:
    """The tracker of an empty array that was reached before, maybe by another source."""
    aliases = tx.state.empty.setdefault(id(value), {seen.source: seen})
    if source not in aliases:
        aliases[source] = make(value, source)
    return aliases[source]


def same_object(tx: Tx, value: Any, source: Source, other: Source) -> None:
    """Rely on two sources reaching one object; a function's own cells never change."""
    if isinstance(source, CellSource):
        source, other = other, source
    if isinstance(other, CellSource):
        tx.guards.install(source, IS, value, tx.location())
    else:
        tx.guards.install(source, SAME, other, tx.location())
