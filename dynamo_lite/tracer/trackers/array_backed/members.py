"""Whether an int, or a tuple of ints, is in a list or tuple of such ones, as data decides."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ...polyfills.lists import contains, equal_numbers, equal_tuples, is_any_of
from ...state.tracker import VariableTracker
from ..containers.lists import ListVariable
from .chosen_items import alike_items
from .growing import GrowingVariable, Kinds, is_tuple, kinds_of
from .keys import is_data

if TYPE_CHECKING:
    from ...state.tx import Tx


def is_in_ints(
    tx: Tx, container: VariableTracker, value: VariableTracker
) -> VariableTracker | None:
    """The answer; None where the items are not all ints, or tuples of as many ints, or where all is
    known. Floats are left out: a NaN is in a list that holds it, and equals nothing."""
    kinds, of_tuples = kinds_held(tx, container, value)
    wanted = kinds_of(value) or ()
    if not kinds or len(wanted) != len(kinds) or of_tuples is not is_tuple(value):
        return None
    if any(kind.dtype.kind not in "bi" for kind in (*kinds, *wanted)):
        return None
    find = contains if isinstance(container, GrowingVariable) else is_any_of
    equal = tx.known(equal_tuples if of_tuples else equal_numbers)
    return tx.known(find).call(tx, (container, value, equal), {})


def kinds_held(
    tx: Tx, container: VariableTracker, value: VariableTracker
) -> tuple[Kinds, bool]:
    """The types of the numbers of an item, and whether items are tuples. A list that a loop changes
    may become an array."""
    if isinstance(container, GrowingVariable):
        return container.kinds, container.of_tuples
    if (held := alike_items(tx, container)) is None or not any(map(is_data, (value, *held.items))):
        return (), False
    if isinstance(container, ListVariable):
        container.met_in_loop(tx)
    return held.kinds, held.of_tuples


__all__ = ["is_in_ints"]
