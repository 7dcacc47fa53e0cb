"""`x.flat` and `x.flags`: objects that NumPy makes to look at an array."""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import GraphBreak
from ....ir.rules.layout import is_contiguous
from ...object_model.constants import LAST, NONE, constant
from ...state.tracker import ObservedException, VariableTracker
from ..containers.iterators import IteratorVariable
from .graph_methods import record_call
from .sizes import SizeVariable

if TYPE_CHECKING:
    from ...state.tx import Tx
    from .arrays import ArrayVariable


class FlatVariable(VariableTracker):
    """The elements in C order; only a part of it is copied where it is read."""

    def __init__(self, array: ArrayVariable) -> None:
        self.array = array
        self.is_taken = False

    def take(self, tx: Tx) -> None:
        """It is gone through: from where it stands, which is known the first time only."""
        tx.side_effects.touches("an iterator", self)
        if self.is_taken:
            raise GraphBreak("flat items that were gone through before")
        self.is_taken = True

    def python_type(self) -> type:
        return np.flatiter

    def as_array(self, tx: Tx) -> VariableTracker:
        """The elements as an array of one axis, a view where the array is packed."""
        return record_call(tx, np.reshape, (self.array, LAST), {})

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        found = self._recorded(tx, operator.getitem, key)
        if found.python_type() is not np.ndarray:
            return found
        return record_call(tx, np.copy, (found,), {})

    def method___setitem__(
        self, tx: Tx, key: VariableTracker, value: VariableTracker
    ) -> VariableTracker:
        if not is_contiguous(self.array.array_type, tx.shapes):
            raise GraphBreak("assigning to the flat items of an array that is not packed")
        kind = getattr(value, "array_type", None)
        if kind is not None and kind.shape:
            raise GraphBreak("assigning an array to flat items, which repeats it")
        self._recorded(tx, operator.setitem, key, value)
        return NONE

    def _recorded(
        self, tx: Tx, access: Callable[..., Any], key: VariableTracker,
        *value: VariableTracker,
    ) -> VariableTracker:
        """An access to the array; what that refuses, NumPy refuses in other words or not at all."""
        try:
            return record_call(tx, access, (self.as_array(tx), _index(key), *value), {})
        except ObservedException:
            raise GraphBreak(f"flat items of {self.array.describe()} that are refused") from None

    def method___len__(self, tx: Tx) -> VariableTracker:
        return self.array.getattr(tx, "size")

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        self.take(tx)
        return self.as_array(tx).iterate(tx)

    def method___iter__(self, tx: Tx) -> IteratorVariable:
        """Iteration over a packed array: what is written meanwhile is seen."""
        if not is_contiguous(self.array.array_type, tx.shapes):
            raise GraphBreak("iteration over the flat items of an array that is not packed")
        self.take(tx)
        return tx.iterator(self.as_array(tx))


def _index(key: VariableTracker) -> VariableTracker:
    if isinstance(key, SizeVariable) or key.python_type() in (int, slice, list):
        return key
    raise GraphBreak("flat items selected by something else than a number, slice or list")


class FlagsVariable(VariableTracker):
    """What `x.flags` says about the layout; it changes when the array's memory does."""

    def __init__(self, array: ArrayVariable) -> None:
        self.array = array

    def python_type(self) -> type:
        return type(np.empty(0).flags)

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        kind = self.array.array_type
        name = FLAGS.get(name, name)
        if name in ORDERS:
            return constant(is_contiguous(kind, tx.shapes, ORDERS[name]))
        if name == "fnc":
            in_orders = [is_contiguous(kind, tx.shapes, order) for order in "FC"]
            return constant(in_orders == [True, False])
        if name in ("writeable", "aligned"):
            tx.guards.reads_flags = True
            return constant(getattr(kind, name))
        raise GraphBreak(f"the flag {name!r} of {self.array.describe()}")

    def setattr(self, tx: Tx, name: str, value: VariableTracker) -> None:
        raise GraphBreak(f"setting the flag {name!r} of {self.array.describe()}")

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        return self.getattr(tx, str(key.as_constant(tx)))


FLAGS = {
    "C": "c_contiguous", "F": "f_contiguous", "W": "writeable", "A": "aligned",
    "CONTIGUOUS": "c_contiguous", "FORTRAN": "f_contiguous", "C_CONTIGUOUS": "c_contiguous",
    "F_CONTIGUOUS": "f_contiguous", "WRITEABLE": "writeable", "ALIGNED": "aligned",
    "contiguous": "c_contiguous", "fortran": "f_contiguous",
}  # fmt: skip
ORDERS = {"c_contiguous": "C", "f_contiguous": "F"}
