"""Types of linear systems with factors."""
from __future__ import annotations

from typing import Any

from ..facts import Facts
from ..types import ArrayType
from .values import Wrong, as_array, result


def solved(a: Any, b: Any, *, facts: Facts) -> tuple[ArrayType, ArrayType]:
    """The factors have a row more, for the pivots."""
    matrix = as_array(a)
    if matrix.ndim < 2:
        raise Wrong
    *stack, _, size = matrix.shape
    return alike(b, facts=facts), result(matrix.dtype, (*stack, size + 1, size))


def solved_again(a: Any, b: Any, factors: Any, transposed: bool, *, facts: Facts) -> ArrayType:
    return alike(b, facts=facts)


def divided(
    b: Any, triangle: Any, upper: bool = False, transposed: bool = False, right: bool = False,
    *, facts: Facts,
) -> ArrayType:
    return alike(b, facts=facts)


def alike(b: Any, *, facts: Facts) -> ArrayType:
    """In C order, whatever that of the right side is."""
    kind = as_array(b)
    return result(kind.dtype, kind.shape)
