"""Expensive row expressions that a kernel needs twice, once inside a reduction and once for its
result (softmax's exponential), are computed once and kept where the result will be.

The reduction's loop stores the expression into the row of the output; the last loop reads it back.
"""
from __future__ import annotations

from dataclasses import replace

from ...costs import time_of
from ...loop_ir import affine, rewrite
from ...loop_ir.loops import Axis, Expr, Gather, Kernel, Load, Offset, Reduce, Store, walk

WORTH = 0.2  # nanoseconds per element from which a store and a load are cheaper


def keep_rows(kernel: Kernel, vector: Axis | None) -> tuple[Kernel, dict[Expr, Offset]]:
    """The kernel that reads kept values, and what to store where once it has been computed."""
    unchanged: tuple[Kernel, dict[Expr, Offset]] = kernel, {}
    if vector is None or vector != kernel.axes[-1] or len(kernel.statements) != 1:
        return unchanged
    (store,) = kernel.statements
    if not isinstance(store, Store) or not _is_packed_row(store, vector):
        return unchanged
    found = _repeated(store, vector, frozenset(kernel.axes[:-1]))
    if found is None:
        return unchanged
    inside, outside, folded = found
    value = rewrite.replace_parts(store.value, {outside: Load(store.buffer, store.offset)})
    place = affine.substitute(store.offset, {vector: affine.along(folded)})
    shared = kernel.parallel and len(kernel.axes) > 1  # the parts of one row would overwrite it
    kept = replace(kernel, statements=(replace(store, value=value),), parallel=shared)
    return kept, {inside: place}


def _is_packed_row(store: Store, vector: Axis) -> bool:
    """Rows lie next to each other in memory that the kernel does not read."""
    parts = walk((store.value,))
    reads = {p.buffer for p in parts if isinstance(p, (Load, Gather))}
    unit = store.buffer.dtype.itemsize
    return store.buffer not in reads and affine.stride_of(store.offset, vector) == unit


def _repeated(
    store: Store, vector: Axis, around: frozenset[Axis]
) -> tuple[Expr, Expr, Axis] | None:
    """The most expensive expression of a reduction along rows that the result uses as well: as it
    is inside, as it is outside, and the folded axis. A reduction that is not of each row runs
    ahead of the loops around, and has no row to keep anything in."""
    memo: rewrite.Frees = {}
    outside = _outside_reductions(store.value)
    best: tuple[float, tuple[Expr, Expr, Axis] | None] = WORTH, None
    for fold in outside:
        free = rewrite.free_axes(fold, memo) if isinstance(fold, Reduce) else frozenset()
        if not isinstance(fold, Reduce) or vector in free or not around <= free:
            continue
        axis = fold.axes[-1]
        if len(fold.axes) > 1 or axis.extent != vector.extent:
            continue
        for part in _outside_reductions(fold.body):
            if part.dtype != store.buffer.dtype or axis not in rewrite.free_axes(part, memo):
                continue
            moved = rewrite.substitute(part, {axis: affine.along(vector)})
            cost = time_of((part,)) if moved in outside else 0.0
            if cost > best[0]:
                best = cost, (part, moved, axis)
    return best[1]


def _outside_reductions(root: Expr) -> set[Expr]:
    """The subexpressions of `root` that are evaluated at its own points; reductions themselves
    belong to it, their bodies do not."""
    seen: set[Expr] = set()
    stack = [root]
    while stack:
        expr = stack.pop()
        if expr not in seen:
            seen.add(expr)
            if not isinstance(expr, Reduce):
                stack.extend(expr.operands)
    return seen


