"""Writing operations: the checks NumPy makes, and the array that is handed back."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..facts import Facts
from ..row import row_of
from ..types import ArrayType, Form
from .indexing import gathered, getitem, parse_key
from .layout import broadcast_shapes, must_be_same, same_shape
from .pointwise import ufunc_rule
from .values import Wrong, as_type


def setitem_rule(a: Any, key: Any, value: Any, /, *, facts: Facts) -> None:
    """`a[key] = value`; leading axes of size 1 of the value are dropped."""
    kind = target_array(a)
    if is_mask(key):
        _check_masked(kind, key, value, facts)
        return
    parsed = parse_key(kind, key, facts)
    shape = gathered(kind, parsed, facts).shape if parsed.gathers else parsed.view.shape
    stored = as_type(value)
    if not isinstance(value, ArrayType) or stored.dtype.kind == "c":
        _check_stored(value, stored, kind)  # of computed numbers the value itself is looked at
    if stored.ndim and getitem(a, key, facts=facts).form is Form.SCALAR:
        raise Wrong  # one element takes no array, not even of one element
    if isinstance(value, (list, tuple)) and not parsed.gathers and stored.ndim > len(shape):
        raise Wrong  # only an array may have axes of size 1 more than what it is written to
    lead = max(0, stored.ndim - len(shape))
    if not same_shape(stored.shape[:lead], (1,) * lead, facts):
        raise Wrong
    common = broadcast_shapes((shape, stored.shape[lead:]), facts)
    fits = len(common) == len(shape)
    if not fits or not all(must_be_same(a, b, facts) for a, b in zip(common, shape)):
        raise Wrong


def is_mask(key: Any) -> bool:
    """A boolean array as the whole key."""
    return isinstance(key, ArrayType) and key.dtype == bool and key.ndim > 0


def _check_masked(kind: ArrayType, mask: ArrayType, value: Any, facts: Facts) -> None:
    """`a[mask] = number`; other values are assigned at positions."""
    stored = as_type(value)
    if stored.ndim:
        raise Unsupported("an array assigned under a mask")
    _check_stored(value, stored, kind)
    sizes = kind.shape[: mask.ndim]
    fits = len(sizes) == mask.ndim
    if not fits or not all(must_be_same(a, b, facts) for a, b in zip(sizes, mask.shape)):
        raise Wrong


def copyto_rule(
    dst: Any, src: Any, casting: Any = "same_kind", where: Any = True, *, facts: Facts
) -> None:
    kind, source = target_array(dst), as_type(src)
    if source.form is Form.PYTHON:
        _check_stored(src, source, kind)
        if "biufc".index(source.dtype.kind) > "biufc".index(kind.dtype.kind):
            raise Wrong
    elif not np.can_cast(source.dtype, kind.dtype, casting):
        raise Wrong
    shapes = [source.shape] if where is True else [source.shape, as_type(where).shape]
    if where is not True and as_type(where).dtype != bool:
        raise Unsupported("copyto with a mask that is not boolean")
    common = broadcast_shapes((kind.shape, *shapes), facts)
    if not same_shape(common, kind.shape, facts):
        raise Wrong


def in_place_rule(ufunc: np.ufunc) -> Callable[..., ArrayType]:
    """`a += b` on an array: the ufunc with `out=a`."""
    rule = ufunc_rule(ufunc)

    def infer(a: Any, b: Any, /, *, facts: Facts) -> ArrayType:
        kind = target_array(a)
        rule(a, b, out=kind, facts=facts)
        return kind

    return infer


def fill_rule(a: Any, value: Any, /, *, facts: Facts) -> None:
    kind, stored = target_array(a), as_type(value)
    if stored.ndim:
        raise Unsupported("fill with an array")
    _check_stored(value, stored, kind)


def opaque_write_rule(a: Any, *args: Any, facts: Facts, **kwargs: Any) -> None:
    """Writing functions whose arguments only NumPy checks, when the step runs."""
    target_array(a)


def target_array(value: Any) -> ArrayType:
    """The array that is written to."""
    if not isinstance(value, ArrayType) or value.form is not Form.ARRAY:
        raise Unsupported("a write into something that is not an array")
    kind = as_type(value)
    if not kind.writeable:
        raise Wrong
    return kind


def is_rounded_otherwise(ufunc: Any, out: ArrayType) -> bool:
    """Whether NumPy's loop rounds otherwise where it writes into a factor of one element: products
    of complex numbers."""
    row = row_of(ufunc)
    return row is not None and row.formula == "multiply" and out.dtype.kind == "c"


def _check_stored(value: Any, stored: ArrayType, kind: ArrayType) -> None:
    """Assignment casts, but a Python int must fit, and a complex number is no real one."""
    if stored.dtype.kind == "c" and kind.dtype.kind != "c":
        raise Unsupported("assigning complex numbers to real ones")
    if stored.form is Form.PYTHON and stored.dtype.kind == "i" and kind.dtype.kind in "iu":
        limits = np.iinfo(kind.dtype)
        if not isinstance(value, int):
            if kind.dtype != np.dtype(np.intp):
                raise Unsupported("assigning a Python int that may not fit")
        elif not limits.min <= value <= limits.max:
            raise Wrong
    if stored.form is Form.PYTHON and stored.dtype.kind == "f" and kind.dtype.kind in "iu":
        raise Unsupported("assigning a Python float to integers, which may raise")


def update_rule(base: Any, view: Any, value: Any, *, facts: Facts) -> ArrayType:
    """The next version of an array."""
    return as_type(base)


def perform_rule(
    function: Any, base: Any, view: Any, place: Any, args: Any, kwargs: Any, *, facts: Facts
) -> ArrayType:
    return as_type(base)
