"""Iterators: stepped while tracing, rebuilt where they stand when tracing ends."""
from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from itertools import islice, tee
from types import GeneratorType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ....errors import GraphBreak
from ...object_model.attributes import python_method
from ...object_model.constants import ConstantVariable, constant, observed
from ...object_model.lazy import realise_at
from ...state.tracker import COUNTER, ObservedException, VariableTracker
from ...state.unrolling import check_budget
from .sequences import SequenceVariable, TupleVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


class IteratorVariable(VariableTracker):
    """Base: `next` gives the next item, or None at the end."""

    kind: type = type(iter(()))

    def python_type(self) -> type:
        return self.kind

    def next(self, tx: Tx) -> VariableTracker | None:
        raise NotImplementedError

    def truth(self, tx: Tx) -> bool:
        return True

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        self.touch(tx)
        while (item := self.next(tx)) is not None:
            tx.state.check_time()
            check_budget(tx)
            yield item

    def touch(self, tx: Tx) -> None:
        """Items are about to be taken: not of what was made before a part that may run several
        times, or not at all."""
        tx.side_effects.touches("an iterator", self)
        for part in getattr(self, "inners", None) or [getattr(self, "inner", None)]:
            if isinstance(part, IteratorVariable):
                part.touch(tx)

    def method___iter__(self, tx: Tx) -> VariableTracker:
        return self

    def method___next__(self, tx: Tx) -> VariableTracker:
        self.touch(tx)
        if (item := self.next(tx)) is None:
            raise observed(StopIteration())
        return item

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        return python_method(tx, self, name)


class Taken(Protocol):
    """Items as they are taken by their index."""

    @property
    def count(self) -> Any: ...

    def at(self, tx: Tx, place: VariableTracker) -> VariableTracker: ...


class StepVariable(IteratorVariable):
    """`iter(owner)`, `position` items in; `elements` has the items where they are not looked at."""

    elements: Taken | None = None

    def __init__(self, tx: Tx, owner: VariableTracker, kind: type) -> None:
        self.owner = owner
        self.kind = kind
        self.position = 0
        self.exhausted = False
        self.steps = owner.iterate(tx)

    def next(self, tx: Tx) -> VariableTracker | None:
        item = None if self.exhausted else self.step(tx)
        if item is None:
            self.exhausted = True
        else:
            self.position += 1
        return item

    def step(self, tx: Tx) -> VariableTracker | None:
        if self.elements is None:
            return next(self.steps, None)
        if not tx.shapes.less(self.position, self.elements.count):
            return None
        return self.elements.at(tx, constant(self.position))

    def fork(self) -> StepVariable:
        """Another one that stands at the same item."""
        found = copy(self)
        found.born = next(COUNTER)
        self.steps, found.steps = tee(self.steps)
        return found

    def reconstruct(self, code: Emitter) -> None:
        if self.exhausted:
            code.load_const(exhausted)
            code.load_const(self.kind)
            return code.call(1)
        if self.kind is GeneratorType:
            code.load_const(later)
            code.build(self.owner)
            code.load_const(self.position)
            return code.call(2)
        movable = hasattr(self.kind, "__setstate__")
        if self.position and not movable:
            raise GraphBreak(f"rebuilding a {self.kind.__name__} in the middle")
        if not movable and code.is_changed(getattr(self.owner, "owner", self.owner)):
            raise GraphBreak(f"rebuilding a {self.kind.__name__} over what the program changes")
        if getattr(self.owner, "whole", None) is not None:
            kind: Any = self.owner.python_type()
            code.load_const(kind.__iter__)
            code.build(self.owner)
            code.call(1)
        else:
            code.build(self.owner)
            code.emit("GET_ITER")
        if self.position:
            code.move_iterator(self.position)
        return None


class BackwardsVariable(StepVariable):
    """`reversed(array)`, of which `owner` is the view from its end."""

    def __init__(self, tx: Tx, owner: VariableTracker) -> None:
        super().__init__(tx, owner, reversed)

    def reconstruct(self, code: Emitter) -> None:
        if self.position:
            raise GraphBreak("rebuilding what reversed() gave of an array, in the middle")
        code.load_const(reversed_view)
        code.build(self.owner)
        code.call(1)


def reversed_view(view: np.ndarray) -> Iterator[Any]:
    array = view[::-1]
    return reversed(array)


def later(owner: Iterable[object], position: int) -> Iterator[object]:
    """`iter(owner)`, `position` items in, where taking them has no effect."""
    made = iter(owner)
    deque(islice(made, position), 0)
    return made


def exhausted(kind: type) -> Iterator[object]:
    """An iterator of one of Python's kinds, at its end."""
    made = next((iter(empty) for empty in EMPTY if type(iter(empty)) is kind), iter(()))
    next(made, None)
    return made


EMPTY: tuple[Any, ...] = (
    [], (), range(0), "", b"", {}, {}.keys(), {}.values(), {}.items(), set(), deque(),
    np.zeros(0),
)  # fmt: skip


class ReversedVariable(IteratorVariable):
    """`reversed(sequence)`: `left` is the index of the next item, as in CPython's iterator."""

    def __init__(self, owner: SequenceVariable, kind: type) -> None:
        self.owner = owner
        self.kind = kind
        self.left: int | None = None

    def next(self, tx: Tx) -> VariableTracker | None:
        items = self.owner.items(tx)
        if self.left is None:
            self.left = len(items) - 1
        if not 0 <= self.left < len(items):
            self.left = -1
            return None
        self.left -= 1
        return realise_at(tx, items, self.left + 1)

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(reversed)
        code.build(self.owner)
        code.call(1)
        if self.left is not None:
            code.move_iterator(self.left)


class EnumerateVariable(IteratorVariable):
    kind = enumerate

    def __init__(self, inner: IteratorVariable, count: int) -> None:
        self.inner = inner
        self.count = count

    def next(self, tx: Tx) -> VariableTracker | None:
        if (item := self.inner.next(tx)) is None:
            return None
        self.count += 1
        return TupleVariable([ConstantVariable(self.count - 1), item])

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(enumerate)
        code.build(self.inner)
        code.load_const(self.count)
        code.call(2)


class ZipVariable(IteratorVariable):
    kind = zip

    def __init__(self, inners: Sequence[IteratorVariable], strict: bool = False) -> None:
        self.inners = inners
        self.strict = strict

    def next(self, tx: Tx) -> VariableTracker | None:
        if not self.inners:
            return None
        items: list[VariableTracker] = []
        for position, inner in enumerate(self.inners):
            if (item := inner.next(tx)) is None:
                if self.strict:
                    self.check_ends(tx, position)
                return None
            items.append(item)
        return TupleVariable(items)

    def check_ends(self, tx: Tx, position: int) -> None:
        """`zip(strict=True)`: number `position` is the first that ended."""
        if position:
            raise observed(ValueError(_uneven(position, "shorter")))
        for later, inner in enumerate(self.inners[1:], 1):
            if inner.next(tx) is not None:
                raise observed(ValueError(_uneven(later, "longer")))

    def reconstruct(self, code: Emitter) -> None:
        if self.strict:
            raise GraphBreak("rebuilding a strict zip after the compiled part")
        code.load_const(zip)
        for inner in self.inners:
            code.build(inner)
        code.call(len(self.inners))


def _uneven(position: int, how: str) -> str:
    others = "argument 1" if position == 1 else f"arguments 1-{position}"
    return f"zip() argument {position + 1} is {how} than {others}"


class MapVariable(IteratorVariable):
    kind = map

    def __init__(self, function: VariableTracker, inners: Sequence[IteratorVariable]) -> None:
        self.function = function
        self.inners = inners

    def next(self, tx: Tx) -> VariableTracker | None:
        items = []
        for inner in self.inners:
            if (item := inner.next(tx)) is None:
                return None
            items.append(item)
        return tx.call(self.function, *items)

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(map)
        code.build(self.function)
        for inner in self.inners:
            code.build(inner)
        code.call(1 + len(self.inners))


class FilterVariable(IteratorVariable):
    kind = filter

    def __init__(self, function: VariableTracker, inner: IteratorVariable) -> None:
        self.function = function
        self.inner = inner

    def next(self, tx: Tx) -> VariableTracker | None:
        for item in self.inner.iterate(tx):
            none = self.function.python_type() is type(None)
            if (item if none else tx.call(self.function, item)).truth(tx):
                return item
        return None

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(filter)
        code.build(self.function)
        code.build(self.inner)
        code.call(2)


class ComputedIterator(IteratorVariable):
    """Items that a Python-level recipe gives one by one; it cannot leave the trace."""

    def __init__(self, steps: Iterator[VariableTracker], kind: type) -> None:
        self.steps = steps
        self.kind = kind

    def next(self, tx: Tx) -> VariableTracker | None:
        return next(self.steps, None)


class CallableIterator(IteratorVariable):
    """`iter(function, sentinel)`."""

    kind = type(iter(int, 1))

    def __init__(self, function: VariableTracker, sentinel: VariableTracker) -> None:
        self.function = function
        self.sentinel = sentinel
        self.ended = False

    def next(self, tx: Tx) -> VariableTracker | None:
        if self.ended:
            return None
        try:
            item = tx.call(self.function)
        except ObservedException as raised:
            if not issubclass(raised.value.python_type(), StopIteration):
                raise
            self.ended = True
            return None
        self.ended = tx.is_equal(item, self.sentinel)
        return None if self.ended else item


class ObjectIterator(IteratorVariable):
    """An object of a user class with `__next__`."""

    def __init__(self, owner: VariableTracker, is_stop: Callable[[VariableTracker], bool]) -> None:
        self.owner = owner
        self.is_stop = is_stop
        self.kind = owner.python_type()

    def next(self, tx: Tx) -> VariableTracker | None:
        try:
            return self.owner.call_method(tx, "__next__", (), {})
        except ObservedException as raised:
            if self.is_stop(raised.value):
                return None
            raise

    def reconstruct(self, code: Emitter) -> None:
        code.build(self.owner)
