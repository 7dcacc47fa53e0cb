"""Python's arithmetic operators on NumPy scalars: as the ufuncs, but integer overflow warns."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..types import Form
from .composite import Emit


def scalar_operator(ufunc: np.ufunc) -> Callable[..., Any]:
    """Arrays and inexact scalars are the ufunc; integer scalars stay an operation of their own."""

    def definition(emit: Emit, *operands: Any) -> Any:
        kinds = [emit.type(operand) for operand in operands]
        if all(kind.form is Form.PYTHON for kind in kinds):
            raise Unsupported("arithmetic of Python numbers")
        if any(kind.form is Form.ARRAY for kind in kinds):
            return emit(ufunc, *operands)
        if all(kind.dtype.kind in "biu" for kind in kinds) or ufunc is np.power:
            return emit.whole(ufunc, *operands)
        return emit(ufunc, *operands)

    return definition
