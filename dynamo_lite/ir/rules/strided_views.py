"""Strided views: what a view operation selects of its argument's memory.

One description serves the type rules, functionalisation and lowering. A view function is called
like its NumPy function (plus `facts`) and returns a `StridedView`, or None when NumPy makes a copy.
"""
from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.records import dataclass
from ...errors import Unsupported
from ..facts import Facts, must
from ..sizes import Size, floordiv, modulo, product
from ..types import ArrayType, Form, packed_strides
from .layout import Shape, is_contiguous, is_fortran, is_one, must_be_same, same, same_shape
from .values import Wrong, as_shape, as_type, integer, normal_axes, normal_axis


@dataclass(frozen=True, slots=True)
class StridedView:
    """Byte `offset` from the argument's data pointer; shape and byte strides of the result."""

    shape: tuple[Size, ...]
    strides: tuple[Size, ...]
    offset: Size = 0
    writeable: bool = True
    scalar: bool = False  # one element, handed out as a NumPy scalar
    same: bool = False  # no new array: NumPy hands back the argument
    dtype: np.dtype | None = None  # where it is not that of the argument: parts of complex numbers

    def type_over(self, base: ArrayType) -> ArrayType:
        """The type of this view of an argument of type `base`."""
        if self.scalar:
            return ArrayType(base.dtype, form=Form.SCALAR)
        return ArrayType(
            self.dtype or base.dtype, self.shape, self.strides,
            writeable=base.writeable and self.writeable, aligned=base.aligned,
        )


def array_argument(value: Any) -> ArrayType:
    """View functions of scalars give scalars or copies; only arrays are described here."""
    kind = as_type(value)
    if kind.form is not Form.ARRAY:
        raise Unsupported("a view operation on a scalar")
    return kind


def itself_as_view(kind: ArrayType) -> StridedView:
    return StridedView(kind.shape, kind.strides, same=True)


def _permuted(kind: ArrayType, axes: Sequence[int]) -> StridedView:
    return StridedView(
        tuple(kind.shape[axis] for axis in axes), tuple(kind.strides[axis] for axis in axes)
    )


def transpose(a: Any, axes: Any = None, *, facts: Facts) -> StridedView:
    kind = array_argument(a)
    if axes is None:
        return _permuted(kind, range(kind.ndim)[::-1])
    order = normal_axes(list(axes) if isinstance(axes, (tuple, list)) else [axes], kind.ndim)
    if len(order) != kind.ndim:
        raise Wrong
    return _permuted(kind, order)


def matrix_transpose(x: Any, /, *, facts: Facts) -> StridedView:
    if array_argument(x).ndim < 2:
        raise Wrong
    return swapaxes(x, -1, -2, facts=facts)


def swapaxes(a: Any, axis1: Any, axis2: Any, *, facts: Facts) -> StridedView:
    kind = array_argument(a)
    order = list(range(kind.ndim))
    first, second = normal_axis(axis1, kind.ndim), normal_axis(axis2, kind.ndim)
    order[first], order[second] = order[second], order[first]
    return _permuted(kind, order)


def moveaxis(a: Any, source: Any, destination: Any, *, facts: Facts) -> StridedView:
    kind = array_argument(a)
    sources, targets = (normal_axes(axes, kind.ndim) for axes in (source, destination))
    if len(sources) != len(targets) or source is None or destination is None:
        raise Wrong
    order = [axis for axis in range(kind.ndim) if axis not in sources]
    for target, origin in sorted(zip(targets, sources)):
        order.insert(target, origin)
    return _permuted(kind, order)


def rollaxis(a: Any, axis: Any, start: Any = 0, *, facts: Facts) -> StridedView:
    kind = array_argument(a)
    origin = normal_axis(axis, kind.ndim)
    goal = integer(start)
    goal += kind.ndim if goal < 0 else 0
    if not 0 <= goal <= kind.ndim:
        raise Wrong
    order = list(range(kind.ndim))
    order.remove(origin)
    order.insert(goal - (origin < goal), origin)
    return _permuted(kind, order)


def squeeze(a: Any, axis: Any = None, *, facts: Facts) -> StridedView:
    kind = array_argument(a)
    if axis is None:
        gone = {i for i, size in enumerate(kind.shape) if same(size, 1, facts)}
    else:
        gone = set(normal_axes(axis, kind.ndim))
        if not all(must_be_same(kind.shape[i], 1, facts) for i in gone):
            raise Wrong
    kept = [i for i in range(kind.ndim) if i not in gone]
    return _permuted(kind, kept) if gone else itself_as_view(kind)


def broadcast_to(array: Any, shape: Any, subok: Any = False, *, facts: Facts) -> StridedView:
    kind = array_argument(array)
    goal = as_shape(shape)
    if kind.ndim > len(goal) or not all(must(facts, "less_equal", 0, size) for size in goal):
        raise Wrong
    lead = len(goal) - kind.ndim
    strides: list[Size] = [0] * lead
    for size, stride, wanted in zip(kind.shape, kind.strides, goal[lead:]):
        if size == 1 or (size != wanted and is_one(size, facts)):
            strides.append(0)
        elif must_be_same(size, wanted, facts):
            strides.append(stride)
        else:
            raise Wrong
    return StridedView(goal, tuple(strides), writeable=False)


def diagonal(
    a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, *, facts: Facts
) -> StridedView:
    kind = array_argument(a)
    if kind.ndim < 2:
        raise Wrong
    row, column = normal_axis(axis1, kind.ndim), normal_axis(axis2, kind.ndim)
    if row == column:
        raise Wrong
    shift = integer(offset)
    if not -(2**31) < shift < 2**31:  # a C int of NumPy's
        raise Wrong
    rows: Size = kind.shape[row] + min(shift, 0)
    columns: Size = kind.shape[column] - max(shift, 0)
    length = rows if facts.less(rows, columns) else columns
    if facts.less_equal(length, 0):
        length = 0
    start: Size = 0
    if shift > 0 and facts.less(shift, kind.shape[column]):
        start = shift * kind.strides[column]
    elif shift < 0 and facts.less(-shift, kind.shape[row]):
        start = -shift * kind.strides[row]
    kept = _permuted(kind, [i for i in range(kind.ndim) if i not in (row, column)])
    return StridedView(
        (*kept.shape, length), (*kept.strides, kind.strides[row] + kind.strides[column]),
        start, writeable=False,
    )


def reshape(
    a: Any, /, shape: Any, order: Any = "C", *, copy: Any = None, facts: Facts
) -> StridedView | None:
    kind = array_argument(a)
    if copy is False:
        raise Unsupported("reshape without a copy")
    if order == "A":
        order = "F" if is_fortran(kind, facts) else "C"
    if order not in ("C", "F"):
        raise Wrong
    goal = resolved_shape(kind, shape, facts)
    return None if copy else _reshape(kind, goal, facts, order, renewed=_has_unknown(shape))


def resolved_shape(kind: ArrayType, shape: Any, facts: Facts) -> Shape:
    """A reshape target with its -1 filled in; Wrong when the element counts differ."""
    sizes = list(as_shape(shape))
    unknown = [i for i, size in enumerate(sizes) if isinstance(size, int) and size < 0]
    if len(unknown) > 1 or any(sizes[i] != -1 for i in unknown):
        raise Wrong
    if unknown:
        known = product(size for i, size in enumerate(sizes) if i not in unknown)
        if not must(facts, "less", 0, known):
            raise Wrong
        if not must_be_same(modulo(kind.size, known), 0, facts):
            raise Wrong
        sizes[unknown[0]] = floordiv(kind.size, known)
    elif not must_be_same(product(sizes), kind.size, facts):
        raise Wrong
    return tuple(sizes)


def _has_unknown(shape: Any) -> bool:
    return any(isinstance(size, int) and size == -1 for size in as_shape(shape))


def _reshape(
    kind: ArrayType, shape: Shape, facts: Facts, order: str = "C", *, renewed: bool = False
) -> StridedView | None:
    """`renewed`: the strides are worked out even when the shape stays, as for a -1 in it."""
    if not renewed and same_shape(kind.shape, shape, facts):
        return StridedView(shape, kind.strides)
    if is_contiguous(kind, facts, order, asserts=True) or not must(facts, "less", 1, kind.size):
        return StridedView(shape, packed_strides(shape, kind.dtype.itemsize, order))
    strides = _strides_without_copy(kind, shape, facts, order)
    return None if strides is None else StridedView(shape, strides)


def _strides_without_copy(
    kind: ArrayType, shape: Shape, facts: Facts, order: str
) -> tuple[Size, ...] | None:
    """The algorithm of NumPy's `_attempt_nocopy_reshape`: groups of axes with equal products."""
    old = [(n, s) for n, s in zip(kind.shape, kind.strides) if not is_one(n, facts)]
    strides: list[Size] = []
    old_at = new_at = 0
    while new_at < len(shape) and old_at < len(old):
        new_end, old_end = new_at + 1, old_at + 1
        new_size, old_size = shape[new_at], old[old_at][0]
        while not same(new_size, old_size, facts):
            if facts.less(new_size, old_size):
                new_size, new_end = new_size * shape[new_end], new_end + 1
            else:
                old_size, old_end = old_size * old[old_end][0], old_end + 1
        step = _joined_step(old[old_at:old_end], facts, order)
        if step is None:
            return None
        strides += [step * n for n in packed_strides(shape[new_at:new_end], 1, order)]
        new_at, old_at = new_end, old_end
    last = strides[-1] if strides else kind.dtype.itemsize
    if strides and order == "F":
        last = last * shape[new_at - 1]
    return (*strides, *[last] * (len(shape) - len(strides)))


def _joined_step(
    axes: Sequence[tuple[Size, Size]], facts: Facts, order: str
) -> Size | None:
    """The stride of the fastest of some (size, stride) axes, when they act as one axis."""
    slow_first = axes if order == "C" else axes[::-1]
    for (_, outer), (size, inner) in itertools.pairwise(slow_first):
        if not same(outer, size * inner, facts):
            return None
    return slow_first[-1][1]


def ravel(a: Any, order: Any = "C", *, facts: Facts) -> StridedView | None:
    kind = array_argument(a)
    if order == "K" and not is_contiguous(kind, facts) and not is_fortran(kind, facts):
        raise Unsupported("ravel in memory order")
    order = "A" if order == "K" else order
    if order == "A":
        order = "F" if is_fortran(kind, facts) else "C"
    if order not in ("C", "F"):
        raise Wrong
    if not is_contiguous(kind, facts, order, asserts=True):
        return None
    return StridedView((kind.size,), (kind.dtype.itemsize,))


def expand_dims(a: Any, axis: Any, *, facts: Facts) -> StridedView | None:
    if axis is None:
        raise Wrong
    kind = array_argument(a)
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    axes = normal_axes(axis, kind.ndim + count)
    rest = iter(kind.shape)
    shape = tuple(1 if i in axes else next(rest) for i in range(kind.ndim + count))
    return _reshape(kind, shape, facts)


def flip(m: Any, axis: Any = None, *, facts: Facts) -> StridedView:
    kind = array_argument(m)
    if kind.ndim == 0:
        raise Unsupported("flip of a 0-d array, which gives a scalar")
    return _flipped(kind, normal_axes(axis, kind.ndim), facts)


def _flipped(kind: ArrayType, axes: Sequence[int], facts: Facts) -> StridedView:
    strides = list(kind.strides)
    offset: Size = 0
    for axis in axes:
        if not facts.varies("<", 0, kind.shape[axis]) and same(kind.shape[axis], 0, facts):
            continue
        offset = offset + (kind.shape[axis] - 1) * kind.strides[axis]
        strides[axis] = -kind.strides[axis]
    return StridedView(kind.shape, tuple(strides), offset)


def fliplr(m: Any, *, facts: Facts) -> StridedView:
    kind = array_argument(m)
    if kind.ndim < 2:
        raise Wrong
    return _flipped(kind, (1,), facts)


def flipud(m: Any, *, facts: Facts) -> StridedView:
    kind = array_argument(m)
    if kind.ndim < 1:
        raise Wrong
    return _flipped(kind, (0,), facts)


def rot90(m: Any, k: Any = 1, axes: Any = (0, 1), *, facts: Facts) -> StridedView:
    kind = array_argument(m)
    first, second = normal_axes(axes, kind.ndim)
    turns = integer(k) % 4
    if turns == 0:
        return StridedView(kind.shape, kind.strides)
    if turns == 2:
        return _flipped(kind, (first, second), facts)
    if turns == 1:
        flipped = _flipped(kind, (second,), facts)
        return _swapped(flipped, first, second)
    turned = _swapped(StridedView(kind.shape, kind.strides), first, second)
    return _flipped(kind.with_layout(turned.shape, turned.strides), (second,), facts)


def _swapped(view: StridedView, first: int, second: int) -> StridedView:
    order = list(range(len(view.shape)))
    order[first], order[second] = second, first
    return replace(
        view, shape=tuple(view.shape[i] for i in order),
        strides=tuple(view.strides[i] for i in order),
    )


def itself(rule: Callable[..., ArrayType]) -> Callable[..., StridedView | None]:
    """Functions such as `np.asarray` that may hand back their argument: their rule then gives its
    type, unchanged and identical."""

    def view(a: Any, *args: Any, facts: Facts, **kwargs: Any) -> StridedView | None:
        if not isinstance(a, ArrayType) or rule(a, *args, facts=facts, **kwargs) is not a:
            return None
        return itself_as_view(a)

    return view


def atleast(ndim: int) -> Callable[..., StridedView | None]:
    """`np.atleast_1d` and `np.atleast_2d` of one array."""

    def view(*arys: Any, facts: Facts) -> StridedView | None:
        if len(arys) != 1:
            raise Unsupported("atleast_nd of several arrays")
        kind = array_argument(arys[0])
        if kind.ndim >= ndim:
            return itself_as_view(kind)
        if kind.ndim == 0:
            return _reshape(kind, (1,) * ndim, facts)
        return StridedView((1, *kind.shape), (0, *kind.strides))

    return view
