"""What the next call will find changed, because the program itself changes it.

A count of steps, the length of what is filled so far: an int from outside that the program replaces
by another one is a symbol from the first analysis on, or the code would serve a single call. Where
the instructions show it (`variables.counters`) it is expected, or else found at the end of an
analysis, which is made again then. What was expected and did not come is forgotten.
"""
from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...base.records import dataclass
from ...guards.shapes.dynamic import DynamicPolicy
from ...guards.shapes.shape_env import ShapeEnv
from ...guards.sources import AttrSource, GlobalSource, Source
from ..object_model.constants import ConstantVariable
from ..state.side_effects import Record, StoreAttr, StoreGlobal
from ..state.trace import TraceOptions
from ..state.tracker import VariableTracker
from ..trackers.arrays.sizes import SizeVariable


@dataclass(slots=True)
class Learnt:
    """What analyses of a function remember of it, as it was before one of them."""

    memories: tuple[dict[Any, Any] | set[Any], ...]
    before: tuple[dict[Any, Any] | set[Any], ...]

    @staticmethod
    def by(options: TraceOptions, policy: DynamicPolicy) -> Learnt:
        history = policy.history
        memories = options.loops, options.short_loops or {}, history.fixed, history.laid_out
        return Learnt(memories, tuple(copy.copy(memory) for memory in memories))

    def restore(self) -> None:
        for memory, before in zip(self.memories, self.before):
            memory.clear()
            memory.update(before)


def will_change(policy: DynamicPolicy, records: Iterable[Record]) -> bool:
    """Whether ints that are compiled in will be others; they are noted as if they had been seen.
    Not where another kind of constant changes too, which calls for other code anyway."""
    stored = dict(constants_stored(records))
    if policy.dynamic is not None or not policy.automatic or policy.specialize_int:
        return False
    if any(type(value) is not int for value in stored.values()):
        return False
    changes = {
        (source, "value", 0): value for source, value in stored.items()
        if policy.now.get((source, "value", 0), value) != value
    }
    if all(map(policy.history.changed, changes)):
        return False
    policy.history.observations.insert(-1, policy.now | changes)
    return True


def came_true(policy: DynamicPolicy, records: Sequence[Record], shapes: ShapeEnv) -> bool | None:
    """Whether the program leaves the ints that were expected, or numbers that data decide; None
    where it leaves others, which are expected now. Not where another kind of constant changes,
    too."""
    if any(type(value) is not int for _, value in constants_stored(records)):
        return False
    found = {
        (source, "value", 0): shapes.hint(value.size) for source, value in stored(records)
        if isinstance(value, SizeVariable)
    }
    by_data = {(source, "value", 0) for source, value in stored(records)
               if not isinstance(value, (ConstantVariable, SizeVariable))}
    if all(fact in by_data or found.get(fact) == value for fact, value in policy.expected.items()):
        return True
    return None if policy.correct(found) else False


def constants_stored(records: Iterable[Record]) -> Iterator[tuple[Source, Any]]:
    """Where in objects and modules the program leaves values that are known."""
    for source, value in stored(records):
        if isinstance(value, ConstantVariable):
            yield source, value.value


def stored(records: Iterable[Record]) -> Iterator[tuple[Source, VariableTracker]]:
    """What the program leaves in objects and modules from outside, and where."""
    for row in records:
        match row:
            case StoreAttr(tracker, name, value) if tracker.source:
                yield AttrSource(tracker.source, name), value
            case StoreGlobal(namespace, name, value):
                yield GlobalSource(namespace, name), value
