"""Lists that a loop of the graph appends to or changes: which, and how much room they need."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import CodeType
from typing import TYPE_CHECKING, Any

from ...bytecode.flow import Loop
from ...bytecode.liveness import live_locals
from ...errors import GraphBreak, PlanLoop, Replan, Unsupported
from ...ir.sizes import maximum
from ..object_model.constants import NONE
from ..object_model.lazy import realise
from ..state.trace import LoopPlan, Returned, Stopped
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.array_backed.growing import (
    OF_SEVERAL_TYPES,
    GrowingVariable,
    Kinds,
    copied_elements,
    kinds_of,
    runs,
)
from ..trackers.array_backed.growing_arrays import GrowingArray
from ..trackers.array_backed.layouts import Layout, has_lists, layout_of, lists_in
from ..trackers.array_backed.listed_arrays import ListOfArrays, in_memory, kinds_of_item
from ..trackers.array_backed.queues import as_queue
from ..trackers.array_backed.tables import TableVariable
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.containers.deques import DequeVariable
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.sets import SetVariable
from .appended import make_room, plan_appended
from .escapes import reachable
from .iterations import Iterations, owner_of
from .joined_arrays import goes_to, has_other_names, make_joined
from .parts import ALWAYS, identities_of, settled
from .rows import make_rows, plan_rows
from .tables import as_table
from .variables import held, hold, is_field, is_of_body, planned_places, shared, slot_of

if TYPE_CHECKING:
    from ..state.tx import Tx

LARGEST = 1 << 20
"""Items for which there is room where it is not known how many there will be. Memory that is not
written costs nothing, and a call that needs more bails out."""
PEELED = 2
"""Iterations that are unrolled for the types of variables, and of items of lists, to settle."""
ListPlan = tuple[str, Kinds, Layout, bool]
"""As in `LoopPlan.lists`."""
Place = tuple[CodeType, int]
"""As in `TraceOptions.loops`."""
OF_SLOTS = {"append": ("LIST_APPEND", "YIELD_VALUE"), "extend": ("LIST_EXTEND",)}
"""Opnames that do to what is on the stack what a method does."""
MOST_NUMBERS = 6
"""Numbers of an item with lists, each of which is an array."""
LONGEST = 64
"""Stores that fill a list with what it holds before the loop."""


@contextmanager
def growing_lists(
    tx: Tx, loop: Loop, iterator: VariableTracker | None, iterations: Iterations | None,
    plan: LoopPlan,
) -> Iterator[None]:
    """Inside, lists that the loop is known to change have memory in the graph, and the list that
    the loop goes through must not become longer or shorter."""
    many = None if iterations is None else iterations.count()
    make_room(tx, plan, LARGEST if many is None else LARGEST + maximum(many, 0))
    place = tx.code, loop.head
    grow(tx, plan, place, lambda name: capacity(tx, loop, iterations, name))
    lists = [held(tx, name) for name, *_ in plan.lists]
    arrays = [held(tx, name) for name, *_ in plan.joined]
    if any(type(value) in (ListVariable, ArrayVariable) for value in (*lists, *arrays)):
        if plan.peeled < PEELED and (iterations is None or iterations.certain(tx)):
            raise PlanLoop(place, replace(plan, peeled=plan.peeled + 1))
    walked = owner_of(iterator)
    if isinstance(walked, GrowingVariable):
        walked.walks += 1
    try:
        yield
    finally:
        if isinstance(walked, GrowingVariable):
            walked.walks -= 1


def plan_list(
    tx: Tx, value: VariableTracker, item: VariableTracker | None, *, waits: bool = False
) -> bool:
    """A loop cannot go on with a list as it is, which it perhaps gives `item`: have the analysis
    start again, with the list in memory of the graph from the outermost loop on that can do it.
    Where it `waits`, that is for the iteration to be over, and true: what else is to be known of
    its lists is found on the way."""
    if (waiting := tx.state.replanned.get(value)) is not None:
        if not waits:
            raise PlanLoop(waiting, tx.state.options.loops[waiting])
        check_alike(tx, value, item)
        return True
    if item is None:
        plan_rows(tx, value)
    if item is not None and value.source is not None:
        plan_appended(tx, value, item)
    items, is_given = value.built_items(), item is not None  # type: ignore[attr-defined]
    if value.source is not None or (item := item or next(iter(items), None)) is None:
        return False
    if (kinds := kinds_of_item(tx, item := realise(tx, item))) is None:
        return False
    if any(kinds_of_item(tx, realise(tx, one)) != kinds for one in items[:LONGEST]):
        return False
    if has_lists(layout_of(item)) and not is_given:
        return False  # rows that are yet to be filled are for `make_rows`
    if has_lists(layout_of(item)) and len(kinds) > MOST_NUMBERS:
        return False
    for frame, place, plan, name in planned_places(tx, value):
        if name not in [one[0] for one in plan.lists]:
            lists = plan.lists | {(name, kinds, layout_of(item), frame is not tx)}
            if not (waits and is_in_iteration(tx)):
                raise PlanLoop(place, replace(plan, lists=lists))
            tx.state.options.loops[place] = replace(plan, lists=lists)
            tx.state.replanned[value] = place
            return True
    return False


def check_alike(tx: Tx, value: VariableTracker, item: VariableTracker | None) -> None:
    """No plan makes a list in memory of the graph of items of several types."""
    first = next(iter(value.built_items()), None)  # type: ignore[attr-defined]
    if item is None or first is None or kinds_of(item) == kinds_of(realise(tx, first)):
        return
    tx.state.replanned.clear()
    raise GraphBreak(OF_SEVERAL_TYPES)


def is_in_iteration(tx: Tx) -> bool:
    """Whether an iteration of a loop is being traced as a graph of its own."""
    return any(body.carried is not None for body in tx.side_effects.fields.bodies)


@contextmanager
def waiting_plans(tx: Tx) -> Iterator[None]:
    """Inside, an iteration is traced; what was found to be planned before the next analysis waits
    for its end, whatever that is."""
    try:
        yield
    except Replan:
        raise
    except (Unsupported, ObservedException):
        if not tx.state.replanned:
            raise
    if places := [*tx.state.replanned.values()]:
        tx.state.replanned.clear()
        raise PlanLoop(places[0], tx.state.options.loops[places[0]])


def grow(tx: Tx, plan: LoopPlan, place: Place, room: Callable[[str], Any]) -> None:
    """Give lists that the loop at a place changes memory in the graph, for `room(name)` items more;
    and dicts and sets that it fills."""
    make_tables(tx, plan)
    make_rows(tx, plan, has_no_other_name)
    make_room(tx, plan, LARGEST)
    make_joined(tx, plan, place, others)
    grow_lists(tx, plan.lists, place, room)


def grow_lists(
    tx: Tx, lists: Iterable[ListPlan], place: Place, room: Callable[[str], Any]
) -> None:
    for name, kinds, layout, is_passed in sorted(lists, key=lambda one: one[0]):
        value: Any = held(tx, name)
        if is_own(tx, name, value):
            items = value.items(tx)
            key = f"{name}#length_{tx.state.steps}"
            more = (LARGEST if is_passed else room(name)) + len(items)
            made = in_memory(tx, key, value, kinds, layout, more)
            is_limited = isinstance(made, ListOfArrays) or has_lists(layout)
            if made is not None and (slot_of(name) is not None or is_limited):
                made.loop = place
            if made is not None and isinstance(value, DequeVariable):
                made = as_queue(tx, made, value)
            hold(tx, name, made or value)


def make_tables(tx: Tx, plan: LoopPlan) -> None:
    """Have dicts and sets that a loop fills be tables."""
    for name, kinds in sorted(plan.tables, key=lambda one: one[0]):
        value = held(tx, name)
        if not isinstance(value, DictVariable | SetVariable) or not is_of_body(tx, value):
            continue
        if has_no_other_name(tx, name, value):
            hold(tx, name, as_table(tx, value, kinds) or value)


def grow_before(tx: Tx, at: int) -> None:
    """The same, before the branch on data at `at`: only one of its arms may lead to the loop. And
    for lists that an iteration of a loop around it has made: an arm may change them."""
    for (code, head), plan in tx.state.options.loops.items():
        if code is not tx.code or plan.reason:
            continue
        if head > at:
            grow(tx, plan, (code, head), lambda name: LARGEST)
        elif head in tx.loops and at in tx.loops[head].members:
            grow_made(tx, plan, tx.loops[head])


def grow_made(tx: Tx, plan: LoopPlan, loop: Loop) -> None:
    """Give the lists that an iteration of the loop has made memory in the graph."""
    inner = [one for one in tx.loops.values() if one.members < loop.members]
    place = tx.code, loop.head
    grow_lists(tx, plan.lists, place, lambda name: appends_of(tx, name, loop, inner, 1))


def is_own(tx: Tx, name: str, value: Any) -> bool:
    """Whether a plain list was made by the frame, has no other name, and not too many items."""
    if type(value) not in (ListVariable, DequeVariable) or value.whole is not None:
        return False
    if not is_of_body(tx, value):
        return False
    if value.source is not None or (isinstance(value, DequeVariable) and value.maxlen == 0):
        return False
    items = value.built_items()
    if len(items) > LONGEST and copied_elements(tx, value) is None and len(runs(items)) > LONGEST:
        return False
    inner = [part for item in items for part in lists_in(item)]
    is_once = len({*map(id, inner)}) == len(inner)
    arrays = [one for one in map(settled, items) if isinstance(one, ArrayVariable)]
    return is_once and has_no_other_name(tx, name, value, *inner) and not any(
        has_other_names(tx, array, others(tx, name)) for array in arrays
    )


def has_no_other_name(tx: Tx, name: str, *values: VariableTracker) -> bool:
    with emptied(tx, name):
        found = {*map(id, reachable(others(tx, name)))}
    return not tx.state.suspended and found.isdisjoint(map(id, values))


@contextmanager
def emptied(tx: Tx, name: str) -> Iterator[None]:
    """Inside, nothing is in the field, if that is one."""
    value = held(tx, name) if is_field(name) else None
    if value is not None:
        hold(tx, name, NONE)
    yield
    if value is not None:
        hold(tx, name, value)


def may_join(tx: Tx, value: VariableTracker, name: str) -> bool:
    """Whether an array that an instruction makes longer has one name, which is the result's."""
    return goes_to(tx, name) and has_no_other_name(tx, name, value)


def is_unshared(tx: Tx, value: VariableTracker) -> bool:
    """Whether no variable leads to what is put into a list just now, or to a view of it."""
    if isinstance(value, ArrayVariable):
        return not has_other_names(tx, value, others(tx, ""))
    return has_no_other_name(tx, "", value)


def others(tx: Tx, name: str) -> list[Any]:
    """What the frames have but for a variable, and for those that are not read any more."""
    roots: list[Any] = [*tx.side_effects.records, *shared(tx).values()]
    frame: Tx | None = tx
    while frame is not None:
        gone = {*frame.code.co_varnames} - {*frame.code.co_cellvars}
        gone -= live_locals(frame.code, frame.current.index)
        gone |= {name} if frame is tx else set()
        known = [local for key, local in frame.locals.items() if key not in gone]
        slot = slot_of(name) if frame is tx else None
        stack = [item for place, item in enumerate(frame.stack) if place != slot]
        roots += [*known, *stack, *frame.handled]
        frame = frame.parent
    return roots


def has_one_name(tx: Tx, name: str) -> bool:
    """Whether a local alone leads to an object that the frame made, and to all that belongs to
    it."""
    own = [*identities_of(tx.locals[name], ALWAYS)] if name in tx.locals else []
    if not own or tx.state.suspended or len({*map(id, own)}) < len(own):
        return False
    return {*map(id, own)}.isdisjoint(map(id, reachable(others(tx, name))))


def capacity(tx: Tx, loop: Loop, iterations: Iterations | None, name: str) -> Any:
    """Items for which there must be room, where that follows from how often the loop iterates."""
    many = None if iterations is None else iterations.count()
    others = [one for one in tx.loops.values() if one is not loop]
    return LARGEST if many is None else appends_of(tx, name, loop, others, maximum(many, 0))


def appends_of(tx: Tx, name: str, loop: Loop, others: Iterable[Loop], many: Any) -> Any:
    """Items that a list is given at most in so many iterations of the loop, and outside of it; more
    where it is given some in other loops."""
    appends, extends = calls_of(tx, name, "append"), calls_of(tx, name, "extend")
    inside = [index for index in appends if index in loop.members]
    repeated = any(index in one.members for index in appends for one in others)
    if repeated or extends or name in tx.code.co_cellvars or is_field(name):
        return LARGEST
    return many * len(inside) + len(appends) - len(inside)


def calls_of(tx: Tx, name: str, method: str) -> list[int]:
    """Where the code calls a method of what is in a variable."""
    if slot_of(name) is not None:
        return [inst.index for inst in tx.instructions if inst.opname in OF_SLOTS[method]]
    return [
        inst.index for inst in tx.instructions[:-1]
        if inst.opname in ("LOAD_FAST", "LOAD_FAST_CHECK") and inst.argval == name
        and tx.instructions[inst.index + 1].argval == method
    ]


def settle_lists(tx: Tx, end: Returned | Stopped) -> None:
    """Have the graph give out the items of the lists that leave the trace."""
    if not tx.state.in_arrays:
        return
    roots: list[Any] = list(tx.side_effects.records)
    roots += [end.value] if isinstance(end, Returned) else [*end.values]
    for tracker in [*reachable(roots)]:
        if isinstance(tracker, GrowingArray | GrowingVariable | TableVariable):
            tracker.settle(tx)
