"""Python's arithmetic operators on NumPy scalars: as the ufuncs, but integer overflow warns, and
complex products and absolute values have formulas of their own."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..row import ROWS
from ..types import Form
from .composite import Emit
from .pointwise import resolve


def scalar_operator(ufunc: np.ufunc) -> Callable[..., Any]:
    """Arrays and most inexact scalars are the ufunc; the others stay an operation of their own."""

    def definition(emit: Emit, *operands: Any) -> Any:
        kinds = [emit.type(operand) for operand in operands]
        if all(kind.form is Form.PYTHON for kind in kinds):
            raise Unsupported("arithmetic of Python numbers")
        if any(kind.form is Form.ARRAY for kind in kinds):
            return emit(ufunc, *operands)
        if ufunc is np.power and (shortcut := _power(emit, *operands)) is not None:
            return shortcut
        if all(kind.dtype.kind in "biu" for kind in kinds) or ufunc is np.power:
            return emit.whole(ufunc, *operands)
        if ROWS[ufunc].formula and any(kind.dtype.kind == "c" for kind in kinds):
            return emit.whole(ufunc, *operands)
        return emit(ufunc, *operands)

    return definition


def _power(emit: Emit, base: Any, exponent: Any) -> Any:
    """Squares of whole numbers. Those of floats are C's pow, which may differ in the last bit."""
    kind = emit.type(base)
    dtype = resolve(np.power, (kind, emit.type(exponent)), (None,))[-1]
    known = isinstance(exponent, (int, float, np.integer, np.floating))
    if not known or exponent != 2 or dtype.kind not in "iu":
        return None
    return emit(np.square, base if kind.dtype == dtype else emit(np.ndarray.astype, base, dtype))
