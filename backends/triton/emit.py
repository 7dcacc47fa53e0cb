"""Triton source from loop-IR kernels; text only, Triton itself is not imported here.

Two shapes of kernel. *Blocks*: the kernel's axes are flattened and a program computes a block of
points; whole blocks take an unmasked path (a masked access is scalarised unless sizes are known to
divide by 16), the last one a masked path; reductions run as serial loops. *Rows*: a program
computes one point of the outer axes and spreads the reduced axis over its lanes; rows too long for one block
are looped over.
"""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from ...errors import Unsupported
from ...ir.sizes import Size, floordiv, product, symbols
from ..loops import (
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
)
from ..rewrite import free_axes, walk
from .folds import COMBINE, POSITIONS, identity
from .scalars import TYPES, apply_text, constant_text

PERSISTENT_LIMIT = 4096  # the longest row that one block holds
LOOPED_BLOCK = 2048
INT32_LIMIT = 2**31


@dataclass(frozen=True, slots=True)
class Parameter:
    """One kernel argument: a buffer's pointer, a scalar's value or a symbol's value; or, when it is
    none of these, the pointer to the status word that failing checks set to 1."""

    name: str
    type: str  # as in a Triton signature: *fp32, fp64, i64 …
    buffer: Buffer | None = None
    scalar: Scalar | None = None
    symbol: str | None = None


@dataclass(frozen=True, slots=True)
class TritonKernel:
    """A generated kernel; the grid has `points` / `block` programs, rounded up."""

    name: str
    source: str
    parameters: tuple[Parameter, ...]
    points: Size
    block: int  # points per program; 1 for row kernels
    warps: int


def emit(kernel: Kernel) -> TritonKernel:
    """The Triton source of one kernel; `Unsupported` names what has no Triton form."""
    if (why := why_not_triton(kernel)) is not None:
        raise Unsupported(why)
    spread = spread_axis(kernel)
    if spread is not None or (kernel.vector is not None and kernel.vector not in kernel.axes):
        return RowEmitter(kernel, spread).emit()
    return BlockEmitter(kernel).emit()


def spread_axis(kernel: Kernel) -> Axis | None:
    """The innermost axis of a kernel whose points share a reduction as long as the axis: a row that
    one program holds at once (softmax), or None."""
    if not kernel.axes:
        return None
    last, frees = kernel.axes[-1], {}  # type: ignore[var-annotated]
    for statement in kernel.statements:
        if isinstance(statement, Scan):
            continue
        for expr in walk([root(statement)]):
            if isinstance(expr, Reduce) and last not in free_axes(expr, frees) and (
                [axis.extent for axis in expr.axes] == [last.extent]
            ):
                return last
    return None


def root(statement: Store | Check) -> Expr:
    """The expression that a statement evaluates."""
    return statement.value if isinstance(statement, Store) else statement.condition


def why_not_triton(kernel: Kernel) -> str | None:
    """Why this generator cannot express a kernel, or None."""
    for statement in kernel.statements:
        if isinstance(statement, Scan):
            return f"{type(statement).__name__} statements have no Triton form yet"
        for expr in walk([root(statement)]):
            if np.dtype(expr.dtype) not in TYPES:
                return f"dtype {expr.dtype} has no Triton type"
            if isinstance(expr, Reduce) and expr.op in POSITIONS and len(expr.axes) != 1:
                return f"{expr.op} over several axes"
    return None


class Emitter:
    """Shared by both shapes: expressions as lines of single assignments, one scope per loop."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.lines: list[str] = []
        self.depth = 1
        self.scopes: list[dict[object, str]] = [{}]
        self.masks: list[str | None] = [None]
        self.parameters: dict[str, Parameter] = {}
        self.count = 0
        self.frees: dict[Expr, frozenset[Axis]] = {}
        small = product(axis.extent for axis in kernel.axes)
        self.wide = not (isinstance(small, int) and small < INT32_LIMIT)

    @property
    def index_type(self) -> str:
        return "tl.int64" if self.wide else "tl.int32"

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def assign(self, text: str) -> str:
        name = f"v{self.count}"
        self.count += 1
        self.line(f"{name} = {text}")
        return name

    @contextmanager
    def block(self, header: str, mask: str | None = None, inherit: bool = True) -> Iterator[None]:
        """An indented block whose names are gone afterwards."""
        self.line(header)
        self.depth += 1
        self.scopes.append({})
        self.masks.append(self.masks[-1] if inherit else mask)
        yield
        self.masks.pop()
        self.scopes.pop()
        self.depth -= 1

    def value(self, expr: object, make: str) -> str:
        name = self.assign(make)
        self.scopes[-1][expr] = name
        return name

    def bind(self, axis: Axis, name: str) -> None:
        self.scopes[-1][axis] = name

    def known(self, key: object) -> str | None:
        return next((scope[key] for scope in reversed(self.scopes) if key in scope), None)

    def size(self, size: Size) -> str:
        for name in symbols(size):
            self.parameters.setdefault(name, Parameter(name, "i64", symbol=name))
        return str(size)

    def pointer(self, buffer: Buffer) -> str:
        name, type = f"p_{buffer.name}", f"*{TYPES[buffer.dtype].memory}"
        return self.parameters.setdefault(
            name, Parameter(name, type, buffer=buffer)
        ).name

    def position(self, offset: Offset, itemsize: int) -> str:
        """An offset in elements."""
        terms = []
        for axis, stride in offset.strides:
            step = floordiv(stride, itemsize)
            index = self.known(axis)
            assert index is not None, f"axis {axis.name} is not bound"
            terms.append(index if step == 1 else f"{index} * ({self.size(step)})")
        if offset.constant != 0:
            terms.append(f"({self.size(floordiv(offset.constant, itemsize))})")
        return " + ".join(terms) or "0"

    def access(self) -> str:
        return f", mask={self.masks[-1]}" if self.masks[-1] else ""

    def expression(self, expr: Expr) -> str:
        """The name that holds the value of `expr`."""
        if (name := self.known(expr)) is not None:
            return name
        return self.value(expr, self.text(expr))

    def text(self, expr: Expr) -> str:
        match expr:
            case Load(buffer, offset):
                where = f"{self.pointer(buffer)} + {self.position(offset, buffer.dtype.itemsize)}"
                return self.loaded(buffer, where)
            case Gather(buffer, offset, indices):
                itemsize = buffer.dtype.itemsize
                where = f"{self.pointer(buffer)} + {self.position(offset, itemsize)}"
                for index, stride in indices:
                    step = self.size(floordiv(stride, itemsize))
                    where += f" + {self.expression(index)} * ({step})"
                return self.loaded(buffer, where)
            case Const(bits, dtype):
                return constant_text(bits, dtype)
            case Scalar(name, dtype):
                known = Parameter(f"x_{name}", TYPES[dtype].memory, scalar=expr)
                self.parameters.setdefault(known.name, known)
                return f"{known.name}.to({TYPES[dtype].register})"
            case SizeValue(size):
                return f"tl.full([], {self.size(size)}, tl.int64)"
            case Index(axis):
                return f"({self.known(axis)}).to(tl.int64)"
            case Convert(arg, dtype):
                operand = self.expression(arg)
                if dtype == np.bool_:
                    return f"{operand} != 0"
                return f"{operand}.to({TYPES[dtype].register})"
            case Select(condition, true, false):
                return f"tl.where({', '.join(map(self.expression, (condition, true, false)))})"
            case Reduce():
                return self.reduction(expr)
            case Apply(op, args, _):
                return apply_text(op, args[0].dtype, [self.expression(arg) for arg in args])
        raise Unsupported(f"{type(expr).__name__} has no Triton form")

    def loaded(self, buffer: Buffer, where: str) -> str:
        suffix = ".to(tl.int1)" if buffer.dtype == np.bool_ else ""
        return f"tl.load({where}{self.access()}){suffix}"

    def store(self, statement: Store) -> None:
        value = self.expression(statement.value)
        itemsize = statement.buffer.dtype.itemsize
        where = f"{self.pointer(statement.buffer)} + {self.position(statement.offset, itemsize)}"
        memory = f"tl.{TYPES[statement.buffer.dtype].memory_name}"
        self.line(f"tl.store({where}, {value}.to({memory}){self.access()})")

    def check(self, statement: Check) -> None:
        condition = self.expression(statement.condition)
        status = self.parameters.setdefault("status", Parameter("status", "*i32")).name
        failing = f"({condition} == 0)"
        if (mask := self.masks[-1]) is not None:
            failing = f"{mask} & {failing}"
        self.line(f"tl.store({status} + ({condition}).to(tl.int32) * 0, 1, mask={failing})")

    def perform(self, statement: Statement) -> None:
        if isinstance(statement, Check):
            self.check(statement)
        else:
            assert isinstance(statement, Store)
            self.store(statement)

    def reduction(self, expr: Reduce) -> str:
        raise NotImplementedError

    def serial(self, expr: Reduce, shape: str) -> str:
        """A reduction as a loop that folds scalars or whole blocks."""
        register = TYPES[expr.dtype].register
        first = identity(expr.op, expr.body.dtype)
        accumulator = self.assign(f"tl.full({shape}, {first}, {TYPES[expr.body.dtype].register})")
        position = ""
        if expr.op in POSITIONS:
            position = self.assign(f"tl.full({shape}, 0, tl.int64)")
        return self._fold_axes(expr, expr.axes, accumulator, position, register)

    def _fold_axes(
        self, expr: Reduce, axes: tuple[Axis, ...], accumulator: str, position: str, register: str
    ) -> str:
        axis = axes[0]
        loop = "tl.static_range" if isinstance(axis.extent, int) and axis.extent <= 8 else "range"
        variable = f"{axis.name}_{self.count}"
        with self.block(f"for {variable} in {loop}({self.size(axis.extent)}):"):
            self.bind(axis, variable)
            if len(axes) > 1:
                self._fold_axes(expr, axes[1:], accumulator, position, register)
            elif position:
                item = self.expression(expr.body)
                better = self.assign(
                    POSITIONS[expr.op].better.format(a=accumulator, b=item)
                    + f" | ({variable} == 0)"
                )
                self.line(f"{accumulator} = tl.where({better}, {item}, {accumulator})")
                self.line(f"{position} = tl.where({better}, {variable}, {position})")
            else:
                item = self.expression(expr.body)
                fold = COMBINE[expr.op].inline
                self.line(f"{accumulator} = {fold.format(a=accumulator, b=item)}")
        return position or accumulator

    def finish(self, points: Size, block: int, warps: int, constants: str) -> TritonKernel:
        names = ", ".join([*self.parameters, *([constants] if constants else [])])
        header = ["@triton.jit", f"def {self.kernel.name}({names}):"]
        source = "\n".join(header + self.lines) + "\n"
        return TritonKernel(
            self.kernel.name, source, tuple(self.parameters.values()), points, block, warps
        )


class BlockEmitter(Emitter):
    """Flattened axes in blocks, with an unmasked and a masked path."""

    def emit(self) -> TritonKernel:
        points = product(axis.extent for axis in self.kernel.axes)
        block = 1024 if not isinstance(points, int) else max(256, min(1024, points // 128))
        block = 1 << (block - 1).bit_length()
        total = self.size(points)
        self.line(f"start = tl.program_id(0).to({self.index_type}) * BLOCK")
        self.line("i = start + tl.arange(0, BLOCK)")
        with self.block(f"if start + BLOCK <= {total}:"):
            self.body()
        with self.block("else:", mask="mask", inherit=False):
            self.line(f"mask = i < {total}")
            self.body()
        warps = max(1, min(8, block // 256))
        return self.finish(points, block, warps, "BLOCK: tl.constexpr")

    def body(self) -> None:
        rest = "i"
        for number, axis in enumerate(reversed(self.kernel.axes)):
            if number == len(self.kernel.axes) - 1:
                self.bind(axis, rest)
                break
            extent = self.size(axis.extent)
            self.bind(axis, self.assign(f"{rest} % ({extent})"))
            rest = self.assign(f"{rest} // ({extent})")
        for statement in self.kernel.statements:
            self.perform(statement)

    def reduction(self, expr: Reduce) -> str:
        return self.serial(expr, "[BLOCK]")


class RowEmitter(Emitter):
    """One program per point of the outer axes; the reduced axis lies across its lanes."""

    def __init__(self, kernel: Kernel, spread: Axis | None) -> None:
        super().__init__(kernel)
        across = spread or kernel.vector
        assert across is not None
        self.extent = across.extent
        self.lane_axis = spread
        self.row_axes = kernel.axes if spread is None else kernel.axes[:-1]
        self.persistent = isinstance(self.extent, int) and self.extent <= PERSISTENT_LIMIT

    def emit(self) -> TritonKernel:
        rows = product(axis.extent for axis in self.row_axes)
        lanes = LOOPED_BLOCK
        if self.persistent:
            assert isinstance(self.extent, int)
            lanes = max(16, 1 << (self.extent - 1).bit_length())
        self.line(f"row = tl.program_id(0).to({self.index_type})")
        rest = "row"
        for number, axis in enumerate(reversed(self.row_axes)):
            last = number == len(self.row_axes) - 1
            self.bind(axis, rest if last else self.assign(f"{rest} % ({self.size(axis.extent)})"))
            rest = rest if last else self.assign(f"{rest} // ({self.size(axis.extent)})")
        if self.persistent:
            self.line(f"lane = tl.arange(0, {lanes})")
            self.line(f"inside = lane < {self.size(self.extent)}")
        for statement in self.kernel.statements:
            assert not isinstance(statement, Scan)
            self.statement(statement, lanes)
        warps = max(1, min(8, lanes // 256))
        return self.finish(rows, 1, warps, "")

    def statement(self, statement: Store | Check, lanes: int) -> None:
        outer = set(self.row_axes)
        for expr in walk([root(statement)]):
            if isinstance(expr, Reduce) and free_axes(expr, self.frees) <= outer:
                self.expression(expr)
        if self.lane_axis is None:
            self.perform(statement)
            return
        with self.lanes(lanes, (self.lane_axis,)):
            self.perform(statement)

    @contextmanager
    def lanes(self, width: int, axes: tuple[Axis, ...]) -> Iterator[None]:
        """Bind `axes` to the lanes: all of the row at once, or a loop over pieces of it."""
        if self.persistent:
            self.scopes.append({})
            self.masks.append("inside")
            for axis in axes:
                self.bind(axis, "lane")
            yield
            self.masks.pop()
            self.scopes.pop()
            return
        begin = f"begin_{self.count}"
        with self.block(f"for {begin} in range(0, {self.size(self.extent)}, {width}):",
                        mask="inside", inherit=False):
            self.line(f"lane = {begin} + tl.arange(0, {width})")
            self.line(f"inside = lane < {self.size(self.extent)}")
            for axis in axes:
                self.bind(axis, "lane")
            yield

    def reduction(self, expr: Reduce) -> str:
        across = len(expr.axes) == 1 and expr.axes[0].extent == self.extent
        if not across or free_axes(expr, self.frees) - set(self.row_axes):
            return self.serial(expr, "[]" if self.masks[-1] is None else f"[{self._width()}]")
        return self._positions(expr) if expr.op in POSITIONS else self._fold(expr)

    def _width(self) -> int:
        if not self.persistent:
            return LOOPED_BLOCK
        assert isinstance(self.extent, int)
        return max(16, 1 << (self.extent - 1).bit_length())

    def _fold(self, expr: Reduce) -> str:
        rule, first = COMBINE[expr.op], identity(expr.op, expr.dtype)
        register = TYPES[expr.dtype].register
        if self.persistent:
            with self.lanes(self._width(), expr.axes):
                item = self.expression(expr.body)
                kept = self.assign(f"tl.where(inside, {item}, {first}).to({register})")
            return f"tl.reduce({kept}, 0, {rule.function})"
        accumulator = self.assign(f"tl.full([{self._width()}], {first}, {register})")
        with self.lanes(self._width(), expr.axes):
            item = self.expression(expr.body)
            kept = self.assign(f"tl.where(inside, {item}, {first}).to({register})")
            self.line(f"{accumulator} = {rule.inline.format(a=accumulator, b=kept)}")
        return f"tl.reduce({accumulator}, 0, {rule.function})"

    def _positions(self, expr: Reduce) -> str:
        rule, first = POSITIONS[expr.op], identity(expr.op, expr.body.dtype)
        register = TYPES[expr.body.dtype].register
        if self.persistent:
            with self.lanes(self._width(), expr.axes):
                best = self.assign(
                    f"tl.where(inside, {self.expression(expr.body)}, {first}).to({register})")
                beyond = self.size(self.extent)
                where = self.assign(f"tl.where(inside, lane, {beyond}).to(tl.int64)")
        else:
            best = self.assign(f"tl.full([{self._width()}], {first}, {register})")
            where = self.assign(
                f"tl.full([{self._width()}], {self.size(self.extent)}, tl.int64)")
            with self.lanes(self._width(), expr.axes):
                item = self.expression(expr.body)
                better = self.assign(
                    f"inside & ({rule.better.format(a=best, b=item)} | ({where} == "
                    f"{self.size(self.extent)}))")
                self.line(f"{best} = tl.where({better}, {item}, {best})")
                self.line(f"{where} = tl.where({better}, lane, {where})")
        pair = self.assign(f"tl.reduce(({best}, {where}), 0, {rule.function})")
        return f"{pair}[1]"
