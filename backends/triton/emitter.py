"""What both shapes of kernel share: expressions as lines of single assignments."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ...base.records import dataclass
from ...errors import Unsupported
from ...ir.sizes import Size, SizeExpr, Symbol, floordiv, modulo, product, symbols
from ..loop_ir.loops import (
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
    Select,
    SizeValue,
    Statement,
    Store,
    walk,
)
from ..loop_ir.rewrite import free_axes
from .folds import COMBINE, POSITIONS, SUMS, accumulator_type, neutral
from .pairs import PairStore
from .scalars import TYPES, apply_text, constant_text

NARROW_LIMIT = 2**30
POINTERS, SIZES = 1, 2
"""What a variant of a kernel takes to be multiples of 16, so that it loads and stores vectors: its
pointers, or its sizes as well; 0 is nothing."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One kernel argument: a buffer's pointer, a scalar's value or a size; or, when it is
    none of these, the pointer to the status word that failing checks set to 1."""

    name: str
    type: str  # as in a Triton signature: *fp32, fp64, i64 …
    buffer: Buffer | None = None
    scalar: Scalar | None = None
    size: Size | None = None
    part: str = ""  # of the scalar: "real" or "imag"


@dataclass(frozen=True, slots=True)
class TritonKernel:
    """A generated kernel; the grid has `points` / `block` programs, rounded up.

    `narrow` is the same kernel with indices of 32 bits, for launches where `fits` holds, a line of
    Python about the sizes."""

    name: str
    source: str
    parameters: tuple[Parameter, ...]
    points: Size
    block: int  # points per program; 1 for kernels of long rows
    warps: int
    narrow: TritonKernel | None = None
    fits: str = ""
    width: int = 1  # elements that a program has of each point at once


class Emitter:
    """Shared by both shapes: expressions as lines of single assignments, one scope per loop.
    `narrow`: sizes are such that all indices have 32 bits, wherever the kernel is launched."""

    def __init__(self, kernel: Kernel, narrow: bool = False) -> None:
        self.kernel = kernel
        self.lines: list[str] = []
        self.depth = 1
        self.scopes: list[dict[object, str]] = [{}]
        self.masks: list[str | None] = [None]
        self.parameters: dict[str, Parameter] = {}
        self.count = 0
        self.frees: dict[Expr, frozenset[Axis]] = {}
        self.wide = not narrow and narrow_condition(kernel) != ""
        self.size_type = "i32" if narrow else "i64"
        self.spread: frozenset[Axis] = frozenset()  # axes that lie across lanes

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

    def bind_points(self, axes: tuple[Axis, ...], rest: str) -> None:
        """Take a flat number of a point apart into the axes, the last one fastest."""
        for axis in reversed(axes[1:]):
            extent = self.size(axis.extent)
            self.bind(axis, self.assign(f"{rest} % ({extent})"))
            rest = self.assign(f"{rest} // ({extent})")
        if axes:
            self.bind(axes[0], rest)

    def known(self, key: object) -> str | None:
        return next((scope[key] for scope in reversed(self.scopes) if key in scope), None)

    def size(self, size: Size) -> str:
        """A size as text; what is no polynomial is computed where the kernel is launched, because
        Triton's `//` and `%` truncate."""
        if is_polynomial(size):
            for name in symbols(size):
                known = Parameter(name, self.size_type, size=SizeExpr((((Symbol(name),), 1),)))
                self.parameters.setdefault(name, known)
            return str(size)
        for parameter in self.parameters.values():
            if parameter.size == size:
                return parameter.name
        name = f"n{len(self.parameters)}"
        self.parameters[name] = Parameter(name, self.size_type, size=size)
        return name

    def pointer(self, buffer: Buffer) -> str:
        name, type = f"p_{buffer.name}", f"*{TYPES[buffer.dtype].memory}"
        return self.parameters.setdefault(
            name, Parameter(name, type, buffer=buffer)
        ).name

    def position(self, offset: Offset, itemsize: int) -> str:
        """An offset in elements."""
        terms = []
        for axis, stride in offset.strides:
            step = elements(stride, itemsize)
            index = self.known(axis)
            assert index is not None, f"axis {axis.name} is not bound"
            terms.append(index if step == 1 else f"{index} * ({self.size(step)})")
        if offset.constant != 0:
            terms.append(f"({self.size(elements(offset.constant, itemsize))})")
        return " + ".join(terms) or "0"

    def place(
        self, buffer: Buffer, offset: Offset, indices: tuple[tuple[Expr, Size], ...]
    ) -> str:
        """A pointer to an element, `indices` further on."""
        itemsize = buffer.dtype.itemsize
        where = f"{self.pointer(buffer)} + {self.position(offset, itemsize)}"
        for index, stride in indices:
            step = self.size(elements(stride, itemsize))
            where += f" + {self.expression(index)} * ({step})"
        return where

    def access(self, expr: Load | Gather | Store) -> str:
        """The mask of an access. Triton masks blocks of pointers only; what all lanes share is
        there whenever the program runs."""
        axes = {axis for axis, _ in expr.offset.strides}
        for index, _ in () if isinstance(expr, Load) else expr.indices:
            axes |= free_axes(index, self.frees)
        return f", mask={self.masks[-1]}" if self.masks[-1] and axes & self.spread else ""

    def expression(self, expr: Expr) -> str:
        """The name that holds the value of `expr`."""
        if (name := self.known(expr)) is not None:
            return name
        return self.value(expr, self.text(expr))

    def text(self, expr: Expr) -> str:
        match expr:
            case Load(buffer, offset):
                return self.loaded(expr, self.place(buffer, offset, ()))
            case Gather(buffer, offset, indices):
                return self.loaded(expr, self.place(buffer, offset, indices))
            case Const(bits, dtype):
                return constant_text(bits, dtype)
            case Scalar(name, dtype):
                known = Parameter(f"x_{name}", TYPES[dtype].memory, scalar=expr)
                self.parameters.setdefault(known.name, known)
                return f"tl.full([], {known.name}, {TYPES[dtype].register})"
            case SizeValue(size):
                return f"tl.full([], {self.size(size)}, tl.int64)"
            case Index(axis):
                return f"({self.known(axis)}).to(tl.int64)"
            case Convert(arg, dtype):
                operand = self.expression(arg)
                if dtype == np.bool_:
                    return f"{operand} != 0"
                if arg.dtype.kind == "f" and dtype.kind in "iu" and dtype.itemsize < 4:
                    operand += ".to(tl.int32)" if dtype.kind == "i" else ".to(tl.uint32)"  # as CuPy
                return f"{operand}.to({TYPES[dtype].register})"
            case Select(condition, true, false):
                return f"tl.where({', '.join(map(self.expression, (condition, true, false)))})"
            case Reduce():
                return self.reduction(expr)
            case Apply(op, args, dtype):
                operands = [self.expression(arg) for arg in args]
                return apply_text(op, args[0].dtype, dtype, operands)
        raise Unsupported(f"{type(expr).__name__} has no Triton form")

    def loaded(self, expr: Load | Gather, where: str) -> str:
        suffix = ".to(tl.int1)" if expr.dtype == np.bool_ else ""
        return f"tl.load({where}{self.access(expr)}){suffix}"

    def store(self, statement: Store) -> None:
        stores = [statement, statement.imag] if isinstance(statement, PairStore) else [statement]
        values = [self.expression(store.value) for store in stores]
        for store, value in zip(stores, values):
            where = self.place(store.buffer, store.offset, store.indices)
            memory = f"tl.{TYPES[store.buffer.dtype].memory_name}"
            self.line(f"tl.store({where}, {value}.to({memory}){self.access(store)})")
        if statement.buffer not in self.kernel.reads:
            return
        self.forget(statement.buffer)
        for store, value in zip(stores, values):
            if not store.indices:
                self.scopes[-1][Load(store.buffer, store.offset)] = value

    def forget(self, buffer: Buffer) -> None:
        """What was computed from the contents of a buffer, which have changed."""
        for scope in self.scopes:
            for key in [key for key in scope if not isinstance(key, Axis)]:
                parts = walk([key])  # type: ignore[list-item]
                if any(isinstance(p, (Load, Gather)) and p.buffer == buffer for p in parts):
                    del scope[key]

    def check(self, statement: Check) -> None:
        condition = self.expression(statement.condition)
        status = self.parameters.setdefault("status", Parameter("status", "*i32")).name
        failing = f"({condition} == 0)"
        is_block = bool(free_axes(statement.condition, self.frees) & self.spread)
        if (mask := self.masks[-1]) is not None and is_block:
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
        accumulator = self.assign(neutral(expr.op, expr.body.dtype, shape))
        if expr.op in POSITIONS:
            position = self.assign(f"tl.full({shape}, 0, tl.int64)")
            self._fold_axes(expr, expr.axes, accumulator, position)
            return position
        self._fold_axes(expr, expr.axes, accumulator, "")
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

    def finish(self, points: Size, block: int, warps: int, constants: str) -> TritonKernel:
        names = ", ".join([*self.parameters, *([constants] if constants else [])])
        header = ["@triton.jit", f"def {self.kernel.name}({names}):"]
        source = "\n".join(header + self.lines) + "\n"
        return TritonKernel(
            self.kernel.name, source, tuple(self.parameters.values()), points, block, warps
        )


def elements(size: Size, itemsize: int) -> Size:
    """A distance in bytes as one in elements. Unknown distances are divisible: the launch plan
    looks at the strides of its inputs."""
    if isinstance(rest := modulo(size, itemsize), int) and rest:
        raise Unsupported(f"a distance of {size} bytes between elements of {itemsize} bytes")
    return floordiv(size, itemsize)


def is_polynomial(size: Size) -> bool:
    return isinstance(size, int) or all(
        isinstance(atom, Symbol) for monomial, _ in size.terms for atom in monomial
    )


def narrow_condition(kernel: Kernel) -> str | None:
    """What must hold of sizes, as a line of Python, for every index and position to fit in 32 bits:
    "" where it is known, None where it is known not to."""
    reaches = list(map(reach, kernel_reaches(kernel)))
    known = [one for one in reaches if isinstance(one, int)]
    if known and max(known) >= NARROW_LIMIT:
        return None
    unknown = dict.fromkeys(one for one in reaches if isinstance(one, str))
    return " and ".join(f"{one} < {NARROW_LIMIT}" for one in unknown)


def kernel_reaches(kernel: Kernel) -> Iterator[tuple[Size, ...]]:
    """Sizes the sums of whose magnitudes no index of a kernel exceeds."""
    yield (product(axis.extent for axis in kernel.axes),)
    offsets = [s.offset for s in kernel.statements if not isinstance(s, Check)]
    for expr in kernel.parts:
        if isinstance(expr, (Load, Gather)):
            offsets.append(expr.offset)
        if isinstance(expr, Gather):
            yield tuple(stride for _, stride in expr.indices)
        elif isinstance(expr, Reduce):
            yield (product(axis.extent for axis in expr.axes),)
        elif isinstance(expr, SizeValue):
            yield (expr.size,)
    for offset in offsets:
        yield (offset.constant, *(axis.extent * stride for axis, stride in offset.strides))


def reach(sizes: tuple[Size, ...]) -> int | str:
    """The sum of magnitudes, or a line of Python for it."""
    known = sum(abs(size) for size in sizes if isinstance(size, int))
    unknown = [f"abs({size})" for size in sizes if not isinstance(size, int)]
    return " + ".join([*unknown, str(known)]) if unknown else known


def power_of_two(n: int) -> int:
    """The smallest one that is not less."""
    return 1 << max(0, n - 1).bit_length()


def warps_for(lanes: int) -> int:
    """Eight elements per thread, as far as sixteen warps go."""
    return max(1, min(16, lanes // 256))
