"""New arrays from sizes and numbers: constants and functions of the position."""
from __future__ import annotations

from typing import Any

import numpy as np

from ....ir.node import Node
from ....ir.rules.creation import arange_ends
from ....ir.sizes import Size
from ...loop_ir import affine, rewrite, simplify
from ...loop_ir.loops import Axis, Expr, Index
from ...loop_ir.simplify import BOOL, INT64, const, convert
from ...passes.materialise import Access
from ..state.context import Lowering, is_size, lowers
from ..state.values import CannotLower, Value
from .pointwise import copied, operand_at, require_native

FLOAT64 = np.dtype(np.float64)


@lowers(reads=Access.SHAPE)
def filled(low: Lowering, node: Node, *args: Any, value: int, **kwargs: Any) -> Value:
    require_native(low, node.type.dtype)
    axes = low.axes(node.type.shape)
    return low.lazy(node.type, axes, const(value, node.type.dtype))


@lowers(reads=Access.SHAPE)
def empty(low: Lowering, node: Node, *args: Any, **kwargs: Any) -> Value:
    """Memory that is not written."""
    buffer = low.allocate(node.type, any_contents=True)
    return low.ownership.owned(low.memory_value(node.type, buffer))


@lowers(reads=Access.SAME)
def full(low: Lowering, node: Node, like: Any, fill_value: Any, *args: Any, **kw: Any) -> Value:
    require_native(low, node.type.dtype)
    axes = low.axes(node.type.shape)
    numbers = (Value, int, float, complex, np.generic)
    if not isinstance(fill_value, numbers) and not is_size(fill_value):
        raise CannotLower("np.full of a sequence")
    return low.lazy(node.type, axes, operand_at(low, fill_value, axes, node.type.dtype))


@lowers(reads=Access.SHAPE, others=Access.SAME)
def full_like(low: Lowering, node: Node, *args: Any, **kwargs: Any) -> Value:
    return full(low, node, *args, **kwargs)


@lowers(reads=Access.SAME, copies=True)
def asarray(low: Lowering, node: Node, a: Any, *args: Any, **kwargs: Any) -> Value:
    """The operand itself where NumPy gives that; otherwise a copy."""
    if kwargs.get("copy") is not None or kwargs.get("like") is not None:
        raise CannotLower("asarray with copy= or like=")
    if isinstance(a, Value) and a.type == node.type:
        return a
    if isinstance(a, (list, tuple)):
        raise CannotLower("an array from a sequence")
    return copied(low, node, a)


@lowers(reads=Access.SAME)
def arange(
    low: Lowering, node: Node, start_or_stop: Any = ..., /, stop: Any = None, step: Any = None,
    *, start: Any = ..., **kwargs: Any,
) -> Value:
    """NumPy computes two elements and continues from them: start + i * (second - start)."""
    dtype = node.type.dtype
    start, stop, step = arange_ends(start_or_stop, stop, step, start=start)
    if not all(is_size(number) or type(number) is float for number in (start, stop, step)):
        raise CannotLower("np.arange of run-time numbers")
    require_native(low, dtype)
    axes = low.axes(node.type.shape)
    if dtype.kind in "iu" and is_size(start) and is_size(step):
        place = affine.plus(affine.Offset(start), affine.times(affine.along(axes[0]), step))
        return low.lazy(node.type, axes, convert(rewrite.position(place), dtype))
    if dtype.kind != "f" or not all(isinstance(n, (int, float)) for n in (start, step)):
        raise CannotLower("np.arange of these numbers")
    first = np.asarray(start, dtype)[()]
    second = np.asarray(start + step, dtype)[()]
    difference = second - first
    if first + difference != second:
        raise CannotLower("np.arange whose second element rounds")
    return low.lazy(node.type, axes, _ramp(axes[0], first, difference, dtype))


def _ramp(axis: Axis, first: Any, step: Any, dtype: np.dtype) -> Expr:
    """first + i * step, rounded twice."""
    scaled = simplify.apply(
        "multiply", (convert(index_of(axis), dtype), const(step, dtype)), dtype
    )
    return simplify.apply("add", (const(first, dtype), scaled), dtype)


def index_of(axis: Axis) -> Expr:
    return const(0, INT64) if affine.is_one(axis.extent) else Index(axis)


@lowers(reads=Access.SAME)
def linspace(
    low: Lowering, node: Node, start: Any, stop: Any, num: Any = 50, endpoint: bool = True,
    retstep: bool = False, dtype: Any = None, axis: int = 0, **kwargs: Any,
) -> Value:
    """i * step + start, the last element replaced by `stop` (numpy/_core/function_base.py)."""
    numbers = isinstance(start, (int, float)) and isinstance(stop, (int, float))
    if not numbers or not isinstance(num, int) or retstep or node.type.dtype != FLOAT64:
        raise CannotLower("np.linspace of these numbers")
    intervals = num - 1 if endpoint else num
    first, difference = float(start), float(np.subtract(stop, start, dtype=FLOAT64))
    step = difference / intervals if intervals > 0 else float("nan")
    if intervals > 0 and step == 0:
        raise CannotLower("np.linspace with a step of zero")
    axes = low.axes(node.type.shape)
    place = convert(index_of(axes[0]), FLOAT64)
    factor = step if intervals > 0 else difference
    scaled = simplify.apply("multiply", (place, const(factor, FLOAT64)), FLOAT64)
    element = simplify.apply("add", (scaled, const(first, FLOAT64)), FLOAT64)
    if endpoint and num > 1:
        last = simplify.apply("equal", (index_of(axes[0]), const(num - 1, INT64)), BOOL)
        element = simplify.select(last, const(stop, FLOAT64), element)
    return low.lazy(node.type, axes, element)


@lowers(reads=Access.SAME)
def eye(
    low: Lowering, node: Node, N: Any, M: Any = None, k: Any = 0, *args: Any, **kwargs: Any
) -> Value:
    require_native(low, node.type.dtype)
    return _compared(low, node, "equal", k)


@lowers(reads=Access.SAME)
def tri(
    low: Lowering, node: Node, N: Any, M: Any = None, k: Any = 0, *args: Any, **kwargs: Any
) -> Value:
    require_native(low, node.type.dtype)
    return _compared(low, node, "less_equal", k)


def _compared(low: Lowering, node: Node, comparison: str, k: Size) -> Value:
    """column <comparison> row + k, as the result's dtype."""
    if not is_size(k):
        raise CannotLower("np.eye with such a diagonal")
    axes = low.axes(node.type.shape)
    row = rewrite.position(affine.plus(affine.along(axes[0]), affine.Offset(k)))
    column = rewrite.position(affine.along(axes[1]))
    test = simplify.apply(comparison, (column, row), BOOL)
    return low.lazy(node.type, axes, convert(test, node.type.dtype))
