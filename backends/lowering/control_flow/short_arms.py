"""Branches whose arms compute a few integers: both do, and what the taken one gives is chosen.

Such a branch costs less than it does to guess wrong which arm is taken. An arm that is not taken
must have no effect: its checks hold whatever they find, and it reads numbers only. Where arms only
leave numbers as they are, and floats are compared, the comparison itself chooses: LLVM would choose
by a mask that it makes of a flag of the processor.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Union

from ....ir.types import Form
from ...loop_ir.loops import (
    Apply,
    Buffer,
    Check,
    Const,
    Convert,
    Expr,
    Load,
    Offset,
    Select,
    Store,
    walk,
)
from ...loop_ir.program import Allocate, Launch, Step
from ...loop_ir.simplify import BOOL, apply, is_true, select, value_of
from ..state.context import Lowering
from ..state.values import Value, load_of

MOST = 4
"""Operations that an arm may have, and checks."""
SAFE = frozenset({
    "add", "subtract", "multiply", "negative", "absolute", "minimum", "maximum", "bitwise_and",
    "bitwise_or", "bitwise_xor", "invert", "equal", "not_equal", "less", "less_equal", "greater",
    "greater_equal", "logical_and", "logical_or", "logical_not",
})  # fmt: skip
"""What has a result for all integers."""
BY_CONSTANT = {"floor_divide": range(1, 2**62), "remainder": range(1, 2**62),
               "left_shift": range(63), "right_shift": range(63)}
"""What has one for these second operands."""
ORDERS = frozenset({"less", "less_equal", "greater", "greater_equal"})
Statement = Union[Store, Check]


def both_arms(
    test: Value, blocks: tuple[Sequence[Step], ...], given: Sequence[object],
    results: Sequence[Value],
) -> Iterator[Step | Statement] | None:
    """The steps of both arms, `blocks`, and statements that choose their `results`; None where the
    arms are not so short. They read numbers that they are `given`."""
    numbers = {
        load_of(value).buffer for value in given
        if isinstance(value, Value) and value.type.form is not Form.ARRAY
        and isinstance(value.expr, Load)
    }
    if not results or any(not is_whole(result) for result in results):
        return None
    true, false = blocks
    is_checked = any(isinstance(one, Check) for one in statements_of((*true, *false)))
    if not (is_checked and computes(true) and computes(false)):
        return None
    if not (is_short(true, numbers) and is_short(false, numbers)):
        return None
    return _chosen(test.expr, true, false, results)


def choosing(
    low: Lowering, condition: Expr, blocks: tuple[Sequence[Step], ...], results: Sequence[Value]
) -> Iterator[Step | Statement] | None:
    """Statements that choose floats by a comparison of floats; None where arms do anything else."""
    if isinstance(condition, Load) and condition.buffer in low.defined:
        condition = low.defined[condition.buffer]
    if not compares_floats(low, condition) or any(one.type.form is Form.ARRAY for one in results):
        return None
    if all(result.dtype.kind != "f" for result in results):
        return None
    wanted = {load_of(result).buffer for result in results}
    if not all(only_moves(steps, wanted) for steps in blocks):
        return None
    true, false = blocks
    return _chosen(condition, true, false, results)


def compares_floats(low: Lowering, condition: Expr) -> bool:
    """Whether it compares numbers that are known, or lie in memory that stays as it is."""
    return isinstance(condition, Apply) and condition.op in ORDERS and all(
        arg.dtype.char in "fd" and is_number(arg)
        and not (isinstance(arg, Load) and arg.buffer not in low.numbers)
        for arg in condition.args
    )


def only_moves(steps: Sequence[Step], wanted: set[Buffer]) -> bool:
    """Whether an arm gives its results numbers that are known or lie in memory of their own."""
    statements = [*statements_of(steps)]
    stores = [one for one in statements if isinstance(one, Store)]
    return (
        all(isinstance(step, Launch) and not step.kernel.axes for step in steps)
        and all(is_simple(one) and is_number(one.value) for one in stores)
        and len(stores) == len(statements) == len(wanted)
        and {one.buffer for one in stores} == wanted
    )


def is_number(expr: Expr) -> bool:
    return isinstance(expr, Const) or (isinstance(expr, Load) and expr.offset is Offset())


def is_whole(value: Value) -> bool:
    return value.type.form is not Form.ARRAY and value.dtype.kind in "bi"


def is_short(steps: Sequence[Step], numbers: set[Buffer]) -> bool:
    """Whether an arm has nothing but a few operations on integers, made of `numbers`."""
    known = numbers | {
        step.buffer for step in steps if isinstance(step, Allocate) and not step.type.shape
    }
    statements = [*statements_of(steps)]
    made = {one.buffer for one in statements if isinstance(one, Store)}
    others = [one for one in steps if not isinstance(one, Allocate | Launch)]
    arrays = [one for one in steps if isinstance(one, Allocate) and one.type.shape]
    if others or arrays or any(isinstance(s, Launch) and s.kernel.axes for s in steps):
        return False
    if not all(is_simple(one) for one in statements):
        return False
    checks = sum(isinstance(one, Check) for one in statements)
    exprs = walk(root for one in statements for root in one.roots)
    values = walk(one.value for one in statements if isinstance(one, Store))
    operations = sum(isinstance(one, Apply | Select) for one in values)
    return checks <= MOST and operations <= MOST and all(
        is_safe(one, known | made) for one in exprs)


def statements_of(steps: Sequence[Step]) -> Iterator[Statement]:
    """All but checks of what is known to hold."""
    for step in steps:
        if isinstance(step, Launch):
            for one in step.kernel.statements:
                if not (isinstance(one, Check) and is_true(one.condition)):
                    yield one  # type: ignore[misc]


def computes(steps: Sequence[Step]) -> bool:
    """Whether an arm does more than to leave numbers as they are: where one does not, LLVM makes a
    choice of the branch if there is no check in it, and which arm is taken is seldom hard to
    guess."""
    return any(isinstance(one, Apply) for one in walk(
        root for statement in statements_of(steps) for root in statement.roots))


def is_simple(statement: object) -> bool:
    """A check, or the store of one number."""
    if isinstance(statement, Store):
        return statement.offset is Offset() and not statement.indices
    return isinstance(statement, Check)


def is_safe(expr: Expr, numbers: set[Buffer]) -> bool:
    """Whether one operation can be computed in vain."""
    if expr.dtype.kind not in "bi":
        return False
    match expr:
        case Const() | Select():
            return True
        case Convert():
            return expr.arg.dtype.kind in "bi"
        case Load():
            return expr.offset is Offset() and expr.buffer in numbers
        case Apply() if expr.op in BY_CONSTANT:
            second = expr.args[1]
            return isinstance(second, Const) and int(value_of(second)) in BY_CONSTANT[expr.op]
        case Apply():
            return expr.op in SAFE
    return False


def _chosen(
    test: Expr, true: Sequence[Step], false: Sequence[Step], results: Sequence[Value]
) -> Iterator[Step | Statement]:
    not_taken = apply("logical_not", (test,), BOOL), test
    wanted = {load_of(result).buffer for result in results}
    found: tuple[dict[Buffer, Expr], ...] = ({}, {})
    for steps, untaken, outputs in zip((true, false), not_taken, found):
        yield from (step for step in steps if isinstance(step, Allocate))
        for one in statements_of(steps):
            if isinstance(one, Check):
                yield Check(apply("logical_or", (untaken, one.condition), BOOL))
            elif one.buffer in wanted:
                outputs[one.buffer] = one.value
            else:
                yield one
    for buffer, value in found[0].items():
        yield Store(buffer, Offset(), select(test, value, found[1][buffer]))


def run_both(low: Lowering, steps: Iterator[Step | Statement]) -> None:
    for step in steps:
        if isinstance(step, Store | Check):
            low.launch((), step)
        else:
            low.steps.append(step)


__all__ = ["both_arms", "choosing", "run_both"]
