"""Loops and branches of a program, whose steps run several times or not at all; and what must hold
for the next steps to run."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....ir.sizes import product, symbols
from ...loop_ir.loops import Buffer
from ...loop_ir.program import (
    Branch,
    Extern,
    Launch,
    Loop,
    Product,
    Require,
    Step,
    all_steps,
)
from ...passes.schedule import may_report
from ..builder.elements import I64
from ..builder.values import Value
from .draws import drawn
from .state import Entry, writes

PATIENCE = 200_000  # nanoseconds, by the estimate, after which a loop asks for signals
NEGATED = {"==": "ne", "<=": "sgt", "<": "sge"}
FEW = 16  # iterations after which it does so where they may take longer than the estimate


@writes(Loop)
def loop(entry: Entry, step: Loop) -> None:
    """Ask for signals and other threads now and then, by the time that iterations take."""
    begin_inside(entry, step)
    head, body, done = (entry.builder.fresh(stem) for stem in ("head", "body", "done"))
    entry.builder.jump(head)
    entry.builder.label(head)
    entry.builder.branch(truth(entry, step.proceed), body, done)
    entry.builder.label(body)
    run_block(entry, step.steps)
    poll(entry, step)
    entry.builder.jump(head)
    entry.builder.label(done)


def poll(entry: Entry, step: Loop) -> None:
    if entry.patience is None:
        entry.patience = entry.builder.stack("i64")
        entry.builder.head.append(f"  store i64 {PATIENCE}, ptr {entry.patience}")
    builder = entry.builder
    spent = max(1, round(nanoseconds(step.steps)))
    if any(map(grows, all_steps(step.steps))):
        spent = max(spent, PATIENCE // FEW)
    left = builder.load(entry.patience, I64) - spent
    builder.store(left, entry.patience)

    def ask() -> Sequence[Value]:
        builder.store(builder.integer(PATIENCE), str(entry.patience))
        entry.frame.checked("poll", "ptr %frame")
        return ()

    builder.when(left.lt(0), (), ask, is_rare=True)


def grows(step: Step) -> bool:
    """Whether a step takes longer where arrays are larger than the estimate has them."""
    if isinstance(step, Launch):
        return any(symbols(axis.extent) for axis in step.kernel.axes)
    return isinstance(step, (Extern, Product))


def begin_inside(entry: Entry, step: Loop | Branch) -> None:
    """What becomes of flags is the same in all of a body, and must be so before the first."""
    for inner in all_steps((step,)):
        if isinstance(inner, Launch) and may_report(inner.kernel):
            entry.begin_errstate(inner.kernel.errstate)
        elif isinstance(inner, (Extern, Product)):
            entry.begin_errstate(inner.errstate)


@writes(Require)
def require(entry: Entry, step: Require) -> None:
    left, right = entry.size(step.left), entry.size(step.right)
    entry.frame.bail_out_if(f"icmp {NEGATED[step.relation]} i64 {left.ref}, {right.ref}")


@writes(Branch)
def branch(entry: Entry, step: Branch) -> None:
    begin_inside(entry, step)
    true, false, done = (entry.builder.fresh(stem) for stem in ("true", "false", "done"))
    entry.builder.branch(truth(entry, step.test), true, false)
    for label, block in ((true, step.true), (false, step.false)):
        entry.builder.label(label)
        if any(isinstance(one, Launch) and may_report(one.kernel) for one in all_steps(block)):
            entry.builder.fence()
        run_block(entry, block)
        entry.builder.jump(done)
    entry.builder.label(done)


def truth(entry: Entry, buffer: Buffer) -> Value:
    return entry.builder.load(entry.pointer(buffer.name), np.dtype(bool))


def run_block(entry: Entry, steps: Sequence[Step]) -> None:
    """Steps that may run several times, or not at all: objects made here end here."""
    known, first = dict(entry.slots), entry.n_slots
    sizes, arrays = dict(entry.sizes), dict(entry.frame.arrays)
    for step in steps:
        entry.step(step)
    for slot in range(first, entry.n_slots):
        entry.frame.call("release", "ptr %frame", f"i64 {slot}")
    entry.slots, entry.sizes, entry.frame.arrays = known, sizes, arrays


def nanoseconds(steps: Sequence[Step]) -> float:
    """About how long steps take at least, where they have no loops in them."""
    total = 1.0
    for step in steps:
        if isinstance(step, Launch):
            points = product(axis.extent for axis in step.kernel.axes)
            total += points / 8 if isinstance(points, int) else 10.0
        elif isinstance(step, (Extern, Product)):
            total += 10.0 if isinstance(step, Extern) and drawn(step) is not None else 1000.0
    return total
