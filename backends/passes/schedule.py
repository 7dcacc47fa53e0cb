"""The loop order of a kernel: contiguous axes collapsed, small strides innermost."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..hints import Hint
from ..loop_ir import affine, reshaping, rewrite
from ..loop_ir.in_turn import axes_in_turn
from ..loop_ir.loops import (
    Apply,
    Axis,
    Check,
    Convert,
    Expr,
    Gather,
    Kernel,
    Load,
    Reduce,
    Scan,
    Store,
    walk,
)
from ..loop_ir.program import Launch, Program, Step, with_blocks

SHORT = 16
"""Reductions of at most so many (likely) steps are done per lane rather than vectorised."""


def schedule(program: Program, hint: Hint) -> Program:
    """Order, collapse and name the axes of every kernel; choose what is vectorised."""
    return replace(program, steps=tuple(_scheduled(program.steps, hint)))


def _scheduled(steps: Iterable[Step], hint: Hint) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, Launch):
            yield Launch(schedule_kernel(step.kernel, hint))
        else:
            yield with_blocks(step, lambda block: _scheduled(block, hint))


def schedule_kernel(kernel: Kernel, hint: Hint) -> Kernel:
    if not kernel.axes and not kernel.folds:
        return kernel
    ordered = kernel.with_loops(axes=order_axes(kernel, hint))
    if any(len(fold.axes) > 1 for fold in kernel.folds):
        ordered = _map_values(ordered, lambda expr: _order_reductions(expr, hint))
    named = _canonical(ordered)
    return named.with_loops(vector=vector_axis(named, hint), parallel=is_parallel(named))


def order_axes(kernel: Kernel, hint: Hint) -> tuple[Axis, ...]:
    """Outermost first: the largest strides of the stores, then of the loads; a scan's axis last.
    Where points take turns, their order is given."""
    if axes_in_turn(kernel):
        return tuple(axis for axis in kernel.axes if not affine.is_one(axis.extent))
    stores = [s.offset for s in kernel.statements if isinstance(s, (Store, Scan))]
    loads = [load.offset for load in kernel.loads]
    scanned = {s.axis for s in kernel.statements if isinstance(s, Scan)}

    def key(axis: Axis) -> tuple[bool, int, int]:
        strides = [
            sum(abs(hint(affine.stride_of(offset, axis))) for offset in offsets)
            for offsets in (stores, loads)
        ]
        return axis in scanned, -strides[0], -strides[1]

    real = [axis for axis in kernel.axes if not affine.is_one(axis.extent) or axis in scanned]
    return tuple(sorted(real, key=key))


def _map_values(kernel: Kernel, change: rewrite.Change) -> Kernel:
    statements = tuple(rewrite.map_statement(s, change) for s in kernel.statements)
    return replace(kernel, statements=statements)


def _collapsed(kernel: Kernel) -> list[list[Axis]]:
    """The axes, those together that every access steps through as one."""
    groups: list[list[Axis]] = []
    for axis in reversed(kernel.axes):
        if groups and reshaping.can_merge_kernel(kernel, axis, groups[-1]):
            groups[-1].insert(0, axis)
        else:
            groups.append([axis])
    return groups[::-1]


def _order_reductions(expr: Expr, hint: Hint) -> Expr:
    return rewrite.transform(expr, lambda part: _order_reduction(part, hint), {})


def _order_reduction(expr: Expr, hint: Hint) -> Expr:
    """The folded axes of one reduction: small strides innermost, unless its order is given;
    contiguous ones merged, but for a row with those outside."""
    if not isinstance(expr, Reduce) or len(expr.axes) < 2:
        return expr
    offsets = [p.offset for p in walk((expr.body,)) if isinstance(p, (Load, Gather))]

    def key(axis: Axis) -> int:
        return -sum(abs(hint(affine.stride_of(offset, axis))) for offset in offsets)

    axes, body = list(expr.axes), expr.body
    if expr.row is None:
        axes.sort(key=key)
    position = len(axes) - 1 - (expr.row or 0)
    while position > 0:
        outer, inner = axes[position - 1], axes[position]
        if reshaping.can_merge(walk([body]), outer, [inner]):
            merged = Axis(inner.name, outer.extent * inner.extent)
            body = rewrite.substitute(body, {outer: affine.ZERO, inner: affine.along(merged)})
            axes[position - 1 : position + 1] = [merged]
        position -= 1
    return replace(expr, body=body, axes=tuple(axes))


def _canonical(kernel: Kernel) -> Kernel:
    """Make one axis of those that act as one. Rename axes by position (i0, i1, …) and folded axes
    by depth (r0, r1, …), so that equal computations are equal expressions."""
    groups = _collapsed(kernel)
    axes = tuple(Axis(f"i{k}", reshaping.steps_of(group)) for k, group in enumerate(groups))
    moved = dict.fromkeys(kernel.axes, affine.ZERO)
    moved |= {group[-1]: affine.Offset(0, ((new, 1),)) for group, new in zip(groups, axes)}
    statements = tuple(rewrite.move_statement(s, moved) for s in kernel.statements)
    plain = replace(kernel, axes=axes, statements=statements)
    if not kernel.folds:
        return plain
    names: dict[tuple[int, Axis], str] = {}
    depths: dict[Expr, int] = {}
    return _map_values(plain, lambda expr: canonical_folds(expr, depths, names))


def canonical_folds(
    expr: Expr, depths: dict[Expr, int], names: dict[tuple[int, Axis], str]
) -> Expr:
    """Name each folded axis after how many reductions are inside it, its place and its extent."""

    def rule(part: Expr) -> Expr:
        if not isinstance(part, Reduce):
            depths[part] = max((depths.get(c, 0) for c in part.operands), default=0)
            return part
        depth = depths.get(part.body, 0)
        renamed = []
        for place, axis in enumerate(part.axes):
            key = (depth * 8 + place, Axis("", axis.extent))
            name = names.setdefault(key, f"r{len(names)}")
            renamed.append(Axis(name, axis.extent))
        moved = {a: affine.Offset(0, ((n, 1),)) for a, n in zip(part.axes, renamed)}
        made = replace(part, body=rewrite.substitute(part.body, moved), axes=tuple(renamed))
        depths[made] = depth + 1
        return made

    return rewrite.transform(expr, rule, {})


def is_parallel(kernel: Kernel) -> bool:
    """Whether chunks of the outermost axis may run at the same time."""
    scanned = {s.axis for s in kernel.statements if isinstance(s, Scan)}
    return bool(kernel.axes) and kernel.axes[0] not in scanned | axes_in_turn(kernel)


def vector_axis(kernel: Kernel, hint: Hint) -> Axis | None:
    """The innermost axis, unless a reduction that depends on it reads along its own axis."""
    inner = kernel.axes[-1] if kernel.axes else None
    memo: rewrite.Frees = {}
    for fold in kernel.folds:
        depends = inner is None or inner in rewrite.free_axes(fold, memo)
        if depends and (inner is None or _reads_along(fold, inner, hint)):
            return fold.axes[-1]
    if inner is None or any(isinstance(s, Scan) for s in kernel.statements):
        return None
    return None if inner in axes_in_turn(kernel) else inner


def _reads_along(fold: Reduce, outer: Axis, hint: Hint) -> bool:
    """Whether more loads have unit stride along the folded axis than along the kernel's, or, where
    none has, shorter ones."""
    inner = fold.axes[-1]
    if hint(inner.extent) <= SHORT:
        return False
    units, shorter = [0, 0], 0
    for part in walk((fold.body,)):
        if isinstance(part, Load):
            strides = [abs(hint(affine.stride_of(part.offset, axis))) for axis in (inner, outer)]
            units = [u + (s == part.dtype.itemsize) for u, s in zip(units, strides)]
            shorter += (strides[0] < strides[1]) - (strides[0] > strides[1])
    return units[0] > units[1] or (not any(units) and shorter > 0)


def is_check_only(kernel: Kernel) -> bool:
    return all(isinstance(statement, Check) for statement in kernel.statements)


def may_report(kernel: Kernel) -> bool:
    """Whether a kernel may raise floating-point flags: it computes with floats or converts them."""
    if any(isinstance(s, Scan) and s.buffer.dtype.kind in "fc" for s in kernel.statements):
        return True
    return any(
        expr.dtype.kind in "fc"
        for part in kernel.parts if isinstance(part, (Apply, Convert, Reduce))
        for expr in (part, *part.operands)
    )


def operations(kernel: Kernel) -> int:
    """How many scalar operations the kernel's expressions hold."""
    return sum(isinstance(part, (Apply, Reduce)) for part in kernel.parts)
