"""The ordered log of what a frame does to objects that existed before it.

Trackers of mutable objects change in place while tracing, so later reads see earlier writes. The
log keeps one row per thing that has to be done again, in the order of first doing it; the
replacement code replays the rows after the graph has succeeded. Objects the frame made itself
are simply rebuilt with their final contents.
"""
from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any

from ...base.records import dataclass
from ...errors import GraphBreak
from ...guards.sources import Pinned
from .fields import Fields

if TYPE_CHECKING:
    from .tracker import VariableTracker


@dataclass(frozen=True, slots=True)
class Contents:
    """Give the container `tracker` (a list, dict or set with a source) its final contents.

    `before` is what it held before the frame, in the tracker's own form."""

    tracker: VariableTracker
    before: Any


@dataclass(frozen=True, slots=True)
class Extend:
    """Append the items of `tracker.tail` to an outside list whose contents were never read."""

    tracker: VariableTracker


@dataclass(frozen=True, slots=True)
class StoreAttr:
    """`object.__setattr__(tracker, name, value)`: hooks of the class have been traced already."""

    tracker: VariableTracker
    name: str
    value: VariableTracker


@dataclass(frozen=True, slots=True)
class DeleteAttr:
    tracker: VariableTracker
    name: str


@dataclass(frozen=True, slots=True)
class StoreGlobal:
    """`namespace.value[name] = value`, where the namespace is a module's dict."""

    namespace: Pinned
    name: str
    value: VariableTracker


@dataclass(frozen=True, slots=True)
class DeleteGlobal:
    namespace: Pinned
    name: str


@dataclass(frozen=True, slots=True)
class StoreCell:
    """`cell.cell_contents = value` for a cell that existed before the frame."""

    cell: VariableTracker
    value: VariableTracker


@dataclass(frozen=True, slots=True)
class DeleteCell:
    cell: VariableTracker


@dataclass(frozen=True, slots=True)
class Advance:
    """Call `next` on an iterator that existed before the frame, `count` times; the last time it
    may be at its end."""

    tracker: VariableTracker
    count: int


@dataclass(frozen=True, slots=True)
class Move:
    """Have an iterator, which existed before the frame, go on behind the item `last`; at its end
    where that is None."""

    tracker: VariableTracker
    last: VariableTracker
    move: Callable[[Any, Any], None]


@dataclass(frozen=True, slots=True, eq=False)
class CallForRecords:
    """Call a function of C for the records that it keeps; what it returns is known."""

    function: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Enter:
    """Enter an error state of NumPy, which `token` can leave again."""

    token: VariableTracker


Record = (
    Contents | Extend | StoreAttr | DeleteAttr | StoreGlobal | DeleteGlobal | StoreCell
    | DeleteCell | Advance | Move | CallForRecords | Enter
)


class SideEffects:
    """The log; a later store to the same place replaces the value of the earlier row."""

    def __init__(self) -> None:
        self._rows: dict[Hashable, Record] = {}
        self.fields = Fields()

    @property
    def sealed(self) -> str:
        """The part of the program that is being traced as a graph of its own, or ""."""
        return self.fields.bodies[-1].what if self.fields.bodies else ""

    @property
    def since(self) -> int:
        """What is numbered from there on is made in that part."""
        return self.fields.bodies[-1].since if self.fields.bodies else 0

    def touches(self, what: str, tracker: VariableTracker | None = None) -> None:
        """Something that Python could notice is about to change: not in a part that may run
        several times, or not at all, which `sealed` describes. What was made in there may
        change."""
        if not self.fields.bodies:
            return
        if tracker is None or self.fields.bodies[-1].is_younger(tracker):
            raise GraphBreak(f"{self.sealed} changes {what}")

    @property
    def records(self) -> tuple[Record, ...]:
        """What to replay, in order."""
        return tuple(self._rows.values())

    def changed(self) -> Iterator[VariableTracker]:
        """The outside containers, objects, cells and iterators that the frame changes."""
        for row in self._rows.values():
            if isinstance(row, Contents | Extend | StoreAttr | DeleteAttr | Advance | Move):
                yield row.tracker
            elif isinstance(row, StoreCell | DeleteCell):
                yield row.cell

    def has_changed(self, tracker: VariableTracker) -> bool:
        """Whether an outside container has other contents than before the frame."""
        return tracker in self._rows

    def mutates(self, tracker: VariableTracker) -> None:
        """`tracker` is about to change its contents."""
        self.touches(tracker.describe(), tracker)
        if tracker.source is not None and type(self._rows.get(tracker)) is not Contents:
            self._rows[tracker] = Contents(tracker, tracker.snapshot())

    def extends(self, tracker: VariableTracker) -> None:
        """Something is about to be appended to an outside list that was not read."""
        self.touches(tracker.describe())
        self._rows[tracker] = Extend(tracker)

    def was_read(self, tracker: VariableTracker, before: list[VariableTracker]) -> None:
        """The contents of an outside list are now known, and were `before` those of the frame."""
        if tracker in self._rows:
            self._rows[tracker] = Contents(tracker, before)

    def repeats(self, call: CallForRecords, what: str) -> None:
        """The call is to be made again, for what it changes."""
        self.touches(what)
        self._rows[call] = call

    def store_attr(self, tracker: VariableTracker, name: str, value: VariableTracker) -> None:
        self.touches(f"the attribute {name!r} of {tracker.describe()}", tracker)
        if tracker.source is not None:
            self._rows[tracker, name] = StoreAttr(tracker, name, value)

    def delete_attr(self, tracker: VariableTracker, name: str, existed: bool) -> None:
        """`existed`: before the frame; an attribute that only the frame knew just goes."""
        self.touches(f"the attribute {name!r} of {tracker.describe()}", tracker)
        if tracker.source is not None:
            self._delete((tracker, name), DeleteAttr(tracker, name) if existed else None)

    def store_global(self, namespace: Pinned, name: str, value: VariableTracker) -> None:
        self.touches(f"the global {name!r}")
        self._rows[namespace, name] = StoreGlobal(namespace, name, value)

    def delete_global(self, namespace: Pinned, name: str) -> None:
        self.touches(f"the global {name!r}")
        existed = name in namespace.value
        self._delete((namespace, name), DeleteGlobal(namespace, name) if existed else None)

    def global_row(self, namespace: Pinned, name: str) -> StoreGlobal | DeleteGlobal | None:
        """What this frame last did to a global, or None."""
        place = (namespace, name)
        row = self._rows.get(place) or self._rows.get(Deleted(place))
        return row if isinstance(row, StoreGlobal | DeleteGlobal) else None

    def store_cell(self, cell: VariableTracker, value: VariableTracker) -> None:
        self.touches("a variable of a closure", cell)
        if cell.source is not None:
            self._rows[cell] = StoreCell(cell, value)

    def delete_cell(self, cell: VariableTracker) -> None:
        self.touches("a variable of a closure", cell)
        if cell.source is not None:
            self._rows[cell] = DeleteCell(cell)

    def advances(self, tracker: VariableTracker) -> None:
        """An outside iterator was stepped once."""
        row = self._rows.get(tracker)
        taken = row.count if isinstance(row, Advance) else 0
        self._rows[tracker] = Advance(tracker, taken + 1)

    def moves(
        self, tracker: VariableTracker, last: VariableTracker, move: Callable[[Any, Any], None]
    ) -> None:
        """A loop has gone through what was left of an outside iterator, up to the item `last`."""
        self.touches(tracker.describe())
        self._rows[tracker] = Move(tracker, last, move)

    def enters(self, token: VariableTracker) -> None:
        self.touches("NumPy's error state")
        self._rows[token] = Enter(token)

    def leaves(self, token: VariableTracker) -> None:
        self.touches("NumPy's error state")
        del self._rows[token]

    def _delete(self, place: Hashable, row: Record | None) -> None:
        """What is stored at the place afterwards comes last in the dict there."""
        self._rows.pop(place, None)
        if row is not None:
            self._rows[Deleted(place)] = row


@dataclass(frozen=True, slots=True)
class Deleted:
    """Key of the row that deletes what was at a place before the frame."""

    place: Hashable
