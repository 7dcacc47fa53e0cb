"""Iterators over arrays in the middle of a loop: those that side exits make, and that loops of the
graph go on with.

What Python goes on with behind a side exit has no name, so that it may be another iterator each
time. Those that are numbered, or of several arrays, are of classes that only side exits use: what
remains of one of them nobody else can have.
"""
from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....guards.kinds import CALL
from ....guards.sources import Source
from ....ir.sizes import minimum
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from ..containers.iterators import EnumerateVariable, IteratorVariable, StepVariable, ZipVariable
from ..containers.outside_iterators import OutsideIterator, Zips
from ..containers.sequences import TupleVariable
from .arrays import ArrayVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


class Numbered(enumerate):
    """What is left of `enumerate(array)`."""


class SideBySide(zip):
    """What is left of `zip(array, …)`."""


OVER_ONE = type(iter(np.zeros(0)))


def single_iterators(iterator: Any) -> tuple[Any, ...]:
    """The iterators over single arrays."""
    if type(iterator) is OVER_ONE:
        return (iterator,)
    parts: tuple[Any, ...] = iterator.__reduce__()[1]
    return parts[:1] if type(iterator) is Numbered else parts


def array_of(iterator: Any, which: int) -> Any:
    """The array that a part goes through; an empty tuple at its end."""
    return single_iterators(iterator)[which].__reduce__()[1][0]


def standing(iterator: Any, which: int) -> int:
    """The index of the next item of a part; behind all parts the next number."""
    parts = single_iterators(iterator)
    if which == len(parts):
        number: int = iterator.__reduce__()[1][1]
        return number
    _iter, _array, *index = parts[which].__reduce__()
    return index[0] if index else 0


def move_in_array(iterator: Any, last: int | None) -> None:
    """Have an iterator over an array go on behind the item at `last`, or be at its end (None)."""
    iterator.__setstate__(len(array_of(iterator, 0)) if last is None else last + 1)
    if last is None:
        next(iterator, None)


def at_item(array: Any, index: int) -> Iterator[Any]:
    """The iterator over an array that gives the item at an index next."""
    made: Any = iter(array)
    made.__setstate__(index)
    found: Iterator[Any] = made
    return found


def over_arrays(iterator: VariableTracker) -> Sequence[StepVariable] | None:
    """The iterators over single arrays in one that the frame has made; None of other iterators."""
    inners = [iterator]
    if isinstance(iterator, EnumerateVariable):
        inners = [iterator.inner]
    elif isinstance(iterator, ZipVariable) and not iterator.strict:
        inners = [*iterator.inners]
    found = [one for one in inners if isinstance(one, StepVariable)
             and isinstance(one.owner, ArrayVariable) and not one.exhausted]
    return found if found and len(found) == len(inners) else None


class Standing(IteratorVariable):
    """An iterator over `arrays`, of which those before the item at an index are taken; `number` is
    the next one where they are numbered."""

    def __init__(
        self, kind: type, arrays: Sequence[VariableTracker], places: Sequence[VariableTracker],
        number: VariableTracker | None = None,
    ) -> None:
        self.kind, self.arrays, self.places, self.number = kind, arrays, places, number

    @property
    def facts(self) -> int:
        """Numbers that are others each time."""
        return len(self.places) + (self.number is not None)

    def reconstruct(self, code: Emitter) -> None:
        if self.kind is not OVER_ONE:
            code.load_const(self.kind)
        for array, place in zip(self.arrays, self.places):
            code.load_const(at_item)
            code.build(array)
            code.build(place)
            code.call(2)
        if self.number is not None:
            code.build(self.number)
        if self.kind is not OVER_ONE:
            code.call(len(self.arrays) + (self.number is not None))


def behind(tx: Tx, iterator: VariableTracker, last: VariableTracker) -> Standing:
    """What is left of an iterator of the frame's after `last` more items and one."""
    parts = over_arrays(iterator)
    assert parts is not None
    places = [along(tx, last, part.position + 1) for part in parts]
    arrays = [part.owner for part in parts]
    if isinstance(iterator, EnumerateVariable):
        return Standing(Numbered, arrays, places, along(tx, last, iterator.count + 1))
    return Standing(SideBySide if isinstance(iterator, ZipVariable) else OVER_ONE, arrays, places)


def along(tx: Tx, number: VariableTracker, more: Any) -> VariableTracker:
    return record(tx, operator.add, (number.as_argument(tx), more))


class ArrayIterator(OutsideIterator):
    """What is left of an iterator over arrays: a loop of the graph may go through it."""

    is_moved = False

    def __init__(self, value: Iterator[object], source: Source) -> None:
        super().__init__(value, source)
        self.count = len(single_iterators(value))

    @property
    def facts(self) -> int:
        return self.count + (self.kind is Numbered)

    def arrays(self, tx: Tx) -> list[VariableTracker]:
        return [self.part(tx, array_of, which) for which in range(self.count)]

    def starts(self, tx: Tx) -> list[Any]:
        return [self.part(tx, standing, which).as_argument(tx) for which in range(self.count)]

    def left(self, tx: Tx) -> tuple[Any, Any, int] | None:
        """The ends of the range of the places in the arrays; None where these are not the same."""
        if self.is_moved:
            return None
        if self.kind is SideBySide:
            tx.guards.install(self.source, CALL, Zips(self.count), tx.location())
        arrays, (start, *others) = self.arrays(tx), self.starts(tx)
        if not all(isinstance(array, ArrayVariable) for array in arrays):
            return None
        if not all(tx.shapes.equal(start, other) for other in others):
            return None
        sizes = [array.array_type.shape[0] for array in arrays]  # type: ignore[attr-defined]
        return start, functools.reduce(minimum, sizes), 1

    def item(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        place = index.as_argument(tx)
        items = [record(tx, operator.getitem, (array.as_argument(tx), place))
                 for array in self.arrays(tx)]
        if self.kind is Numbered:
            return TupleVariable([self.number(tx, index), *items])
        return items[0] if self.kind is OVER_ONE else TupleVariable(items)

    def number(self, tx: Tx, index: VariableTracker) -> VariableTracker:
        """The number of the item at an index."""
        first: Any = self.part(tx, standing, self.count).as_argument(tx)
        return along(tx, index, first - self.starts(tx)[0])

    def moved(self, tx: Tx, last: VariableTracker) -> None:
        """A loop has gone through it, up to and with the item `last`; NONE: to its end."""
        self.is_moved = True
        if self.kind is OVER_ONE:
            tx.side_effects.moves(self, last, move_in_array)

    def behind(self, tx: Tx, last: VariableTracker) -> VariableTracker:
        """What Python goes on with behind the item `last`."""
        if self.kind is OVER_ONE:
            return self
        places = [along(tx, last, 1)] * self.count
        number = self.number(tx, places[0]) if self.kind is Numbered else None
        return Standing(self.kind, self.arrays(tx), places, number)


def wrap_array_iterator(value: Iterator[object], source: Source) -> ArrayIterator | None:
    """The tracker of an iterator over arrays from outside; None for others."""
    if type(value) not in (OVER_ONE, Numbered, SideBySide):
        return None
    parts = single_iterators(value)
    if not parts or any(type(part) is not OVER_ONE for part in parts):
        return None
    arrays = [array_of(value, which) for which in range(len(parts))]
    are_arrays = all(type(array) is np.ndarray and array.ndim for array in arrays)
    return ArrayIterator(value, source) if are_arrays else None
