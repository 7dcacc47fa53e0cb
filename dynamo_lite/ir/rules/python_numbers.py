"""Arithmetic of Python's own numbers that the graph computes: ints of 64 bits, floats, bools.

Where Python would go on with a longer int, or raise, the compiled call bails out.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..facts import Facts
from ..types import ArrayType, Form, python_number
from .values import Wrong, as_type

KINDS = "bif"


def kinds_of(operands: tuple[Any, ...]) -> str | None:
    """The kind letters of operands that are Python numbers, or None when one is not."""
    types = [as_type(operand) for operand in operands]
    if any(kind.form is not Form.PYTHON for kind in types):
        return None
    letters = "".join(kind.dtype.kind for kind in types)
    if set(letters) - set(KINDS):
        raise Unsupported("arithmetic of Python's complex numbers")
    return letters


def arithmetic(otherwise: Callable[..., Any] | None) -> Callable[..., Any]:
    """Python's rule for Python's numbers; NumPy's, `otherwise`, for its scalars."""

    def infer(*operands: Any, facts: Facts) -> Any:
        letters = kinds_of(operands)
        if letters is None:
            assert otherwise is not None
            return otherwise(*operands, facts=facts)
        if "b" in letters:
            raise Unsupported("arithmetic of a bool that is computed from data")
        return python_number(float if "f" in letters else int)

    return infer


def divided(left: Any, right: Any, /, *, facts: Facts) -> ArrayType:
    _numbers(left, right)
    return python_number(float)


def compared(left: Any, right: Any, /, *, facts: Facts) -> ArrayType:
    _numbers(left, right)
    return python_number(bool)


def bits(left: Any, right: Any, /, *, facts: Facts) -> ArrayType:
    """Operators on the bits of two ints."""
    if _numbers(left, right) != "ii":
        raise Unsupported("an operator on bits of something else than two ints")
    return python_number(int)


def logic(left: Any, right: Any, /, *, facts: Facts) -> ArrayType:
    """The same of two ints, or of two bools, which give a bool."""
    return python_number(bool) if _numbers(left, right) == "bb" else bits(left, right, facts=facts)


def negated(value: Any, /, *, facts: Facts) -> ArrayType:
    """`not value`, of a bool."""
    kind = as_type(value)
    if kind.form is Form.ARRAY or kind.dtype != np.dtype(bool):
        raise Unsupported("`not` of something else than a bool")
    return python_number(bool)


def chosen(predicate: Any, true: Any, false: Any, /, *, facts: Facts) -> ArrayType:
    kinds = as_type(true), as_type(false)
    if kinds[0] != kinds[1] or kinds[0].form is Form.ARRAY:
        raise Unsupported("a choice of numbers of two types")
    return kinds[0]


def _numbers(*operands: Any) -> str:
    letters = kinds_of(operands)
    if letters is None:
        raise Wrong
    if "b" in letters and set(letters) != {"b"}:
        raise Unsupported("arithmetic of a bool that is computed from data")
    return letters
