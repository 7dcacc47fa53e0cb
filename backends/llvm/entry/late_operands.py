"""Of the integers of which the least or the greatest is sought, those that wait for the iteration
before come last.

`min(up + 1, left + 1, corner)` where `left` is what the iteration before has found: the other two
are compared while it is still being computed, and the next iteration waits for one comparison
instead of two. Integers may be compared in any order; floats keep theirs, for NaN and for zeros.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ....base.records import dataclass
from ...loop_ir.loops import Apply, Buffer, Expr, Load, Select, Statement, Store, walk
from ...loop_ir.program import Branch, Launch, Loop, Program, Step, all_steps, with_blocks
from ...loop_ir.rewrite import map_statement, transform
from ...loop_ir.simplify import BOOL, apply
from .carried_elements import NOWHERE
from .counted_loops import counter_of

LESS, GREATER = ("less", "less_equal"), ("greater", "greater_equal")


def with_late_operands_last(program: Program) -> Program:
    """The same program, with the operands of minima and maxima in its innermost loops in order."""
    if not has_loops(program.steps):
        return program
    return replace(program, steps=tuple(_ordered(program.steps)))


def _ordered(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, Loop) and not has_loops(step.steps):
            if has_extremes(step.steps) and (late := carried_numbers(step)):
                step = replace(step, steps=tuple(Iteration(late).steps(step.steps)))
            yield step
        else:
            yield with_blocks(step, _ordered)


def has_loops(steps: Iterable[Step]) -> bool:
    return any(isinstance(step, Loop) for step in all_steps(steps))


def has_extremes(steps: Iterable[Step]) -> bool:
    """Whether there are minima or maxima of more than two integers."""
    chosen = (part for statement in _statements(steps) for part in walk(statement.roots)
              if isinstance(part, Select))
    return any(extreme_of(arm) for one in chosen if extreme_of(one) for arm in one.operands[1:])


def carried_numbers(loop: Loop) -> set[Buffer]:
    """The numbers that an iteration reads as the one before has left them, but for what the loop
    counts with."""
    counter = counter_of(loop)
    stored: set[Buffer] = set() if counter is None else {counter.buffer}
    found: set[Buffer] = set()
    for statement in _statements(loop.steps):
        for part in walk(statement.roots):
            if isinstance(part, Load) and part.offset == NOWHERE and part.buffer not in stored:
                found.add(part.buffer)
        if isinstance(statement, Store):
            stored.add(statement.buffer)
    return found & set(loop.writes)


def _statements(steps: Iterable[Step]) -> Iterator[Statement]:
    for step in all_steps(steps):
        if isinstance(step, Launch):
            yield from step.kernel.statements


@dataclass(slots=True)
class Iteration:
    """The steps of one in order; `late` are the numbers that wait for the iteration before."""

    late: set[Buffer]

    def steps(self, steps: Iterable[Step]) -> Iterator[Step]:
        for step in steps:
            if isinstance(step, Launch):
                changed = tuple([self.statement(one) for one in step.kernel.statements])
                yield replace(step, kernel=replace(step.kernel, statements=changed))
                continue
            yield with_blocks(step, self.steps)
            if isinstance(step, Branch) and step.test in self.late:
                self.late |= {*step.writes}

    def statement(self, statement: Statement) -> Statement:
        changed = map_statement(statement, lambda expr: transform(expr, self.last, {}))
        if isinstance(changed, Store) and self.waits(changed.value):
            self.late.add(changed.buffer)
        return changed

    def waits(self, expr: Expr) -> bool:
        return any(isinstance(one, Load) and one.buffer in self.late for one in walk([expr]))

    def last(self, expr: Expr) -> Expr:
        """A minimum or maximum with the operands that wait at its end."""
        if (kind := extreme_of(expr)) is None:
            return expr
        operands = sorted(operands_of(expr, kind), key=self.waits)
        if len(operands) == 2 or self.waits(operands[0]) or not self.waits(operands[-1]):
            return expr
        result, *others = operands
        for operand in others:
            result = Select(apply(kind, (operand, result), BOOL), operand, result)
        return result


def extreme_of(expr: Expr) -> str | None:
    """How the integer that is chosen compares with the other one, `less` or `greater`."""
    if not isinstance(expr, Select) or expr.dtype.kind not in "iu":
        return None
    match expr.condition:
        case Apply(op, (left, right)) if op in LESS or op in GREATER:
            is_less = op in LESS
            if (left, right) == (expr.true, expr.false):
                return "less" if is_less else "greater"
            if (right, left) == (expr.true, expr.false):
                return "greater" if is_less else "less"
    return None


def operands_of(expr: Expr, kind: str) -> Iterator[Expr]:
    """Of all the minima, or maxima, that it is made of."""
    if extreme_of(expr) != kind:
        yield expr
        return
    assert isinstance(expr, Select)
    for arm in (expr.true, expr.false):
        yield from operands_of(arm, kind)
