"""Branches whose arms compute a few integers: both do, and what the taken one gives is chosen.

Such a branch costs less than it does to guess wrong which arm is taken. An arm that is not taken
must have no effect: its checks hold whatever they find, it reads elements only where nothing has to
be checked before, and what it stores in an array the other arm stores at the same place. Where arms
only leave numbers as they are, and floats are compared, the comparison itself chooses: LLVM would
choose by a mask that it makes of a flag of the processor.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Union

from ....ir.sizes import Size
from ....ir.types import Form
from ...loop_ir.loops import (
    Apply,
    Buffer,
    Check,
    Const,
    Convert,
    Expr,
    Gather,
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
Place = tuple[Buffer, Offset, tuple[tuple[Expr, Size], ...]]


def both_arms(
    test: Value, blocks: Sequence[Sequence[Step]], given: Sequence[object],
    results: Sequence[Value], anew: Callable[[], Sequence[Sequence[Step]]] | None,
) -> Iterator[Step | Statement] | None:
    """The steps of both arms, `blocks`, and statements that choose their `results`; None where the
    arms are not so short. They read numbers that they are `given`, and elements. Where they were
    lowered in the knowledge of which arm is taken, `anew` lowers them without it: that an element
    is there must not follow from it."""
    known = {
        load_of(value).buffer for value in given
        if isinstance(value, Value) and value.type.form is not Form.ARRAY
        and isinstance(value.expr, Load)
    }
    numbers, arrays = (
        {load_of(one).buffer for one in results if (one.type.form is Form.ARRAY) is is_array}
        for is_array in (False, True)
    )
    if not results or any(one.dtype.kind not in "bi" for one in results):
        return None
    true, false = blocks
    if not (computes(true) and computes(false)):
        return None
    if not (is_short(true, known | numbers, arrays) and is_short(false, known | numbers, arrays)):
        return None
    if anew is not None and any(reads_elements(block, known | numbers) for block in blocks):
        return both_arms(test, anew(), given, results, None)
    if arrays:
        if not store_alike(true, false, arrays, numbers | arrays):
            return None
    elif not any(isinstance(one, Check) for one in statements_of((*true, *false))):
        return None
    return _chosen(test.expr, true, false, numbers | arrays)


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
    return _chosen(condition, true, false, wanted)


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


def is_short(steps: Sequence[Step], numbers: set[Buffer], arrays: set[Buffer]) -> bool:
    """Whether an arm has nothing but a few operations on integers, made of `numbers` and of
    elements that are there whichever arm is taken, and stores in `arrays` at most."""
    others = [one for one in steps if not isinstance(one, Allocate | Launch)]
    if others or any(isinstance(one, Allocate) and one.type.shape for one in steps):
        return False
    if any(isinstance(one, Launch) and one.kernel.axes for one in steps):
        return False
    numbers = numbers_of(steps, numbers)
    statements = [*statements_of(steps)]
    stores = [one for one in statements if isinstance(one, Store)]
    if not all(one.buffer in arrays or (one.buffer in numbers and is_simple(one))
               for one in stores):
        return False
    operations = sum(
        isinstance(one, Apply | Select) for one in walk(store.value for store in stores))
    return len(statements) - len(stores) <= MOST and operations <= MOST and all(
        is_safe(one) for one in walk(root for one in statements for root in one.roots)
    ) and reads_unchecked(statements, numbers)


def numbers_of(steps: Sequence[Step], others: set[Buffer]) -> set[Buffer]:
    """The buffers of numbers that an arm may read: its own, and `others`."""
    return others | {step.buffer for step in steps if isinstance(step, Allocate)}


def elements_of(statement: Statement, numbers: set[Buffer]) -> set[Expr]:
    return {one for one in walk(statement.roots)
            if isinstance(one, Load | Gather) and one.buffer not in numbers}


def reads_elements(steps: Sequence[Step], numbers: set[Buffer]) -> bool:
    numbers = numbers_of(steps, numbers)
    return any(elements_of(one, numbers) for one in statements_of(steps))


def reads_unchecked(statements: Sequence[Statement], numbers: set[Buffer]) -> bool:
    """Whether all elements that an arm reads are read, for the first time, before it has checked
    anything: they are there whatever a check would find."""
    read: set[Expr] = set()
    is_checked = False
    for statement in statements:
        elements = elements_of(statement, numbers)
        if is_checked and not elements <= read:
            return False
        read |= elements
        is_checked |= isinstance(statement, Check)
    return True


def store_alike(
    true: Sequence[Step], false: Sequence[Step], arrays: set[Buffer], wanted: set[Buffer]
) -> bool:
    """Whether both arms store the same elements in the same order, one in each of the `arrays`, and
    what is not `wanted` behind the arms is computed without them."""
    found: tuple[dict[Buffer, Place], ...] = ({}, {})
    for steps, places in zip((true, false), found):
        for one in statements_of(steps):
            is_wanted = isinstance(one, Store) and one.buffer in wanted
            if not is_wanted and any(
                isinstance(expr, Load | Gather) and expr.buffer in places
                for expr in walk(one.roots)
            ):
                return False
            if isinstance(one, Store) and one.buffer in arrays:
                if one.buffer in places:
                    return False
                places[one.buffer] = place_of(one)
    return [*found[0].items()] == [*found[1].items()] and found[0].keys() == arrays


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


def is_safe(expr: Expr) -> bool:
    """Whether one operation can be computed in vain: to look up an element, which may lie far from
    the last one, takes too long for that."""
    if expr.dtype.kind not in "bi":
        return False
    match expr:
        case Const() | Select() | Load():
            return True
        case Convert():
            return expr.arg.dtype.kind in "bi"
        case Apply() if expr.op in BY_CONSTANT:
            second = expr.args[1]
            return isinstance(second, Const) and int(value_of(second)) in BY_CONSTANT[expr.op]
        case Apply():
            return expr.op in SAFE
    return False


def place_of(store: Store) -> Place:
    return store.buffer, store.offset, store.indices


def _chosen(
    test: Expr, true: Sequence[Step], false: Sequence[Step], wanted: set[Buffer]
) -> Iterator[Step | Statement]:
    """Both arms, and behind them what they store in the buffers `wanted`."""
    not_taken = apply("logical_not", (test,), BOOL), test
    found: tuple[dict[Place, Expr], ...] = ({}, {})
    for steps, untaken, outputs in zip((true, false), not_taken, found):
        yield from (step for step in steps if isinstance(step, Allocate))
        for one in statements_of(steps):
            if isinstance(one, Check):
                yield Check(apply("logical_or", (untaken, one.condition), BOOL))
            elif one.buffer in wanted:
                outputs[place_of(one)] = one.value
            else:
                yield one
    for (buffer, offset, indices), value in found[0].items():
        other = found[1][buffer, offset, indices]
        yield Store(buffer, offset, select(test, value, other), indices)


def run_both(low: Lowering, steps: Iterator[Step | Statement]) -> None:
    for step in steps:
        if isinstance(step, Store | Check):
            low.launch((), step)
        else:
            low.steps.append(step)


__all__ = ["both_arms", "choosing", "run_both"]
