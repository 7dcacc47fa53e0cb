"""One kernel of the loop IR as one LLVM function, `void @name(ptr env, i64 begin, i64 end)`.

`env` holds what the kernel reads from outside, eight bytes each; `begin` and `end` bound its
outermost axis, so that a kernel can run in parts.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ....base.records import dataclass
from ....ir.sizes import Size, symbols
from ...costs import time_of
from ...loop_ir.in_turn import axes_in_turn
from ...loop_ir.loops import (
    Apply,
    Axis,
    Buffer,
    Check,
    Const,
    Convert,
    Expr,
    Gather,
    Index,
    Kernel,
    Load,
    Offset,
    Reduce,
    Scalar,
    Scan,
    Select,
    SizeValue,
    Statement,
    Store,
    walk,
)
from ..builder.divisors import use_reciprocals
from ..builder.elements import F32, I64, PARTS
from ..builder.emit import Builder
from ..builder.externals import LOOPS
from ..builder.folding import moved, remaining, turns, whole_steps
from ..builder.nest import Lane, Nest, scaled
from ..builder.target import Target
from ..builder.terms import Term, Terms
from ..builder.values import Value
from . import memory, scalars
from .columns import Columns, adds_rows, unit_of
from .reductions import FOLDS, emit_reduce
from .rows import keep_rows
from .schedule import rows_together, unroll_of, vector_axis, vectors_together
from .transposed import neighbours


@dataclass(frozen=True, slots=True)
class KernelCode:
    """The text of a kernel's function; `env` names its fields: buffers, symbols, scalars,
    and where the call's status is. `checks`: it may set the status. `cost` is nanoseconds per point
    of its axes, roughly. `begin` and `end` count so many (`unit`) steps of the outermost axis."""

    name: str
    text: str
    env: tuple[tuple[str, str], ...]
    cost: float
    checks: bool
    parallel: bool
    unit: int


def emit_scalar(nest: Nest, term: Term) -> Value:
    assert isinstance(term.expr, Scalar)
    return nest.scalars[term.expr.name]


def emit_size_value(nest: Nest, term: Term) -> Value:
    assert isinstance(term.expr, SizeValue)
    return nest.size(term.expr.size)


PRODUCERS: Mapping[type, Callable[[Nest, Term], Any]] = {
    Load: memory.emit_load,
    Gather: memory.emit_gather,
    Index: memory.emit_index,
    Const: scalars.emit_const,
    Apply: scalars.emit_apply,
    Convert: scalars.emit_convert,
    Select: scalars.emit_select,
    Reduce: emit_reduce,
    Scalar: emit_scalar,
    SizeValue: emit_size_value,
}


def produce(nest: Nest, term: Term) -> Any:
    return PRODUCERS[type(term.expr)](nest, term)


LANES_OF_A_CALL = 64
"""Elements that NumPy's inner loops are given at a time, which spreads what a call costs: as many
as a mask has bits."""


def lanes_of(kernel: Kernel, target: Target) -> int:
    """As many lanes as fill a vector with the widest element that is computed with, and at least
    the smallest vector with floats: LLVM would fill it up with lanes that raise flags. For two
    vectors LLVM writes each instruction twice, one next to the other."""
    exprs = walk(value_of(s) for s in kernel.statements)
    kinds = {PARTS.get(e.dtype, e.dtype) for e in exprs if not isinstance(e, (Index, SizeValue))}
    widest = max((d.itemsize for d in kinds), default=8)
    least = 4 if F32 in kinds else 2
    calls = target.math == "numpy" and any(
        isinstance(e, Apply) and e.op in LOOPS and e.dtype.kind == "f" for e in exprs
    )
    if calls:
        return LANES_OF_A_CALL
    return max(least, vectors_together(kernel, target) * target.vector_bytes // widest)


def scanned(kernel: Kernel) -> set[Axis]:
    return {s.axis for s in kernel.statements if isinstance(s, Scan)}


def value_of(statement: Statement) -> Expr:
    return statement.condition if isinstance(statement, Check) else statement.value


def halves(kernel: Kernel) -> frozenset[Expr]:
    """The complex numbers of which a kernel uses one part only."""
    return scalars.halved(kernel.parts).difference(kernel.roots)


class KernelWriter:
    """Writes one kernel."""

    def __init__(self, kernel: Kernel, target: Target) -> None:
        self.axes = tuple(a for a in kernel.axes if a not in scanned(kernel))
        self.vector = vector_axis(kernel, self.axes)
        self.columns: Axis | None = None
        if self.vector in self.axes[-1:] and rows_together(
            kernel, self.axes, lanes_of(kernel, target)
        ):
            self.vector, self.columns = self.axes[-2:]
        kernel, kept = keep_rows(kernel, self.vector)
        kernel = use_reciprocals(kernel, self.vector, target)
        self.kernel, self.target = kernel, target
        self.builder = Builder(target)
        self.nest = Nest(self.builder, lanes_of(kernel, target), produce, self._keep)
        self.nest.neighbours = neighbours(kernel)
        self.nest.kept, self.nest.halved = kept, halves(kernel)
        self.adds_rows = adds_rows(kernel, self.vector, self.nest.width)
        self.unit = unit_of(kernel, self.vector, self.nest.width)
        self.terms = Terms(frozenset(self.axes))
        self.items: list[tuple[Statement, Term]] = []
        self.places: dict[Statement, list[tuple[Term, Size]]] = {}
        for buffer in kernel.writes if axes_in_turn(kernel) else ():
            self.terms.store(buffer.name)  # at the points before
        for statement in kernel.statements:
            self.items.append((statement, self.terms.of(value_of(statement))))
            if isinstance(statement, Store):
                self.places[statement] = [(self.terms.of(i), s) for i, s in statement.indices]
            if not isinstance(statement, Check):
                self.terms.store(statement.buffer.name)
        self.cost = time_of(term.expr for _, term in self.items)

    def _keep(self, nest: Nest, expr: Expr, value: Value) -> None:
        """Store a value of a reduction's body where the result's loop will read it."""
        (statement,) = self.kernel.statements
        assert isinstance(statement, Store)
        memory.emit_store(nest, statement.buffer, nest.kept[expr], value)

    def write(self) -> KernelCode:
        env = self._load_env()
        if not any(axis.extent == 0 for axis in self.kernel.axes):
            self._level(self.axes)
        self.builder.void("ret void")
        lines = "\n".join([*self.builder.allocas, *self.builder.lines])
        name = self.kernel.name
        head = f"define internal void @{name}(ptr %env, i64 %begin, i64 %end) #0 {{\nentry:\n"
        text = f"{head}{lines}\n}}\n"
        checks, parallel = self.builder.checks, self.kernel.parallel
        return KernelCode(name, text, env, self.cost, checks, parallel, self.unit)

    # Environment ----------------------------------------------------------------------------------

    def _load_env(self) -> tuple[tuple[str, str], ...]:
        fields = environment(self.kernel)
        nest, builder = self.nest, self.builder
        for position, (kind, name) in enumerate(fields):
            pointer = builder.offset("%env", 8 * position)
            if kind == "zero":
                nest.zero = builder.load(pointer, I64)
            elif kind == "symbol":
                nest.symbols[name] = builder.load(pointer, I64)
            elif kind == "scalar":
                dtype = self._scalar_dtype(name)
                nest.scalars[name] = builder.load(pointer, dtype)
            else:
                ref = builder.emit(f"load ptr, ptr {pointer}, align 8")
                if kind == "buffer":
                    nest.bases[name] = ref
                else:
                    builder.status = ref
        return fields

    def _scalar_dtype(self, name: str) -> np.dtype:
        for expr in self.kernel.parts:
            if isinstance(expr, Scalar) and expr.name == name:
                return expr.dtype
        raise KeyError(name)

    # Loops ----------------------------------------------------------------------------------------

    def _bounds(self, axis: Axis) -> tuple[Value, Value]:
        """The outermost axis runs over the part that was asked for."""
        if axis != self.kernel.axes[0]:
            return self.builder.integer(0), self.nest.size(axis.extent)
        if isinstance(axis.extent, int) and not self.kernel.parallel:
            return self.builder.integer(0), self.builder.integer(axis.extent)
        begin, end = Value(self.builder, "%begin", I64), Value(self.builder, "%end", I64)
        if self.unit == 1:
            return begin, end
        return begin * self.unit, (end * self.unit).call("umin", self.nest.size(axis.extent))

    def _level(self, axes: tuple[Axis, ...]) -> None:
        """The loops over `axes` and the statements inside."""
        if not axes:
            self._statements()
            return
        axis, inner = axes[0], axes[1:]
        vector = axis == self.vector
        self._hoist(widen=self.nest.width if vector or self.nest.lane else 0)
        if vector and self.adds_rows:
            folds = [term for term in self.terms.all() if isinstance(term.expr, Reduce)]
            Columns(self.nest, axis, folds, lambda: self._level(inner)).emit(*self._bounds(axis))
            return
        if vector:
            self._vector_loop(axis, inner)
            return
        if axis == self.columns and isinstance(axis.extent, int):
            for number in range(axis.extent):
                with self.nest.at(axis, self.builder.integer(number)):
                    self._level(inner)
            return

        def body(_: Sequence[Value]) -> Sequence[Value]:
            self._level(inner)
            return ()

        self.nest.axis_loop(axis, body, bounds=self._bounds(axis))

    def _hoist(self, widen: int) -> None:
        self.nest.hoist([term for _, term in self.items], widen)
        self.nest.hoist([term for places in self.places.values() for term, _ in places])
        for statement, _ in self.items:
            if not isinstance(statement, Check):
                self.nest.prefix(statement.buffer, statement.offset)

    def _vector_loop(self, axis: Axis, inner: tuple[Axis, ...]) -> None:
        """Whole vectors, several per turn where the body is short, then the rest under a mask."""
        nest, builder, width = self.nest, self.builder, self.nest.width
        begin, end = self._bounds(axis)
        unroll = 1 if inner else turns(axis.extent, width, unroll_of(self.cost))
        middle = whole_steps(begin, end, width * unroll)

        def whole(base: Value, _: list[Value]) -> Sequence[Value]:
            for number in range(unroll):
                with nest.lanes(Lane(axis, moved(base, number * width), width)):
                    self._level(inner)
            return ()

        def rest(base: Value, _: list[Value]) -> Sequence[Value]:
            with nest.lanes(nest.partial(axis, base, end, width)):
                self._level(inner)
            return ()

        builder.loop(begin, middle, width * unroll, (), whole)
        remaining(middle, end, width, unroll, (), rest)

    # Statements -----------------------------------------------------------------------------------

    def _statements(self) -> None:
        scans = [statement for statement, _ in self.items if isinstance(statement, Scan)]
        if not scans:
            self._run(())
            return
        self._hoist(widen=self._lanes() if self.nest.lane else 0)
        starts = [self._scan_start(scan) for scan in scans]
        self.nest.axis_loop(scans[0].axis, self._run, starts)

    def _run(self, state: Sequence[Value]) -> Sequence[Value]:
        """All statements at one point; `state` holds the running folds of the scans, in order."""
        totals = iter(state)
        results: list[Value] = []
        for statement, term in self.items:
            value = self.nest.value(term)
            if isinstance(statement, Check):
                self.builder.bail_out_where(~value)
                continue
            if isinstance(statement, Scan):
                fold = FOLDS[statement.op]
                value = fold.combine(next(totals), value.splat(self._lanes()))
                results.append(value)
            moved = self._moved(statement)
            memory.emit_store(self.nest, statement.buffer, statement.offset, value, moved)
        return results

    def _moved(self, statement: Statement) -> Value | None:
        """How many bytes computed positions add to a place; they are the same in all lanes."""
        total: Value | None = None
        for term, stride in self.places.get(statement, ()):
            part = scaled(self.nest.value(term), self.nest.size(stride))
            total = part if total is None else total + part
        return total

    def _lanes(self) -> int:
        return self.nest.lane.width if self.nest.lane else 1

    def _scan_start(self, scan: Scan) -> Value:
        dtype = scan.buffer.dtype
        neutral = self.builder.constant(dtype, FOLDS[scan.op].neutral(dtype))
        return neutral.splat(self._lanes())


def environment(kernel: Kernel) -> tuple[tuple[str, str], ...]:
    """(kind, name) of everything a kernel needs from outside, in a fixed order."""
    buffers: dict[str, None] = {}
    sizes: list[Size] = [axis.extent for axis in kernel.axes]
    parameters: dict[str, None] = {}

    def access(buffer: Buffer, offset: Offset) -> None:
        buffers[buffer.name] = None
        sizes.append(offset.constant)
        sizes.extend(stride for _, stride in offset.strides)

    for expr in kernel.parts:
        match expr:
            case Load():
                access(expr.buffer, expr.offset)
            case Gather():
                access(expr.buffer, expr.offset)
                sizes.extend(stride for _, stride in expr.indices)
            case Scalar():
                parameters[expr.name] = None
            case SizeValue():
                sizes.append(expr.size)
            case Reduce():
                sizes.extend(axis.extent for axis in expr.axes)
    for statement in kernel.statements:
        if not isinstance(statement, Check):
            access(statement.buffer, statement.offset)
        if isinstance(statement, Store):
            sizes.extend(stride for _, stride in statement.indices)
        if isinstance(statement, Scan):
            sizes.append(statement.axis.extent)
    names = dict.fromkeys(name for size in sizes for name in symbols(size))
    return (
        *(("buffer", name) for name in buffers),
        *(("symbol", name) for name in names),
        *(("scalar", name) for name in parameters),
        ("status", ""),
        ("zero", ""),
    )
