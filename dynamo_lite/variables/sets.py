"""Sets and frozen sets: each mirrored by a real one, so that operations and order are CPython's."""
from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..errors import GraphBreak
from ..guards.kinds import CALL
from ..guards.sources import Source
from .base import VariableTracker
from .callables import is_identity_hashed
from .constants import NONE, NOT_IMPLEMENTED, ConstantVariable, builds, constant, observed
from .dicts import DictViewVariable, is_guardable_key, look_for_ids
from .object_model import python_method

if TYPE_CHECKING:
    from ..reconstruct import Reconstructor
    from ..translator import Translator

AnySet = set[Hashable] | frozenset[Hashable]


class SetVariable(VariableTracker):
    """A set; `real` mirrors it with hash keys, `pool` has the trackers of other than constant keys.

    `unread` says that an outside set was not looked at yet.
    """

    def __init__(
        self,
        real: AnySet,
        pool: dict[Hashable, VariableTracker] | None = None,
        source: Source | None = None,
    ) -> None:
        self.real: Any = real
        self.pool = pool or {}
        self.source = source
        self.unread = source is not None
        self.order: list[Hashable] | None = None
        self.whole: VariableTracker | None = None

    @classmethod
    def of(cls, tx: Translator, items: Iterable[VariableTracker], kind: type = set) -> SetVariable:
        """A set that items were added to one by one."""
        real: set[Hashable] = set()
        pool: dict[Hashable, VariableTracker] = {}
        for item in items:
            key = item.hash_key(tx)
            real.add(key)
            if not is_guardable_key(key):
                pool.setdefault(key, item)
        return cls(real if kind is set else frozenset(real), pool)

    def python_type(self) -> type:
        return type(self.real)

    def members(self, tx: Translator) -> AnySet:
        """The hash keys; the members of an outside set are guarded."""
        if self.unread:
            self.unread = False
            assert self.source is not None
            for key in self.real:
                if is_identity_hashed(key):
                    self.pool[key] = tx.known(key)
                elif not is_guardable_key(key):
                    raise GraphBreak(f"{self.describe()} has members that cannot be guarded")
            tx.guards.install(self.source, CALL, SameMembers(self.real), tx.location())
            look_for_ids(tx, self.real)
            self.order = list(self.real)
            self.real = self.real.copy()
        members: AnySet = self.real
        return members

    def tracker_of(self, key: Hashable) -> VariableTracker:
        return self.pool[key] if key in self.pool else constant(key)

    def trackers(self, tx: Translator) -> list[VariableTracker]:
        """The members where their order does not matter."""
        return [self.tracker_of(key) for key in self.members(tx)]

    def is_constant(self) -> bool:
        return isinstance(self.real, frozenset) and all(map(is_guardable_key, self.real))

    def as_constant(self, tx: Translator) -> Any:
        return type(self.real)(item.as_constant(tx) for item in self.trackers(tx))

    def truth(self, tx: Translator) -> bool:
        return bool(self.members(tx))

    def iterate(self, tx: Translator) -> Iterator[VariableTracker]:
        """In the real set's order, which objects hashed by address do not let us know."""
        self.check_order(tx)
        return self._unchanged(list(self.real) if self.order is None else self.order)

    def _unchanged(self, before: list[Hashable]) -> Iterator[VariableTracker]:
        for key in before:
            if len(self.real) != len(before):
                raise observed(RuntimeError("Set changed size during iteration"))
            yield self.tracker_of(key)

    def check_order(self, tx: Translator) -> None:
        """Objects hash by address, and the history of an outside set is not known."""
        known = all(is_guardable_key(k) or is_identity_hashed(k) for k in self.members(tx))
        changed = self.order is not None and set(self.order) != self.real
        if len(self.real) > 1 and (not known or changed):
            raise GraphBreak(f"the order of {self.describe()}")

    def getattr(self, tx: Translator, name: str) -> VariableTracker:
        return python_method(tx, self, name)

    def method___len__(self, tx: Translator) -> VariableTracker:
        return ConstantVariable(len(self.members(tx)))

    def method___iter__(self, tx: Translator) -> VariableTracker:
        return tx.iterator(self)

    def method___contains__(self, tx: Translator, item: VariableTracker) -> VariableTracker:
        members = self.members(tx)
        return constant(item.hash_key(tx) in members)

    def method_pop(self, tx: Translator) -> VariableTracker:
        if not self.members(tx):
            raise observed(KeyError("pop from an empty set"))
        self.check_order(tx)
        if self.order is not None:
            raise GraphBreak(f"the order of {self.describe()}")
        tx.side_effects.mutates(self)
        return self.tracker_of(self.real.pop())

    def method_remove(self, tx: Translator, item: VariableTracker) -> VariableTracker:
        members = self.members(tx)
        if item.hash_key(tx) not in members:
            raise observed(KeyError(item.as_constant(tx)))
        tx.side_effects.mutates(self)
        self.real.discard(item.hash_key(tx))
        return NONE

    def change(
        self, tx: Translator, method: Callable[..., None], *args: VariableTracker, single: bool
    ) -> None:
        """Let the real set do it; arguments are members (`single`) or iterables of them."""
        self.members(tx)
        operands: list[Any] = []
        for arg in args:
            if single:
                operands.append(self.key_of(tx, arg))
            else:
                operands.append(self.keys_of(tx, arg))
        tx.side_effects.mutates(self)
        method(self.real, *operands)

    def key_of(self, tx: Translator, item: VariableTracker) -> Hashable:
        key = item.hash_key(tx)
        if not is_guardable_key(key):
            self.pool.setdefault(key, item)
        return key

    def keys_of(self, tx: Translator, other: VariableTracker) -> Any:
        if isinstance(other, SetVariable):
            self.pool.update(other.pool)
            return other.members(tx)
        return [self.key_of(tx, item) for item in tx.iterate(other)]

    def compute(
        self, tx: Translator, method: Callable[..., Any], *others: VariableTracker
    ) -> VariableTracker:
        """A method that leaves the set alone; its result is a new set or a bool."""
        if method is frozenset.copy:
            return self
        mine, pool = self.members(tx), dict(self.pool)
        result = method(mine, *[self.keys_of(tx, other) for other in others])
        if isinstance(result, bool):
            return constant(result)
        return SetVariable(result, {**self.pool, **pool})

    def hash_key(self, tx: Translator) -> Hashable:
        if isinstance(self.real, set):
            raise observed(TypeError("unhashable type: 'set'"))
        return frozenset(self.members(tx))

    def reconstruct(self, code: Reconstructor) -> None:
        if isinstance(self.real, frozenset):
            code.load_callable(frozenset)
        for key in self.real:
            code.build(self.tracker_of(key))
        code.emit("BUILD_SET", len(self.real))
        if isinstance(self.real, frozenset):
            code.call(1)


CHANGES = {"add": True, "discard": True, "clear": True, "update": False,
           "intersection_update": False, "difference_update": False,
           "symmetric_difference_update": False}  # fmt: skip
"""Methods that change a set; whether they take members rather than iterables."""

COMPUTATIONS = ("union", "intersection", "difference", "symmetric_difference", "issubset",
                "issuperset", "isdisjoint", "copy")  # fmt: skip
OPERATORS = ("__or__", "__and__", "__sub__", "__xor__", "__le__", "__ge__", "__lt__", "__gt__",
             "__eq__", "__ne__")  # fmt: skip
IN_PLACE = ("__ior__", "__iand__", "__isub__", "__ixor__")


def _changing(name: str, single: bool) -> Callable[..., VariableTracker]:
    def method(self: SetVariable, tx: Translator, *args: VariableTracker) -> VariableTracker:
        self.change(tx, getattr(set, name), *args, single=single)
        return NONE

    return method


def _computing(name: str, only_sets: bool) -> Callable[..., VariableTracker]:
    def method(self: SetVariable, tx: Translator, *others: VariableTracker) -> VariableTracker:
        if only_sets and not all(isinstance(other, SetVariable) for other in others):
            return NOT_IMPLEMENTED
        return self.compute(tx, getattr(type(self.real), name), *others)

    return method


def _in_place(name: str) -> Callable[..., VariableTracker]:
    def method(self: SetVariable, tx: Translator, other: VariableTracker) -> VariableTracker:
        if not isinstance(other, SetVariable) or isinstance(self.real, frozenset):
            return NOT_IMPLEMENTED
        self.change(tx, lambda real, keys: getattr(real, name)(keys), other, single=False)
        return self

    return method


for _name, _single in CHANGES.items():
    setattr(SetVariable, f"method_{_name}", _changing(_name, _single))
for _name in COMPUTATIONS + OPERATORS:
    setattr(SetVariable, f"method_{_name}", _computing(_name, _name in OPERATORS))
for _name in IN_PLACE:
    setattr(SetVariable, f"method_{_name}", _in_place(_name))


def view_as_set(tx: Translator, value: VariableTracker) -> VariableTracker:
    """A view of a dict's keys or items as the set that it stands for; anything else as it is."""
    if isinstance(value, DictViewVariable) and value.which != "values":
        return SetVariable.of(tx, value.iterate(tx))
    return value


def view_operation(
    tx: Translator, method: str, left: VariableTracker, right: VariableTracker
) -> VariableTracker:
    """`&`, `|`, `-` and `^` where one side is a view: the other may be any iterable."""
    sides = [
        side if isinstance(side, SetVariable) else SetVariable.of(tx, tx.iterate(side))
        for side in (left, right)
    ]
    made = SetVariable.of(tx, sides[0].iterate(tx))
    return made.call_method(tx, method, (sides[1],), {})


class SameMembers:
    """A guard: a set with these members, in this order."""

    __name__ = "same_members"

    def __init__(self, members: AnySet) -> None:
        self.kind = type(members)
        self.members = [(type(member), member) for member in members]

    def __call__(self, value: Any) -> bool:
        return type(value) is self.kind and [(type(m), m) for m in value] == self.members


def wrap_set(tx: Translator, value: AnySet, source: Source) -> SetVariable:
    return SetVariable(value, source=source)


@builds(set, frozenset)
def _set(value: AnySet) -> VariableTracker:
    for item in value:
        constant(item)
    return SetVariable(value.copy())
