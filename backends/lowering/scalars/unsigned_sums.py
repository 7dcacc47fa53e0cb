"""Sums of small unsigned integers, with multiples in them: one check for all that is inside.

Of `4 * a + 2 * b + c` neither a product nor the first sum has overflowed where the whole has not,
since nothing that is added is negative. So the number is computed with 64 bits, and it is the whole
that is checked; the checks of its parts, which have been made already, are taken back.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ....base.records import dataclass
from ...loop_ir import simplify
from ...loop_ir.loops import Check, Const, Expr, Gather, Load, walk
from ...loop_ir.program import Allocate, Launch, Step
from ...loop_ir.simplify import BOOL, INT64, const, convert
from ..arithmetic.pointwise import compare
from ..state.context import Lowering
from .intervals import interval, note_within

LARGEST = 2**62
"""A sum of parts that nobody has checked stays below."""


@dataclass(frozen=True, slots=True)
class Exact:
    """A number with 64 bits, what it is at most whatever has been checked, and which steps have
    checked that the short one is the same."""

    wide: Expr
    most: int
    checks: Sequence[int] = ()


def is_sum(kind: str, operands: Sequence[Expr], dtype: np.dtype) -> bool:
    """Whether a result is not below the operands of which it is made."""
    if dtype.kind != "u" or dtype.itemsize > 4:
        return False
    is_multiple = kind == "product" and any(
        isinstance(one, Const) and int(simplify.value_of(one)) > 0 for one in operands)
    return kind == "sum" or is_multiple


def exact(low: Lowering, operand: Expr) -> Exact:
    if (found := low.exact.get(operand)) is not None:
        return found
    if isinstance(operand, Const):
        number = int(simplify.value_of(operand))
        return Exact(const(number, INT64), number)
    return Exact(convert(operand, INT64), interval(low, operand)[1])


def together(kind: str, left: Exact, right: Exact) -> Exact:
    if kind == "sum":
        wide = simplify.apply("add", (left.wide, right.wide), INT64)
        return Exact(wide, left.most + right.most)
    return Exact(simplify.apply("multiply", (left.wide, right.wide), INT64), left.most * right.most)


def note_sum(
    low: Lowering, kind: str, operands: Sequence[Expr], result: Expr, checks: Sequence[int]
) -> None:
    """Remember what a result is a part of which may be checked as a whole."""
    left, right = (exact(low, operand) for operand in operands)
    made = together(kind, left, right)
    low.exact[result] = Exact(made.wide, made.most, tuple(checks))


def checked_as_a_whole(
    low: Lowering, kind: str, operands: Sequence[Expr], dtype: np.dtype
) -> Expr | None:
    """The result where its one check replaces those of its operands; None where there are none, or
    something may have been done with an operand that depends on them."""
    parts = [exact(low, operand) for operand in operands]
    checks = [place for part in parts for place in part.checks]
    whole = together(kind, *parts)
    if not checks or whole.most >= LARGEST:
        return None
    own = {operand for operand, part in zip(operands, parts) if part.checks}
    if not all(is_unused(step, own) for step in low.steps[min(checks) + 1 :]):
        return None
    for place in checks:
        low.steps[place] = without_checks(low.steps[place])
    most = int(np.iinfo(dtype).max)
    low.launch((), Check(compare("less_equal", whole.wide, const(most, INT64))))
    result = convert(whole.wide, dtype)
    note_within(low, whole.wide, (0, most))
    low.exact[result] = Exact(whole.wide, whole.most, (len(low.steps) - 1,))
    return result


def is_unused(step: Step, numbers: set[Expr]) -> bool:
    """Whether a step is a simple one that reads none of these, and changes nothing of them."""
    if isinstance(step, Allocate):
        return True
    if not isinstance(step, Launch) or step.kernel.axes:
        return False
    parts = {part for one in step.kernel.statements for part in walk(one.roots)}
    read = {one.buffer for one in walk(numbers) if isinstance(one, Load | Gather)}
    return numbers.isdisjoint(parts) and read.isdisjoint(step.writes)


def without_checks(step: Step) -> Step:
    assert isinstance(step, Launch)
    return Launch(replace(step.kernel, statements=(Check(const(True, BOOL)),)))
