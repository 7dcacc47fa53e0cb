"""Whether an int, or a tuple of ints, is in a list or tuple of such ones, as data decides."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ...polyfills.lists import contains, equal_numbers, equal_tuples, is_any_of
from ...state.tracker import VariableTracker
from ..containers.lists import ListVariable
from .chosen_items import alike_items
from .growing import GrowingVariable, Kinds, kinds_of
from .keys import is_data
from .layouts import Layout, is_flat, layout_of

if TYPE_CHECKING:
    from ...state.tx import Tx


def is_in_ints(
    tx: Tx, container: VariableTracker, value: VariableTracker
) -> VariableTracker | None:
    """The answer; None where the items are not all ints, or tuples of as many ints, or where all is
    known. Floats are left out: a NaN is in a list that holds it, and equals nothing."""
    if (wanted := kinds_of(value)) is None:
        return None
    kinds, layout = kinds_held(tx, container, value)
    if not kinds or layout != layout_of(value) or not is_flat(layout):
        return None
    if any(kind.dtype.kind not in "bi" for kind in (*kinds, *wanted)):
        return None
    find = contains if isinstance(container, GrowingVariable) else is_any_of
    equal = tx.known(equal_numbers if layout is None else equal_tuples)
    return tx.known(find).call(tx, (container, value, equal), {})


def kinds_held(
    tx: Tx, container: VariableTracker, value: VariableTracker
) -> tuple[Kinds, Layout]:
    """The types of the numbers of an item, and its layout. A list that a loop changes may become an
    array."""
    if isinstance(container, GrowingVariable):
        return container.kinds, container.layout
    if container.source is not None and not is_data(value):  # items behind a match are not read
        return (), None
    if (held := alike_items(tx, container)) is None or not any(map(is_data, (value, *held.items))):
        return (), None
    if isinstance(container, ListVariable):
        container.met_in_loop(tx)
    return held.kinds, held.layout


__all__ = ["is_in_ints"]
