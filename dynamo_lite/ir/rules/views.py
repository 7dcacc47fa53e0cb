"""Types of view operations: the strided view of the argument, or the copy NumPy falls back to."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...errors import Unsupported
from ..facts import Facts
from ..types import ArrayType, Form, contiguous_strides
from .elements import part_dtype
from .layout import is_fortran, like_strides
from .strided_views import StridedView, array_argument, resolved_shape
from .values import as_type, result


def view_rule(
    strided_view: Callable[..., StridedView | None], copy: Callable[..., ArrayType] | None = None
) -> Callable[..., ArrayType]:
    """The type rule of a view function; `copy` gives the type where there is no view."""

    def infer(*args: Any, facts: Facts, **kwargs: Any) -> ArrayType:
        found = strided_view(*args, facts=facts, **kwargs)
        if found is not None:
            return found.type_over(array_argument(next(iter((*args, *kwargs.values())))))
        assert copy is not None
        return copy(*args, facts=facts, **kwargs)

    infer.__wrapped__ = strided_view  # type: ignore[attr-defined]
    return infer


def reshaped_copy(
    a: Any, /, shape: Any, order: Any = "C", *, copy: Any = None, facts: Facts
) -> ArrayType:
    kind = array_argument(a)
    return _packed(kind, resolved_shape(kind, shape, facts), order, facts)


def raveled_copy(a: Any, order: Any = "C", *, facts: Facts) -> ArrayType:
    kind = array_argument(a)
    return result(kind.dtype, (kind.size,))


def expanded_copy(a: Any, axis: Any, *, facts: Facts) -> ArrayType:
    raise AssertionError("adding axes of size 1 never copies")


def real_number(val: Any, *, facts: Facts) -> ArrayType:
    return ArrayType(part_dtype(strong(val).dtype), form=Form.SCALAR)


def strong(value: Any) -> ArrayType:
    kind = as_type(value)
    if kind.form is Form.PYTHON:
        raise Unsupported("a part of a Python number")
    return kind


def imaginary_zeros(val: Any, *, facts: Facts) -> ArrayType:
    if strong(val).form is Form.SCALAR:
        return real_number(val, facts=facts)
    kind = array_argument(val)
    strides = like_strides(kind, kind.dtype.itemsize, facts, "A")
    return replace(result(kind.dtype, kind.shape, strides, scalar=False), writeable=False)


def _packed(kind: ArrayType, shape: Any, order: Any, facts: Facts) -> ArrayType:
    if order == "A":
        order = "F" if is_fortran(kind, facts) else "C"
    strides = contiguous_strides(shape, kind.dtype.itemsize, order)
    return result(kind.dtype, shape, strides, scalar=False)
