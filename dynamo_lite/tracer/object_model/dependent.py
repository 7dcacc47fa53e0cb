"""Python numbers that follow from sizes and arguments: `n / 2`, `math.sqrt(n)`, `int(lr * 10)`.

Each is a value from outside again, found by the same computation: Python itself makes it, in the
guards where something depends on it, and in front of the graph where the graph reads it. So it has
Python's own value, type and errors, and changes without a compilation.
"""
from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...guards.kinds import TYPE
from ...guards.sources import DependentSource, LiteralSource, Pinned, Source
from ..state.tracker import VariableTracker
from .constants import ConstantVariable

if TYPE_CHECKING:
    from ..state.tx import Tx

Found = tuple[Source, Any]
"""Where a number is found, and its value in this call."""

FINDERS: dict[type[VariableTracker], Callable[[Any, Any], Found | None]] = {}
"""Kind of tracker → where its number is found; filled by each kind."""

MAKERS: dict[type, Callable[[Any, Any, Source], VariableTracker]] = {
    bool: lambda tx, value, source: ConstantVariable(value, source),
}
"""Type of a result → its tracker; filled by each kind."""

NUMBERS = (bool, int, float)

TOTAL = frozenset({
    operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.abs, abs, float,
})  # fmt: skip
"""What never raises for floats and ints of 64 bits, and gives a float wherever it gave one."""


def _of_constant(tx: Tx, value: ConstantVariable) -> Found | None:
    if type(value.value) not in NUMBERS:
        return None
    known = value.as_constant(tx)
    return LiteralSource(known), known


FINDERS[ConstantVariable] = _of_constant


def dependent(
    tx: Tx, function: Callable[..., Any], operands: Sequence[VariableTracker]
) -> VariableTracker | None:
    """`function(*operands)` for a pure function of Python numbers; None where that is not one, or
    raises in this call."""
    if not 1 <= len(operands) <= 2 or not any(operand.in_graph for operand in operands):
        return None
    if not all(type(operand) in FINDERS for operand in operands):
        return None
    found = [FINDERS[type(operand)](tx, operand) for operand in operands]
    sources = tuple(place[0] for place in found if place is not None)
    if len(sources) != len(operands):
        return None
    try:
        value = function(*[place[1] for place in found if place is not None])
    except (ArithmeticError, ValueError, TypeError):
        return None
    if (make := MAKERS.get(type(value))) is None:
        return None
    source = DependentSource(Pinned(function), sources)
    if _weight(source) > HEAVIEST:
        return None
    if not _is_total(function, sources, value):
        tx.guards.install(source, TYPE, value, tx.location())
    tx.state.dependents += 1
    return make(tx, value, source)


HEAVIEST = 400
"""The most numbers that a number is computed from: each is read again for every one."""


def _weight(source: Source) -> int:
    return sum(map(_weight, source.operands)) if isinstance(source, DependentSource) else 1


def _is_total(function: Callable[..., Any], sources: Sequence[Source], value: Any) -> bool:
    if type(value) is not float:
        return False
    if function in TOTAL:
        return True
    divisor = sources[-1]
    return function is operator.truediv and isinstance(divisor, LiteralSource) and (
        divisor.value != 0 and math.isfinite(divisor.value)
    )
