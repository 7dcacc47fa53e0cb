"""Arithmetic on affine functions of axes (`Offset`): positions in bytes, and indices."""
from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...ir.sizes import Size
from .loops import Axis, Offset

ZERO = Offset()
Substitution = Mapping[Axis, Offset]


def affine(constant: Size, terms: Iterable[tuple[Axis, Size]]) -> Offset:
    """The normal form: one non-zero term per axis, sorted by the axis's name."""
    collected: dict[Axis, Size] = {}
    for axis, factor in terms:
        collected[axis] = collected[axis] + factor if axis in collected else factor
    kept = [(axis, factor) for axis, factor in collected.items() if not is_zero(factor)]
    if len(kept) > 1:
        kept.sort(key=by_name)
    return Offset(constant, tuple(kept))


def by_name(term: tuple[Axis, Size]) -> str:
    return term[0].name


def is_zero(size: Size) -> bool:
    return isinstance(size, int) and size == 0


def is_one(size: Size) -> bool:
    return isinstance(size, int) and size == 1


def along(axis: Axis) -> Offset:
    """The function whose value is the axis; an axis of one step is always 0."""
    return ZERO if is_one(axis.extent) else Offset(0, ((axis, 1),))


def plus(left: Offset, right: Offset) -> Offset:
    if not left.strides or not right.strides:
        return Offset(left.constant + right.constant, left.strides or right.strides)
    return affine(left.constant + right.constant, (*left.strides, *right.strides))


def times(offset: Offset, factor: Size) -> Offset:
    if is_one(factor):
        return offset
    return affine(offset.constant * factor, ((a, s * factor) for a, s in offset.strides))


def combine(constant: Size, terms: Iterable[tuple[Offset, Size]]) -> Offset:
    """constant + the sum of function * factor."""
    collected: list[tuple[Axis, Size]] = []
    for function, factor in terms:
        constant = constant + function.constant * factor
        collected += [(axis, stride * factor) for axis, stride in function.strides]
    return affine(constant, collected)


def substitute(offset: Offset, replaced: Substitution) -> Offset:
    """`offset` with axes replaced by affine functions of other axes."""
    if not any(axis in replaced for axis, _ in offset.strides):
        return offset
    return combine(
        offset.constant,
        [(replaced[a] if a in replaced else along(a), s) for a, s in offset.strides],
    )


def stride_of(offset: Offset, axis: Axis) -> Size:
    for candidate, stride in offset.strides:
        if candidate == axis:
            return stride
    return 0
