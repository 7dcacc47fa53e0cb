"""Long reductions with few results are cut into blocks, so that several threads can share them.

`max(x)` becomes: the maximum of every whole block of `BLOCK` elements, in a parallel kernel; that
of what is left; and that of those. Rows of floats become `PARTS` parts of their tree (`ordered`),
and what joins them: the bits are those of the fold in one piece.
"""
from __future__ import annotations

from dataclasses import replace

from ....base.records import dataclass, field
from ....ir.errstates import AMBIENT, Errstate
from ....ir.sizes import Size, floordiv, product
from ....ir.types import array
from ...costs import time_of
from ...hints import Hint, hints_of
from ...loop_ir import affine, rewrite
from ...loop_ir.loops import (
    Apply,
    Axis,
    Buffer,
    Expr,
    Index,
    Kernel,
    Load,
    Offset,
    Reduce,
    Statement,
    Store,
)
from ...loop_ir.program import Allocate, Launch, Program, Step, works
from .ordered import PARTS
from .rows import keep_rows
from .schedule import vector_axis

BLOCK = 16384  # elements of one block
FEW = 8  # outermost steps of a kernel that are too few to be shared among threads
LONG = 25_000.0  # nanoseconds of work from which blocks are worth their overhead
AGAIN = 5_000.0  # the same for what each thread would do
SPLITTABLE = frozenset(
    ("add", "multiply", "minimum", "maximum", "logical_and", "logical_or", "bitwise_and",
     "bitwise_or", "bitwise_xor")
)


def split_reductions(program: Program) -> Program:
    """The program with its long reductions in blocks."""
    state = Splitting(hints_of(program.symbols, program.unbacked))
    before, unplanned = filter(works, program.unplanned), []
    for step in program.steps:
        count = len(state.steps)
        if isinstance(step, Launch):
            state.kernel(step.kernel)
        else:
            state.steps.append(step)
        if works(step):
            unplanned += [next(before, step)] * sum(map(works, state.steps[count:]))
    return replace(program, steps=tuple(state.steps), unplanned=tuple(unplanned))


@dataclass
class Splitting:
    """The steps so far."""

    hint: Hint
    steps: list[Step] = field(default_factory=list)
    count: int = 0
    errstate: Errstate = AMBIENT  # of the kernel at hand

    def kernel(self, kernel: Kernel) -> None:
        """Emit a kernel after the kernels that compute its long reductions."""
        self.errstate = kernel.errstate
        while (fold := self._next(kernel)) is not None:
            axes = tuple(a for a in kernel.axes if a in rewrite.free_axes(fold, {}))
            value = self._computed(fold, axes, kernel.name)
            parts: dict[Expr, Expr] = {fold: value}
            statements = tuple(_replaced(s, parts) for s in kernel.statements)
            vector = kernel.vector if kernel.vector in kernel.axes else None
            kernel = replace(kernel, statements=statements, vector=vector)
        self.steps.append(Launch(kernel))

    def _next(self, kernel: Kernel) -> Reduce | None:
        """An innermost long reduction of a kernel that threads could not share as it is, or that
        each of them would compute."""
        if not kernel.folds or not all(isinstance(s, Store) for s in kernel.statements):
            return None
        shared = bool(kernel.axes) and self.hint(kernel.axes[0].extent) >= FEW
        if shared and not kernel.parallel:
            return None
        memo: rewrite.Frees = {}
        for part in kernel.parts:
            if not isinstance(part, Reduce) or part.op not in SPLITTABLE:
                continue
            if part.row == 0 or (part.row and len(part.axes) > 1):
                continue  # one after the other
            free = rewrite.free_axes(part, memo)
            if not free <= set(kernel.axes) or (shared and kernel.axes[0] in free):
                continue
            points = self.hint(product(axis.extent for axis in (*part.axes, *free)))
            long = points * time_of((part.body,)) >= (AGAIN if shared else LONG)
            if long and self.hint(part.axes[0].extent) >= 2 * self._block(part):
                in_one_piece = shared and keep_rows(kernel, vector_axis(kernel, kernel.axes))[1]
                return None if in_one_piece else part
        return None

    def _block(self, fold: Reduce) -> int:
        """Steps of the outermost folded axis in a block of about `BLOCK` elements."""
        inner = self.hint(product(axis.extent for axis in fold.axes[1:]))
        return max(1, BLOCK // max(1, inner))

    def _computed(self, fold: Reduce, axes: tuple[Axis, ...], name: str) -> Expr:
        """Kernels that compute a reduction for every point of `axes`; gives a load of its value."""
        self.count += 1
        stem = f"{name}_{self.count}"
        if fold.row is not None:
            return self._in_parts(fold, axes, stem)
        axis, block = fold.axes[0], self._block(fold)
        blocks = floordiv(axis.extent, block)
        rest = axis.extent - blocks * block
        shape = tuple(a.extent for a in axes)
        partial = self._scratch(f"{stem}_parts", fold, (blocks + 1, *shape))
        number, inside, left = Axis("p0", blocks), Axis("r0_block", block), Axis("r0_rest", rest)
        moved = Offset(0, ((number, block), (inside, 1)))
        tail = Offset(blocks * block, ((left, 1),))
        where = _strides((blocks + 1, *shape), fold.dtype.itemsize)
        along = tuple(zip(axes, where[1:]))
        whole = _renamed(fold, axis, inside, moved)
        remaining = _renamed(fold, axis, left, tail)
        parts = Store(partial, affine.affine(0, ((number, where[0]), *along)), whole)
        last = Store(partial, affine.affine(blocks * where[0], along), remaining)
        vector = None if axes or self.hint(whole.axes[-1].extent) <= FEW else whole.axes[-1]
        self._launch(f"{stem}_blocks", (number, *axes), parts, vector, parallel=True)
        self._launch(f"{stem}_rest", axes, last)
        every = Axis("p1", blocks + 1)
        load = Load(partial, affine.affine(0, ((every, where[0]), *along)))
        total = self._scratch(f"{stem}_total", fold, shape)
        place = affine.affine(0, tuple(zip(axes, _strides(shape, fold.dtype.itemsize))))
        joined = Reduce(fold.op, load, (every,), fold.dtype)
        self._launch(f"{stem}_join", axes, Store(total, place, joined))
        return Load(total, place)

    def _in_parts(self, fold: Reduce, axes: tuple[Axis, ...], stem: str) -> Expr:
        """The same for folds whose order matters: parts of their tree, and its upper levels."""
        number, shape = Axis("p0", PARTS), tuple(axis.extent for axis in axes)
        partial = self._scratch(f"{stem}_parts", fold, (PARTS, *shape))
        first, *others = _strides((PARTS, *shape), fold.dtype.itemsize)
        along = tuple(zip(axes, others))
        part = Reduce(fold.op, fold.body, fold.axes, fold.dtype, (Index(number),), fold.row)
        store = Store(partial, affine.affine(0, ((number, first), *along)), part)
        vector = None if axes else fold.axes[-1]
        self._launch(f"{stem}_parts", (number, *axes), store, vector, parallel=True)
        values: list[Expr] = [
            Load(partial, affine.affine(place * first, along)) for place in range(PARTS)
        ]
        while len(values) > 1:
            pairs = zip(values[::2], values[1::2])
            values = [Apply(fold.op, pair, fold.dtype) for pair in pairs]
        total = self._scratch(f"{stem}_total", fold, shape)
        place = affine.affine(0, tuple(zip(axes, _strides(shape, fold.dtype.itemsize))))
        self._launch(f"{stem}_join", axes, Store(total, place, values[0]))
        return Load(total, place)

    def _scratch(self, name: str, fold: Reduce, shape: tuple[Size, ...]) -> Buffer:
        buffer = Buffer(name, fold.dtype)
        self.steps.append(Allocate(buffer, array(fold.dtype, *shape), "scratch"))
        return buffer

    def _launch(
        self, name: str, axes: tuple[Axis, ...], statement: Statement, vector: Axis | None = None,
        parallel: bool = False,
    ) -> None:
        kernel = Kernel(name, axes, (statement,), vector, parallel, self.errstate)
        self.steps.append(Launch(kernel))


def _replaced(statement: Statement, parts: dict[Expr, Expr]) -> Statement:
    return rewrite.map_statement(statement, lambda expr: rewrite.replace_parts(expr, parts))


def _renamed(fold: Reduce, axis: Axis, fresh: Axis, moved: Offset) -> Reduce:
    """The reduction with its outermost axis replaced by a part of it."""
    body = rewrite.substitute(fold.body, {axis: moved})
    return Reduce(fold.op, body, (fresh, *fold.axes[1:]), fold.dtype)


def _strides(shape: tuple[Size, ...], itemsize: int) -> tuple[Size, ...]:
    return array(f"V{itemsize}", *shape).strides
