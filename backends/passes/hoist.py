"""Hoisting: what a kernel would compute again and again gets a kernel and a buffer of its own.

A code generator evaluates an expression outside of the inner loops that it does not depend on. It
cannot help where the expression depends on an inner axis but not on an outer one (the mean of each
column, in a loop over rows). Those expressions, when expensive, are computed first.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count

from ...base.records import dataclass, field
from ...ir.errstates import AMBIENT, Errstate
from ...ir.sizes import Size
from ...ir.types import ArrayType, array
from .. import costs
from ..hints import Hint
from ..loop_ir import affine, rewrite
from ..loop_ir.aliases import Roots, roots_of
from ..loop_ir.in_turn import axes_in_turn
from ..loop_ir.loops import Axis, Buffer, Expr, Gather, Kernel, Load, Reduce, Store, walk
from ..loop_ir.program import Allocate, Launch, Program, Step, View, with_blocks
from .schedule import order_axes

EXPENSIVE = 8
FEW = 4
Place = tuple[Expr, tuple[Axis, ...]]  # an expression, and the loops in which it is evaluated


def hoist(program: Program, hint: Hint) -> Program:
    """The program with repeated expensive subexpressions computed by kernels before."""
    state = Hoisting(hint, roots_of(program.steps))
    state.block(program.steps)
    return replace(
        program, steps=tuple(state.steps), notes=(*program.notes, *state.notes)
    )


@dataclass
class Hoisting:
    """What has been hoisted so far; equal expressions share one buffer."""

    hint: Hint
    roots: Roots
    steps: list[Step] = field(default_factory=list)
    known: dict[tuple[Expr, Errstate], Buffer] = field(default_factory=dict)
    errstate: Errstate = AMBIENT  # of the kernel at hand
    notes: list[str] = field(default_factory=list)
    names: Iterator[int] = field(default_factory=count)

    def block(self, steps: Iterable[Step]) -> None:
        """The steps of a program, or those in a step: what they compute is not known outside."""
        for step in steps:
            if isinstance(step, Launch):
                self.kernel(step.kernel)
            else:
                self.steps.append(with_blocks(step, self._inside))
                self._forget(set() if isinstance(step, View) else set(step.writes))

    def _inside(self, steps: Sequence[Step]) -> Sequence[Step]:
        inner = Hoisting(self.hint, self.roots, notes=self.notes, names=self.names)
        inner.block(steps)
        return inner.steps

    def kernel(self, kernel: Kernel) -> None:
        """Emit a kernel after the kernels that it needs."""
        self.errstate = kernel.errstate
        if parts := self._parts(kernel):
            statements = tuple(
                rewrite.map_statement(s, lambda expr: rewrite.replace_parts(expr, parts))
                for s in kernel.statements
            )
            kernel = replace(kernel, statements=statements)
        self.steps.append(Launch(kernel))
        self._forget(set(kernel.writes))

    def _parts(self, kernel: Kernel) -> dict[Expr, Expr]:
        """The repeated work of a kernel, each with the load of its result."""
        parts: dict[Expr, Expr] = {}
        if axes_in_turn(kernel):
            return parts
        if not kernel.folds and (
            not kernel.axes or all(costs.weight_of(root) < EXPENSIVE for root in kernel.roots)
        ):
            return parts
        order = order_axes(kernel, self.hint)
        memo: rewrite.Frees = {}
        seen: set[Place] = set()
        for root in kernel.roots:
            self._find(root, order, parts, memo, seen, is_root=True)
        return parts

    def _forget(self, changed: set[Buffer]) -> None:
        """What was computed from memory that changes now is not known any more."""
        if not self.known:
            return
        changed |= {self.roots[buffer] for buffer in changed if buffer in self.roots}
        stale = [
            key for key in self.known
            if any(isinstance(p, (Load, Gather)) and self.roots.get(p.buffer, p.buffer) in changed
                   for p in walk(key[:1]))
        ]
        for key in stale:
            del self.known[key]

    def _find(
        self,
        expr: Expr,
        loops: tuple[Axis, ...],
        parts: dict[Expr, Expr],
        memo: rewrite.Frees,
        seen: set[Place],
        *,
        is_root: bool = False,
    ) -> None:
        """Look for repeated work in `expr`, evaluated inside `loops` (outermost first)."""
        if expr in parts or (expr, loops) in seen:
            return
        seen.add((expr, loops))
        free = rewrite.free_axes(expr, memo)
        if not is_root and why_hoist(expr, free, loops, self.hint):
            parts[expr] = self._hoisted(expr, [axis for axis in loops if axis in free])
            return
        last = max((k for k, axis in enumerate(loops) if axis in free), default=-1)
        inner = (*loops[: last + 1], *(expr.axes if isinstance(expr, Reduce) else ()))
        for operand in expr.operands:
            self._find(operand, inner, parts, memo, seen)

    def _hoisted(self, expr: Expr, axes: list[Axis]) -> Expr:
        """A load of the buffer that holds `expr` over `axes`."""
        canonical = [Axis(f"h{k}", axis.extent) for k, axis in enumerate(axes)]
        moved = {old: affine.Offset(0, ((new, 1),)) for old, new in zip(axes, canonical)}
        value = rewrite.substitute(expr, moved)
        key = value, self.errstate
        type_ = array(expr.dtype, *(axis.extent for axis in axes))
        if key not in self.known:
            buffer = self.known[key] = Buffer(f"h{next(self.names)}", expr.dtype)
            self.steps.append(Allocate(buffer, type_, "scratch"))
            store = Store(buffer, place(type_, canonical), value)
            name, axes_ = f"hoisted_{buffer.name}", tuple(canonical)
            self.kernel(Kernel(name, axes_, (store,), errstate=self.errstate))
            self.notes.append(f"{buffer.name}: a kernel would compute it again in an outer loop")
        return Load(self.known[key], place(type_, axes))


def place(type_: ArrayType, axes: Sequence[Axis]) -> affine.Offset:
    return affine.affine(0, zip(axes, type_.strides))


def why_hoist(
    expr: Expr, free: frozenset[Axis], loops: Sequence[Axis], hint: Hint
) -> str | None:
    """Why an expression is computed by a kernel of its own, or None when it stays."""
    if not free:
        folds = isinstance(expr, Reduce) and any(hint(axis.extent) > 1 for axis in loops)
        return "a total that all points need" if folds else None
    last = max(k for k, axis in enumerate(loops) if axis in free)
    repeats: Size = 1
    for axis in loops[:last]:
        if axis not in free:
            repeats = repeats * axis.extent
    if hint(repeats) < FEW or costs.weight_of(expr) < EXPENSIVE:
        return None
    return f"it would be computed {repeats} times"
