"""Regrouping axes: which reshapes keep every load affine, and the expression over the new axes.

Splitting an axis is always affine. Axes can be merged when each load steps through them as through
one axis: `stride[outer] == stride[inner] * extent[inner]`.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from ...ir.sizes import Size, product
from . import affine, rewrite
from .loops import Axis, Check, Expr, Gather, Index, Kernel, Load, Offset, Scan, walk


def reshape(expr: Expr, old: Sequence[Axis], new: Sequence[Axis]) -> Expr | None:
    """`expr` over axes `old` as an expression over `new` (the same elements in C order).

    None when the elements' positions are not affine in the new axes.
    """
    sources = [axis for axis in old if not affine.is_one(axis.extent)]
    targets = [axis for axis in new if not affine.is_one(axis.extent)]
    if any(affine.is_zero(axis.extent) for axis in (*old, *new)):
        return rewrite.substitute(expr, dict.fromkeys(old, affine.ZERO))
    replaced: dict[Axis, Offset] = {
        axis: affine.ZERO for axis in old if affine.is_one(axis.extent)
    }
    for group, made in groups(sources, targets):
        for outer, inner in pairwise(group):
            if not can_merge(walk([expr]), outer, [inner]):
                return None
        flat = flat_position(made)
        # every load of a merged group depends on the innermost axis alone
        replaced.update(dict.fromkeys(group, affine.ZERO))
        replaced[group[-1]] = flat
    return rewrite.substitute(expr, replaced)


def groups(
    old: Sequence[Axis], new: Sequence[Axis]
) -> list[tuple[list[Axis], list[Axis]]]:
    """Consecutive axes of both sides with equal numbers of elements, as small as can be seen."""
    found: list[tuple[list[Axis], list[Axis]]] = []
    i = j = 0
    while i < len(old) and j < len(new):
        left, right = [old[i]], [new[j]]
        a, b = old[i].extent, new[j].extent
        i, j = i + 1, j + 1
        while a != b:
            if _grow_left(a, b) and i < len(old):
                left.append(old[i])
                a, i = a * old[i].extent, i + 1
            elif j < len(new):
                right.append(new[j])
                b, j = b * new[j].extent, j + 1
            elif i < len(old):
                left.append(old[i])
                a, i = a * old[i].extent, i + 1
            else:
                break
        found.append((left, right))
    if found:
        found[-1][0].extend(old[i:])
        found[-1][1].extend(new[j:])
    return found


def _grow_left(a: Size, b: Size) -> bool:
    if isinstance(a, int) and isinstance(b, int):
        return a < b
    return isinstance(a, int) or len(_atoms(a)) < len(_atoms(b))


def _atoms(size: Size) -> tuple[object, ...]:
    return () if isinstance(size, int) else size.terms[0][0]


def flat_position(axes: Sequence[Axis]) -> Offset:
    """The position of a point of `axes` in C order."""
    step: Size = 1
    total = affine.ZERO
    for axis in reversed(axes):
        total = affine.plus(total, affine.times(affine.along(axis), step))
        step = step * axis.extent
    return total


def can_merge(parts: Iterable[Expr], outer: Axis, inner: Sequence[Axis]) -> bool:
    """Whether an axis and the next inner ones, which act as one, act as one in every load."""
    for part in parts:
        if isinstance(part, (Load, Gather)) and not steps_as_one(part.offset, outer, inner):
            return False
        if isinstance(part, Index) and (part.axis is outer or part.axis in inner):
            return False
    return True


def steps_as_one(offset: Offset, outer: Axis, inner: Sequence[Axis]) -> bool:
    return affine.stride_of(offset, outer) == (
        affine.stride_of(offset, inner[-1]) * steps_of(inner)
    )


def steps_of(axes: Sequence[Axis]) -> Size:
    """The extent of axes that act as one."""
    return product(axis.extent for axis in axes)


def can_merge_kernel(kernel: Kernel, outer: Axis, inner: Sequence[Axis]) -> bool:
    """The same for whole statements, their stores included."""
    for statement in kernel.statements:
        if isinstance(statement, Scan) and statement.axis in (outer, *inner):
            return False
        if not isinstance(statement, Check) and not steps_as_one(statement.offset, outer, inner):
            return False
    return can_merge(kernel.parts, outer, inner)
