"""Checks that an earlier one has made already, of variables that have not changed since, go.

A program that reads `x[i]`, compares it and writes it checks `i` three times. LLVM would find that
out too, but each check that it is not given is a block less for all of its passes.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ...base.records import dataclass
from ..hints import Hint
from ..loop_ir.aliases import Roots, roots_of
from ..loop_ir.loops import Apply, Buffer, Check, Const, Convert, Expr, Kernel, Load, Select, walk
from ..loop_ir.program import Allocate, Launch, Loop, Program, Step, all_steps, with_blocks
from ..loop_ir.simplify import BOOL, const

Held = dict[Expr, frozenset[Buffer]]
"""Conditions that hold where control is, each with the variables that it is about."""
PARTS = (Apply, Const, Convert, Load, Select)


def drop_repeated_checks(program: Program, hint: Hint) -> Program:
    own = {step.buffer for step in all_steps(program.steps) if isinstance(step, Allocate)}
    repeated = Repeated(frozenset(own), roots_of(program.steps))
    held: Held = {const(True, BOOL): frozenset()}
    return replace(program, steps=tuple(repeated.block(program.steps, held)))


@dataclass(frozen=True, slots=True)
class Repeated:
    """`own` is memory that nobody else can write to: what is checked of it stays so."""

    own: frozenset[Buffer]
    roots: Roots

    def block(self, steps: Iterable[Step], held: Held) -> Iterator[Step]:
        """The steps, where these conditions hold before the first one."""
        for step in steps:
            if isinstance(step, Launch):
                kept = self.kernel(step.kernel, held)
                if kept is step.kernel:
                    yield step
                elif kept.statements:
                    yield Launch(kept)
                continue
            if isinstance(step, Loop):
                self.change(step.writes, held)
            yield with_blocks(step, lambda inner: self.block(inner, {**held}))
            self.change(step.writes, held)

    def kernel(self, kernel: Kernel, held: Held) -> Kernel:
        if kernel.axes:
            self.change(kernel.writes, held)
            return kernel
        kept = []
        for statement in kernel.statements:
            if not isinstance(statement, Check):
                self.change((statement.buffer,), held)
            elif statement.condition in held:
                continue
            elif (about := self.variables(statement.condition)) is not None:
                held[statement.condition] = about
            kept.append(statement)
        if len(kept) == len(kernel.statements):
            return kernel
        return replace(kernel, statements=tuple(kept))

    def variables(self, condition: Expr) -> frozenset[Buffer] | None:
        """What a condition depends on, if that is integers of the program's own alone."""
        parts = list(walk((condition,)))
        if not all(isinstance(part, PARTS) and part.dtype.kind in "iub" for part in parts):
            return None
        loads = [part for part in parts if isinstance(part, Load)]
        if any(load.offset.strides or not isinstance(load.offset.constant, int) for load in loads):
            return None
        found = frozenset(load.buffer for load in loads)
        return found if found <= self.own else None

    def change(self, written: Sequence[Buffer], held: Held) -> None:
        """These are no longer what they were."""
        changed = {*written, *(self.roots[buffer] for buffer in written if buffer in self.roots)}
        for condition in [one for one, about in held.items() if not changed.isdisjoint(about)]:
            del held[condition]
