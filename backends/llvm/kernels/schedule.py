"""Choices inside one kernel: which axis is vectorised, and how far its loop is unrolled."""
from __future__ import annotations

from collections.abc import Sequence

from ....ir.row import by_name
from ....ir.sizes import Size
from ...costs import time_of
from ...loop_ir import affine, rewrite
from ...loop_ir.in_turn import axes_in_turn
from ...loop_ir.loops import (
    Apply,
    Axis,
    Check,
    Expr,
    Gather,
    Kernel,
    Load,
    Offset,
    Reduce,
    Statement,
    Store,
    walk,
)
from ..builder.elements import PARTS
from ..builder.target import Target


def vector_axis(kernel: Kernel, axes: Sequence[Axis]) -> Axis | None:
    """The kernel's own choice; without one, the innermost axis unless a reduction reads along its
    own innermost axis (which is then vectorised instead)."""
    if kernel.vector is not None:
        return kernel.vector if kernel.vector in axes else None
    if not axes:
        return None
    axis = axes[-1]
    if _is_short(axis) or axis in axes_in_turn(kernel):
        return None
    values = [s.condition if isinstance(s, Check) else s.value for s in kernel.statements]
    reductions = [e for e in walk(values) if isinstance(e, Reduce)]
    memo: rewrite.Frees = {}
    for reduction in reductions:
        if axis in rewrite.free_axes(reduction, memo) and _reads_along(reduction):
            return None
    return axis


def rows_together(kernel: Kernel, axes: Sequence[Axis], width: int) -> bool:
    """Whether vectors of the innermost axis would be mostly empty, and those of the next one can
    have a row of it for each lane: all of its columns are computed, and written together."""
    if len(axes) < 2 or not {*kernel.writes}.isdisjoint(kernel.reads) or (
        len(kernel.writes) < len(kernel.statements)
    ):
        return False
    rows, inner = axes[-2:]
    few, many = inner.extent, rows.extent
    memo: rewrite.Frees = {}
    if not isinstance(few, int) or not 1 < few <= MOST_COLUMNS or not 2 * few <= width <= WIDEST:
        return False
    if (isinstance(many, int) and many < 2 * width) or rows in axes_in_turn(kernel) or any(
        inner in rewrite.free_axes(fold, memo) or not _is_unrolled(fold) for fold in kernel.folds
    ):
        return False

    def strides(offset: Offset) -> tuple[Size, Size]:
        return affine.stride_of(offset, rows), affine.stride_of(offset, inner)

    def is_written_packed(statement: Statement) -> bool:
        if not isinstance(statement, Store) or statement.indices:
            return False
        size = statement.buffer.dtype.itemsize
        return strides(statement.offset) == (few * size, size) and (
            statement.buffer.dtype not in PARTS)

    def is_read_together(load: Load | Gather) -> bool:
        if not isinstance(load, Load) or load.dtype in PARTS:
            return False
        (along, across), size = strides(load.offset), load.dtype.itemsize
        is_number = load.dtype.kind == "f" and across == size
        return across == 0 or along in (0, size, 2 * size) or is_number

    return all(map(is_written_packed, kernel.statements)) and all(
        map(is_read_together, kernel.loads))


MOST_COLUMNS, WIDEST = 4, 16
"""Columns that are written together, and lanes of a vector that is one register."""


def _is_unrolled(fold: Reduce) -> bool:
    """Whether it is computed in straight code for each lane."""
    return all(isinstance(axis.extent, int) and axis.extent <= SHORT_FOLD for axis in fold.axes)


SHORT_FOLD = 8
"""Steps of a fold that vectors of rows take for each lane."""


def _is_short(axis: Axis) -> bool:
    return isinstance(axis.extent, int) and axis.extent == 1


def _reads_along(reduction: Reduce) -> bool:
    inner = reduction.axes[-1]
    if isinstance(inner.extent, int) and inner.extent <= 8:
        return False
    loads = [e for e in walk([reduction.body]) if isinstance(e, Load)]
    return any(affine.stride_of(e.offset, inner) == e.dtype.itemsize for e in loads)


LONG = 0.5
"""Nanoseconds for one point of a body that is not repeated."""
FEW = 64
"""Points of a row that is short."""


def unroll_of(cost: float) -> int:
    """Short bodies are repeated, long ones would only take longer to compile."""
    return 4 if cost < 0.2 else 2 if cost < LONG else 1


def vectors_together(kernel: Kernel, target: Target) -> int:
    """Two where formulas are long, so that the processor waits for their results: AVX2 has room for
    two in its registers. Rows must be long enough to fill them."""
    if target.cpu != TWICE:
        return 1
    values = [s.condition if isinstance(s, Check) else s.value for s in kernel.statements]
    exprs = [*walk(values)]
    folds = [e.axes for e in exprs if isinstance(e, Reduce) and not e.part]
    rows = [axes[-1] for axes in folds]  # those in parts are long
    outermost = kernel.axes[:1] or [axes[0] for axes in folds]
    if (axis := vector_axis(kernel, kernel.axes)) is not None:
        rows.append(axis)
    has_room = not any(map(has_cases, exprs))
    waits = any(map(is_elementary, exprs)) or (time_of(values) >= LONG and has_room)
    return 2 if waits and all(_is_long(axis, outermost) for axis in rows) else 1


TWICE = "x86-64-v3"
WITH_CASES = ("absolute", "divide")


def is_elementary(expr: Expr) -> bool:
    """Whether it is a function like `exp`."""
    row = by_name(expr.op) if isinstance(expr, Apply) else None
    return row is not None and row.approximated


def has_cases(expr: Expr) -> bool:
    """Whether it is a quotient or an absolute value of complex numbers, which chooses among the
    results of several divisions: that fills all registers."""
    return isinstance(expr, Apply) and expr.op in WITH_CASES and expr.args[0].dtype in PARTS


def _is_long(axis: Axis, outermost: Sequence[Axis]) -> bool:
    """Of an outer axis that is not known, it is likely."""
    return axis.extent >= FEW if isinstance(axis.extent, int) else axis in outermost
