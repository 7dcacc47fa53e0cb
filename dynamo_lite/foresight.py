"""What the next call will find changed, because the program itself changes it.

A count of steps, the length of what is filled so far: an int from outside that the program replaces
by another one is a symbol from the first analysis on, or the code would serve a single call.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .guards.dynamic import DynamicPolicy
from .guards.sources import AttrSource, GlobalSource, Source
from .side_effects import Record, StoreAttr, StoreGlobal
from .variables.constants import ConstantVariable


def foresees(policy: DynamicPolicy, records: Iterable[Record]) -> bool:
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


def constants_stored(records: Iterable[Record]) -> Iterator[tuple[Source, Any]]:
    """Where in objects and modules the program leaves values that are known."""
    for row in records:
        match row:
            case StoreAttr(tracker, name, ConstantVariable(value=value)) if tracker.source:
                yield AttrSource(tracker.source, name), value
            case StoreGlobal(namespace, name, ConstantVariable(value=value)):
                yield GlobalSource(namespace, name), value
