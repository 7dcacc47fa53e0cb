"""`x[mask] += y` in loops and branches, where no array has a size that depends on data.

The elements are a whole array of which the others do not count: operators in place compute under
the mask, and what is assigned under the same mask is copied under it.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import GraphBreak
from ....ir import memory
from ...object_model.constants import NONE
from ...recording.nodes import DEPENDS_ON_DATA, owner_of
from ...state.tracker import VariableTracker
from .graph_methods import record_call
from .indices import check_mask, is_mask, is_number

if TYPE_CHECKING:
    from ...state.tx import Tx
    from .arrays import ArrayVariable

OTHERS = (operator.pow, operator.matmul)
"""Operators that are no ufunc of their name in place."""


class MaskedPart(VariableTracker):
    """`array[mask]`: `whole` has its elements, and others."""

    in_graph = True

    def __init__(self, tx: Tx, array: ArrayVariable, mask: ArrayVariable) -> None:
        self.whole: Any = record_call(tx, np.copy, (array,), {})
        self.mask = mask
        self.graph = tx.graph
        self.made = len(tx.graph.nodes)

    def python_type(self) -> type:
        return np.ndarray

    def as_argument(self, tx: Tx) -> Any:
        raise GraphBreak(DEPENDS_ON_DATA)

    def as_constant(self, tx: Tx) -> Any:
        raise GraphBreak(DEPENDS_ON_DATA)

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        raise GraphBreak(DEPENDS_ON_DATA)

    def is_under(self, tx: Tx, mask: VariableTracker) -> bool:
        """Whether a mask is the same one, and as it was."""
        if mask is not self.mask or tx.graph is not self.graph:
            return False
        owner = owner_of(tx, self.mask.node)
        return not any(
            owner_of(tx, written) is owner
            for node in tx.graph.nodes[self.made :] if node.op == "call_function"
            for written in memory.places(node.target, node.args, node.kwargs))

    def change(
        self, tx: Tx, plain: Callable[..., Any], ufunc: np.ufunc, other: VariableTracker
    ) -> VariableTracker:
        """`array[mask] op= other`, of a number or of elements under the same mask."""
        if isinstance(other, MaskedPart) and other.is_under(tx, self.mask):
            other = other.whole
        elif not is_number(other) or plain in OTHERS:
            raise GraphBreak(DEPENDS_ON_DATA)
        if not self.is_under(tx, self.mask):
            raise GraphBreak(DEPENDS_ON_DATA)
        record_call(tx, ufunc, (self.whole, other), {"out": self.whole, "where": self.mask})
        return self

    def assign(self, tx: Tx, array: ArrayVariable, key: VariableTracker) -> VariableTracker:
        """`array[key] = self`."""
        kinds = array.array_type, self.whole.array_type
        if not self.is_under(tx, key) or kinds[0].dtype != kinds[1].dtype:
            raise GraphBreak(DEPENDS_ON_DATA)
        check_mask(tx, array.array_type, 0, key)
        record_call(tx, np.copyto, (array, self.whole), {"where": self.mask})
        return NONE


def masked_part(tx: Tx, array: ArrayVariable, key: VariableTracker) -> MaskedPart | None:
    """`array[key]` of a loop or branch where the key is a mask of all axes; else None."""
    if not tx.graph.is_body or not is_mask(key):
        return None
    mask: Any = key
    if mask.array_type.ndim != array.array_type.ndim:
        return None
    check_mask(tx, array.array_type, 0, key)
    return MaskedPart(tx, array, mask)
