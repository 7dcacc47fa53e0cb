"""GuardSet: the facts a trace relies on, with their sources and the lines that asked for them."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..base.records import NamedTuple, dataclass
from ..errors import GraphBreak
from ..ir.graph import Location
from ..ir.ops.libraries import byte_bounds
from .arrays import ArrayFacts
from .kinds import ALL_DISJOINT, DISJOINT, EQUALS, IS, NO_ALIAS, NOT_ALIASED, TYPE, Group, GuardKind
from .sources import ConstSource, LocalSource, Source

FOLLOWS_FROM_IDENTITY = (TYPE, IS, EQUALS)
"""What need not be checked of an object that is fixed in the program itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    """`kind` holds for the value at `source`; `captured` is what the kind captured of it."""

    source: Source
    kind: GuardKind
    captured: Any
    location: Location | None = None

    def __str__(self) -> str:
        return self.kind.text.format(x=self.source, k=self.kind.show(self.captured))


class MemoryPlace(NamedTuple):
    """Where an array is in memory."""

    source: Source
    begin: int
    end: int


def must_not_overlap(written: MemoryPlace, other: MemoryPlace) -> None:
    if written.begin < other.end and other.begin < written.end:
        raise GraphBreak(f"{written.source} is written, and {other.source} overlaps it in memory")


MOST_PAIRS = 16
"""More things than make so many pairs are guarded as one group."""


class GuardSet:
    """Guards by source, in the order in which the sources were first asked about.

    Installing is idempotent. Of two kinds on one source only the stronger one is kept.
    """

    def __init__(self) -> None:
        self._by_source: dict[Source, dict[Any, Guard]] = {}
        self._arrays: dict[Source, MemoryPlace] = {}
        self._written: dict[Source, Location | None] = {}
        self._written_places: list[MemoryPlace] = []
        self.reads_flags = False
        """Whether the trace depends on flags of arrays: it read one, or NumPy refused a call."""

    def install(
        self, source: Source, kind: GuardKind, value: Any, location: Location | None = None
    ) -> None:
        """Rely on `kind` for `source`, whose value is now `value`.

        For NO_KEY, NO_ATTR and HAS_KEY the value is the key; for relations between two sources
        (SAME, NOT_ALIASED, DISJOINT) it is the other source; for TENSOR_MATCH the `ArrayFacts`.
        """
        if type(source) is ConstSource and kind in FOLLOWS_FROM_IDENTITY:
            return
        guards = self._by_source.setdefault(source, {})
        guard = Guard(source, kind, kind.capture(value), location)
        key = (kind.name, guard.captured) if kind.many else kind.name
        if key in guards or any(kind.name in other.kind.subsumes for other in guards.values()):
            return
        weaker = [k for k, other in guards.items() if other.kind.name in kind.subsumes
                  and (not kind.many or other.captured == guard.captured)]  # fmt: skip
        if weaker:
            _take_place(guards, weaker, key, guard)
        else:
            guards[key] = guard

    def forbid_aliases(self, changed: Sequence[Source], others: Sequence[Source]) -> None:
        """Rely on each of `changed` being another object than all others."""
        group = Group(tuple(changed), tuple(others))
        if len(changed) * (len(changed) + len(others)) > MOST_PAIRS:
            self.install(changed[0], NO_ALIAS, group)
            return
        for one, other in group.pairs():
            self.install(one, NOT_ALIASED, other)

    @property
    def sources(self) -> int:
        """Of how many parts of the arguments and surroundings something is guarded."""
        return len(self._by_source)

    def has(self, source: Source, kind: GuardKind) -> bool:
        return kind.name in self._by_source.get(source, {})

    def watch_array(self, source: Source, array: Any) -> None:
        """An array input; it must share no memory with any array the frame writes."""
        place = MemoryPlace(source, *byte_bounds(array))
        for written in self._written_places:
            must_not_overlap(written, place)
        self._arrays[source] = place

    def write_array(self, source: Source, location: Location | None = None) -> None:
        """The trace writes into this array input: no other input may overlap it."""
        if source in self._written:
            return
        place = self._arrays[source]
        for other in self._arrays.values():
            if other is not place:
                must_not_overlap(place, other)
        self._written[source] = location
        self._written_places.append(place)

    def drop_flags(self, names: Iterable[str]) -> None:
        """Rely on none of these flags of any array of NumPy's."""
        anything: dict[str, Any] = dict.fromkeys(names)
        for guards in self._by_source.values():
            for key, guard in guards.items():
                facts = guard.captured
                if isinstance(facts, ArrayFacts) and facts.type is np.ndarray:
                    guards[key] = replace(guard, captured=replace(facts, **anything))

    def written(self) -> tuple[Source, ...]:
        return tuple(self._written)

    def __iter__(self) -> Iterator[Guard]:
        for guards in self._by_source.values():
            yield from guards.values()
        yield from self._disjoint()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _disjoint(self) -> Iterator[Guard]:
        if len(self._written) * len(self._arrays) > MOST_PAIRS:
            changed = tuple(self._written)
            others = tuple(source for source in self._arrays if source not in self._written)
            location = self._written[changed[0]]
            yield Guard(changed[0], ALL_DISJOINT, Group(changed, others), location)
            return
        seen: set[frozenset[Source]] = set()
        for written, location in self._written.items():
            for other in self._arrays:
                pair = frozenset((written, other))
                if other != written and pair not in seen:
                    seen.add(pair)
                    yield Guard(written, DISJOINT, other, location)


def _take_place(
    guards: dict[Any, Guard], weaker: Sequence[Any], key: Any, guard: Guard
) -> None:
    """Let a guard stand where the first of weaker ones stood: later ones may rely on the type."""
    items = [(key, guard) if k == weaker[0] else (k, guards[k]) for k in guards]
    guards.clear()
    guards.update((k, each) for k, each in items if k not in weaker)


def types_of(flat_args: Sequence[Any], names: Sequence[str]) -> GuardSet:
    """The least that tells one kind of call from another: the types of the arguments."""
    guards = GuardSet()
    for index, (value, name) in enumerate(zip(flat_args, names)):
        guards.install(LocalSource(index, name), TYPE, value)
    return guards
