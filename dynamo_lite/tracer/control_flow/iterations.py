"""What a `for` loop goes over, as an index of the graph and the item that belongs to it."""
from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...base.records import dataclass
from ...bytecode.liveness import live_locals, sees_variables
from ...errors import GraphBreak
from ...ir import control
from ...ir.node import Node
from ...ir.sizes import Size, SizeExpr, depends_on_data, minimum
from ..recording.nodes import record
from ..state.trace import Counter
from ..state.tracker import VariableTracker
from ..trackers.array_backed.elements import elements_of
from ..trackers.array_backed.growing import GrowingVariable
from ..trackers.array_backed.outside_rows import OutsideRow
from ..trackers.arrays.array_iterators import ArrayIterator
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.linear import size_of
from ..trackers.containers.iterators import EnumerateVariable, StepVariable, ZipVariable
from ..trackers.containers.outside_iterators import OutsideIterator, RangeIterator
from ..trackers.containers.sequences import SequenceVariable, TupleVariable
from ..trackers.containers.slices import DataRangeVariable, RangeVariable
from .escapes import reachable

if TYPE_CHECKING:
    from ..state.tx import Tx

Item = Callable[["Tx", VariableTracker], VariableTracker]


@dataclass(frozen=True, slots=True)
class Iterations:
    """The iterations that are left of a loop: the `ends` of the range of its index, and the `item`
    of an index."""

    ends: tuple[Any, Any, Any]
    item: Item = lambda tx, index: index
    is_outside: bool = False
    """Whether the program may see where the iterator stands after the loop."""

    @property
    def always(self) -> bool:
        """Whether there is an iteration in every call."""
        return all(isinstance(end, int) for end in self.ends) and number_of(*self.ends) > 0

    def certain(self, tx: Tx) -> bool:
        """Whether there is an iteration; asking guards the answer."""
        start, stop, step = self.ends
        if all(isinstance(end, int) for end in self.ends):
            return self.always
        if not self.known:
            return False
        return tx.shapes.less(start, stop) if step > 0 else tx.shapes.less(stop, start)

    @property
    def known(self) -> bool:
        """Whether the ends are sizes that no data decides."""
        return all(isinstance(end, (int, SizeExpr)) for end in self.ends) and not any(
            map(depends_on_data, self.ends)
        )

    def count(self) -> Size | None:
        """How many there are; None where data decides."""
        start, stop, step = self.ends
        if all(isinstance(end, int) for end in self.ends):
            return number_of(*self.ends)
        return stop - start if self.known and step == 1 else None


def note_bounds(tx: Tx, index: Node, iterations: Iterations) -> None:
    """Remember what is known of the index of a body that is being traced."""
    start, stop, step = iterations.ends
    first, last = (size_of(tx, end) for end in ((start, stop) if step > 0 else (stop, start)))
    if first is None or last is None:
        return
    first, last = (first, last - 1) if step > 0 else (first + 1, last)
    if iterations.is_outside and tx.shapes.hint(first) >= 0:
        tx.shapes.less_equal(0, first)  # so that no index is counted from the end
    if (low := tx.shapes.least(first)) is not None:
        tx.state.counters[index] = Counter(tx.graph, low, last)


def number_of(start: int, stop: int, step: int) -> int:
    """The length of a range, which `len` only gives where it fits 64 bits."""
    return max(0, -((start - stop) // step))


def iterations_of(tx: Tx, iterator: VariableTracker) -> Iterations | None:
    """What is left of an iterator; None where it is of another kind."""
    if isinstance(iterator, StepVariable) and not iterator.exhausted:
        ranged = iterator.owner
        if isinstance(ranged, RangeVariable):
            left = ranged.value[iterator.position :]
            return Iterations((left.start, left.stop, left.step))
        if isinstance(ranged, DataRangeVariable):
            if not ranged.has_known_step:
                return by_computed_steps(tx, ranged, iterator.position)
            start, stop, step = ranged.arguments(tx)
            if iterator.position and not isinstance(start, (int, SizeExpr)):
                return None
            return Iterations((start + iterator.position * step if iterator.position else start,
                           stop, step))
    if isinstance(iterator, RangeIterator | ArrayIterator):
        ends = iterator.left(tx)
        return None if ends is None else Iterations(ends, iterator.item, is_outside=True)
    if (length := length_of(tx, iterator)) is None:
        return None
    return Iterations((0, length, 1), lambda tx, index: item_at(tx, iterator, index))


def by_computed_steps(tx: Tx, ranged: DataRangeVariable, position: int) -> Iterations:
    """The iterations of a range of which data decides the step; one of 0 divides by it."""
    start, stop, step = (end.as_argument(tx) for end in ranged.ends)
    is_up = record(tx, operator.gt, (step, 0)).as_argument(tx)
    nearest = record(tx, control.choose, (is_up, 1, -1)).as_argument(tx)
    way = record(tx, operator.sub, (stop, start)).as_argument(tx)
    beyond = record(tx, operator.add, (way, step)).as_argument(tx)
    beyond = record(tx, operator.sub, (beyond, nearest)).as_argument(tx)
    count = record(tx, operator.floordiv, (beyond, step)).as_argument(tx)

    def item(tx: Tx, index: VariableTracker) -> VariableTracker:
        moved = record(tx, operator.mul, (index.as_argument(tx), step))
        return record(tx, operator.add, (moved.as_argument(tx), start))

    return Iterations((position, count, 1), item)


def length_of(tx: Tx, iterator: VariableTracker) -> Any:
    """How many items are left of an iterator whose items are found by their index: a size, or what
    computes it."""
    if isinstance(iterator, EnumerateVariable):
        return length_of(tx, iterator.inner)
    if isinstance(iterator, ZipVariable) and iterator.inners and not iterator.strict:
        if len({*map(id, iterator.inners)}) < len(iterator.inners):
            return None
        found = [length_of(tx, inner) for inner in iterator.inners]
        known = [length for length in found if isinstance(length, (int, SizeExpr))]
        return functools.reduce(minimum, known) if len(known) == len(found) else None
    if not isinstance(iterator, StepVariable) or iterator.exhausted:
        return None
    if isinstance(iterator.owner, RangeVariable):
        return len(iterator.owner.value) - iterator.position
    if isinstance(iterator.owner, ArrayVariable) and iterator.owner.array_type.shape:
        return iterator.owner.array_type.shape[0] - iterator.position
    if isinstance(iterator.owner, GrowingVariable) and not iterator.position:
        return iterator.owner.length(tx).as_argument(tx)
    if isinstance(iterator.owner, OutsideRow):
        return iterator.owner.many - iterator.position
    elements = elements_of(tx, iterator.owner)
    return None if elements is None else elements.count - iterator.position


def built_items_left(iterator: VariableTracker) -> int | None:
    """How many items are left in a sequence whose items are there already; None of all else."""
    if isinstance(iterator, EnumerateVariable):
        return built_items_left(iterator.inner)
    if isinstance(iterator, ZipVariable) and iterator.inners:
        found = [built_items_left(inner) for inner in iterator.inners]
        known = [left for left in found if left is not None]
        return min(known) if len(known) == len(found) else None
    owner = iterator.owner if isinstance(iterator, StepVariable) else None
    if not isinstance(owner, SequenceVariable) or owner.unread is not None:
        return None
    return len(owner.built_items()) - iterator.position  # type: ignore[attr-defined]


def goes_through_elements(tx: Tx, iterator: VariableTracker | None) -> bool:
    """Whether the items are elements of a long value from outside if the loop is a node, and are
    looked at one by one if it is not."""
    if isinstance(iterator, EnumerateVariable):
        return goes_through_elements(tx, iterator.inner)
    if isinstance(iterator, ZipVariable):
        return any(goes_through_elements(tx, inner) for inner in iterator.inners)
    owner = iterator.owner if isinstance(iterator, StepVariable) else None
    return elements_of(tx, owner) is not None


def take_elements(tx: Tx, iterator: VariableTracker | None) -> None:
    """Have the items before a loop of the graph be elements too, as those in the loop are."""
    if isinstance(iterator, StepVariable):
        iterator.elements = iterator.elements or elements_of(tx, iterator.owner)
    elif isinstance(iterator, EnumerateVariable):
        take_elements(tx, iterator.inner)
    elif isinstance(iterator, ZipVariable):
        for inner in iterator.inners:
            take_elements(tx, inner)


def owner_of(iterator: VariableTracker | None) -> VariableTracker | None:
    """What an iterator goes through, with or without counting."""
    while isinstance(iterator, EnumerateVariable):
        iterator = iterator.inner
    return getattr(iterator, "owner", None)


def item_at(tx: Tx, iterator: VariableTracker, index: VariableTracker) -> VariableTracker:
    """The item that an iterator gives after `index` others, from where it stands."""
    if isinstance(iterator, EnumerateVariable):
        count = along(tx, index, iterator.count, 1)
        return TupleVariable([count, item_at(tx, iterator.inner, index)])
    if isinstance(iterator, ZipVariable):
        return TupleVariable([item_at(tx, inner, index) for inner in iterator.inners])
    assert isinstance(iterator, StepVariable)
    if isinstance(iterator.owner, RangeVariable):
        left = iterator.owner.value[iterator.position :]
        return along(tx, index, left.start, left.step)
    if isinstance(iterator.owner, GrowingVariable):
        return iterator.owner.at(tx, index)
    place = along(tx, index, iterator.position, 1)
    if isinstance(iterator.owner, OutsideRow):
        return iterator.owner.method___getitem__(tx, place)
    if (elements := elements_of(tx, iterator.owner)) is not None:
        return elements.at(tx, place)
    return record(tx, operator.getitem, (iterator.owner.as_argument(tx), place.as_argument(tx)))


def along(tx: Tx, index: VariableTracker, start: int, step: int) -> VariableTracker:
    """`start + step * index`"""
    if step != 1:
        index = record(tx, operator.mul, (index.as_argument(tx), step))
    return record(tx, operator.add, (index.as_argument(tx), start)) if start else index


def check_nameless(tx: Tx, iterator: VariableTracker) -> None:
    """Where an iterator stands after the loop must not be seen, unless it says so itself."""
    if isinstance(iterator, OutsideIterator):
        return
    parts = getattr(iterator, "inners", None) or [getattr(iterator, "inner", iterator)]
    wanted = {id(part) for part in (iterator, *parts)}
    if any(id(value) in wanted for value in reachable(named(tx))):
        raise GraphBreak("a loop over an iterator that has a name")


def named(tx: Tx) -> list[Any]:
    """What the program can get at from the head of a loop, other than by its iterator: from
    variables that may be read, values on the stacks, and what effects have stored."""
    code, found = tx.code, list[Any](tx.state.side_effects.records)
    names = {*tx.locals} if sees_variables(code) else live_locals(code, tx.index)
    found += [value for name, value in tx.locals.items() if name in names]
    found += tx.stack[:-1]
    caller = tx.parent
    while caller is not None:
        found += [*caller.locals.values(), *caller.stack]
        caller = caller.parent
    return found


__all__ = ["Iterations", "check_nameless", "goes_through_elements", "iterations_of", "owner_of",
           "take_elements"]
