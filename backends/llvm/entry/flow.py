"""Loops and branches of a program: steps that run several times, or not at all."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ....ir.sizes import product, symbols
from ...loop_ir.loops import Buffer
from ...loop_ir.program import Branch, Extern, Launch, Loop, Product, Rotate, Step, all_steps
from ...passes.schedule import may_report
from ..builder.elements import I64
from ..builder.values import Value
from .draws import drawn

if TYPE_CHECKING:
    from .writer import EntryWriter

PATIENCE = 200_000  # nanoseconds, by the estimate, after which a loop asks for signals
FEW = 16  # iterations after which it does so where they may take longer than the estimate


def loop(writer: EntryWriter, step: Loop) -> None:
    """Ask for signals and other threads now and then, by the time that iterations take."""
    begin_inside(writer, step)
    head, body, done = (writer.builder.fresh(stem) for stem in ("head", "round", "done"))
    writer.builder.jump(head)
    writer.builder.label(head)
    writer.builder.branch(truth(writer, step.proceed), body, done)
    writer.builder.label(body)
    run_block(writer, step.steps)
    poll(writer, step)
    writer.builder.jump(head)
    writer.builder.label(done)


def poll(writer: EntryWriter, step: Loop) -> None:
    if writer.patience is None:
        writer.patience = writer.builder.stack("i64")
        writer.builder.head.append(f"  store i64 {PATIENCE}, ptr {writer.patience}")
    builder = writer.builder
    spent = max(1, round(nanoseconds(step.steps)))
    if any(map(grows, all_steps(step.steps))):
        spent = max(spent, PATIENCE // FEW)
    left = builder.load(writer.patience, I64) - spent
    builder.store(left, writer.patience)

    def ask() -> Sequence[Value]:
        builder.store(builder.integer(PATIENCE), str(writer.patience))
        writer.frame.checked("poll", "ptr %frame")
        return ()

    builder.when(left.lt(0), (), ask)


def grows(step: Step) -> bool:
    """Whether a step takes longer where arrays are larger than the estimate has them."""
    if isinstance(step, Launch):
        return any(symbols(axis.extent) for axis in step.kernel.axes)
    return isinstance(step, (Extern, Product))


def begin_inside(writer: EntryWriter, step: Loop | Branch) -> None:
    """What becomes of flags is the same in all of a body, and must be so before the first."""
    for inner in all_steps((step,)):
        if isinstance(inner, Launch) and may_report(inner.kernel):
            writer.begin_errstate(inner.kernel.errstate)
        elif isinstance(inner, (Extern, Product)):
            writer.begin_errstate(inner.errstate)


def branch(writer: EntryWriter, step: Branch) -> None:
    begin_inside(writer, step)
    true, false, done = (writer.builder.fresh(stem) for stem in ("true", "false", "done"))
    writer.builder.branch(truth(writer, step.test), true, false)
    for label, block in ((true, step.true), (false, step.false)):
        writer.builder.label(label)
        if any(isinstance(one, Launch) and may_report(one.kernel) for one in all_steps(block)):
            writer.builder.fence()
        run_block(writer, block)
        writer.builder.jump(done)
    writer.builder.label(done)


def truth(writer: EntryWriter, buffer: Buffer) -> Value:
    return writer.builder.load(writer.pointer(buffer.name), np.dtype(bool))


def run_block(writer: EntryWriter, steps: Sequence[Step]) -> None:
    """Steps that may run several times, or not at all: objects made here end here."""
    known, first = dict(writer.slots), writer.n_slots
    sizes, arrays = dict(writer.sizes), dict(writer.frame.arrays)
    for step in steps:
        writer.step(step)
    for slot in range(first, writer.n_slots):
        writer.frame.call("release", "ptr %frame", f"i64 {slot}")
    writer.slots, writer.sizes, writer.frame.arrays = known, sizes, arrays


def rotate(writer: EntryWriter, step: Rotate) -> None:
    taken = [writer.pointer(buffer.name) for buffer in step.taken]
    for buffer, pointer in zip(step.into, taken):
        writer.builder.void(f"store ptr {pointer}, ptr {writer.cells[buffer.name]}")


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
