"""Views of memory as the registry's rows describe them (`ir.rules.windows`)."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...ir.facts import graph_facts
from ...ir.node import Node
from ...ir.ops import ROWS, row_of
from ...ir.types import Form
from ..fusion import Access
from .context import Lowering, lowers
from .values import CannotLower, Value, load_of
from .views import is_basic

ViewSteps = Sequence[tuple[Any, ...]]


def region(low: Lowering, base: Value, steps: ViewSteps) -> Value:
    """The memory that a chain of views selects of a value in memory."""
    facts = graph_facts(low.graph)
    place = load_of(base)
    type_ = replace(base.type, shape=base.shape, strides=base.strides(), form=Form.ARRAY)
    offset = place.offset.constant
    for step in steps:
        if (why := why_not_window(step)) is not None:
            raise CannotLower(why)
        function, args, kwargs = step
        window = ROWS[function].window(type_, *args, facts=facts, **kwargs)  # type: ignore[misc]
        if window is None:
            raise CannotLower("a write into a copy")
        offset = offset + window.offset
        type_ = replace(type_, shape=window.shape, strides=window.strides)
    return replace(low.memory_value(type_, place.buffer, offset), array=None)


def why_not_window(step: tuple[Any, ...]) -> str | None:
    """Why a step of a view chain is not a plain window on memory, or None when it is."""
    function, args, _ = step
    row = row_of(function)
    if row is None or row.window is None:
        return f"a write through {function}"
    if function is operator.getitem and not is_basic(args[0]):
        return "a write at positions that are data"
    return None


@lowers(np.diagonal, np.rollaxis, np.rot90, np.imag, reads=Access.PART)
def windowed(low: Lowering, node: Node, a: Any, *args: Any, **kwargs: Any) -> Value:
    """A view that is nothing but other sizes, strides and offset."""
    if not isinstance(a, Value):
        raise CannotLower("a view of a constant")
    step = (node.target, args, kwargs)
    if (why := why_not_window(step)) is not None:
        raise CannotLower(why)
    base = low.in_memory(a, f"{node.name} is a view")
    if base is a and a.fresh:
        base = low.materialise(a, f"{node.name} is a view")
    return replace(region(low, base, (step,)), type=node.type)


@lowers(np.real, reads=Access.VIEW)
def real(low: Lowering, node: Node, val: Any) -> Value:
    """Of real numbers, NumPy gives the array itself."""
    if not isinstance(val, Value) or val.dtype.kind == "c":
        raise CannotLower("the real part of a complex array")
    return val
