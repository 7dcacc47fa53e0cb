"""bfloat16, which `ml_dtypes` adds to NumPy's dtypes: what CuPy's arrays of it can be asked for.

CuPy computes each operation in single precision and rounds its result, which `passes.single` spells
out. Where it does something else, or has no such function, the call is CuPy's own.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..row import ROWS, Kind, Op
from ..tree import leaves
from ..types import ArrayType, Form, is_bfloat16

FOLD_OPTIONS = frozenset({"axis", "dtype", "keepdims"})
EXACT_INTS = 256
"""Integers up to this one have all their digits."""


def has_bfloat16(kinds: Iterable[Any]) -> bool:
    return any(isinstance(kind, ArrayType) and is_bfloat16(kind.dtype) for kind in kinds)


def why_not_bfloat16(row: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Why a call with arrays of bfloat16 is CuPy's own, or None."""
    if row.kind in (Kind.VIEW, Kind.CONTROL) or row.bfloat16 == "moved":
        return None
    if row.bfloat16 is None:
        return f"{row.name} of bfloat16"
    return WHY_NOT[row.bfloat16](row, args, kwargs)


def _why_not_rounded(row: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    return f"{row.name} of bfloat16" if kwargs else _why_not_numbers(row, args)


def _why_not_in_place(row: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """What the ufunc gives is of bfloat16 as well."""
    ufunc = ROWS[row.using["ufunc"]]
    if ufunc.bfloat16 is None:
        return f"{row.name} of bfloat16"
    if not all(map(_stays_half, args)):
        return f"{row.name} of bfloat16 and another type"
    return _why_not_numbers(ufunc, args)


def _why_not_folded(row: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    if len(args) > 2 or not kwargs.keys() <= FOLD_OPTIONS:
        return f"{row.name} of bfloat16"
    return None if has_bfloat16(args) else f"{row.name} that is rounded to bfloat16"


def _why_not_assigned(row: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    key, value = args[1:]
    is_known = has_bfloat16([value]) and not has_arrays(key)
    return None if is_known else "a write of something else into an array of bfloat16"


def has_arrays(tree: Any) -> bool:
    return any(isinstance(leaf, ArrayType) and leaf.ndim for leaf in leaves(tree))


def _stays_half(value: Any) -> bool:
    """Whether an operand lets an operation be of bfloat16."""
    return type(value) is int or has_bfloat16([value])


def _why_not_multiplied(row: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """CuPy multiplies vectors and matrices, not stacks of these."""
    kinds = [leaf for leaf in leaves(args) if isinstance(leaf, ArrayType)]
    is_known = not kwargs and all(
        is_bfloat16(kind.dtype) and kind.ndim in (1, 2) for kind in kinds)
    return None if is_known else f"{row.name} of bfloat16 and these"


def _why_not_numbers(ufunc: Op, args: tuple[Any, ...]) -> str | None:
    """Python's ints become bfloat16 first, of which long ones would lose digits."""
    for value in args:
        if isinstance(value, ArrayType) and value.form is Form.ARRAY:
            continue
        if isinstance(value, ArrayType) or (type(value) is int and abs(value) > EXACT_INTS):
            return f"{ufunc.name} of bfloat16 and such a number"
        if ufunc.target is np.power and type(value) in (float, complex):
            return "a power of bfloat16 in double precision"
    return None


WHY_NOT: dict[str, Callable[[Op, tuple[Any, ...], dict[str, Any]], str | None]] = {
    "rounded": _why_not_rounded, "in_place": _why_not_in_place, "folded": _why_not_folded,
    "multiplied": _why_not_multiplied, "assigned": _why_not_assigned,
}
"""What CuPy does with bfloat16, as rows have it → why a call is not just that, or None."""
