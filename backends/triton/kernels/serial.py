"""Folds that every lane does by itself, as loops."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...loop_ir.loops import Axis, Reduce
from .emitter import Emitter
from .folds import COMBINE, POSITIONS, SUMS, accumulator_type, neutral, order_of
from .scalars import TYPES


class FoldEmitter(Emitter):
    """Loops that fold scalars or whole blocks."""

    def serial(self, expr: Reduce, shape: str) -> str:
        """A reduction as a loop that folds scalars or whole blocks."""
        accumulator = self.assign(neutral(expr.op, expr.body.dtype, shape))
        if expr.op in POSITIONS:
            position = self.assign(f"tl.full({shape}, 0, tl.int64)")
            self._fold_axes(expr, expr.axes, accumulator, position)
            return position
        self._fold_axes(expr, expr.axes, accumulator, "")
        if ends := COMBINE[expr.op].lane:
            length = self.size(expr.axes[-1].extent)
            accumulator = f"{ends}({accumulator}, {length}, {order_of(expr)})"
        return f"{self.sum_of_some(expr, accumulator)}.to({TYPES[expr.dtype].register})"

    def sum_of_some(self, expr: Reduce, found: str) -> str:
        """What a fold has found; a sum of no floats is 0.0."""
        extents = [axis.extent for axis in expr.axes]
        unknown = [extent for extent in extents if not isinstance(extent, int)]
        if expr.op not in SUMS or expr.dtype.kind != "f" or not (unknown or 0 in extents):
            return found
        found = self.assign(found)
        if 0 in extents:
            return f"tl.abs({found})"
        empty = " | ".join(f"({self.size(size)} == 0)" for size in unknown)
        return self.assign(f"tl.where({empty}, tl.abs({found}), {found})")

    @contextmanager
    def loop(self, axis: Axis) -> Iterator[str]:
        """A serial loop over an axis; short ones are unrolled."""
        variable = f"{axis.name}_{self.count}"
        kind = "tl.static_range" if isinstance(axis.extent, int) and axis.extent <= 8 else "range"
        with self.block(f"for {variable} in {kind}({self.size(axis.extent)}):"):
            self.bind(axis, self.assign(f"tl.full([], {variable}, {self.index_type})"))
            yield variable

    def _fold_axes(
        self, expr: Reduce, axes: tuple[Axis, ...], accumulator: str, position: str
    ) -> None:
        with self.loop(axes[0]) as variable:
            if len(axes) > 1:
                self._fold_axes(expr, axes[1:], accumulator, position)
                return
            item = self.expression(expr.body)
            if position:
                better = POSITIONS[expr.op].better.format(a=accumulator, b=item)
                better = self.assign(f"({better}) | ({variable} == 0)")
                self.line(f"{accumulator} = tl.where({better}, {item}, {accumulator})")
                self.line(f"{position} = tl.where({better}, {variable}, {position})")
            else:
                item = f"{item}.to({accumulator_type(expr.op, expr.body.dtype)})"
                fold = COMBINE[expr.op].inline
                self.line(f"{accumulator} = {fold.format(a=accumulator, b=item)}")
