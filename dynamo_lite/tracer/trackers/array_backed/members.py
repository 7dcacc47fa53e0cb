"""Whether an int, or a tuple or list of ints, is in a list or tuple of such ones, as data decides.
"""
from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...object_model.lazy import realise_all
from ...polyfills.lists import contains, equal_numbers, equal_tuples, is_any_of
from ...state.tracker import VariableTracker
from ..containers.lists import ListVariable
from ..containers.sequences import PLAIN_KINDS, SequenceVariable, TupleVariable
from .chosen_items import MOST, alike_items
from .growing import GrowingVariable, Kinds, kinds_of, number_kind
from .keys import is_data
from .layouts import Layout, is_flat, is_tuple, layout_of

if TYPE_CHECKING:
    from ...state.tx import Tx


def is_in_ints(
    tx: Tx, container: VariableTracker, value: VariableTracker
) -> VariableTracker | None:
    """The answer; None where the items are not all ints, or tuples of as many ints, or where all is
    known. Floats are left out: a NaN is in a list that holds it, and equals nothing."""
    if (found := of_rows(tx, container, value)) is not None:
        container, value = found
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


def of_rows(
    tx: Tx, container: VariableTracker, value: VariableTracker
) -> tuple[VariableTracker, VariableTracker] | None:
    """A short list or tuple of lists, or of tuples from outside, as one of tuples: what is equal to
    a list of ints is told by the ints. None for all else."""
    kind = value.python_type()
    if kind not in PLAIN_KINDS or not isinstance(container, SequenceVariable):
        return None
    wanted = numbers_in(tx, value)
    if wanted is None or not is_data(wanted) or container.kind not in PLAIN_KINDS:
        return None
    if container.whole is not None or len(items := container.items(tx)) > MOST:
        return None
    rows = realise_all(tx, items)
    if all(is_tuple(row) for row in rows) or any(row.python_type() is not kind for row in rows):
        return None
    found = [row for row in map(partial(numbers_in, tx), rows) if row is not None]
    return (container.made(found), wanted) if len(found) == len(rows) else None


def numbers_in(tx: Tx, row: VariableTracker) -> TupleVariable | None:
    """The items of a plain list or tuple, if they are numbers."""
    if not isinstance(row, SequenceVariable) or row.whole is not None:
        return None
    items = realise_all(tx, row.items(tx)) if row.kind in PLAIN_KINDS else []
    return TupleVariable(items) if items and all(map(number_kind, items)) else None


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
