"""Sets and frozen sets: real ones do what is done, so that results and order are CPython's."""
from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any

from ....errors import GraphBreak
from ....guards.sources import Source
from ...object_model.attributes import python_method
from ...object_model.class_attributes import overridden
from ...object_model.constants import NONE, ConstantVariable, builds, constant, observed
from ...object_model.known_keys import is_guardable_key
from ...object_model.refusals import handed_over
from ...rules.set_order import (
    ANY_ORDER,
    BOTH_ORDERS,
    ITSELF,
    LEFT_ORDER,
    TAKEN_OUT,
    AnySet,
    OrderedMembers,
)
from ...state.tracker import VariableTracker
from .dicts import DictVariable
from .sequences import is_named_tuple
from .set_members import SetMembers

if TYPE_CHECKING:
    from ...state.tx import Tx


class SetVariable(SetMembers):
    """A set or frozen set."""

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
        if name == "add" and args:
            tx.plan_table(self, args[0], None)
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


def wrap_set(tx: Tx, value: AnySet, source: Source) -> SetVariable:
    return SetVariable(value, source=source)


@builds(set, frozenset)
def _set(value: AnySet) -> VariableTracker:
    for item in value:
        constant(item)
    return SetVariable(value.copy())
