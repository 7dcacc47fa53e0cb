"""Iterators that existed before the frame: looked ahead while tracing, advanced by the effects.

What is ahead of an iterator over a sequence can be found without stepping it, by the guards and
before the graph runs; a call that bails out has taken nothing.
"""
from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ....base.classes import a_kind
from ....base.records import dataclass
from ....errors import GraphBreak
from ....guards.kinds import CALL
from ....guards.sources import DependentSource, LiteralSource, Pinned, Source
from ....native import StoppableIterator, bound, move_behind
from ...state.tracker import VariableTracker
from .iterators import IteratorVariable
from .sequences import TupleVariable

if TYPE_CHECKING:
    from ...state.tx import Tx

SEQUENCES: tuple[Any, ...] = ((), [], "", "\u0100", b"", range(0), range(2**70))
OVER_SEQUENCES: frozenset[type] = frozenset(
    {type(reversed([])), *(type(iter(sequence)) for sequence in SEQUENCES)}
)
FURTHEST = 16
"""Items that one frame looks ahead: each of them is guarded."""
COUNT = re.compile(r"count\((-?\d+)(?:, (-?\d+))?\)")


def sequence_of(iterator: Any) -> Any:
    """What is iterated over; an empty sequence where the end has been reached."""
    return iterator.__reduce__()[1][0]


def plain(sequence: Any) -> Any:
    """Python's own class of a sequence: no iterator asks what a class derived from it overrides."""
    return next(kind for kind in type(sequence).__mro__ if kind in PLAIN)


PLAIN = frozenset(map(type, SEQUENCES))


def place(iterator: Any, ahead: int) -> int:
    """The index of an item that is `ahead` of the next one; negative where there is none."""
    function, (sequence,), *state = iterator.__reduce__()
    index = state[0] if state and state[0] is not None else 0
    index += -ahead if function is reversed else ahead
    return index if 0 <= index < plain(sequence).__len__(sequence) else -1


def upcoming(iterator: Any, ahead: int) -> Any:
    """The item itself."""
    sequence = sequence_of(iterator)
    return plain(sequence).__getitem__(sequence, place(iterator, ahead))


def counted(counter: Any, ahead: int) -> int:
    """What `itertools.count` will say."""
    start, step = COUNT.fullmatch(repr(counter)).groups()  # type: ignore[union-attr]
    return int(start) + ahead * int(step or 1)


def number(enumeration: Any, ahead: int) -> int:
    first: int = enumeration.__reduce__()[1][1]
    return first + ahead


def enumerated(enumeration: Any) -> Any:
    return enumeration.__reduce__()[1][0]


def zipped(iterator: Any, position: int) -> Any:
    return iterator.__reduce__()[1][position]


@dataclass(frozen=True, slots=True)
class Reaches:
    """A guard: whether an iterator has an item that is `ahead` of the next one."""

    ahead: int
    found: bool

    @property
    def __name__(self) -> str:
        return f"has {'an' if self.found else 'no'} item {self.ahead} steps ahead"

    def __call__(self, iterator: Any) -> bool:
        return (place(iterator, self.ahead) >= 0) is self.found


class OutsideIterator(IteratorVariable):
    """An iterator from outside that nothing is known about; it may be passed along."""

    def __init__(self, value: Iterator[object], source: Source) -> None:
        self.value = value
        self.kind = type(value)
        self.source: Source = source
        self.taken = 0

    def describe(self) -> str:
        """By what the program made: loops that are running have it in an iterator of ours."""
        if isinstance(self.value, StoppableIterator):
            return f"an intermediate value ({a_kind(type(self.value.iterator))})"
        return super().describe()

    def next(self, tx: Tx) -> VariableTracker | None:
        """The next item; what is taken is taken again by the effects."""
        tx.side_effects.touches(self.describe())
        if self.taken >= FURTHEST:
            raise GraphBreak(f"taking so many items of {self.describe()}")
        item = self.step(tx)
        tx.side_effects.advances(self)
        return item

    def step(self, tx: Tx) -> VariableTracker | None:
        """The same where another iterator is advanced, of which this one is a part."""
        item = self.look(tx)
        self.taken += 1
        return item

    def look(self, tx: Tx) -> VariableTracker | None:
        raise GraphBreak(f"taking the next item of {self.describe()}")

    def part(self, tx: Tx, function: Any, *key: Any) -> VariableTracker:
        """What a pure function says about the iterator, in every call anew."""
        source = DependentSource(Pinned(function), (self.source, *map(LiteralSource, key)))
        return tx.wrap(function(self.value, *key), source)


class SequenceIterator(OutsideIterator):
    """Over a list, tuple, string or range, also from its end."""

    def look(self, tx: Tx) -> VariableTracker | None:
        if issubclass(type(sequence_of(self.value)), list):
            below = self.part(tx, sequence_of)
            if tx.side_effects.has_changed(below.contents or below):
                raise GraphBreak(f"stepping {self.describe()} over a list that has changed")
        found = place(self.value, self.taken) >= 0
        tx.guards.install(self.source, CALL, Reaches(self.taken, found), tx.location())
        return self.part(tx, upcoming, self.taken) if found else None


class RangeIterator(SequenceIterator):
    """Over a range. A loop of the graph may go through what is left of it; from then on nobody
    knows where it stands but the call itself."""

    is_moved = False

    def look(self, tx: Tx) -> VariableTracker | None:
        if self.is_moved:
            raise GraphBreak(f"stepping {self.describe()}, which a loop has moved")
        return super().look(tx)

    def left(self, tx: Tx) -> tuple[Any, Any, int] | None:
        """The ends and the step of what is left, for a loop of the graph; None where they are not
        numbers of a graph."""
        if self.is_moved or not all(-(2**62) < bound(self.value, k) < 2**62 for k in range(3)):
            return None
        start, stop = (self.part(tx, bound, which).as_argument(tx) for which in range(2))
        step: int = self.part(tx, bound, 2).as_constant(tx)
        return (start + self.taken * step if self.taken else start), stop, step

    def moved(self, tx: Tx, last: VariableTracker) -> None:
        """A loop has gone through it, up to and with the item `last`; NONE: to its end."""
        self.is_moved = True
        tx.side_effects.moves(self, last, move_behind)

    def behind(self, tx: Tx, last: VariableTracker) -> VariableTracker:
        """What Python goes on with behind the item `last`: the effects move it there."""
        return self

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        """The item of an index of the loop."""
        return index


class CountIterator(OutsideIterator):
    """`itertools.count` of ints."""

    def look(self, tx: Tx) -> VariableTracker | None:
        if COUNT.fullmatch(repr(self.value)) is None:
            return super().look(tx)
        tx.guards.install(self.source, CALL, counts_ints, tx.location())
        return self.part(tx, counted, self.taken)


def counts_ints(counter: Any) -> bool:
    return COUNT.fullmatch(repr(counter)) is not None


class EnumerateIterator(OutsideIterator):
    """`enumerate` of such an iterator."""

    def look(self, tx: Tx) -> VariableTracker | None:
        inner = part_of(tx, self, enumerated)
        if (item := inner.step(tx)) is None:
            return None
        return TupleVariable([self.part(tx, number, self.taken), item])


class ZipIterator(OutsideIterator):
    """`zip` of such iterators."""

    def look(self, tx: Tx) -> VariableTracker | None:
        reduced: Any = self.value.__reduce__()
        _zip, parts, *strict = reduced
        if strict:
            return super().look(tx)
        tx.guards.install(self.source, CALL, Zips(len(parts)), tx.location())
        items = []
        for position in range(len(parts)):
            if (item := part_of(tx, self, zipped, position).step(tx)) is None:
                return None
            items.append(item)
        return TupleVariable(items) if items else None


@dataclass(frozen=True, slots=True)
class Zips:
    """A guard: `zip`, not strict, of so many iterators."""

    count: int
    __name__ = "is one of zip, not strict"

    def __call__(self, iterator: Any) -> bool:
        _, parts, *strict = iterator.__reduce__()
        return len(parts) == self.count and not strict


def part_of(tx: Tx, owner: OutsideIterator, function: Any, *key: Any) -> OutsideIterator:
    part = owner.part(tx, function, *key)
    if not isinstance(part, OutsideIterator):
        raise GraphBreak(f"taking the next item of {owner.describe()}")
    return part


KINDS: dict[type, type[OutsideIterator]] = {
    **dict.fromkeys(OVER_SEQUENCES, SequenceIterator),
    type(iter(range(0))): RangeIterator,
    itertools.count: CountIterator,
    enumerate: EnumerateIterator,
    zip: ZipIterator,
}


def wrap_iterator(value: Iterator[object], source: Source) -> VariableTracker:
    return KINDS.get(type(value), OutsideIterator)(value, source)
