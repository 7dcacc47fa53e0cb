"""Dicts from outside of which single keys are looked up: only these are guarded.

What else such a dict holds may change from call to call, and may be what no guard can hold. As soon
as the dict is iterated over, measured or changed, all of its keys are guarded, and their order.
"""
from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from ....guards.kinds import HAS_KEY, NO_KEY
from ....guards.sources import ItemSource, Source
from ...object_model.constants import ConstantVariable
from ...object_model.lazy import LazyVariable, realise
from ...state.tracker import VariableTracker

if TYPE_CHECKING:
    from ...state.tx import Tx

PLAIN_KEYS = frozenset((str, bytes, int, bool, type(None)))
"""Types of keys that a dict finds without asking anybody."""


def is_plain(key: VariableTracker) -> bool:
    return type(key) is ConstantVariable and type(key.value) in PLAIN_KEYS


class KeysRead:
    """The keys of an outside dict that were looked up, with their values; None where missing."""

    def __init__(self) -> None:
        self.values: dict[Hashable, VariableTracker | None] = {}

    def has(self, tx: Tx, outside: dict[Any, Any], source: Source, key: VariableTracker) -> bool:
        known = key.as_constant(tx)
        is_there = dict.__contains__(outside, known)
        tx.guards.install(source, HAS_KEY if is_there else NO_KEY, known, tx.location())
        return is_there

    def load(
        self, tx: Tx, outside: dict[Any, Any], source: Source, key: VariableTracker, container: type
    ) -> VariableTracker | None:
        hashed, known = key.hash_key(tx), key.as_constant(tx)
        if hashed in self.values:
            return self.values[hashed]
        if dict.__contains__(outside, known):
            place = ItemSource(source, known, container)
            value = LazyVariable(dict.__getitem__(outside, known), place)
            self.values[hashed] = realise(tx, value)
        else:
            tx.guards.install(source, NO_KEY, known, tx.location())
            self.values[hashed] = None
        return self.values[hashed]
