"""What sets hold, mirrored by a real set; the order that their history gave them; building them."""
from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ....base import work
from ....errors import GraphBreak
from ....guards.kinds import CALL
from ....guards.sources import Source
from ...object_model.callables import is_identity_hashed
from ...object_model.constants import Member, constant, observed
from ...object_model.known_keys import is_guardable_key, look_for_ids
from ...rules.set_order import (
    GROWING,
    ITSELF,
    AnySet,
    Change,
    OrderedMembers,
    is_alike,
    redo,
)
from ...state.tracker import VariableTracker
from .dict_entries import check_hashing

if TYPE_CHECKING:
    from ...state.emitter import Emitter, Replay
    from ...state.tx import Tx


class SetMembers(VariableTracker):
    """What a set holds; `real` mirrors it with hash keys, `pool` has the trackers of other than
    constant keys.

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

    def python_type(self) -> type:
        return type(self.real)

    def snapshot(self) -> None:
        """`history` says what was done."""

    def members(self, tx: Tx) -> AnySet:
        """The hash keys; the members of an outside set are guarded."""
        if self.unread:
            assert self.source is not None
            for key in self.real:
                if is_identity_hashed(key):
                    self.pool[key] = tx.known(key)
                elif not is_guardable_key(key):
                    raise GraphBreak(f"{self.describe()} has members that cannot be guarded")
            self.unread = False  # not before: who goes on after a break asks again
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

    def hash_key(self, tx: Tx) -> Hashable:
        if isinstance(self.real, set):
            raise observed(TypeError("unhashable type: 'set'"))
        return frozenset(self.members(tx))

    def reconstruct(self, code: Emitter) -> None:
        if isinstance(self.real, frozenset):
            code.load_const(frozenset)
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
            code.load_const(set)
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


class SameMembers:
    """A guard: a set with these members, in this order."""

    __name__ = "has the same members"

    def __init__(self, members: AnySet) -> None:
        self.kind = type(members)
        self.members = [(type(member), member) for member in members]

    def __call__(self, value: Any) -> bool:
        return type(value) is self.kind and [(type(m), m) for m in value] == self.members
