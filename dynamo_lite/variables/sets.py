"""Sets and frozen sets."""
from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..errors import GraphBreak
from ..guards.sources import Source
from .base import VariableTracker
from .constants import NONE, NOT_IMPLEMENTED, ConstantVariable, builds, constant, observed
from .methods import builtin_method

if TYPE_CHECKING:
    from ..reconstruct import Reconstructor
    from ..translator import Translator

Members = dict[Hashable, VariableTracker]


class SetVariable(VariableTracker):
    """A set. Its iteration order is CPython's own, which only a set of constants can tell."""

    def __init__(self, kind: type = set, source: Source | None = None) -> None:
        self.members: Members = {}
        self.kind = kind
        self.source = source

    @classmethod
    def of(
        cls, tx: Translator, items: Iterable[VariableTracker], kind: type = set
    ) -> SetVariable:
        made = cls(kind)
        for item in items:
            made.members.setdefault(item.hash_key(tx), item)
        return made

    def python_type(self) -> type:
        return self.kind

    def is_constant(self) -> bool:
        return self.kind is frozenset and all(item.is_constant() for item in self.members.values())

    def as_constant(self, tx: Translator) -> Any:
        return self.kind(item.as_constant(tx) for item in self.members.values())

    def truth(self, tx: Translator) -> bool:
        return bool(self.members)

    def iterate(self, tx: Translator) -> Iterator[VariableTracker]:
        """Sets of one member, or of small ints inserted in order, iterate alike in every process."""
        if len(self.members) > 1:
            raise GraphBreak("the order of a set")
        return iter(list(self.members.values()))

    def getattr(self, tx: Translator, name: str) -> VariableTracker:
        return builtin_method(self, name)

    def method___len__(self, tx: Translator) -> VariableTracker:
        return ConstantVariable(len(self.members))

    def method___iter__(self, tx: Translator) -> VariableTracker:
        return tx.iterator(self)

    def method___contains__(self, tx: Translator, item: VariableTracker) -> VariableTracker:
        return constant(item.hash_key(tx) in self.members)

    def change(self, tx: Translator) -> Members:
        tx.side_effects.mutates(self)
        return self.members

    def method_add(self, tx: Translator, item: VariableTracker) -> VariableTracker:
        self.change(tx).setdefault(item.hash_key(tx), item)
        return NONE

    def method_discard(self, tx: Translator, item: VariableTracker) -> VariableTracker:
        self.change(tx).pop(item.hash_key(tx), None)
        return NONE

    def method_remove(self, tx: Translator, item: VariableTracker) -> VariableTracker:
        if item.hash_key(tx) not in self.members:
            raise observed(KeyError(item.as_constant(tx)))
        return self.method_discard(tx, item)

    def method_clear(self, tx: Translator) -> VariableTracker:
        self.change(tx).clear()
        return NONE

    def method_copy(self, tx: Translator) -> VariableTracker:
        return self.made(self.members)

    def made(self, members: Members) -> SetVariable:
        result = SetVariable(self.kind)
        result.members = dict(members)
        return result

    def method_update(self, tx: Translator, *others: VariableTracker) -> VariableTracker:
        for other in others:
            for hashed, item in members_of(tx, other).items():
                self.change(tx).setdefault(hashed, item)
        return NONE

    def method_union(self, tx: Translator, *others: VariableTracker) -> VariableTracker:
        result = self.made(self.members)
        for other in others:
            result.members = {**members_of(tx, other), **result.members}
        return result

    def method_intersection(self, tx: Translator, *others: VariableTracker) -> VariableTracker:
        kept = dict(self.members)
        for other in others:
            theirs = members_of(tx, other)
            kept = {hashed: item for hashed, item in kept.items() if hashed in theirs}
        return self.made(kept)

    def method_difference(self, tx: Translator, *others: VariableTracker) -> VariableTracker:
        kept = dict(self.members)
        for other in others:
            theirs = members_of(tx, other)
            kept = {hashed: item for hashed, item in kept.items() if hashed not in theirs}
        return self.made(kept)

    def method_symmetric_difference(self, tx: Translator, other: VariableTracker) -> VariableTracker:
        theirs = members_of(tx, other)
        mine = {hashed: item for hashed, item in self.members.items() if hashed not in theirs}
        rest = {hashed: item for hashed, item in theirs.items() if hashed not in self.members}
        return self.made({**mine, **rest})

    def method_issubset(self, tx: Translator, other: VariableTracker) -> VariableTracker:
        return constant(self.members.keys() <= members_of(tx, other).keys())

    def method_issuperset(self, tx: Translator, other: VariableTracker) -> VariableTracker:
        return constant(self.members.keys() >= members_of(tx, other).keys())

    def method_isdisjoint(self, tx: Translator, other: VariableTracker) -> VariableTracker:
        return constant(self.members.keys().isdisjoint(members_of(tx, other).keys()))

    def operator(
        self, tx: Translator, other: VariableTracker, method: Callable[..., VariableTracker]
    ) -> VariableTracker:
        """An operator takes sets only, where the method takes any iterable."""
        return method(tx, other) if isinstance(other, SetVariable) else NOT_IMPLEMENTED

    def method___or__(self, tx: Translator, other: VariableTracker) -> VariableTracker:
        return self.operator(tx, other, self.method_union)

    def method___and__(self, tx: Translator, other: VariableTracker) -> VariableTracker:
        return self.operator(tx, other, self.method_intersection)

    def method___sub__(self, tx: Translator, other: VariableTracker) -> VariableTracker:
        return self.operator(tx, other, self.method_difference)

    def method___xor__(self, tx: Translator, other: VariableTracker) -> VariableTracker:
        return self.operator(tx, other, self.method_symmetric_difference)

    def method___le__(self, tx: Translator, other: VariableTracker) -> VariableTracker:
        return self.operator(tx, other, self.method_issubset)

    def method___ge__(self, tx: Translator, other: VariableTracker) -> VariableTracker:
        return self.operator(tx, other, self.method_issuperset)

    def method___eq__(self, tx: Translator, other: VariableTracker) -> VariableTracker:
        if not isinstance(other, SetVariable):
            return NOT_IMPLEMENTED
        return constant(self.members.keys() == other.members.keys())

    def hash_key(self, tx: Translator) -> Hashable:
        if self.kind is set:
            raise observed(TypeError("unhashable type: 'set'"))
        return frozenset(self.members)

    def reconstruct(self, code: Reconstructor) -> None:
        if self.kind is not set:
            code.load_callable(self.kind)
        for item in self.members.values():
            code.build(item)
        code.emit("BUILD_SET", len(self.members))
        if self.kind is not set:
            code.call(1)


def members_of(tx: Translator, other: VariableTracker) -> Members:
    if isinstance(other, SetVariable):
        return other.members
    return {item.hash_key(tx): item for item in tx.iterate(other)}


@builds(set)
def _set(value: set[Any]) -> VariableTracker:
    made = SetVariable()
    made.members = {item: constant(item) for item in value}
    return made
