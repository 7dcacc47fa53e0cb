"""What a loop counts with: it goes on for as long as a number, to which each iteration adds the
same, has not reached an end that stays the same."""
from __future__ import annotations

from ....base.records import dataclass
from ....ir.sizes import symbols
from ...loop_ir.loops import Apply, Buffer, Const, Expr, Load, SizeValue, Store
from ...loop_ir.program import Launch, Loop, all_steps
from ...loop_ir.simplify import value_of
from ...loop_ir.verify import binds_within
from ..builder.elements import I64

LONGEST_STEP = 64


@dataclass(frozen=True, slots=True)
class Counter:
    """`while counter < stop`, or `>` where `step` is negative. `alone`: nothing else ends the
    loop."""

    buffer: Buffer
    step: int
    stop: Expr
    alone: bool


def counter_of(loop: Loop) -> Counter | None:
    """What a loop counts with; None of other loops."""
    stores = [s for one in loop.steps if isinstance(one, Launch)
              for s in one.kernel.statements if isinstance(s, Store)]
    test = _stored(loop, stores, loop.proceed)
    if test is None:
        return None
    alone = not (isinstance(test, Apply) and test.op == "logical_and")
    for condition in (test,) if alone else test.operands:
        if (found := _counter(loop, stores, condition, alone)) is not None:
            return found
    return None


def _stored(loop: Loop, stores: list[Store], buffer: Buffer) -> Expr | None:
    """What each iteration stores in the buffer of a number, once."""
    found = [one.value for one in stores if one.buffer is buffer]
    writers = sum(buffer in one.writes for one in all_steps(loop.steps))
    return found[0] if writers == len(found) == 1 else None


def _counter(
    loop: Loop, stores: list[Store], condition: Expr, alone: bool
) -> Counter | None:
    if not isinstance(condition, Apply) or condition.op not in ("less", "greater"):
        return None
    counter, stop = condition.args
    if not isinstance(counter, Load) or counter.dtype != I64 or not _stays(loop, stop):
        return None
    step = _added(_stored(loop, stores, counter.buffer), counter)
    order = [one.buffer for one in stores if one.buffer in (counter.buffer, loop.proceed)]
    fits = 0 < abs(step) <= LONGEST_STEP and (step > 0) == (condition.op == "less")
    return Counter(counter.buffer, step, stop, alone) if (
        fits and order == [counter.buffer, loop.proceed]) else None


def _added(value: Expr | None, counter: Load) -> int:
    """The literal that is added to a counter; 0 where it is something else."""
    if isinstance(value, Apply) and value.op == "add":
        left, right = value.args
        if left is counter and isinstance(right, Const):
            return int(value_of(right))
    return 0


def _stays(loop: Loop, stop: Expr) -> bool:
    """Whether an end is the same in all iterations, and known before the first."""
    if isinstance(stop, Load):
        return stop.buffer not in loop.writes and stop.offset.constant == 0
    if isinstance(stop, SizeValue):
        return binds_within(loop).isdisjoint(symbols(stop.size))
    return isinstance(stop, Const)
