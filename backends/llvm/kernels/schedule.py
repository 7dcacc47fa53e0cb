"""Choices inside one kernel: which axis is vectorised, and how far its loop is unrolled."""
from __future__ import annotations

from collections.abc import Sequence

from ...loop_ir import affine, rewrite
from ...loop_ir.loops import Axis, Check, Kernel, Load, Reduce, walk


def vector_axis(kernel: Kernel, axes: Sequence[Axis]) -> Axis | None:
    """The kernel's own choice; without one, the innermost axis unless a reduction reads along its
    own innermost axis (which is then vectorised instead)."""
    if kernel.vector is not None:
        return kernel.vector if kernel.vector in axes else None
    if not axes:
        return None
    axis = axes[-1]
    if _is_short(axis):
        return None
    values = [s.condition if isinstance(s, Check) else s.value for s in kernel.statements]
    reductions = [e for e in walk(values) if isinstance(e, Reduce)]
    memo: rewrite.Frees = {}
    for reduction in reductions:
        if axis in rewrite.free_axes(reduction, memo) and _reads_along(reduction):
            return None
    return axis


def _is_short(axis: Axis) -> bool:
    return isinstance(axis.extent, int) and axis.extent == 1


def _reads_along(reduction: Reduce) -> bool:
    inner = reduction.axes[-1]
    if isinstance(inner.extent, int) and inner.extent <= 8:
        return False
    loads = [e for e in walk([reduction.body]) if isinstance(e, Load)]
    return any(affine.stride_of(e.offset, inner) == e.dtype.itemsize for e in loads)


def unroll_of(cost: float) -> int:
    """Short bodies are repeated, long ones would only take longer to compile."""
    return 4 if cost < 0.2 else 2 if cost < 0.5 else 1


