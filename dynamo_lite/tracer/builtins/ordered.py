"""`sorted` of many numbers: NumPy sorts them, in a way that keeps equal ones in their order."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import GraphBreak
from ...ir.types import Form
from ..object_model.constants import NONE, constant
from ..object_model.lazy import realise
from ..polyfills.lists import in_order, in_order_by, mapped, of_range_in_order_by, pythons
from ..state.tracker import VariableTracker
from ..trackers.array_backed.elements import ElementsOfOneType, elements_of
from ..trackers.array_backed.growing import GrowingVariable
from ..trackers.array_backed.vectors import scalars_of
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.containers.sequences import PLAIN_KINDS
from ..trackers.containers.slices import DataRangeVariable, RangeVariable
from .folds import has_many

if TYPE_CHECKING:
    from ..state.tx import Tx


def sorted_in_arrays(
    tx: Tx, iterable: VariableTracker, key: VariableTracker, reverse: VariableTracker
) -> VariableTracker | None:
    """The list of many numbers in their order, or of items that have a number as their key; None
    where they are sorted one by one while tracing."""
    values = realise(tx, iterable)
    if not reverse.is_constant():
        return None
    if key is not NONE:
        is_known = not isinstance(values, DataRangeVariable) and has_many(tx, values)
        return by_keys(tx, values, key, reverse) if is_known else None
    if (found := numbers_of(tx, values)) is None:
        return None
    array, are_pythons = found
    made = tx.known(in_order).call(tx, (array, reverse), {})
    return not_unrolled(tx.known(pythons).call(tx, (made,), {}) if are_pythons else made)


def numbers_of(tx: Tx, values: VariableTracker) -> tuple[VariableTracker, bool] | None:
    """The array of many numbers, and whether these are Python's."""
    if isinstance(values, GrowingVariable) and type(values) is GrowingVariable:
        is_flat = values.layout is None and values.kinds[0].form is not Form.ARRAY
        is_python = values.kinds[0].form is Form.PYTHON
        return (values.array(tx), is_python) if is_flat else None
    if isinstance(values, ArrayVariable):
        dtype = scalars_of(values)
        return (values, False) if dtype is not None and dtype.kind in "biuf" else None
    elements = elements_of(tx, values) if values.python_type() in PLAIN_KINDS else None
    if not isinstance(elements, ElementsOfOneType):
        return None
    return elements.array, elements.kinds[0].form is Form.PYTHON


def by_keys(
    tx: Tx, values: VariableTracker, key: VariableTracker, reverse: VariableTracker
) -> VariableTracker:
    """The keys first, as Python does."""
    keys = tx.known(mapped).call(tx, (key, values), {})
    if type(keys) is not GrowingVariable or keys.layout is not None:
        raise GraphBreak(f"sorting by keys of which one is {keys.describe()}")
    if isinstance(values, RangeVariable):
        begin = constant(values.value.start), constant(values.value.step)
        call = *begin, keys.array(tx), reverse
        return not_unrolled(tx.known(of_range_in_order_by).call(tx, call, {}))
    return not_unrolled(tx.known(in_order_by).call(tx, (values, keys.array(tx), reverse), {}))


def not_unrolled(made: VariableTracker) -> VariableTracker:
    """A long list, which is not unrolled for what it cannot do."""
    if isinstance(made, GrowingVariable):
        made.loop = None
    return made


__all__ = ["sorted_in_arrays"]
