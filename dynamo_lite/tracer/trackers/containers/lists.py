"""Lists: in-place changes are logged for replay."""
from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from ....errors import GraphBreak
from ...object_model.constants import (
    FALSE,
    LAST,
    NONE,
    builds,
    constant,
    observe,
    observed,
)
from ...object_model.known_indices import count_constant
from ...object_model.lazy import realise, realise_all
from ...object_model.refusals import name_in_c
from ...object_model.sorting import sort
from ...rules.mro import is_iterable
from ...state.tracker import VariableTracker
from .sequences import SequenceVariable
from .slices import SliceVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


class ListVariable(SequenceVariable):
    """A list; mutation happens in place and is logged for replay.

    While an outside list is `unread`, appending to it needs to know nothing about it: the new items
    wait in `tail` and the log asks for an extension only; those that a loop of the graph appends,
    and all behind them, in `run`. `copied` is what it was made of.
    """

    kind: type = list
    copied: VariableTracker | None = None
    run: VariableTracker | None = None

    @staticmethod
    def python(items: list[Any]) -> Any:
        return items

    @staticmethod
    def plain(items: Sequence[VariableTracker]) -> SequenceVariable:
        return ListVariable(items)

    @property
    def tail(self) -> list[VariableTracker]:
        """The items appended to an outside list that was never read."""
        return self._items if self.unread is not None else []

    def change(
        self, tx: Tx, item: VariableTracker | None = None
    ) -> list[VariableTracker]:
        """The items, about to be changed; perhaps by having `item` among them."""
        items = self.items(tx)
        self.met_in_loop(tx, item)
        tx.side_effects.mutates(self)
        return items

    def snapshot(self) -> list[VariableTracker]:
        return list(self._items)

    def read(self, tx: Tx) -> None:
        if self.run is not None:
            raise GraphBreak(f"{self.describe()}, to which a loop has appended")
        appended = len(self._items)
        super().read(tx)
        tx.side_effects.was_read(self, self._items[: len(self._items) - appended])

    def met_in_loop(
        self, tx: Tx, item: VariableTracker | None = None, *, waits: bool = False
    ) -> bool:
        """A loop of the graph cannot go on with the list as it is: it may have another form. True
        where it `waits` for that until an iteration is over."""
        if tx.graph.is_body and self.born < tx.side_effects.since:
            return tx.plan_list(self, item, waits=waits)
        return False

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        if not key.is_constant() and not isinstance(key, SliceVariable):
            if self.met_in_loop(tx, waits=True) and self._items:
                return self._items[0]  # of the same type as all of them
        return super().method___getitem__(tx, key)

    def method_append(self, tx: Tx, item: VariableTracker) -> VariableTracker:
        if self.run is not None and not self.may_grow_in_front(tx, self.run):
            return self.append_to_run(tx, self.run, item)
        if self.unread is not None:
            if tx.graph.is_body:
                tx.plan_list(self, item)
            tx.side_effects.extends(self)
        elif not self.met_in_loop(tx, item, waits=True):
            tx.side_effects.mutates(self)
        self._items.append(item)
        return NONE

    @staticmethod
    def may_grow_in_front(tx: Tx, run: VariableTracker) -> bool:
        """Whether nothing is in the run yet: the items before a loop may have other types."""
        length = run.call_method(tx, "__len__", (), {})
        return not tx.graph.is_body and length.is_constant() and length.as_constant(tx) == 0

    def append_to_run(
        self, tx: Tx, run: VariableTracker, item: VariableTracker
    ) -> VariableTracker:
        try:
            return run.call_method(tx, "append", (item,), {})
        except GraphBreak:
            if tx.graph.is_body:
                tx.plan_list(self, item)
            raise

    def method_extend(self, tx: Tx, items: VariableTracker) -> VariableTracker:
        """Item by item: a generator sees the list grow, and items before an error stay."""
        plain = isinstance(items, SequenceVariable)
        for item in list(items.iterate(tx)) if plain else tx.collect(items):
            self.method_append(tx, item)
        return NONE

    def method___iadd__(self, tx: Tx, items: VariableTracker) -> VariableTracker:
        self.method_extend(tx, items)
        return self

    def method___imul__(self, tx: Tx, times: VariableTracker) -> VariableTracker:
        repeated = self.method___mul__(tx, times)
        if not isinstance(repeated, ListVariable):
            return repeated
        self.change(tx)[:] = repeated.items(tx)
        return self

    def method_insert(
        self, tx: Tx, index: VariableTracker, item: VariableTracker
    ) -> VariableTracker:
        self.change(tx).insert(count_constant(tx, index), item)
        return NONE

    def method_pop(
        self, tx: Tx, index: VariableTracker = LAST
    ) -> VariableTracker:
        position, items = count_constant(tx, index), self.items(tx)
        if not items:
            raise observed(IndexError("pop from empty list"))
        if not -len(items) <= position < len(items):
            raise observed(IndexError("pop index out of range"))
        return realise(tx, self.change(tx).pop(position))

    def method_remove(self, tx: Tx, value: VariableTracker) -> VariableTracker:
        for index, item in enumerate(self.iterate(tx)):
            if tx.is_equal(item, value):
                del self.change(tx)[index]
                return NONE
        if self.base is deque:
            raise self.lacks(tx, value)
        raise observed(ValueError("list.remove(x): x not in list"))

    def method_clear(self, tx: Tx) -> VariableTracker:
        self.change(tx).clear()
        return NONE

    def method_copy(self, tx: Tx) -> VariableTracker:
        return ListVariable(self.items(tx))

    def method_reverse(self, tx: Tx) -> VariableTracker:
        self.change(tx).reverse()
        return NONE

    def method_sort(
        self, tx: Tx, *, key: VariableTracker = NONE, reverse: VariableTracker = FALSE
    ) -> VariableTracker:
        items = list(realise_all(tx, self.items(tx)))
        try:
            sort(tx, items, key, reverse)
        finally:
            self.change(tx)[:] = items
        return NONE

    def method___setitem__(
        self, tx: Tx, key: VariableTracker, value: VariableTracker
    ) -> VariableTracker:
        if isinstance(key, SliceVariable) and self.takes_slices:
            known = key.as_constant(tx)
            new = list(tx.collect(value)) if is_iterable(value.python_type()) else None
            if new is None:
                extended = "must assign iterable to extended slice"
                plain = known.step in (None, 1)
                raise observed(TypeError("can only assign an iterable" if plain else extended))
            observe(self.items(tx)[:].__setitem__, known, new)
            self.change(tx)[known] = new
            return NONE
        if not key.is_constant():
            self.met_in_loop(tx, value)
        index = self.checked_index(tx, key, "assignment ")
        self.change(tx, value)[index] = value
        return NONE

    def method___delitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        if isinstance(key, SliceVariable) and self.takes_slices:
            observe(self.items(tx)[:].__delitem__, key.as_constant(tx))
            del self.change(tx)[key.as_constant(tx)]
        else:
            index = self.checked_index(tx, key, "assignment ")
            del self.change(tx)[index]
        return NONE

    def hash_key(self, tx: Tx) -> Hashable:
        raise observed(TypeError(f"unhashable type: {name_in_c(self.kind)!r}"))

    def reconstruct(self, code: Emitter) -> None:
        for item in self._items:
            code.build(item)
        code.emit("BUILD_LIST", len(self._items))


class ListByValue(ListVariable):
    """A list that iterations of a loop hand on, and that may be one from outside or have another
    name in the first of them. What is known of it are its items; to change it, to tell it from
    others and to hand it out is left to Python."""

    def describe(self) -> str:
        return "a list that a loop of the graph replaces"

    def change(
        self, tx: Tx, item: VariableTracker | None = None
    ) -> list[VariableTracker]:
        raise GraphBreak(f"a change of {self.describe()}")

    def met_in_loop(
        self, tx: Tx, item: VariableTracker | None = None, *, waits: bool = False
    ) -> bool:
        return False

    def method_append(self, tx: Tx, item: VariableTracker) -> VariableTracker:
        raise GraphBreak(f"a change of {self.describe()}")

    def reconstruct(self, code: Emitter) -> None:
        raise GraphBreak(f"{self.describe()} is handed out")


@builds(list)
def _list(value: list[Any]) -> VariableTracker:
    return ListVariable([constant(item) for item in value])
