"""`a[key]`: basic indices as strided views, integer arrays as gathers.

The key is normalised once (`Key`), for reading and for assignment.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ...base.records import dataclass, field
from ...errors import DataDependent, Unsupported
from ..facts import Facts, at_least, at_most, must
from ..sizes import Size, SizeExpr, floordiv, maximum, minimum, name_of, product
from ..types import ArrayType, Form, contiguous_strides
from .layout import axes_by_stride, broadcast_shapes, elementwise_strides, is_one, packed_in_order
from .strided_views import StridedView, array_argument
from .values import Wrong, as_type, integer, result

Gather = tuple[int, Any]  # (axis of the array, index operand)
LONGEST_STEP = 2**31
"""Bytes stepped over must stay far below 2**63."""


@dataclass(slots=True)
class Key:
    """What an index selects: a strided view for the basic part, and the integer arrays.

    `gathers` has (axis of the view, operand) for each integer-array index; the view keeps the full
    axis for those. `separated` is true when basic indices stand between the
    arrays, so that NumPy puts the broadcast axes first. Without arrays an integer that is computed
    from data selects a view whose place is known at run time: the offset is without it.
    """

    view: StridedView
    gathers: list[Gather] = field(default_factory=list)
    separated: bool = False


def parse_key(kind: ArrayType, key: Any, facts: Facts) -> Key:
    """Normalise `key` for an array of this type; Wrong where NumPy raises."""
    items = _expanded(kind, key if type(key) is tuple else (key,))
    shape: list[Size] = []
    strides: list[Size] = []
    gathers: list[Gather] = []
    gaps: list[bool] = []  # per item: is it an array index (ints count when arrays are present)
    offset: Size = 0
    axis = 0
    has_arrays = any(map(_is_array, items))
    for item in items:
        if item is None:
            shape.append(1)
            strides.append(0)
            gaps.append(False)
            continue
        size, stride = kind.shape[axis], kind.strides[axis]
        axis += 1
        gaps.append(type(item) is not slice)
        if type(item) is slice:
            start, step, length = slice_bounds(item, size, facts)
            offset = offset + start * stride
            shape.append(length)
            strides.append(stride * step)
        elif has_arrays:
            gathers.append((len(shape), item))
            shape.append(size)
            strides.append(stride)
            if isinstance(item, (int, SizeExpr)):
                position(item, size, facts)
        elif not isinstance(item, ArrayType):
            offset = offset + position(item, size, facts) * stride
    scalar = not shape and not any(item is Ellipsis for item in _items(key))
    view = StridedView(tuple(shape), tuple(strides), offset, scalar=scalar)
    return Key(view, gathers, _separated(gaps))


def _is_array(item: Any) -> bool:
    """NumPy takes its scalars for plain integers."""
    return isinstance(item, np.ndarray) or (
        isinstance(item, ArrayType) and item.form is Form.ARRAY
    )


def _items(key: Any) -> tuple[Any, ...]:
    return key if type(key) is tuple else (key,)


def _separated(gaps: list[bool]) -> bool:
    """Whether the array indices are not all next to each other."""
    where = [i for i, is_array in enumerate(gaps) if is_array]
    return bool(where) and where[-1] - where[0] + 1 != len(where)


def _expanded(kind: ArrayType, key: tuple[Any, ...]) -> list[Any]:
    """One item per axis plus the Nones: ellipsis and missing axes become full slices."""
    items = [_item(item) for item in key]
    used = sum(item is not None and item is not Ellipsis for item in items)
    if used > kind.ndim or sum(item is Ellipsis for item in items) > 1:
        raise Wrong
    full = [slice(None)] * (kind.ndim - used)
    if Ellipsis not in [item for item in items if not isinstance(item, np.ndarray)]:
        return items + full
    at = next(i for i, item in enumerate(items) if item is Ellipsis)
    return items[:at] + full + items[at + 1 :]


def _item(item: Any) -> Any:
    """One index: None, ..., slice, int, size, or an integer array (type or constant)."""
    if item is None or item is Ellipsis or type(item) in (slice, int, SizeExpr):
        return item
    if isinstance(item, (bool, np.bool_)):
        raise Unsupported("a boolean as index")
    if isinstance(item, np.integer):
        return int(item)
    if isinstance(item, (list, np.ndarray)):
        return _array_item(np.asarray(item) if _is_plain(item) else _refuse())
    if isinstance(item, ArrayType):
        if item.dtype.kind == "b":
            raise Unsupported("a boolean mask selects a number of elements known only at run time")
        if item.dtype.kind not in "iu":
            raise Wrong
        return item
    raise Wrong


def _is_plain(item: Any) -> bool:
    if isinstance(item, np.ndarray):
        return True
    return type(item) in (int, bool, float) or (
        type(item) is list and all(map(_is_plain, item))
    )


def _refuse() -> Any:
    raise Unsupported("a list of array values as index")


def _array_item(item: np.ndarray) -> np.ndarray:
    if item.dtype.kind == "b":
        raise Unsupported("a boolean mask")
    if item.size == 0:
        return item.astype(np.intp)
    if item.dtype.kind not in "iu":
        raise Wrong
    return item


def position(item: Size, size: Size, facts: Facts) -> Size:
    """The place that an integer index names, from 0."""
    try:
        negative = facts.less(item, 0)
    except DataDependent:
        facts.assume("less_equal", -size, item)
        facts.assume("less", item, size)
        return wrapped(item, size)
    if negative:
        item = item + size
        if not must(facts, "less_equal", 0, item):
            raise Wrong
    elif not must(facts, "less", item, size):
        raise Wrong
    return item


def wrapped(item: Size, size: Size) -> Size:
    """`item`, or `item + size` where it is negative, when only the data tells."""
    return item - minimum(0, maximum(item, -1)) * size


def slice_bounds(key: slice, size: Size, facts: Facts) -> tuple[Size, Size, Size]:
    """(start, step, length), as `slice.indices` gives them; an empty slice is (0, 1, 0), unless it
    is not always empty."""
    step = _step(key.step, facts)
    way = step if isinstance(step, int) else 2
    first: Size = 0 if way > 0 else size - 1
    last: Size = size if way > 0 else -1
    start, stop = _bound(key.start), _bound(key.stop)
    start, begin = (first,) * 2 if start is None else _clamped(start, size, way, facts, True)
    stop, end = (last,) * 2 if stop is None else _clamped(stop, size, way, facts, False)
    extent = facts.total(end - begin if way > 0 else begin - end)
    if step != 1 and not facts.varies("<", 0, extent) and _is_empty(extent, facts):
        return 0, 1, 0  # an empty slice has the strides of the axis
    if isinstance(extent, int) and extent <= 0:
        return 0, 1, 0
    if isinstance(step, SizeExpr):
        return start, step, floordiv(at_least(0, extent, facts) - 1, step) + 1
    stride = abs(step)
    return start, step, floordiv(at_least(0, extent + (stride - 1), facts), stride)


def _step(value: Any, facts: Facts) -> Size:
    """The step of a slice: a number that is not 0, or a size that is known to be positive."""
    step = _bound(value)
    if step is None:
        return 1
    if isinstance(step, SizeExpr) and not facts.less(0, step):
        number = facts.hint(step)
        if name_of(step) is None or not facts.equal(step, number):
            raise Unsupported("a slice step below 1 that is computed from sizes")
        step = number
    if step == 0:
        raise Wrong
    if isinstance(step, int) and abs(step) > LONGEST_STEP:
        raise Unsupported("a slice step beyond 32 bits")
    return step


def _is_empty(extent: Size, facts: Facts) -> bool:
    try:
        return facts.less_equal(extent, 0)
    except DataDependent:
        return False


def _clamped(
    bound: Size, size: Size, step: int, facts: Facts, is_start: bool
) -> tuple[Size, Size]:
    """A bound of a slice, and one that gives the same length where lengths below 0 count as 0:
    it may lie beyond the axis on the side where the slice is empty anyway."""
    lowest, highest = (0, size) if step > 0 else (-1, size - 1)
    try:
        from_end = None if facts.varies("<", bound, 0) else facts.less(bound, 0)
    except DataDependent:
        from_end = None
    if from_end is None:
        inside = maximum(minimum(wrapped(bound, size), highest), lowest)
        return inside, inside
    if from_end:
        bound = bound + size
    beyond = ("<", bound, 0) if from_end else ("<", highest, bound)
    if facts.varies(*beyond):
        inside = maximum(bound, lowest) if from_end else minimum(bound, highest)
        return inside, bound if step == 1 and is_start is not from_end else inside
    clamp, limit = (at_least, lowest) if from_end else (at_most, highest)
    inside = clamp(limit, bound, facts)
    return inside, inside


def _bound(value: Any) -> Size | None:
    if value is None or isinstance(value, SizeExpr):
        return value
    if isinstance(value, ArrayType):
        raise Unsupported("a slice bound that is computed from data")
    return integer(value)


def getitem(a: Any, key: Any, /, *, facts: Facts) -> ArrayType:
    """`a[key]`: a view, a scalar or, with integer arrays, a gathered copy.

    `a` may also be the results of a function that returns several.
    """
    if isinstance(a, (tuple, list)):
        if not isinstance(key, int) or not -len(a) <= key < len(a):
            raise Wrong
        part: ArrayType = a[key]
        return part
    kind = array_argument(a)
    parsed = parse_key(kind, key, facts)
    if not parsed.gathers:
        return parsed.view.type_over(kind)
    return gathered(kind, parsed, facts)


def getitem_view(a: Any, key: Any, /, *, facts: Facts) -> StridedView | None:
    """The strided view of a basic index, None for a gather."""
    if isinstance(a, (tuple, list)):
        return None
    parsed = parse_key(array_argument(a), key, facts)
    return None if parsed.gathers else parsed.view


def gathered(kind: ArrayType, key: Key, facts: Facts) -> ArrayType:
    """The type of an integer-array index's result.

    In memory the gathered axes come first in C order, then the others by their strides; without
    others the result follows the memory order of the index arrays.
    """
    indices = [index_type(item) for _, item in key.gathers]
    common = broadcast_shapes((item.shape for item in indices), facts)
    axes = [axis for axis, _ in key.gathers]
    rest = [n for i, n in enumerate(key.view.shape) if i not in axes]
    place = 0 if key.separated else axes[0]
    shape = (*rest[:place], *common, *rest[place:])
    if not shape and all(item.form is not Form.ARRAY for item in indices):
        return ArrayType(kind.dtype, form=Form.SCALAR)
    if all(is_one(n, facts) for n in rest) and not all(
        item.is_c_contiguous for item in indices
    ):
        if rest:
            raise Unsupported("a gather by arrays in another memory order")
        strides = elementwise_strides(shape, indices, kind.dtype.itemsize, facts, casts=True)
        return result(kind.dtype, shape, strides)
    kept = [s for i, s in enumerate(key.view.strides) if i not in axes]
    inner = packed_in_order(tuple(rest), axes_by_stride(kept, facts), kind.dtype.itemsize)
    outer = contiguous_strides(common, kind.dtype.itemsize)
    count = product(rest)
    lead = tuple(stride * count for stride in outer)
    if any(isinstance(n, int) and n == 0 for n in shape):
        return result(kind.dtype, shape)
    return result(kind.dtype, shape, (*inner[:place], *lead, *inner[place:]))


def index_type(item: Any) -> ArrayType:
    """The type of an index operand; plain ints broadcast as 0-d."""
    if isinstance(item, (int, SizeExpr)):
        return ArrayType(np.dtype(np.intp), form=Form.PYTHON)
    return as_type(item)
