"""Kernels of rows: one program per point of the outer axes, the reduced axis across its lanes.

A row that fits is held at once, so that it is loaded once for several reductions and the stores
that follow (softmax); a longer one is looped over.
"""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from ....ir.sizes import Size, product
from ...loop_ir.loops import Axis, Check, Gather, Kernel, Load, Reduce, Scan, Statement, Store, walk
from ...loop_ir.rewrite import free_axes
from .emitter import power_of_two, warps_for
from .folds import COMBINE, POSITIONS, accumulator_type, neutral, order_of
from .kernels import TritonKernel
from .scalars import TYPES
from .serial import FoldEmitter

PERSISTENT_LIMIT = 65536  # bytes of the longest rows that one program holds
LOOPED_BLOCK = 8192


class RowEmitter(FoldEmitter):
    """One program per point of the outer axes; the reduced axis lies across its lanes."""

    def __init__(self, kernel: Kernel, spread: Axis | None, narrow: bool = False) -> None:
        super().__init__(kernel, narrow)
        across = spread or kernel.vector
        assert across is not None
        self.extent = across.extent
        self.lane_axis = spread
        self.row_axes = kernel.axes if spread is None else kernel.axes[:-1]
        self.begin = "0"
        """Where the lanes begin that are bound now."""
        self.persistent = is_persistent(kernel, self.extent)
        self.is_full = self.persistent and self.extent == self._width()
        """Whether no lane is beyond the row."""

    def emit(self) -> TritonKernel:
        lanes = self._width()
        rows = self.begin_rows(lanes)
        if self.lane_axis is not None and self.persistent and self._only_stores():
            self.stores(self.lane_axis, lanes)
        else:
            for statement in self.kernel.statements:
                assert not isinstance(statement, Scan)
                self.statement(statement, lanes)
        return self.finish(rows, 1, warps_for(lanes), self.constants)

    def begin_rows(self, lanes: int) -> Size:
        """Which row a program has, and its lanes if it holds all of it; how many rows there are."""
        self.line(f"row = tl.program_id(0).to({self.index_type})")
        self.bind_points(self.row_axes, "row")
        if self.persistent:
            self.line(f"lane = tl.arange(0, {lanes}).to({self.index_type})")
            self.line(f"inside = lane < {self.size(self.extent)}")
        return product(axis.extent for axis in self.row_axes)

    def _only_stores(self) -> bool:
        """Whether the order of loads and stores means nothing."""
        return all(isinstance(one, Store) and one.buffer not in self.kernel.reads
                   for one in self.kernel.statements)

    def stores(self, lane_axis: Axis, lanes: int) -> None:
        """All statements, which store behind all loads: Triton loads nothing again."""
        for statement in self.kernel.statements:
            self.folds(statement)
        with self.lanes(lanes, (lane_axis,)):
            for root in self.kernel.roots:
                self.expression(root)
            for statement in self.kernel.statements:
                self.perform(statement)

    def folds(self, statement: Statement) -> None:
        """What a program finds once."""
        outer = set(self.row_axes)
        for expr in walk(statement.roots):
            if isinstance(expr, Reduce) and free_axes(expr, self.frees) <= outer:
                self.expression(expr)

    def statement(self, statement: Store | Check, lanes: int) -> None:
        self.folds(statement)
        if self.lane_axis is None:
            self.perform(statement)
            return
        with self.lanes(lanes, (self.lane_axis,)):
            self.perform(statement)

    @contextmanager
    def lanes(self, width: int, axes: tuple[Axis, ...]) -> Iterator[None]:
        """Bind `axes` to the lanes: all of the row at once, or a loop over pieces of it."""
        before, self.spread = self.spread, self.spread | set(axes)
        with self._bound_lanes(width, axes):
            yield
        self.spread = before

    @contextmanager
    def _bound_lanes(self, width: int, axes: tuple[Axis, ...]) -> Iterator[None]:
        if self.persistent:
            self.scopes.append({})
            self.masks.append("inside")
            for axis in axes:
                self.bind(axis, "lane")
            yield
            self.masks.pop()
            self.scopes.pop()
            return
        begin = self.begin = f"begin_{self.count}"
        with self.block(f"for {begin} in range(0, {self.size(self.extent)}, {width}):",
                        mask="inside", inherit=False):
            self.line(f"lane = {begin} + tl.arange(0, {width}).to({self.index_type})")
            self.line(f"inside = lane < {self.size(self.extent)}")
            for axis in axes:
                self.bind(axis, "lane")
            yield

    def reduction(self, expr: Reduce) -> str:
        across = expr.axes[-1].extent == self.extent and (
            len(expr.axes) == 1 or expr.op not in POSITIONS
        )
        if not across or free_axes(expr, self.frees) - set(self.row_axes):
            return self.serial(expr, self.shape_of(expr))
        return self._positions(expr) if expr.op in POSITIONS else self._fold(expr)

    # -- what differs where a program has several rows

    lane_dim = 0
    constants = ""

    @property
    def block_shape(self) -> str:
        return f"[{self._width()}]"

    def shape_of(self, expr: Reduce) -> str:
        """The shape of a fold that every lane does by itself."""
        return "[]" if self.masks[-1] is None else self.block_shape

    def places(self, beyond: str) -> str:
        """The numbers of the lanes."""
        return f"tl.where(inside, lane, {beyond}).to(tl.int64)"

    def kept(self, folded: str) -> str:
        """What is folded across the lanes, as values of rows have it."""
        return folded

    def access(self, expr: Load | Gather | Store) -> str:
        return "" if self.is_full else super().access(expr)

    def _width(self) -> int:
        if not self.persistent:
            return LOOPED_BLOCK
        assert isinstance(self.extent, int)
        return max(16, power_of_two(self.extent))

    def _fold(self, expr: Reduce) -> str:
        result = TYPES[expr.dtype].register
        found = self._across(self._folded_lanes(expr), expr)
        return f"{self.sum_of_some(expr, found)}.to({result})"

    def _folded_lanes(self, expr: Reduce) -> str:
        """What is left to be folded across the lanes."""
        if self.persistent and len(expr.axes) == 1:
            with self.lanes(self._width(), expr.axes):
                return self._neutralised(expr)
        accumulator = self.assign(neutral(expr.op, expr.dtype, self.block_shape))
        with ExitStack() as loops:
            for axis in expr.axes[:-1]:
                loops.enter_context(self.loop(axis))
            with self.lanes(self._width(), expr.axes[-1:]):
                lanes, fold = self._neutralised(expr), COMBINE[expr.op].inline
                self.line(f"{accumulator} = {fold.format(a=accumulator, b=lanes)}")
        return accumulator

    def _across(self, lanes: str, expr: Reduce) -> str:
        """The fold of all lanes."""
        if (fold := COMBINE[expr.op]).row:
            return f"{fold.row}({lanes}, {self.size(self.extent)}, {order_of(expr)})"
        return f"tl.reduce({lanes}, 0, {fold.function})"

    def _neutralised(self, expr: Reduce) -> str:
        """The values to fold, with lanes beyond the row made neutral."""
        item, dtype = self.expression(expr.body), expr.body.dtype
        register = accumulator_type(expr.op, dtype)
        if self.is_full:
            return self.assign(f"tl.broadcast_to({item}.to({register}), {self.block_shape})")
        beyond = self.assign(neutral(expr.op, dtype, self.block_shape))
        return self.assign(f"tl.where(inside, {item}.to({register}), {beyond})")

    def _positions(self, expr: Reduce) -> str:
        rule = POSITIONS[expr.op]
        if self.persistent:
            with self.lanes(self._width(), expr.axes):
                best = self._neutralised(expr)
                beyond = self.size(self.extent)
                where = self.assign(self.places(beyond))
        else:
            best = self.assign(neutral(expr.op, expr.body.dtype, self.block_shape))
            where = self.assign(
                f"tl.full({self.block_shape}, {self.size(self.extent)}, tl.int64)")
            with self.lanes(self._width(), expr.axes):
                item = self.expression(expr.body)
                better = self.assign(
                    f"inside & ({rule.better.format(a=best, b=item)} | ({where} == "
                    f"{self.size(self.extent)}))")
                self.line(f"{best} = tl.where({better}, {item}, {best})")
                self.line(f"{where} = tl.where({better}, lane, {where})")
        pair = self.assign(f"tl.reduce(({best}, {where}), {self.lane_dim}, {rule.function})")
        return self.kept(f"{pair}[1]")


def is_persistent(kernel: Kernel, extent: Size) -> bool:
    """Whether a program holds rows of so many elements at once."""
    return isinstance(extent, int) and (
        power_of_two(extent) * bytes_of_lanes(kernel) <= PERSISTENT_LIMIT)


def bytes_of_lanes(kernel: Kernel) -> int:
    """What each lane holds of what is loaded."""
    return max(4, sum(buffer.dtype.itemsize for buffer in kernel.reads))
