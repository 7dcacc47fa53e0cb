"""`np.add.at` and the like: elements are looked up, changed and stored, one after the other."""
from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from ....ir.node import Node
from ....ir.row import row_of
from ...loop_ir import simplify
from ...loop_ir.loops import Gather, Store
from ...passes.materialise import Access
from ..arithmetic.pointwise import dtype_of, has_loop, operand_at, require_native
from ..indexing.strided_views import ViewSteps
from ..state.changes import may_change, own_copy
from ..state.context import Lowering, lowers
from ..state.values import CannotLower, Value, load_of
from .overwriting import is_at, log_positions
from .scatters import elements_at, is_index, ready_value


@lowers(reads=Access.MEMORY)
def perform(
    low: Lowering, node: Node, function: Any, base: Any, view: ViewSteps, place: int, args: Any,
    kwargs: Any,
) -> Value:
    """The array after a ufunc has changed elements of it."""
    if not low.in_order or not is_at(node.args) or not isinstance(base, Value):
        raise CannotLower("NumPy's own function writes into it")
    ufunc, (key, value) = function.__self__, args
    dtype = loop_dtype(low, ufunc, base, value)
    if not all(map(is_index, key if isinstance(key, tuple) else (key,))):
        raise CannotLower("positions that are no integers")
    if not may_change(low, node.args[1], base, node):
        base = own_copy(low, base, f"{node.name} changes it", node.type)
    found = elements_at(low, base, (*view, (operator.getitem, (key,), {})), value)
    if found is None:
        raise CannotLower("the order in which NumPy goes over the positions")
    if isinstance(value, Value) and len(value.shape) > len(found.shape):
        raise CannotLower("an operand with more axes than the positions")
    value = ready_value(low, value, load_of(base).buffer)
    log_positions(low, found)
    operand = operand_at(low, value, found.axes, dtype)
    element = found.expr
    assert isinstance(element, Gather)
    changed = simplify.apply(ufunc.__name__, (element, operand), dtype)
    low.launch(found.axes, Store(element.buffer, element.offset, changed, element.indices))
    return low.ownership.owned(replace(base, type=node.type))


def loop_dtype(low: Lowering, ufunc: np.ufunc, base: Value, value: Any) -> np.dtype:
    """The type that NumPy computes with, where that is the type of the array: then nothing is
    converted but the operand, of which a Python number has the type that NumPy has for it."""
    dtype = base.dtype
    given = np.asarray(value).dtype if isinstance(value, (bool, int, float)) else dtype_of(value)
    require_native(low, dtype, given)
    try:
        loop = ufunc.resolve_dtypes((dtype, given, None))
    except TypeError as reason:
        raise CannotLower(str(reason)) from None
    row = row_of(ufunc)
    if row is None or row.checks or row.approximated or not has_loop(low, row, dtype):
        raise CannotLower(f"{ufunc.__name__} has no native form for {dtype}")
    if set(loop) != {dtype} or dtype.kind not in "iuf":
        raise CannotLower(f"{ufunc.__name__} of {dtype} and {given}")
    return dtype
