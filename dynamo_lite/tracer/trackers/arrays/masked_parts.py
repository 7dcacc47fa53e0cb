"""`x[mask] += y` in loops and branches.

The elements are a whole array of which the others do not count: operators in place compute under
the mask, and what is assigned under the same mask is copied under it. So nothing is moved, and no
array has a size that depends on data, of which derivatives in loops know nothing. Where `y` is
neither a number nor a part under the same mask, the elements are selected after all.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import GraphBreak
from ....ir import memory
from ....ir.masks import positions_of
from ....ir.types import Form
from ...object_model.constants import NONE
from ...recording.nodes import RESULTS, owner_of
from ...state.tracker import VariableTracker
from .graph_methods import record_call
from .indices import check_mask, is_mask, is_number

if TYPE_CHECKING:
    from ....ir.node import Node
    from ...state.tx import Tx
    from .arrays import ArrayVariable

OTHERS = (operator.ipow, operator.imatmul)
"""Operators that are no ufunc of their name in place."""


class MaskedPart(VariableTracker):
    """`array[mask]`: `whole` has its elements, and others; `part` has them alone, where they had to
    be selected."""

    in_graph = True

    def __init__(self, tx: Tx, array: ArrayVariable, mask: ArrayVariable) -> None:
        self.whole: Any = record_call(tx, np.copy, (array,), {})
        self.mask = mask
        self.part: VariableTracker | None = None
        self.graph = tx.graph
        self.made = len(tx.graph.nodes)

    def python_type(self) -> type:
        return np.ndarray

    def as_argument(self, tx: Tx) -> Any:
        return self.selected(tx).as_argument(tx)

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        return tx.getattr(self.selected(tx), name)

    def selected(self, tx: Tx) -> VariableTracker:
        """The elements as an array of their own."""
        if self.part is None:
            if not self.is_under(tx, self.mask):
                raise GraphBreak("elements under a mask that has changed since")
            self.part = self.whole.method___getitem__(tx, self.mask)
        return self.part

    def is_under(self, tx: Tx, mask: VariableTracker) -> bool:
        """Whether a mask is the same one, and as it was."""
        return mask is self.mask and tx.graph is self.graph and (
            is_unchanged(tx, self.mask.node, self.made))

    def change(
        self, tx: Tx, operation: Callable[..., Any], ufunc: np.ufunc, other: VariableTracker
    ) -> VariableTracker:
        """`array[mask] op= other`."""
        whole = other if is_number(other) else whole_of(tx, other, self.mask)
        if whole is None or operation in OTHERS or not self.is_under(tx, self.mask):
            return tx.call_builtin(operation, self.selected(tx), other)
        record_call(tx, ufunc, (self.whole, whole), {"out": self.whole, "where": self.mask})
        return self

    def assign(self, tx: Tx, array: ArrayVariable, key: VariableTracker) -> VariableTracker:
        """`array[key] = self`."""
        kinds = array.array_type, self.whole.array_type
        if self.part is not None or not self.is_under(tx, key) or kinds[0].dtype != kinds[1].dtype:
            return array.method___setitem__(tx, key, self.selected(tx))
        check_mask(tx, array.array_type, 0, key)
        record_call(tx, np.copyto, (array, self.whole), {"where": self.mask})
        return NONE


def is_unchanged(tx: Tx, node: Node, since: int) -> bool:
    """Whether nothing has written into the memory of a node since there were so many of them."""
    owner = owner_of(tx, node)
    return not any(
        owner_of(tx, written) is owner
        for one in tx.graph.nodes[since:] if one.op == "call_function"
        for written in memory.places(one.target, one.args, one.kwargs))


def whole_of(tx: Tx, part: Any, mask: ArrayVariable) -> VariableTracker | None:
    """The array of which a part is what the same mask selects, if both are as they were."""
    node = getattr(part, "node", None)
    if node is None or node.target is not operator.getitem or node not in tx.graph.nodes:
        return None
    array, key = node.args
    counted = positions_of(key)
    if counted is None or counted.args[0] is not mask.node:
        return None
    since = tx.graph.nodes.index(counted)
    same = all(is_unchanged(tx, one, since) for one in (array, mask.node, node))
    return RESULTS[Form.ARRAY](array) if same else None


def is_augmented(tx: Tx) -> bool:
    """Whether the current instruction loads the target of `x[key] op= value`."""
    at = tx.current.index
    before = tx.instructions[max(0, at - 2) : at]
    return tx.current.opname == "BINARY_SUBSCR" and (
        [(inst.opname, inst.arg) for inst in before] == [("COPY", 2)] * 2)


def masked_part(tx: Tx, array: ArrayVariable, key: VariableTracker) -> MaskedPart | None:
    """`array[key]` in `array[key] op= value` of a loop or branch, where the key is a mask of all
    axes; else None."""
    if not tx.graph.is_body or not is_mask(key) or not is_augmented(tx):
        return None
    mask: Any = key
    if mask.array_type.ndim != array.array_type.ndim:
        return None
    check_mask(tx, array.array_type, 0, key)
    return MaskedPart(tx, array, mask)
