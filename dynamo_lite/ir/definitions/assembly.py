"""Stacking, splitting, repeating and rolling in terms of views and `concatenate`."""
from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..facts import must
from ..rules.composite import Emit
from ..rules.layout import like_strides, same
from ..rules.values import Wrong, as_shape, as_size, integer, normal_axis
from ..sizes import Size, SizeExpr, floordiv, minimum, modulo
from ..types import Form, contiguous_strides


def stack(
    emit: Emit, arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None,
    casting: Any = "same_kind",
) -> Any:
    items = _items(arrays)
    shapes = {emit.type(item).shape for item in items}
    first = emit.type(items[0]).shape
    if out is not None or any(len(shape) != len(first) for shape in shapes):
        raise Wrong if out is None else Unsupported("stack with out=")
    for shape in shapes:
        if not all(same(a, b, emit.facts) for a, b in zip(shape, first)):
            raise Wrong
    place = normal_axis(axis, len(first) + 1)
    key = (slice(None),) * place + (None,)
    expanded = [emit(operator.getitem, _array(emit, item), key) for item in items]
    return emit(np.concatenate, expanded, axis=place, dtype=dtype, casting=casting)


def vstack(emit: Emit, tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    rows = [emit(np.atleast_2d, _array(emit, item)) for item in _items(tup)]
    return emit(np.concatenate, rows, axis=0, dtype=dtype, casting=casting)


def hstack(emit: Emit, tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    items = [emit(np.atleast_1d, _array(emit, item)) for item in _items(tup)]
    axis = 0 if emit.type(items[0]).ndim == 1 else 1
    return emit(np.concatenate, items, axis=axis, dtype=dtype, casting=casting)


def column_stack(emit: Emit, tup: Any) -> Any:
    columns = []
    for item in _items(tup):
        array = _array(emit, item)
        if emit.type(array).ndim < 2:
            array = emit(np.transpose, emit(np.atleast_2d, array))
        columns.append(array)
    return emit(np.concatenate, columns, axis=1)


def _items(arrays: Any) -> list[Any]:
    if not isinstance(arrays, (list, tuple)):
        raise Unsupported("stacking the rows of one array")
    if not arrays:
        raise Wrong
    return list(arrays)


def _array(emit: Emit, item: Any) -> Any:
    """Scalars and numbers become 0-d arrays, as np.asarray makes them."""
    return item if emit.type(item).form is Form.ARRAY else emit(np.asarray, item)


def split(emit: Emit, ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    kind = emit.type(ary)
    if not isinstance(indices_or_sections, (list, tuple)):
        total, count = kind.shape[normal_axis(axis, kind.ndim)], integer(indices_or_sections)
        if count <= 0 or not same(modulo(total, count), 0, emit.facts):
            raise Wrong
    return array_split(emit, ary, indices_or_sections, axis)


def array_split(emit: Emit, ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """A list of views."""
    kind = emit.type(ary)
    if kind.form is not Form.ARRAY:
        raise Wrong
    place = normal_axis(axis, kind.ndim)
    cuts = _cuts(kind.shape[place], indices_or_sections)
    lead = (slice(None),) * place
    return [
        emit(operator.getitem, ary, (*lead, slice(start, stop)))
        for start, stop in itertools.pairwise(cuts)
    ]


def _cuts(total: Size, sections: Any) -> list[Size]:
    if isinstance(sections, (list, tuple)):
        return [0, *map(as_size, sections), total]
    count = integer(sections)
    if count <= 0:
        raise Wrong
    each, extra = floordiv(total, count), modulo(total, count)
    return [i * each + minimum(i, extra) for i in range(count)] + [total]


def repeat(emit: Emit, a: Any, repeats: Any, axis: Any = None) -> Any:
    kind = emit.type(a)
    if isinstance(repeats, (list, tuple, np.ndarray)):
        size = kind.size if axis is None else kind.shape[normal_axis(axis, kind.ndim)]
        raise Wrong if _are_refused([*repeats], size) else Unsupported("repeat with several counts")
    times = as_size(_without_fraction(repeats))
    if kind.form is not Form.ARRAY or kind.ndim == 0:
        raise Unsupported("repeat of a scalar")
    if not must(emit.facts, "less_equal", 0, times):
        raise Wrong
    if axis is None:
        a, place = emit(np.reshape, a, (-1,)), 0
        kind = emit.type(a)
    else:
        place = normal_axis(axis, kind.ndim)
    shape = kind.shape
    after = place + 1
    spread = emit(operator.getitem, a, (slice(None),) * after + (None,))
    wide = emit(np.broadcast_to, spread, (*shape[:after], times, *shape[after:]))
    joined = (*shape[:place], shape[place] * times, *shape[after:])
    return emit(np.reshape, wide, joined, copy=True)


def _without_fraction(count: Any) -> Any:
    """A count of Python's floats, of which NumPy takes the whole part."""
    if type(count) is not float:
        return count
    if not abs(count) < 2.0**63:
        raise Wrong
    return int(count)


def _are_refused(counts: Sequence[Any], size: Size) -> bool:
    """Whether no array of this size can be repeated so often: one count is for all elements."""
    numbers = [n for n in counts if type(n) is int]
    fits = len(counts) in (1, size) or not isinstance(size, int) or len(numbers) < len(counts)
    return not fits or any(n < 0 for n in numbers)


def tile(emit: Emit, A: Any, reps: Any) -> Any:
    kind = emit.type(A)
    counts: list[Size] = list(as_shape(reps))
    if kind.form is not Form.ARRAY or kind.ndim == 0 or any(
        not must(emit.facts, "less_equal", 0, n) for n in counts
    ) or 0 in (*counts, *kind.shape):
        raise Unsupported("tile of a scalar, of nothing, or no times")
    if not kind.is_c_contiguous and any(isinstance(n, SizeExpr) for n in counts):
        raise Unsupported("tile that may be a copy in another memory order")
    ndim = max(kind.ndim, len(counts))
    shape = (1,) * (ndim - kind.ndim) + kind.shape
    counts = [*[1] * (ndim - len(counts)), *counts]
    if all(isinstance(n, int) and n == 1 for n in counts):
        raise Unsupported("tile that is a copy")
    spread = emit(np.reshape, A, tuple(n for size in shape for n in (1, size)))
    wide = emit(np.broadcast_to, spread, tuple(n for pair in zip(counts, shape) for n in pair))
    joined = tuple(count * size for count, size in zip(counts, shape))
    return emit(np.reshape, wide, joined, copy=True)


def roll(emit: Emit, a: Any, shift: Any, axis: Any = None) -> Any:
    kind = emit.type(a)
    if axis is None and kind.ndim > 1:
        return emit(np.reshape, roll(emit, emit(np.ravel, a), shift, 0), kind.shape)
    shifts, axes = (_sequence(value) for value in (shift, 0 if axis is None else axis))
    if len(shifts) != len(axes):
        raise Unsupported("roll by as many numbers as there are axes")
    for amount, place in zip(shifts, axes):
        a = _rolled(emit, a, amount, normal_axis(place, kind.ndim))
    if kind.is_c_contiguous:
        return a
    return emit.laid_out(a, like_strides(kind, kind.dtype.itemsize, emit.facts))


def _sequence(value: Any) -> list[int]:
    return [integer(item) for item in value] if isinstance(value, (tuple, list)) else [
        integer(value)
    ]


def _rolled(emit: Emit, a: Any, amount: int, axis: int) -> Any:
    size = emit.type(a).shape[axis]
    if emit.facts.less_equal(size, 0):
        return emit(np.copy, a)
    cut: Size = -amount
    if not emit.facts.less(abs(amount), size):
        cut = -(amount % size) if isinstance(size, int) else size - modulo(amount, size)
    if cut == 0:
        return emit(np.copy, a)
    lead = (slice(None),) * axis
    parts: Sequence[Any] = [
        emit(operator.getitem, a, (*lead, slice(cut, None))),
        emit(operator.getitem, a, (*lead, slice(None, cut))),
    ]
    return emit(np.concatenate, parts, axis=axis)


def cross(
    emit: Emit, a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None
) -> Any:
    """Of vectors of three numbers."""
    places = (axis,) * 3 if axis is not None else (axisa, axisb, axisc)
    kinds = [emit.type(vectors) for vectors in (a, b)]
    dtype = np.promote_types(*(kind.dtype for kind in kinds))
    if dtype.kind not in "iuf" or any(kind.form is not Form.ARRAY for kind in kinds):
        raise Unsupported("cross of bools, complex numbers or other than arrays")
    parts = []
    for vectors, kind, place in zip((a, b), kinds, places):
        before = normal_axis(place, kind.ndim)
        if kind.ndim == 0 or kind.shape[before] != 3:
            raise Unsupported("cross of vectors of other lengths than 3")
        same_dtype = vectors if kind.dtype == dtype else emit(np.ndarray.astype, vectors, dtype)
        key = (slice(None),) * before
        parts.append([emit(operator.getitem, same_dtype, (*key, i, ...)) for i in range(3)])
    (a0, a1, a2), (b0, b1, b2) = parts
    turned = [
        emit(np.subtract, emit(np.multiply, left, right), emit(np.multiply, other, factor))
        for left, right, other, factor in ((a1, b2, a2, b1), (a2, b0, a0, b2), (a0, b1, a1, b0))
    ]
    product = stack(emit, turned, -1)
    shape = emit.type(product).shape
    product = emit.laid_out(product, contiguous_strides(shape, dtype.itemsize))
    return product if places[2] == -1 else emit(np.moveaxis, product, -1, places[2])


def block(emit: Emit, arrays: Any) -> Any:
    """Lists inside each other, all as deep as the first ones."""
    depth, first = 0, arrays
    while isinstance(first, list) and first:
        depth, first = depth + 1, first[0]
    items = list(_leaves(arrays, depth))
    kinds = [emit.type(item) for item in items]
    if not depth or len({kind.dtype for kind in kinds}) > 1:
        raise Unsupported("block of one array, or of several dtypes")
    if not all(kind.form is Form.ARRAY and kind.is_c_contiguous for kind in kinds):
        raise Unsupported("block of numbers, or of arrays in another memory order")
    ndim = max(depth, *(kind.ndim for kind in kinds))

    def joined(part: Any, left: int) -> Any:
        if not left:
            shape = emit.type(part).shape
            return emit(np.reshape, part, (1,) * (ndim - len(shape)) + shape)
        return emit(np.concatenate, [joined(item, left - 1) for item in part], axis=-left)

    return joined(arrays, depth)


def _leaves(part: Any, depth: int) -> Iterator[Any]:
    if isinstance(part, list) != bool(depth) or part == []:
        raise Unsupported("block of lists that are not all as deep")
    if not depth:
        yield part
        return
    for item in part:
        yield from _leaves(item, depth - 1)
