"""`any`, `all` and `next` of what data decides: a loop that is left at the first item which settles
it."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from ...base.loading import loaded
from ...bytecode.reading import read
from ...errors import GraphBreak
from ..object_model.constants import FALSE, ConstantVariable
from ..object_model.lazy import realise, realise_all
from ..polyfills.lists import is_any, is_any_not
from ..state.trace import LoopPlan
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.array_backed.elements import elements_of
from ..trackers.array_backed.growing import GrowingVariable, growing, kinds_of
from ..trackers.array_backed.layouts import layout_of
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.numbers import NumberVariable
from ..trackers.containers.generators import GeneratorVariable
from ..trackers.containers.iterators import EnumerateVariable, StepVariable, ZipVariable
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.sequences import PLAIN_KINDS, SequenceVariable
from .listed import is_long

if TYPE_CHECKING:
    from ..state.tx import Tx


SHORT_CIRCUIT = "dynamo_lite.bytecode.short_circuit"
"""It needs a library that takes a while to load."""


def searched(tx: Tx, values: VariableTracker, wanted: bool) -> VariableTracker | None:
    """Whether an item of these is true (if `wanted`) or false, a bool that data decides; None where
    the items are to be looked at one by one while tracing."""
    values = realise(tx, values)
    if (found := in_generator(tx, values, wanted, FALSE)) is not None:
        return found
    if isinstance(values, GrowingVariable) or elements_of(tx, values) is not None:
        return tx.known(is_any if wanted else is_any_not).call(tx, (values,), {})
    return among(tx, values.built_items(), wanted) if has_data(values) else None


def among(tx: Tx, items: Sequence[VariableTracker], wanted: bool) -> VariableTracker | None:
    """The same of numbers that are there already: nobody can tell how many of them are read."""
    known = realise_all(tx, items)
    if not all(isinstance(item, ConstantVariable | NumberVariable) for item in known):
        return None
    truths = [tx.call_builtin(bool if wanted else operator.not_, item) for item in known]
    found: VariableTracker = FALSE
    for truth in truths:
        found = tx.call_builtin(operator.or_, found, truth)
    return found


def in_generator(
    tx: Tx, values: VariableTracker, wanted: bool | None, otherwise: VariableTracker | None
) -> VariableTracker | None:
    """The same of a generator expression of which nobody else takes items, by its own text as that
    of a function; for None its first item, which there is for all calls where nothing is given
    `otherwise`."""
    if type(values) is not GeneratorVariable or values.started:
        return None
    iterator = values.frame.locals.get(".0")
    if iterator is None or not goes_through_data(tx, iterator):
        return None
    if not tx.is_unshared(values) or (iterator := in_memory(tx, iterator)) is None:
        return None
    if (code := loaded(SHORT_CIRCUIT).search(values.frame.code, wanted)) is None:
        return None
    head = next(each.index for each in read(code) if each.opname == "FOR_ITER")
    tx.state.options.loops.setdefault((code, head), LoopPlan())  # it is left when data says so
    values.touch(tx)
    values.started = values.finished = True
    made: Any = type(values.frame)
    locals_ = {".0": iterator} | (
        {} if otherwise is None else {code.co_varnames[1]: otherwise})
    frame = made(tx.state, code, values.frame.globals, locals_, values.frame.closure, tx)
    try:
        found: VariableTracker = frame.run()
    except ObservedException:
        raise GraphBreak(f"an exception in {values.describe()}") from None
    finally:
        tx.state.locate = tx.location
    return found


def goes_through_data(tx: Tx, iterator: VariableTracker) -> bool:
    """Whether nobody has taken an item of an iterator yet, and data decides what they are; or there
    are so many that a loop is better."""
    if is_long(tx, iterator):
        return True
    if isinstance(iterator, EnumerateVariable):
        return goes_through_data(tx, iterator.inner)
    if isinstance(iterator, ZipVariable):
        return any(goes_through_data(tx, inner) for inner in iterator.inners)
    if not isinstance(iterator, StepVariable) or iterator.position or iterator.exhausted:
        return False
    owner = iterator.owner
    return isinstance(owner, ArrayVariable | GrowingVariable) or has_data(owner)


def in_memory(tx: Tx, iterator: VariableTracker) -> VariableTracker | None:
    """An iterator that a loop of the graph may go through: of computed numbers in a list, over a
    copy in memory of the graph; None where they are of several types."""
    if not isinstance(iterator, StepVariable) or not has_data(iterator.owner):
        return iterator
    items = iterator.owner.built_items()
    kinds, name = kinds_of(items[0]), f"items#length_{tx.state.steps}"
    if kinds is None or layout_of(items[0]) is not None:
        return None
    copy = growing(tx, name, ListVariable(items), kinds, None, len(items))
    return None if copy is None else tx.iterator(copy)


def has_data(values: VariableTracker) -> TypeGuard[SequenceVariable]:
    """Whether a list or tuple of the frame's holds computed numbers."""
    if not isinstance(values, SequenceVariable) or values.source is not None:
        return False
    return values.kind in PLAIN_KINDS and any(
        isinstance(item, NumberVariable) and not item.is_constant()
        for item in values.built_items())
