"""`collections.deque` objects."""
from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ....errors import GraphBreak
from ....guards.sources import AttrSource, Source
from ...object_model.constants import FALSE, NONE, ONE, ConstantVariable, observed
from ...object_model.known_indices import count_constant
from ...object_model.lazy import realise, realise_at
from ...object_model.sequence_arguments import check_sequence
from ...state.tracker import Args, VariableTracker
from .lists import ListVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


class DequeVariable(ListVariable):
    """A deque, whose ends push each other out past `maxlen`.

    `is_moved` says that items came or went, or the deque was turned, which ends iterations over it.
    """

    kind: type = deque
    takes_slices = False
    no_index = "sequence index must be integer, not {kind!r}"

    def __init__(
        self,
        items: Sequence[VariableTracker] = (),
        maxlen: int | None = None,
        source: Source | None = None,
        unread: Any = None,
    ) -> None:
        super().__init__(items, source, unread)
        self.maxlen = maxlen
        self.is_moved = False
        self.trim(left=True)

    def trim(self, left: bool) -> None:
        while self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop(0 if left else -1)

    def made(self, items: Sequence[VariableTracker]) -> DequeVariable:
        return DequeVariable(items, self.maxlen)

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        """Python refuses to go on when items were added or removed meanwhile."""
        return self._unchanged(tx, list(self.items(tx)))

    def _unchanged(
        self, tx: Tx, before: list[VariableTracker]
    ) -> Iterator[VariableTracker]:
        for index in range(len(before) + 1):
            if list(map(id, self._items)) != list(map(id, before)):
                raise GraphBreak("a deque that changes while it is iterated over")
            if index < len(before):
                before[index] = realise_at(tx, self._items, index)
                yield before[index]

    def check_argument(self, target: Any, args: Args) -> None:
        check_sequence(self, target, args)

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        return ConstantVariable(self.maxlen) if name == "maxlen" else super().getattr(tx, name)

    def change(
        self, tx: Tx, item: VariableTracker | None = None
    ) -> list[VariableTracker]:
        self.is_moved = True
        return super().change(tx, item)

    def method___setitem__(
        self, tx: Tx, key: VariableTracker, value: VariableTracker
    ) -> VariableTracker:
        moved = self.is_moved
        super().method___setitem__(tx, key, value)
        self.is_moved = moved
        return NONE

    def method_reverse(self, tx: Tx) -> VariableTracker:
        moved = self.is_moved
        super().method_reverse(tx)
        self.is_moved = moved
        return NONE

    def method_append(self, tx: Tx, item: VariableTracker) -> VariableTracker:
        self.change(tx, item).append(item)
        self.trim(left=True)
        return NONE

    def method_appendleft(self, tx: Tx, item: VariableTracker) -> VariableTracker:
        self.change(tx).insert(0, item)
        self.trim(left=False)
        return NONE

    def method_extendleft(self, tx: Tx, items: VariableTracker) -> VariableTracker:
        for item in list(tx.iterate(items)):
            self.method_appendleft(tx, item)
        return NONE

    def method_insert(
        self, tx: Tx, index: VariableTracker, item: VariableTracker
    ) -> VariableTracker:
        count_constant(tx, index)
        if len(self.items(tx)) == self.maxlen:
            raise observed(IndexError("deque already at its maximum size"))
        return super().method_insert(tx, index, item)

    def method_pop(self, tx: Tx) -> VariableTracker:  # type: ignore[override]
        return self.taken(tx, -1)

    def method_popleft(self, tx: Tx) -> VariableTracker:
        return self.taken(tx, 0)

    def taken(self, tx: Tx, end: int) -> VariableTracker:
        if not self.items(tx):
            raise observed(IndexError("pop from an empty deque"))
        return realise(tx, self.change(tx).pop(end))

    def method_rotate(self, tx: Tx, steps: VariableTracker = ONE) -> VariableTracker:
        count = count_constant(tx, steps)
        items, turned = self.change(tx), deque(self.items(tx))
        turned.rotate(count)
        items[:] = turned
        return NONE

    def method_copy(self, tx: Tx) -> VariableTracker:
        return self.made(self.items(tx))

    def method_sort(
        self, tx: Tx, *, key: VariableTracker = NONE, reverse: VariableTracker = FALSE
    ) -> VariableTracker:
        raise observed(AttributeError("'collections.deque' object has no attribute 'sort'"))

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(deque)
        super().reconstruct(code)
        code.load_const(self.maxlen)
        code.call(2)


def make_deque(
    tx: Tx, iterable: VariableTracker | None = None, maxlen: VariableTracker = NONE
) -> VariableTracker:
    items = [] if iterable is None else list(tx.iterate(iterable))
    limit = maxlen.as_constant(tx)
    if limit is not None and (not isinstance(limit, int) or not 0 <= limit <= sys.maxsize):
        raise GraphBreak(f"a deque of maxlen {limit!r}")
    return DequeVariable(items, limit)


def wrap_deque(tx: Tx, value: deque[Any], source: Source) -> VariableTracker:
    maxlen = tx.wrap(value.maxlen, AttrSource(source, "maxlen")).as_constant(tx)
    return DequeVariable(maxlen=maxlen, source=source, unread=value)
