"""Arguments of rules as types: which constants count as arrays, scalars or weak Python numbers."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..facts import Facts, must
from ..sizes import Size, SizeExpr
from ..tree import leaves
from ..types import ArrayType, Form, contiguous_strides, is_bfloat16, why_not_dtype

PYTHON_KINDS: dict[type, np.dtype] = {kind: np.dtype(kind) for kind in (bool, int, float, complex)}


class Wrong(Exception):
    """NumPy raises for this call; the caller finds out what by asking NumPy."""


def as_type(value: Any) -> ArrayType:
    """The type of one operand: a type already, a size, a Python number, a NumPy value."""
    kind = type(value)
    if kind is ArrayType:
        supported(value.dtype)
        return value
    if kind in PYTHON_KINDS:
        return ArrayType(PYTHON_KINDS[kind], form=Form.PYTHON)
    if kind is SizeExpr:
        return ArrayType(PYTHON_KINDS[int], form=Form.PYTHON)
    if isinstance(value, np.generic) and not isinstance(value, np.void):
        return _checked(ArrayType(value.dtype, form=Form.SCALAR))
    if kind is np.ndarray:
        return _checked(type_of_array(value))
    if kind in (list, tuple):
        return _type_of_nest(value)
    raise Unsupported(f"an operand of type {kind.__name__}")


def type_of_array(value: np.ndarray) -> ArrayType:
    """The static type of an actual array."""
    return ArrayType(
        value.dtype, value.shape, value.strides,
        writeable=value.flags.writeable, aligned=value.flags.aligned,
    )


def is_constant(value: Any) -> bool:
    """Whether a rule may look at the value itself."""
    return not isinstance(value, (ArrayType, SizeExpr))


def result(
    dtype: np.dtype, shape: tuple[Size, ...], strides: tuple[Size, ...] | None = None,
    *, scalar: bool = True,
) -> ArrayType:
    """A fresh result; 0-d results of most NumPy functions are scalars."""
    if scalar and not shape:
        return ArrayType(dtype, form=Form.SCALAR)
    if strides is None:
        strides = contiguous_strides(shape, dtype.itemsize)
    return ArrayType(dtype, shape, strides)


def as_array(value: Any) -> ArrayType:
    """What `np.asarray(value)` gives."""
    kind = as_type(value)
    if type(value) is int and np.asarray(value).dtype != kind.dtype:
        raise Unsupported("an int past 64 bits as an array")
    return kind if kind.form is Form.ARRAY else replace(kind, form=Form.ARRAY, writeable=True)


def normal_axis(axis: Any, ndim: int) -> int:
    """A single axis in 0..ndim-1."""
    if isinstance(axis, (bool, np.bool_)):
        raise Unsupported("a bool as an axis")
    index = integer(axis)
    if not -ndim <= index < ndim:
        raise Wrong
    return index % ndim


def normal_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """Axes of None, an int or a sequence, in 0..ndim-1, unique."""
    if axis is None:
        return tuple(range(ndim))
    if not isinstance(axis, (tuple, list)):
        return (normal_axis(axis, ndim),)
    axes = tuple(normal_axis(item, ndim) for item in axis)
    if len(set(axes)) != len(axes):
        raise Wrong
    return axes


def integer(value: Any) -> int:
    """A Python int out of a constant that has `__index__`."""
    if isinstance(value, (ArrayType, SizeExpr)):
        raise Unsupported("an axis or count that is not a constant")
    try:
        number = int(value.__index__())
    except AttributeError:
        raise Wrong from None
    if not -(2**63) <= number < 2**63:
        raise Unsupported("an integer beyond 64 bits as an axis, size or bound")
    return number


def as_size(value: Any) -> Size:
    """A size argument: an int-like constant or a symbolic size."""
    if isinstance(value, SizeExpr):
        return value
    if isinstance(value, bool):
        raise Wrong  # most functions refuse it
    if isinstance(value, ArrayType):
        raise Unsupported("a size that is computed from data")
    return integer(value)


def as_shape(value: Any) -> tuple[Size, ...]:
    """A shape argument: one size or a sequence of sizes."""
    if isinstance(value, (tuple, list)):
        return tuple(map(as_size, value))
    if isinstance(value, np.ndarray):
        return tuple(map(as_size, value.tolist()))
    return (as_size(value),)


def as_dtype(value: Any) -> np.dtype:
    """A dtype argument that names one built-in dtype."""
    if isinstance(value, (ArrayType, SizeExpr)):
        raise Wrong
    if is_warned_about(value):
        raise Unsupported("a name of a dtype that NumPy warns about")
    try:
        dtype = np.dtype(value)
    except (TypeError, ValueError):
        raise Wrong from None
    return supported(dtype)


def is_warned_about(value: Any) -> bool:
    """Whether `np.dtype(value)` warns: of "a" for "S"."""
    return isinstance(value, str) and value.lstrip("<>=|")[:1] == "a"


def supported(dtype: np.dtype) -> np.dtype:
    """The dtype itself when the compiler knows it: native booleans, integers, floats, complex."""
    if not is_bfloat16(dtype) and (why := why_not_dtype(dtype)) is not None:
        raise Unsupported(why)
    return dtype


def check_size(size: Size, facts: Facts) -> Size:
    """A size of a new axis; NumPy raises for negative ones."""
    if isinstance(size, int):
        if size < 0:
            raise Wrong
        return size
    if not must(facts, "less_equal", 0, size):
        raise Wrong
    return size


def _checked(kind: ArrayType) -> ArrayType:
    """The type of a constant, of which none is of bfloat16."""
    if (why := why_not_dtype(kind.dtype)) is not None:
        raise Unsupported(why)
    return kind


def _type_of_nest(value: Any) -> ArrayType:
    """A nested sequence of constants, as `np.asarray` reads it."""
    if not _all_constant(value):
        is_text = any(isinstance(leaf, str | bytes) for leaf in leaves(value))
        raise Unsupported("arrays of text" if is_text
                          else "a sequence of arrays where an array is expected")
    try:
        found = np.asarray(value)
    except ValueError:
        raise Wrong from None
    return _checked(type_of_array(found))


def _all_constant(value: Any) -> bool:
    if type(value) in (list, tuple):
        return all(map(_all_constant, value))
    return type(value) in PYTHON_KINDS or isinstance(value, np.generic)
