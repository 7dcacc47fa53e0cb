"""Triton source from loop-IR kernels; text only, Triton itself is not imported here.

Five shapes of kernel, `blocks`, `tiles`, `rows`, `short_rows` and `scans`; here is the choice
between them.
"""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ....errors import Unsupported
from ....ir.sizes import product
from ...loop_ir.loops import Axis, Kernel, Reduce, Scalar, Scan, walk
from ...loop_ir.rewrite import free_axes
from .blocks import BlockEmitter
from .folds import POSITIONS
from .kernels import Parameter, TritonKernel
from .pairs import Given, in_pairs
from .reach import narrow_condition
from .rows import RowEmitter
from .scalars import TYPES
from .scans import ScanEmitter
from .short_rows import ShortRowEmitter, has_short_rows, short_fold
from .tiles import TileEmitter, crossed_axis

FEW_RESULTS = 1024
SHORT_FOLD = 256

__all__ = ["Parameter", "TritonKernel", "emit", "why_not_triton"]


def emit(kernel: Kernel) -> TritonKernel:
    """The Triton source of one kernel; `Unsupported` names what has no Triton form."""
    kernel, parts = in_pairs(kernel)
    if (why := why_not_triton(kernel)) is not None:
        raise Unsupported(why)
    made = with_parts(in_shape(kernel, False), parts)
    if not (fits := narrow_condition(kernel)):
        return made
    return replace(made, narrow=with_parts(in_shape(kernel, True), parts), fits=fits)


def with_parts(made: TritonKernel, parts: Mapping[Scalar, Given]) -> TritonKernel:
    """The kernel, whose parameters say of which numbers they are parts."""
    def named(parameter: Parameter) -> Parameter:
        if parameter.scalar is None or (given := parts.get(parameter.scalar)) is None:
            return parameter
        return replace(parameter, scalar=given.number, part=given.part)

    return replace(made, parameters=tuple(map(named, made.parameters)))


def in_shape(kernel: Kernel, narrow: bool) -> TritonKernel:
    if (scanned := scanned_axes(kernel)):
        return ScanEmitter(kernel, scanned[0], narrow).emit()
    spread = spread_axis(kernel)
    if spread is not None or (kernel.vector is not None and kernel.vector not in kernel.axes):
        return row_emitter(kernel, spread, narrow).emit()
    if (fold := narrow_fold(kernel)) is not None:
        return RowEmitter(replace(kernel, vector=fold), None, narrow).emit()
    if (fold := short_fold(kernel)) is not None:
        return ShortRowEmitter(replace(kernel, vector=fold), None, narrow).emit()
    if (across := crossed_axis(kernel)) is not None:
        return TileEmitter(kernel, across, narrow).emit()
    return BlockEmitter(kernel, narrow).emit()


def row_emitter(kernel: Kernel, spread: Axis | None, narrow: bool) -> RowEmitter:
    axes = kernel.axes if spread is None else kernel.axes[:-1]
    across = spread or kernel.vector
    assert across is not None
    is_short = has_short_rows(across.extent, product(axis.extent for axis in axes))
    return (ShortRowEmitter if is_short else RowEmitter)(kernel, spread, narrow)


def scanned_axes(kernel: Kernel) -> list[Axis]:
    scans = (statement for statement in kernel.statements if isinstance(statement, Scan))
    return list(dict.fromkeys(scan.axis for scan in scans))


def narrow_fold(kernel: Kernel) -> Axis | None:
    """The innermost axis of a long reduction with few results, which would occupy few lanes: its
    own axis is laid across them, although it is not the one with the smallest stride."""
    points = product(axis.extent for axis in kernel.axes)
    if not isinstance(points, int) or points > FEW_RESULTS:
        return None
    longest = next((fold.axes[-1] for fold in kernel.folds), None)
    if longest is None or any(fold.axes[-1].extent != longest.extent for fold in kernel.folds):
        return None
    is_short = isinstance(longest.extent, int) and longest.extent <= SHORT_FOLD
    return None if is_short else longest


def spread_axis(kernel: Kernel) -> Axis | None:
    """The innermost axis of a kernel whose points share a reduction as long as the axis: a row that
    one program holds at once (softmax), or None."""
    if not kernel.axes:
        return None
    last, frees = kernel.axes[-1], {}  # type: ignore[var-annotated]
    for statement in kernel.statements:
        for expr in walk(statement.roots):
            if isinstance(expr, Reduce) and last not in free_axes(expr, frees) and (
                [axis.extent for axis in expr.axes] == [last.extent]
            ):
                return last
    return None


def why_not_triton(kernel: Kernel) -> str | None:
    """Why this generator cannot express a kernel, or None."""
    if len(scanned_axes(kernel)) > 1:
        return "running folds along several axes"
    for statement in kernel.statements:
        for expr in walk(statement.roots):
            if np.dtype(expr.dtype) not in TYPES:
                return f"dtype {expr.dtype} has no Triton type"
            if isinstance(expr, Reduce) and expr.op in POSITIONS and len(expr.axes) != 1:
                return f"{expr.op} over several axes"
    return None


