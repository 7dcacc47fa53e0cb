"""Views of memory as the registry's rows describe them (`ir.rules.strided_views`)."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ....errors import Unsupported
from ....ir.facts import graph_facts
from ....ir.node import Node
from ....ir.row import ROWS, row_of
from ....ir.sizes import Size
from ....ir.types import ArrayType, Form, contiguous_strides
from ...loop_ir import simplify
from ...passes.materialise import Access
from ..state.context import Lowering, lowers
from ..state.values import CannotLower, Value, load_of
from .views import is_basic

ViewSteps = Sequence[tuple[Any, ...]]


def strided_view(low: Lowering, base: Value, steps: ViewSteps) -> Value:
    """The memory that a chain of views selects of a value in memory."""
    place = load_of(base)
    type_ = replace(base.type, shape=base.shape, strides=base.strides(), form=Form.ARRAY)
    type_, offset = selected(low, type_, steps)
    offset = offset + place.offset.constant
    return replace(low.memory_value(type_, place.buffer, offset), array=None)


def view_shape(low: Lowering, base: Value, steps: ViewSteps) -> tuple[Size, ...]:
    """The shape of what a chain of views selects."""
    strides = contiguous_strides(base.shape, base.dtype.itemsize)
    return selected(low, base.type.with_layout(base.shape, strides), steps)[0].shape


def selected(low: Lowering, type_: ArrayType, steps: ViewSteps) -> tuple[ArrayType, Size]:
    """The type of what a chain of views selects of an array, and its offset in bytes."""
    facts = graph_facts(low.graph)
    offset: Size = 0
    for step in steps:
        if (why := why_not_view(step)) is not None:
            raise CannotLower(why)
        function, args, kwargs = step
        try:
            view = ROWS[function].strided_view(type_, *args, facts=facts, **kwargs)  # type: ignore[misc]
        except Unsupported as reason:
            raise CannotLower(str(reason)) from None
        if view is None:
            raise CannotLower("a write into a copy")
        if view.dtype is not None:
            raise CannotLower("elements of another dtype")
        offset = offset + view.offset
        type_ = replace(type_, shape=view.shape, strides=view.strides)
    return type_, offset


def why_not_view(step: tuple[Any, ...]) -> str | None:
    """Why a step of a view chain is not a plain strided view of memory, or None when it is."""
    function, args, _ = step
    row = row_of(function)
    if row is None or row.strided_view is None:
        return f"a write through {function}"
    if function is operator.getitem and not is_basic(args[0]):
        return "a write at positions that are data"
    return None


@lowers(reads=Access.PART)
def strided(low: Lowering, node: Node, a: Any, *args: Any, **kwargs: Any) -> Value:
    """A view that is nothing but other sizes, strides and offset."""
    if not isinstance(a, Value) or a.type.form is not Form.ARRAY:
        raise CannotLower("a view of a constant or number")
    if node.type.dtype != a.dtype:
        return reinterpreted(low, node, a, 0)
    step = (node.target, args, kwargs)
    if (why := why_not_view(step)) is not None:
        raise CannotLower(why)
    base = low.in_memory(a, f"{node.name} is a view")
    if base is a and a.fresh:
        base = low.materialise(a, f"{node.name} is a view")
    return replace(strided_view(low, base, (step,)), type=node.type)


@lowers(reads=Access.VIEW, in_place=True)
def part(low: Lowering, node: Node, val: Any, name: str) -> Value:
    """A view of the real or imaginary parts, or just the parts where no address is asked for. Of
    real numbers, NumPy gives the array itself as their real part."""
    if not isinstance(val, Value):
        raise CannotLower("a part of a constant")
    if val.dtype.kind != "c":
        if name == "imag":
            raise CannotLower("the imaginary part of real numbers")
        return val
    if val.dtype in low.native and (node not in low.materialised or not val.is_memory):
        parts = simplify.apply(name, (val.expr,), node.type.dtype)
        return low.lazy(node.type, val.axes, parts)
    if val.type.form is not Form.ARRAY:
        raise CannotLower("a part of a complex number")
    return reinterpreted(low, node, val, (name == "imag") * val.dtype.itemsize // 2)


def reinterpreted(low: Lowering, node: Node, value: Value, offset: int) -> Value:
    """A view with elements of another dtype, such as the parts of complex numbers."""
    why = f"{node.name} is a view"
    base = low.materialise(value, why) if value.fresh else low.as_array(value, why)
    assert base.array is not None
    type_ = replace(node.type, strides=base.strides())
    buffer = low.view_of(base.array, offset, type_)
    made = replace(low.memory_value(type_, buffer), type=node.type)
    return made if type_ == node.type else replace(made, array=None)
