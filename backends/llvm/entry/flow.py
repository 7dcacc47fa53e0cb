"""Loops and branches of a program, whose steps run several times or not at all; and what must hold
for the next steps to run."""
from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ....ir.sizes import product, symbols
from ...loop_ir.loops import Buffer, Const, Expr, Load, SizeValue
from ...loop_ir.products import Product
from ...loop_ir.program import (
    Branch,
    Call,
    Extern,
    Launch,
    Loop,
    Require,
    Step,
    all_steps,
    functions_of,
)
from ...loop_ir.simplify import value_of
from ...passes.schedule import may_report
from ..builder.elements import I64
from ..builder.values import Value
from .counted_loops import Counter, counter_of
from .draws import drawn
from .state import Entry, writes

PATIENCE = 200_000  # nanoseconds, by the estimate, after which a loop asks for signals
NEGATED = {"==": "ne", "<=": "sgt", "<": "sge"}
BRIEF = 1_000  # nanoseconds that a loop may take within an iteration of another one
FEW = 16  # iterations after which it does so where they may take longer than the estimate


@writes(Loop)
def loop(entry: Entry, step: Loop) -> None:
    """Ask for signals and other threads now and then, by the time that iterations take. What asks
    is a loop around the loop, so that LLVM finds no call in the inner one."""
    begin_inside(entry, step)
    spent, counter = spent_by(step), counter_of(step)
    if is_brief(step):
        brief(entry, step)
    elif counter is None:
        uncounted(entry, step, spent)
    elif step.most is not None and step.most * spent <= PATIENCE:
        counted(entry, step, spent, counter)
    else:
        in_rounds(entry, step, spent, counter)


def uncounted(entry: Entry, step: Loop, spent: int) -> None:
    """Each iteration looks whether it is time."""
    builder = entry.builder
    again, body, ask, more, done = map(builder.fresh, ("again", "body", "ask", "more", "done"))
    builder.branch(truth(entry, step.proceed), again, done)
    builder.label(again)
    builder.fence()
    first_iteration(entry, step, body)
    builder.branch(is_time(entry, builder.integer(spent)), ask, more, is_rare=True)
    builder.label(more)
    builder.branch(truth(entry, step.proceed), body, done)
    builder.label(ask)
    poll(entry)
    builder.branch(truth(entry, step.proceed), again, done)
    builder.label(done)


def brief(entry: Entry, step: Loop) -> None:
    """A loop that is over so soon that its time counts as that of the loop around it."""
    builder = entry.builder
    first, body, done = map(builder.fresh, ("first", "body", "done"))
    builder.branch(truth(entry, step.proceed), first, done)
    builder.label(first)
    first_iteration(entry, step, body)
    builder.branch(truth(entry, step.proceed), body, done)
    builder.label(done)


def counted(entry: Entry, step: Loop, spent: int, counter: Counter) -> None:
    """The iterations are so few that it is looked at behind the last one."""
    builder = entry.builder
    first, body, ask, over, done = map(builder.fresh, ("first", "body", "ask", "over", "done"))
    builder.branch(truth(entry, step.proceed), first, done)
    builder.label(first)
    begin = builder.load(entry.pointer(counter.buffer.name), I64)
    first_iteration(entry, step, body)
    builder.branch(truth(entry, step.proceed), body, over)
    builder.label(over)
    builder.branch(is_time(entry, passed(entry, begin, counter, spent)), ask, done, is_rare=True)
    builder.label(ask)
    poll(entry)
    builder.jump(done)
    builder.label(done)


def in_rounds(entry: Entry, step: Loop, spent: int, counter: Counter) -> None:
    """It is looked at when as many iterations have run as there is time for."""
    builder = entry.builder
    again, body, over, ask, more, done = map(
        builder.fresh, ("again", "body", "over", "ask", "more", "done"))
    stop = end_of(entry, counter.stop)
    builder.branch(truth(entry, step.proceed), again, done)
    builder.label(again)
    begin = builder.load(entry.pointer(counter.buffer.name), I64)
    limit = (begin + counter.step * max(1, PATIENCE // spent)).call(
        "smin" if counter.step > 0 else "smax", stop)
    first_iteration(entry, step, body)
    now = builder.load(entry.pointer(counter.buffer.name), I64)
    goes_on = now.lt(limit) if counter.step > 0 else now.gt(limit)
    if not counter.alone:
        goes_on = goes_on & truth(entry, step.proceed)
    builder.branch(goes_on, body, over)
    builder.label(over)
    builder.branch(is_time(entry, passed(entry, begin, counter, spent)), ask, more, is_rare=True)
    builder.label(ask)
    poll(entry)
    builder.jump(more)
    builder.label(more)
    builder.branch(truth(entry, step.proceed), again, done)
    builder.label(done)


def first_iteration(entry: Entry, step: Loop, body: str) -> None:
    """What is done before all iterations, and the first one; the next ones begin at `body`."""
    run_block(entry, step.entering)
    entry.builder.jump(body)
    entry.builder.label(body)
    run_block(entry, step.steps)


def end_of(entry: Entry, stop: Expr) -> Value:
    """The end that a counter has."""
    if isinstance(stop, Load):
        return entry.builder.load(entry.pointer(stop.buffer.name), I64)
    if isinstance(stop, SizeValue):
        return entry.size(stop.size)
    assert isinstance(stop, Const)
    return entry.builder.integer(int(value_of(stop)))


def passed(entry: Entry, begin: Value, counter: Counter, spent: int) -> Value:
    """The time that iterations took, or more."""
    now = entry.builder.load(entry.pointer(counter.buffer.name), I64)
    return (now - begin) * (spent if counter.step > 0 else -spent)


def spent_by(step: Loop) -> int:
    """About the nanoseconds that an iteration takes."""
    spent = max(1, round(nanoseconds(step.steps)))
    return max(spent, PATIENCE // FEW) if any(map(grows, all_steps(step.steps))) else spent


def is_brief(step: Loop) -> bool:
    """Whether a loop takes no time that counts; nothing counts its iterations."""
    is_short = step.most is not None and step.most * spent_by(step) <= BRIEF
    return is_short and counter_of(step) is None


def is_time(entry: Entry, spent: Value) -> Value:
    """Whether it is time to ask, after so long."""
    builder = entry.builder
    if entry.patience is None:
        entry.patience = builder.stack("i64")
        builder.head.append(f"  store i64 {PATIENCE}, ptr {entry.patience}")
    left = builder.load(entry.patience, I64) - spent
    builder.store(left, entry.patience)
    return left.lt(0)


def poll(entry: Entry) -> None:
    entry.builder.store(entry.builder.integer(PATIENCE), str(entry.patience))
    entry.frame.checked("poll", "ptr %frame")


def grows(step: Step) -> bool:
    """Whether a step takes longer where arrays are larger than the estimate has them."""
    if isinstance(step, Launch):
        return any(symbols(axis.extent) for axis in step.kernel.axes)
    return isinstance(step, (Extern, Product))


def begin_inside(entry: Entry, step: Loop | Branch | Call) -> None:
    """What becomes of flags is the same in all of a body, and must be so before the first."""
    called = (one for function in functions_of((step,)) for one in function.program.steps)
    for inner in all_steps((step, *called)):
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
    """About how long steps take at least, but for loops that look themselves whether it is time."""
    total = 1.0 + sum((loop.most or 0) * spent_by(loop) for loop in brief_loops(steps))
    for step in steps:
        if isinstance(step, Launch):
            points = product(axis.extent for axis in step.kernel.axes)
            total += points / 8 if isinstance(points, int) else 10.0
        elif isinstance(step, (Extern, Product)):
            total += 10.0 if isinstance(step, Extern) and drawn(step) is not None else 1000.0
    return total


def brief_loops(steps: Sequence[Step]) -> Iterator[Loop]:
    """Those among steps and in arms."""
    for step in steps:
        if isinstance(step, Branch):
            yield from brief_loops((*step.true, *step.false))
        elif isinstance(step, Loop) and is_brief(step):
            yield step
