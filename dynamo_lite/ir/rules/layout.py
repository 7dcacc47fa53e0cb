"""Broadcasting, and the memory layout that NumPy chooses for the results of elementwise loops."""
from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

from ...errors import DataDependent
from ..facts import Facts, generic, must
from ..sizes import Size, depends_on_data
from ..types import ArrayType, contiguous_strides
from .values import Wrong

Shape = tuple[Size, ...]


def same(left: Size, right: Size, facts: Facts) -> bool:
    """Equality that asks only where the answer is not structural."""
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    return left == right or facts.equal(left, right)


def must_be_same(left: Size, right: Size, facts: Facts) -> bool:
    """Equality without which NumPy raises."""
    return left == right or must(facts, "equal", left, right)


def is_one(size: Size, facts: Facts) -> bool:
    """Whether an axis is broadcast and has no order; one whose size depends on data does not."""
    return size == 1 if isinstance(size, int) else generic(facts, "equal", size, 1)


def may_be_empty(size: Size, facts: Facts) -> bool:
    """Whether code must be made for a size of 0 as well; a symbol is positive from here on
    unless calls with 0 are known."""
    try:
        return facts.varies("<", 0, size) or not facts.less(0, size)
    except DataDependent:
        return True


def same_shape(left: Shape, right: Shape, facts: Facts) -> bool:
    return len(left) == len(right) and all(same(a, b, facts) for a, b in zip(left, right))


def broadcast_shapes(shapes: Iterable[Shape], facts: Facts) -> Shape:
    """The common shape; raises Wrong when there is none."""
    found: Shape = ()
    for shape in shapes:
        if shape != found:
            found = _merge(found, shape, facts)
    return found


def _merge(left: Shape, right: Shape, facts: Facts) -> Shape:
    if len(left) < len(right):
        left, right = right, left
    lead = len(left) - len(right)
    return left[:lead] + tuple(
        _merge_size(a, b, facts) for a, b in zip(left[lead:], right)
    )


def _merge_size(left: Size, right: Size, facts: Facts) -> Size:
    if left == right:
        return left
    for one, other in ((right, left), (left, right)):
        if isinstance(one, int) and one == 1:
            may_be_empty(other, facts)
            return other
    if _may_be_same(left, right, facts) and facts.equal(left, right):
        return left if isinstance(left, int) else right
    if is_one(right, facts):
        return left
    if is_one(left, facts):
        return right
    if not must_be_same(left, right, facts):
        raise Wrong
    return left if isinstance(left, int) else right


def _may_be_same(left: Size, right: Size, facts: Facts) -> bool:
    """Whether two sizes are the same in this call: then that is all that needs to be guarded."""
    if depends_on_data(left) or depends_on_data(right):
        return False
    return facts.hint(left) == facts.hint(right)


def broadcast_strides(operand: ArrayType, ndim: int, facts: Facts) -> tuple[Size, ...]:
    """Byte strides of an operand over `ndim` broadcast axes; axes of size 1 do not move."""
    own = tuple(
        0 if is_one(size, facts) else stride
        for size, stride in zip(operand.shape, operand.strides)
    )
    return (0,) * (ndim - operand.ndim) + own


def elementwise_strides(
    shape: Shape, operands: Sequence[ArrayType], itemsize: int, facts: Facts, order: str = "K",
    *, casts: bool = False,
) -> tuple[Size, ...]:
    """Strides of a fresh result with memory order `order` over the operands' layouts.

    `casts`: NumPy uses an iterator, since some array operand does not have the dtype of the loop.
    """
    arrays = [operand for operand in operands if operand.ndim]
    if order == "A":
        packed = None if casts else _simple_order(shape, arrays, facts)
        fortran = all(is_contiguous(a, facts, "F") for a in arrays)
        order = packed or ("F" if fortran else "C")
    if len(shape) < 2 or order == "C":
        return contiguous_strides(shape, itemsize)
    if order == "F":
        return contiguous_strides(shape, itemsize, "F")
    if all(is_packed(a, "C") for a in arrays):
        return contiguous_strides(shape, itemsize)
    if all(a.ndim == len(shape) and 1 not in a.shape and is_packed(a, "F") for a in arrays):
        return contiguous_strides(shape, itemsize, "F")
    if not casts and (simple := _simple_order(shape, arrays, facts)) is not None:
        return contiguous_strides(shape, itemsize, simple)
    moves = [broadcast_strides(a, len(shape), facts) for a in arrays]
    return packed_in_order(shape, axis_order(moves, len(shape), facts), itemsize)


def like_strides(
    kind: ArrayType, itemsize: int, facts: Facts, order: str = "K"
) -> tuple[Size, ...]:
    """Strides of a copy (`np.copy`, `astype`, `*_like`) with the given memory order."""
    if order == "A":
        order = "F" if is_fortran(kind, facts) else "C"
    if order == "K" and (kind.ndim < 2 or is_contiguous(kind, facts)):
        order = "C"
    if order == "K" and is_contiguous(kind, facts, "F"):
        order = "F"
    if order != "K":
        return contiguous_strides(kind.shape, itemsize, order)
    return packed_in_order(kind.shape, axes_by_stride(kind.strides, facts), itemsize)


def axes_by_stride(strides: Sequence[Size], facts: Facts) -> list[int]:
    """Axes from the smallest stride to the largest; of equals the last axis comes first."""
    sizes = [magnitude(stride, facts) for stride in strides]

    def compared(left: int, right: int) -> int:
        return compared_sizes(sizes[left], sizes[right], facts)

    last_first = range(len(sizes))[::-1]
    return sorted(last_first, key=functools.cmp_to_key(compared))


def compared_sizes(left: Size, right: Size, facts: Facts) -> int:
    return -1 if _less(left, right, facts) else int(_less(right, left, facts))


def _simple_order(shape: Shape, arrays: Sequence[ArrayType], facts: Facts) -> str | None:
    """The order NumPy's loop without an iterator uses: all operands C, or all Fortran packed. Where
    only the data can tell, the iterator finds the same one."""
    if not all(same_shape(a.shape, shape, facts) for a in arrays):
        return None
    orders = (o for o in "CF" if all(is_contiguous(a, facts, o) for a in arrays))
    try:
        return next(orders, None)
    except DataDependent:
        return None


def packed_in_order(shape: Shape, axes: Sequence[int], itemsize: int) -> tuple[Size, ...]:
    """Strides of packed memory whose fastest axis is `axes[0]`, then `axes[1]`, …"""
    packed = contiguous_strides(tuple(shape[axis] for axis in axes), itemsize, "F")
    strides: list[Size] = [0] * len(shape)
    for axis, stride in zip(axes, packed):
        strides[axis] = stride
    return tuple(strides)


def axis_order(
    moves: Sequence[tuple[Size, ...]], ndim: int, facts: Facts
) -> list[int]:
    """Axes from fastest to slowest, as NumPy's iterator sorts them.

    The insertion sort of `npyiter_find_best_axis_ordering`: an axis passes another one only when
    every operand that moves along both agrees, otherwise C order wins.
    """
    magnitudes = [[magnitude(stride, facts) for stride in strides] for strides in moves]
    order: list[int] = []
    for axis in reversed(range(ndim)):
        place = len(order)
        for position in reversed(range(len(order))):
            verdict = _passes(magnitudes, axis, order[position], facts)
            if verdict is False:
                break
            if verdict:
                place = position
        order.insert(place, axis)
    return order


def _passes(
    magnitudes: Sequence[Sequence[Size]], axis: int, other: int, facts: Facts
) -> bool | None:
    """Whether `axis` is faster than `other`; None when no operand moves along both."""
    verdict = None
    for strides in magnitudes:
        if strides[axis] == 0 or strides[other] == 0:
            continue
        if not _less(strides[axis], strides[other], facts):
            return False
        verdict = True
    return verdict


def _less(left: Size, right: Size, facts: Facts) -> bool:
    if isinstance(left, int) and isinstance(right, int):
        return left < right
    return left != right and generic(facts, "less", left, right)


def magnitude(stride: Size, facts: Facts) -> Size:
    if isinstance(stride, int):
        return abs(stride)
    if facts.counts(stride):
        return stride
    if generic(facts, "equal", stride, 0):
        return 0
    return -stride if generic(facts, "less", stride, 0) else stride


def is_packed(kind: ArrayType, order: str) -> bool:
    """Whether the strides are visibly those of packed memory, whatever the sizes are."""
    packed = contiguous_strides(kind.shape, kind.dtype.itemsize, order)
    return all(
        a == b or (isinstance(n, int) and n == 1)
        for n, a, b in zip(kind.shape, kind.strides, packed)
    )


def is_contiguous(
    kind: ArrayType, facts: Facts, order: str = "C", *, asserts: bool = False
) -> bool:
    """NumPy's contiguity flag: axes of size 1 may have any stride, empty arrays are contiguous.

    `asserts`: it decides about a view or a copy, so that sizes that depend on data must not be
    small.
    """
    if is_packed(kind, order):
        return True
    if any(isinstance(size, int) and size == 0 for size in kind.shape):
        return True
    expected: Size = kind.dtype.itemsize
    axes = zip(kind.shape, kind.strides)
    for size, stride in reversed(list(axes)) if order == "C" else axes:
        if is_one(size, facts):
            continue
        if asserts and stride != expected and depends_on_data(size):
            must(facts, "less", 1, size)
        if not same(stride, expected, facts):
            return any(not generic(facts, "less", 0, size) for size in kind.shape)
        expected = expected * size
    return True


def is_fortran(kind: ArrayType, facts: Facts) -> bool:
    """Fortran-contiguous and not C-contiguous, as order="A" asks."""
    return is_contiguous(kind, facts, "F") and not is_contiguous(kind, facts)
