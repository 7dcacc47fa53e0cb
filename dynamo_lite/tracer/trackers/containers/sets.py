"""Sets and frozen sets: each mirrored by a real one, so that operations and order are CPython's."""
from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ....base import work
from ....errors import GraphBreak
from ....guards.kinds import CALL
from ....guards.sources import Source
from ...object_model.attributes import python_method
from ...object_model.callables import is_identity_hashed
from ...object_model.class_attributes import overridden
from ...object_model.constants import NONE, ConstantVariable, Member, builds, constant, observed
from ...object_model.known_keys import is_guardable_key, look_for_ids
from ...object_model.refusals import handed_over
from ...rules.set_order import (
    ANY_ORDER,
    BOTH_ORDERS,
    GROWING,
    ITSELF,
    LEFT_ORDER,
    TAKEN_OUT,
    AnySet,
    Change,
    OrderedMembers,
    is_alike,
    redo,
)
from ...state.tracker import VariableTracker
from .dicts import DictVariable, check_hashing
from .sequences import is_named_tuple

if TYPE_CHECKING:
    from ...state.emitter import Emitter, Replay
    from ...state.tx import Tx


class SetVariable(VariableTracker):
    """A set; `real` mirrors it with hash keys, `pool` has the trackers of other than constant keys.

    `unread` says that an outside set was not looked at yet; `order` is the order of one that was.
    The order of a set depends on what happened to it: `history` has the changes since the set was
    made, out of `origin`, or since the frame found it.
    """

    def __init__(
        self,
        real: AnySet,
        pool: dict[Hashable, VariableTracker] | None = None,
        source: Source | None = None,
    ) -> None:
        work.done.found_here += 1
        self.real: Any = real
        self.pool = pool or {}
        self.source = source
        self.unread = source is not None
        self.order: list[Hashable] | None = None
        self.origin: Collection[Hashable] = OrderedMembers(real) if source is None else ()
        self.history: list[Change] = []
        self.whole: VariableTracker | None = None

    @classmethod
    def of(cls, tx: Tx, items: Iterable[VariableTracker], kind: type = set) -> SetVariable:
        """A set that items were added to one by one."""
        keys: list[Hashable] = []
        pool: dict[Hashable, VariableTracker] = {}
        for item in items:
            keys.append(hashed(tx, item))
            if not is_guardable_key(keys[-1]):
                pool.setdefault(keys[-1], item)
        made = cls(kind(keys), pool)
        made.origin = keys
        return made

    def python_type(self) -> type:
        return type(self.real)

    def snapshot(self) -> None:
        """`history` says what was done."""

    def members(self, tx: Tx) -> AnySet:
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

    def trackers(self, tx: Tx) -> list[VariableTracker]:
        """The members where their order does not matter."""
        return [self.tracker_of(key) for key in self.members(tx)]

    def is_constant(self) -> bool:
        return isinstance(self.real, frozenset) and all(map(is_guardable_key, self.real))

    def as_constant(self, tx: Tx) -> Any:
        return type(self.real)(item.as_constant(tx) for item in self.trackers(tx))

    def truth(self, tx: Tx) -> bool:
        return bool(self.members(tx))

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        """In the real set's order, which objects hashed by address do not let us know."""
        self.check_order(tx)
        known = list(self.real) if self.order is None or self.history else self.order
        return self._unchanged(known)

    def _unchanged(self, before: list[Hashable]) -> Iterator[VariableTracker]:
        for key in before:
            if len(self.real) != len(before):
                raise observed(RuntimeError("Set changed size during iteration"))
            yield self.tracker_of(key)

    def check_order(self, tx: Tx) -> None:
        """Objects hash by address, and the history of an outside set is not known."""
        self.members(tx)
        known = all(
            is_guardable_key(key) or is_identity_hashed(key) or isinstance(key, Member)
            for key in self.real
        )
        if len(self.real) > 1 and (not known or (self.history and self.order is not None)):
            raise GraphBreak(f"the order of {self.describe()}")

    def check_mirror(self, tx: Tx) -> None:
        """`real` must stand for the set where the order of a result follows from that of the set:
        of outside sets it is a copy, which may be in another order."""
        outside = self.members(tx) and self.order
        if len(self.real) > 1 and outside and (self.history or outside != list(self.real)):
            raise GraphBreak(f"the order of {self.describe()}")

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        return python_method(tx, self, name)

    def method___len__(self, tx: Tx) -> VariableTracker:
        return ConstantVariable(len(self.members(tx)))

    def method___iter__(self, tx: Tx) -> VariableTracker:
        return tx.iterator(self)

    def method___contains__(self, tx: Tx, item: VariableTracker) -> VariableTracker:
        members = self.members(tx)
        return constant(sought(tx, item) in members)

    def method_pop(self, tx: Tx) -> VariableTracker:
        if not self.members(tx):
            raise observed(KeyError("pop from an empty set"))
        self.check_order(tx)
        if self.order is not None:
            raise GraphBreak(f"the order of {self.describe()}")
        return self.tracker_of(self.do(tx, set.pop))

    def method_remove(self, tx: Tx, item: VariableTracker) -> VariableTracker:
        members = self.members(tx)
        key = sought(tx, item)
        if key not in members:
            raise observed(KeyError(item.as_constant(tx)))
        self.do(tx, set.discard, key)
        return NONE

    def change(
        self, tx: Tx, name: str, *args: VariableTracker, single: bool
    ) -> None:
        """Let the real set do it; arguments are members (`single`) or iterables of them."""
        self.members(tx)
        if name in BOTH_ORDERS:
            self.check_mirror(tx)
        operands: list[Any] = []
        for arg in args:
            if single:
                find = sought if name == "discard" else self.key_of
                operands.append(find(tx, arg))
            elif (arg.contents or arg) is self:
                operands.append(ITSELF)
            else:
                operands.append(self.keys_of(tx, arg, name in ANY_ORDER))
        self.do(tx, getattr(set, name), *operands)

    def do(self, tx: Tx, method: Callable[..., Any], *operands: Any) -> Any:
        """Have the real set do it, and note what gives the outside set the same order."""
        noted = tuple([
            OrderedMembers(o) if isinstance(o, set | frozenset) else o for o in operands
        ])
        ordered = all(
            list(a) == list(b) for a, b in zip(operands, noted) if isinstance(b, OrderedMembers)
        )
        if self.source is not None and not ordered:
            raise GraphBreak(f"the order of what {self.describe()} is changed by")
        tx.side_effects.mutates(self)
        self.history.append((method, noted))
        return redo(self.real, method, operands)

    def key_of(self, tx: Tx, item: VariableTracker) -> Hashable:
        key = hashed(tx, item)
        if not is_guardable_key(key):
            self.pool.setdefault(key, item)
        return key

    def keys_of(self, tx: Tx, other: VariableTracker, any_order: bool = False) -> Any:
        """The keys of what a method of sets is given, in a container that it treats alike."""
        is_dict = isinstance(other, DictVariable) and other.kind is dict
        held, goes_its_own_way = other.contents, overridden(other.python_type(), "__iter__")
        is_unlike = goes_its_own_way or isinstance(held, ConstantVariable)
        if held is not None and (isinstance(held, SetVariable) or not is_unlike):
            other = held
        if isinstance(other, SetVariable):
            self.pool.update(other.pool)
            if not any_order:
                other.check_mirror(tx)
            return other.members(tx)
        listed = [self.key_of(tx, item) for item in tx.iterate(other)]
        return dict.fromkeys(listed) if is_dict else listed

    def compute(self, tx: Tx, name: str, *others: VariableTracker) -> VariableTracker:
        """A method that leaves the set alone; its result is a new set or a bool."""
        method = getattr(frozenset if isinstance(self.real, frozenset) else set, name)
        if method is frozenset.copy:
            return self
        if name not in ANY_ORDER:
            self.check_mirror(tx)
        mine, pool = self.members(tx), dict(self.pool)
        any_order = name in ANY_ORDER or name in LEFT_ORDER
        operands = [self.keys_of(tx, other, any_order) for other in others]
        result = method(mine, *operands)
        if isinstance(result, bool):
            return constant(result)
        made = SetVariable(result, {**self.pool, **pool})
        if name in TAKEN_OUT:
            made.origin = OrderedMembers(operands[0])
            made.history.append((set.symmetric_difference_update, (OrderedMembers(mine),)))
        return made

    def hash_key(self, tx: Tx) -> Hashable:
        if isinstance(self.real, set):
            raise observed(TypeError("unhashable type: 'set'"))
        return frozenset(self.members(tx))

    def reconstruct(self, code: Emitter) -> None:
        if isinstance(self.real, frozenset):
            code.load_callable(frozenset)
        only_grew = all(method in GROWING for method, _ in self.history)
        is_plain = only_grew and is_alike(self.real, list(self.real))
        is_new = not self.history and isinstance(self.origin, list)
        if is_plain or not all(map(is_guardable_key, self.real)):
            self.build_members(code, self.origin if is_new else self.real)
        elif is_alike(self.real, self.origin, self.history):
            self.build_by_history(code)
        else:
            raise GraphBreak(f"the order of {self.describe()}")
        if isinstance(self.real, frozenset):
            code.call(1)

    def build_members(self, code: Emitter, keys: Collection[Hashable]) -> None:
        check_hashing(map(self.tracker_of, keys))
        for key in keys:
            code.build(self.tracker_of(key))
        code.emit("BUILD_SET", len(keys))

    def build_by_history(self, code: Emitter) -> None:
        """Push a set that all was done to what was done to this one."""
        if isinstance(self.origin, frozenset):
            code.load_callable(set)
            code.load_const(self.origin)
            code.call(1)
        else:
            self.build_members(code, self.origin)
        made = code.hold_top()
        for replay in self.changes(code, made):
            replay()
        made()

    def changes(self, code: Emitter, target: Replay) -> list[Replay]:
        """What does the changes to the set that `target` pushes."""
        return [
            partial(code.call_for_effect, method, target, *[
                self.operand(code, operand, target) for operand in operands
            ])
            for method, operands in self.history
        ]

    def operand(self, code: Emitter, operand: Any, target: Replay) -> Replay:
        """Build what a method of sets was given."""
        if operand is ITSELF:
            return target
        if isinstance(operand, frozenset) and all(map(is_guardable_key, operand)):
            return code.constant(operand)
        if isinstance(operand, frozenset):
            self.build_members(code, operand)
        elif isinstance(operand, dict):
            for key in operand:
                code.build(self.tracker_of(key))
                code.load_const(None)
            code.emit("BUILD_MAP", len(operand))
        elif isinstance(operand, list):
            for key in operand:
                code.build(self.tracker_of(key))
            code.emit("BUILD_LIST", len(operand))
        else:
            return code.hold(self.tracker_of(operand))
        return code.hold_top()


CHANGES = {"add": True, "discard": True, "clear": True, "update": False,
           "intersection_update": False, "difference_update": False,
           "symmetric_difference_update": False}  # fmt: skip
"""Methods that change a set; whether they take members rather than iterables."""

COMPUTATIONS = ("union", "intersection", "difference", "symmetric_difference", "issubset",
                "copy")  # fmt: skip
ASKING = {"isdisjoint": True, "issuperset": False}
"""Methods that go through what is no set; whether it is a member that says no."""
OPERATORS = ("__or__", "__and__", "__sub__", "__xor__", "__le__", "__ge__", "__lt__", "__gt__",
             "__eq__", "__ne__")  # fmt: skip
IN_PLACE = ("__ior__", "__iand__", "__isub__", "__ixor__")


def _changing(name: str, single: bool) -> Callable[..., VariableTracker]:
    def method(self: SetVariable, tx: Tx, *args: VariableTracker) -> VariableTracker:
        self.change(tx, name, *args, single=single)
        return NONE

    return method


def _computing(name: str, only_sets: bool) -> Callable[..., VariableTracker]:
    def method(self: SetVariable, tx: Tx, *others: VariableTracker) -> VariableTracker:
        if name == "issubset" and any(hasattr(each.python_type(), "__next__") for each in others):
            raise GraphBreak(f"how far issubset() goes through {others[0].describe()}")
        if only_sets:
            others = tuple([other.contents or other for other in others])
        for other in others:
            if only_sets and not isinstance(other, SetVariable):
                return handed_over((set, frozenset), other)
        return self.compute(tx, name, *others)

    return method


def _asking(name: str, found: bool) -> Callable[..., VariableTracker]:
    def method(self: SetVariable, tx: Tx, other: VariableTracker) -> VariableTracker:
        if isinstance(other.contents or other, SetVariable):
            return self.compute(tx, name, other)
        members = self.members(tx)
        says_no = any((self.key_of(tx, item) in members) is found for item in tx.iterate(other))
        return constant(not says_no)

    return method


def _in_place(name: str) -> Callable[..., VariableTracker]:
    def method(self: SetVariable, tx: Tx, other: VariableTracker) -> VariableTracker:
        other = other.contents or other
        if not isinstance(other, SetVariable) or isinstance(self.real, frozenset):
            return handed_over((set, frozenset), other)
        self.change(tx, name, other, single=False)
        return self

    return method


for _name, _single in CHANGES.items():
    setattr(SetVariable, f"method_{_name}", _changing(_name, _single))
for _name in COMPUTATIONS + OPERATORS:
    setattr(SetVariable, f"method_{_name}", _computing(_name, _name in OPERATORS))
for _name, _found in ASKING.items():
    setattr(SetVariable, f"method_{_name}", _asking(_name, _found))
for _name in IN_PLACE:
    setattr(SetVariable, f"method_{_name}", _in_place(_name))


def hashed(tx: Tx, item: VariableTracker) -> Hashable:
    """The key of a new member; of equal ones the first stays, whose class may be another one."""
    if is_named_tuple(item.python_type()):
        raise GraphBreak(f"{item.describe()} in a set")
    return item.hash_key(tx)


def sought(tx: Tx, item: VariableTracker) -> Hashable:
    """What stands for a value that is looked for; a set finds a frozen one."""
    held = item.contents or item
    if isinstance(held, SetVariable) and not overridden(item.python_type(), "__hash__"):
        return frozenset(held.members(tx))
    return item.hash_key(tx)


class SameMembers:
    """A guard: a set with these members, in this order."""

    __name__ = "has the same members"

    def __init__(self, members: AnySet) -> None:
        self.kind = type(members)
        self.members = [(type(member), member) for member in members]

    def __call__(self, value: Any) -> bool:
        return type(value) is self.kind and [(type(m), m) for m in value] == self.members


def wrap_set(tx: Tx, value: AnySet, source: Source) -> SetVariable:
    return SetVariable(value, source=source)


@builds(set, frozenset)
def _set(value: AnySet) -> VariableTracker:
    for item in value:
        constant(item)
    return SetVariable(value.copy())
