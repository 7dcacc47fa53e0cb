"""Sums of columns, row after row: their totals lie in the cache while the rows are read as they lie
in memory.

Where the columns are more than fill a few registers, a walk down some of them at a time would take
a piece of every row, and memory is slow at that.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence

from ...costs import time_of_points
from ...loop_ir.loops import Axis, Kernel, Load, Reduce, Store
from ..builder.folding import outer_loops, vector_loop
from ..builder.nest import Nest
from ..builder.terms import Term
from ..builder.values import Value
from .reductions import FOLDS

BLOCK = 1024
"""Columns whose totals are kept at a time."""
SHARE = 256
"""Columns that one thread takes at least, so that it reads rows in long pieces."""
CHEAP = 0.4
"""Nanoseconds per element from which computing takes longer than reading."""
FEW = 4
"""Vectors of columns that fit in registers."""
UNROLL = 4


def adds_rows(kernel: Kernel, axis: Axis | None, width: int) -> bool:
    """Whether the totals of a kernel whose vectors are along `axis` are better kept in memory."""
    if axis is None or (isinstance(axis.extent, int) and axis.extent <= FEW * width):
        return False
    return bool(kernel.folds) and (
        axis == kernel.axes[-1]
        and all(isinstance(statement, Store) for statement in kernel.statements)
        and set(kernel.writes).isdisjoint(kernel.reads)
        and all(isinstance(load, Load) and _is_next_to(load, axis) for load in kernel.loads)
        and all(
            fold.row == 0 and fold.dtype.kind == "f" and time_of_points(fold.body) < CHEAP
            for fold in kernel.folds
        )
    )


def unit_of(kernel: Kernel, axis: Axis | None, width: int) -> int:
    """Steps of the outermost axis that are not divided among threads."""
    if not kernel.parallel or axis is None or axis != kernel.axes[0]:
        return 1
    if any(fold.row == 0 for fold in kernel.folds):
        return SHARE if adds_rows(kernel, axis, width) else FEW * width
    return 1


def _is_next_to(load: Load, axis: Axis) -> bool:
    """Whether columns lie next to each other, or are all the same."""
    return dict(load.offset.strides).get(axis, 0) in (0, load.dtype.itemsize)


class Columns:
    """The loops of one kernel. `folds` are its folds, inner ones first; `finish` emits what
    becomes of them for one vector of columns."""

    def __init__(
        self, nest: Nest, axis: Axis, folds: Sequence[Term], finish: Callable[[], None]
    ) -> None:
        self.nest, self.axis, self.finish = nest, axis, finish
        self.builder, self.width = nest.builder, nest.width
        self.totals = {fold: self._memory(fold) for fold in folds}

    def _memory(self, fold: Term) -> str:
        element = self.builder.constant(fold.expr.dtype, 0)
        return self.builder.stack(element.type, BLOCK + self.width)

    def emit(self, begin: Value, end: Value) -> None:
        def block(first: Value, _: list[Value]) -> Sequence[Value]:
            last = first + (end - first).call("umin", BLOCK)
            self._block(first, last)
            return ()

        self.builder.loop(begin, end, BLOCK, (), block)

    def _block(self, first: Value, last: Value) -> None:
        done: list[Term] = []
        for fold in self.totals:
            self._fold(fold, done, first, last)
            done.append(fold)

        def result(_: Sequence[Value], __: int) -> Sequence[Value]:
            self._know(done, first)
            self.finish()
            return ()

        self._columns(first, last, result, 1)

    def _fold(self, fold: Term, done: Sequence[Term], first: Value, last: Value) -> None:
        expr, body = fold.expr, fold.args[0]
        assert isinstance(expr, Reduce)
        rule = FOLDS[expr.op]
        neutral = self.builder.constant(expr.dtype, rule.neutral(expr.dtype)).splat(self.width)

        def clear(_: Sequence[Value], __: int) -> Sequence[Value]:
            self.builder.store(neutral, self._place(fold, first))
            return ()

        def add(_: Sequence[Value], __: int) -> Sequence[Value]:
            self._know(done, first)
            place = self._place(fold, first)
            total = self.builder.load(place, expr.dtype, self.width)
            self.builder.store(rule.combine(total, self.nest.vector(body)), place)
            return ()

        def row(_: Sequence[Value]) -> list[Value]:
            return self._columns(first, last, add, UNROLL)

        self._columns(first, last, clear, 1)
        outer_loops(self.nest, expr.axes, body, [], row, self.width)

    def _columns(
        self, first: Value, last: Value,
        step: Callable[[Sequence[Value], int], Sequence[Value]], unroll: int,
    ) -> list[Value]:
        return vector_loop(self.nest, self.axis, [], step, unroll, (first, last))

    def _know(self, folds: Sequence[Term], first: Value) -> None:
        """What has been folded is known in this vector of columns."""
        for fold in folds:
            expr = fold.expr
            assert isinstance(expr, Reduce)
            total = self.builder.load(self._place(fold, first), expr.dtype, self.width)
            known = total + 0.0 if expr.op == "add" else total
            self.nest.scopes[-1].values[fold] = known

    def _place(self, fold: Term, first: Value) -> str:
        """Where the totals of this vector of columns are."""
        lane = self.nest.lane
        assert lane is not None
        return self.builder.offset(
            self.totals[fold], (lane.base - first) * fold.expr.dtype.itemsize
        )
