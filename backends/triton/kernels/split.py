"""Long folds with few results are cut into parts, so that the whole of a GPU works on them.

A fold becomes two: of each part, into memory of its own, and of what was found for those. Folds for
positions keep the best of a part beside its position. The order of additions is a GPU's, as in
other kernels: that of a tree. Half precision is summed in single precision in between as well.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from ....base.records import dataclass, field
from ....ir.sizes import Size, floordiv, product
from ....ir.types import array
from ...hints import Hint, hints_of
from ...loop_ir import affine, rewrite
from ...loop_ir.loops import (
    INT64,
    Apply,
    Axis,
    Buffer,
    Convert,
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
from ...loop_ir.program import Allocate, Launch, Program, Step, with_blocks
from .blocks import LARGEST_BLOCK
from .emit import spread_axis
from .folds import POSITIONS

ROW_PART = 8192
"""Elements of a part of a row, which one program has at once."""
MOST_PARTS = 16384
"""So many numbers are folded at once in the end."""
PROGRAMS_WANTED = 4
"""Programs for each processor, of kernels whose programs fold columns one element at a time."""
SHORT = 64
"""Elements of a column that are no work to speak of."""
BEST = {"argmin": "minimum", "argmax": "maximum"}


def split_folds(program: Program, processors: int) -> Program:
    """The program for a GPU of so many processors, with its long folds in parts."""
    splitting = Splitting(hints_of(program.symbols, program.unbacked), processors)
    return replace(program, steps=tuple(splitting.steps_of(program.steps)))


@dataclass(frozen=True, slots=True)
class Cut:
    """Into parts of how many steps an axis of a fold is cut; `across`: whether the elements of the
    fold lie across the lanes of a program."""

    fold: Reduce
    axis: Axis
    length: int
    across: bool


@dataclass
class Splitting:
    hint: Hint
    processors: int
    count: int = 0
    found: list[Step] = field(default_factory=list)
    """Steps that come before the kernel at hand."""

    def steps_of(self, steps: Iterable[Step]) -> Iterator[Step]:
        for step in steps:
            if isinstance(step, Launch):
                kernel = self.kernel(step.kernel)
                yield from self.found
                self.found = []
                yield Launch(kernel)
            else:
                yield with_blocks(step, lambda block: tuple(self.steps_of(block)))

    def kernel(self, kernel: Kernel) -> Kernel:
        """The kernel, with folds replaced by those of what other kernels have found for parts."""
        while (cut := self._next(kernel)) is not None:
            change = partial(rewrite.replace_parts, parts={cut.fold: self._in_parts(kernel, cut)})
            statements = tuple(rewrite.map_statement(one, change) for one in kernel.statements)
            vector = self._vector(kernel, statements) if cut.across else kernel.vector
            kernel = replace(kernel, statements=statements, vector=vector)
        return kernel

    def _vector(self, kernel: Kernel, statements: Iterable[Statement]) -> Axis | None:
        """What lies across lanes: the longest axis of a fold that is left."""
        last = [fold.axes[-1] for fold in folds_of(statements)]
        innermost = kernel.axes[-1] if kernel.axes else None
        return max(last, key=lambda axis: self.hint(axis.extent), default=innermost)

    def _next(self, kernel: Kernel) -> Cut | None:
        """An innermost fold that is worth it."""
        if not all(isinstance(one, Store) for one in kernel.statements):
            return None
        across = kernel.vector not in kernel.axes or spread_axis(kernel) is not None
        for fold in kernel.folds:
            parts = walk([fold.body])
            reads = {one.buffer for one in parts if isinstance(one, (Load, Gather))}
            free = rewrite.free_axes(fold, {})
            if any(isinstance(one, Reduce) for one in parts) or reads & {*kernel.writes} or (
                not free <= set(kernel.axes)
            ):
                continue
            axis = max(fold.axes, key=lambda one: self.hint(one.extent))
            points = self.hint(product(one.extent for one in free))
            inner = self.hint(product(one.extent for one in fold.axes if one != axis))
            length = self._row_part(axis.extent, points, inner) if across else (
                self._column_part(axis.extent, points))
            if length is not None:
                return Cut(fold, axis, length, across)
        return None

    def _row_part(self, extent: Size, points: int, inner: int) -> int | None:
        """Steps in a part where its elements lie across lanes; None where it is no use."""
        likely = self.hint(extent)
        if likely * inner < 4 * ROW_PART or points >= PROGRAMS_WANTED * self.processors:
            return None
        part = max(1, ROW_PART // inner)
        part *= -(-likely // (part * MOST_PARTS))
        fitting = range(part, 2 * part, 16) if isinstance(extent, int) else ()
        return next((n for n in fitting if extent % n == 0), part)

    def _column_part(self, extent: Size, points: int) -> int | None:
        """The same where the lanes of a program have folds of their own."""
        likely = self.hint(extent)
        wanted = PROGRAMS_WANTED * self.processors * LARGEST_BLOCK // max(1, points)
        parts = min(1 << max(0, wanted.bit_length() - 1), likely // SHORT)
        return likely // parts if parts > 1 else None

    def _in_parts(self, kernel: Kernel, cut: Cut) -> Expr:
        """Kernels that fold the parts; gives what folds those."""
        self.count += 1
        fold, axis, part = cut.fold, cut.axis, cut.length
        stem = f"{kernel.name}_{self.count}"
        axes = tuple(a for a in kernel.axes if a in rewrite.free_axes(fold, {}))
        whole = floordiv(axis.extent, part)
        rest = axis.extent - whole * part
        count = whole + (0 if affine.is_zero(rest) else 1)
        found = Partial(self, kernel, stem, cut, axes, count)
        number = Axis(f"{axis.name}_part", whole)
        found.fold_part((number,), affine.along(number), part)
        if not affine.is_zero(rest):
            found.fold_part((), Offset(whole), rest)
        value = found.joined()
        is_inside = any(fold in walk([one.body]) for one in kernel.folds)
        if set(axes) == set(kernel.axes) and not is_inside:
            return value
        total = self.memory(f"{stem}_total", fold.dtype, tuple(a.extent for a in axes))
        place = affine.affine(0, zip(axes, strides_of(axes, fold.dtype.itemsize)))
        self.launch(kernel, cut, f"{stem}_join", axes, (Store(total, place, value),))
        return Load(total, place)

    def memory(self, name: str, dtype: np.dtype, shape: tuple[Size, ...]) -> Buffer:
        buffer = Buffer(name, dtype)
        self.found.append(Allocate(buffer, array(dtype, *shape), "scratch"))
        return buffer

    def launch(
        self, kernel: Kernel, cut: Cut, name: str, axes: tuple[Axis, ...],
        statements: tuple[Store, ...],
    ) -> None:
        """A kernel in the place of a part of another one."""
        vector = folds_of(statements)[0].axes[-1] if cut.across else kernel.vector
        self.found.append(Launch(Kernel(name, axes, statements, vector, False, kernel.errstate)))


class Partial:
    """What is found for the parts of a fold, for each point of `axes`."""

    def __init__(
        self, splitting: Splitting, kernel: Kernel, stem: str, cut: Cut, axes: tuple[Axis, ...],
        count: Size,
    ) -> None:
        self.splitting, self.kernel, self.stem = splitting, kernel, stem
        self.cut, self.axes = cut, axes
        self.fold = fold = cut.fold
        half = fold.dtype == np.float16 and fold.op in ("add", "multiply")
        self.dtype = np.dtype(np.float32) if half else fold.dtype
        shape = (count, *(axis.extent for axis in axes))
        self.every = Axis("part", count)
        self.found = splitting.memory(f"{stem}_parts", self.dtype, shape)
        self.best = None
        if fold.op in POSITIONS:
            self.best = splitting.memory(f"{stem}_best", fold.body.dtype, shape)

    def fold_part(self, outer: tuple[Axis, ...], number: Offset, length: Size) -> None:
        """Fold parts of this length; `number` says which of them a point of `outer` has."""
        fold, axis = self.fold, self.cut.axis
        inside, start = Axis(f"{axis.name}_in", length), affine.times(number, self.cut.length)
        body = rewrite.substitute(fold.body, {axis: affine.plus(start, affine.along(inside))})
        axes = tuple(inside if one == axis else one for one in fold.axes)
        if self.best is None:
            body = body if body.dtype == self.dtype else Convert(body, self.dtype)
            value: Expr = Reduce(fold.op, body, axes, self.dtype)
            stores: tuple[Store, ...] = (
                Store(self.found, self._place(self.found, number), value),)
        else:
            value = Apply("add", (Reduce(fold.op, body, axes, INT64), rewrite.position(start)),
                          INT64)
            best = Reduce(BEST[fold.op], body, axes, body.dtype)
            stores = (Store(self.found, self._place(self.found, number), value),
                      Store(self.best, self._place(self.best, number), best))
        name = f"{self.stem}_{'parts' if outer else 'rest'}"
        self.splitting.launch(self.kernel, self.cut, name, (*outer, *self.axes), stores)

    def joined(self) -> Expr:
        """The fold of what was found for all parts."""
        along = affine.along(self.every)
        if self.best is None:
            found = Load(self.found, self._place(self.found, along))
            total: Expr = Reduce(self.fold.op, found, (self.every,), self.dtype)
            return total if self.dtype == self.fold.dtype else Convert(total, self.fold.dtype)
        best = Load(self.best, self._place(self.best, along))
        first = Reduce(self.fold.op, best, (self.every,), INT64)
        step = self._strides(self.found)[0]
        return Gather(self.found, self._place(self.found, Offset()), ((first, step),))

    def _strides(self, buffer: Buffer) -> tuple[Size, ...]:
        return strides_of((self.every, *self.axes), buffer.dtype.itemsize)

    def _place(self, buffer: Buffer, number: Offset) -> Offset:
        first, *others = self._strides(buffer)
        return affine.plus(affine.times(number, first), affine.affine(0, zip(self.axes, others)))


def folds_of(statements: Iterable[Statement]) -> list[Reduce]:
    roots = [root for statement in statements for root in statement.roots]
    return [one for one in walk(roots) if isinstance(one, Reduce)]


def strides_of(axes: tuple[Axis, ...], itemsize: int) -> tuple[Size, ...]:
    return array(f"V{itemsize}", *(axis.extent for axis in axes)).strides
