"""Giving outside containers their new contents. What is the same stays untouched: whoever is
iterating over a container notices only what eager Python would have changed."""
from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from typing import Any

from ..errors import Unsupported
from ..tracer.object_model.constants import ConstantVariable
from ..tracer.object_model.lazy import LazyVariable
from ..tracer.state.emitter import Replay
from ..tracer.state.side_effects import Contents
from ..tracer.state.tracker import VariableTracker
from ..tracer.trackers.containers.deques import DequeVariable
from ..tracer.trackers.containers.dict_entries import Entry
from ..tracer.trackers.containers.dicts import DictVariable
from ..tracer.trackers.containers.lists import ListVariable
from ..tracer.trackers.containers.sets import SetVariable
from .reconstruct import Reconstructor

Items = list[VariableTracker]


def refill(code: Reconstructor, record: Contents, target: Replay) -> Replay:
    """Build the new contents; the result gives them to the container that `target` pushes."""
    for kind, method in REFILLERS:
        if isinstance(record.tracker, kind):
            return method(code, record.tracker, record.before, target)
    raise Unsupported(f"changing the contents of a {record.tracker.python_type().__name__}")


def is_same(before: VariableTracker, now: VariableTracker) -> bool:
    """Whether an item is the one that was there before, perhaps looked at meanwhile."""
    return now is before or (isinstance(before, LazyVariable) and before.realised is now)


def _list(code: Reconstructor, tracker: ListVariable, before: Items, target: Replay) -> Replay:
    """Single items where few of them differ, else the part between what differs."""
    now = tracker.built_items()
    if len(now) == len(before):
        places = _differing(before, now)
        if 2 * len(places) <= len(now):
            return _items(code, tracker, places, target)
    start, end = 0, min(len(now), len(before))
    while start < end and is_same(before[start], now[start]):
        start += 1
    after = 0
    while after < end - start and is_same(before[-1 - after], now[-1 - after]):
        after += 1
    part = code.constant(slice(start, len(before) - after))
    for item in now[start : len(now) - after]:
        code.build(item)
    code.emit("BUILD_LIST", len(now) - after - start)
    new = code.hold_top()
    return lambda: code.call_for_effect(list.__setitem__, target, part, new)


def _differing(before: Items, now: Items) -> list[int]:
    return [index for index, item in enumerate(now) if not is_same(before[index], item)]


def _items(
    code: Reconstructor, tracker: ListVariable, places: list[int], target: Replay
) -> Replay:
    """Another item at each of the places."""
    now = tracker.built_items()
    return _stores(code, tracker, [(ConstantVariable(i), now[i]) for i in places], target)


def _stores(
    code: Reconstructor, tracker: ListVariable | DictVariable, items: list[Entry], target: Replay
) -> Replay:
    """Past the methods of a class that is derived from Python's own."""
    new = [(code.hold(key), code.hold(value)) for key, value in items]
    base: Any = tracker.kind

    def replay() -> None:
        for key, value in new:
            if tracker.whole is None:
                code.store_item(target, key, value)
            else:
                code.call_for_effect(base.__setitem__, target, key, value)

    return replay


def _deque(code: Reconstructor, tracker: DequeVariable, before: Items, target: Replay) -> Replay:
    now = tracker.built_items()
    if not tracker.is_moved:
        return _items(code, tracker, _differing(before, now), target)
    code.build_again(tracker)
    new = code.hold_top()

    def replay() -> None:
        code.call_for_effect(deque.clear, target)
        code.call_for_effect(deque.extend, target, new)

    return replay


def _dict(
    code: Reconstructor, tracker: DictVariable, before: dict[Hashable, Entry], target: Replay
) -> Replay:
    """Keys that stay keep their places, the others are removed and come last again."""
    base, now = OrderedDict if tracker.kind is OrderedDict else dict, tracker.known_entries()
    removed = {*tracker.removed}
    stay = [key for key in before if key not in removed]
    if [*now][: len(stay)] != stay:
        stay = []
    same = {key for key in stay if is_same(before[key][1], now[key][1])}
    new = [entry for key, entry in now.items() if key not in same]
    gone = [] if tracker.was_cleared else [key for key in before if not stay or key in removed]
    keys = [code.hold(before[key][0]) for key in gone]
    store = _stores(code, tracker, new, target)

    def replay() -> None:
        if tracker.was_cleared:
            code.call_for_effect(base.clear, target)
        for key in keys:
            code.call_for_effect(base.__delitem__, target, key)
        store()

    return replay


def _set(code: Reconstructor, tracker: SetVariable, before: None, target: Replay) -> Replay:
    """All that was done to it."""
    changes = tracker.changes(code, target)

    def replay() -> None:
        for change in changes:
            change()

    return replay


REFILLERS: tuple[tuple[type, Callable[..., Replay]], ...] = (
    (DequeVariable, _deque), (ListVariable, _list), (DictVariable, _dict), (SetVariable, _set),
)  # fmt: skip
"""Class of tracker → how the container gets from `before` to what the tracker holds now."""
