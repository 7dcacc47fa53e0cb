"""bfloat16, which `ml_dtypes` adds to NumPy's dtypes: what CuPy's arrays of it can be asked for.

CuPy computes each operation in single precision and rounds its result, which `passes.single` spells
out. Where it does something else, or has no such function, the call is CuPy's own.
"""
from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import core
from ..row import Kind, Op
from ..tree import leaves
from ..types import ArrayType, Form, is_bfloat16
from .writes import IN_PLACE

OTHERWISE = frozenset({
    np.remainder, np.deg2rad, np.rad2deg, np.degrees, np.radians, np.nextafter, np.logical_and,
    np.logical_or, np.logical_xor, np.logical_not,
})
"""Ufuncs with which CuPy does more than round what it finds in single precision."""
FOLDS = frozenset({
    np.sum, np.prod, np.mean, np.max, np.amax, np.min, np.amin, np.argmax, np.argmin,
})
MOVES = frozenset({
    np.ndarray.astype, np.ndarray.copy, np.copy, np.ndarray.flatten, np.concatenate, np.stack,
    np.vstack, np.hstack, np.split, np.array_split, np.take, np.roll, np.repeat, np.tile,
    np.ascontiguousarray, np.zeros_like, np.ones_like, np.empty_like, core.update,
})
"""What moves elements, or makes others, and computes with none."""
PRODUCTS = frozenset({np.matmul, np.dot, np.inner})
FOLD_OPTIONS = frozenset({"axis", "dtype", "keepdims"})
EXACT_INTS = 256
"""Integers up to this one have all their digits."""


def has_bfloat16(kinds: Iterable[Any]) -> bool:
    return any(isinstance(kind, ArrayType) and is_bfloat16(kind.dtype) for kind in kinds)


def why_not_bfloat16(row: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Why a call with arrays of bfloat16 is CuPy's own, or None."""
    if row.kind in (Kind.VIEW, Kind.CONTROL) or row.target in MOVES:
        return None
    if row.target in PRODUCTS:
        return _why_not_product(row, args, kwargs)
    if row.target in FOLDS and len(args) <= 2 and kwargs.keys() <= FOLD_OPTIONS:
        return None if has_bfloat16(args) else f"{row.name} that is rounded to bfloat16"
    if row.target is operator.setitem:
        key, value = args[1:]
        is_known = has_bfloat16([value]) and not has_arrays(key)
        return None if is_known else "a write of something else into an array of bfloat16"
    ufunc = IN_PLACE.get(row.target, row.target)
    if not isinstance(ufunc, np.ufunc) or ufunc.nout > 1 or kwargs or ufunc in OTHERWISE:
        return f"{row.name} of bfloat16"
    if ufunc is not row.target and not all(map(_stays_half, args)):
        return f"{row.name} of bfloat16 and another type"
    return _why_not_numbers(ufunc, args)


def has_arrays(tree: Any) -> bool:
    return any(isinstance(leaf, ArrayType) and leaf.ndim for leaf in leaves(tree))


def _stays_half(value: Any) -> bool:
    """Whether an operand lets an operation be of bfloat16."""
    return type(value) is int or has_bfloat16([value])


def _why_not_product(row: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """CuPy multiplies vectors and matrices, not stacks of these."""
    kinds = [leaf for leaf in leaves(args) if isinstance(leaf, ArrayType)]
    is_known = not kwargs and all(
        is_bfloat16(kind.dtype) and kind.ndim in (1, 2) for kind in kinds)
    return None if is_known else f"{row.name} of bfloat16 and these"


def _why_not_numbers(ufunc: np.ufunc, args: tuple[Any, ...]) -> str | None:
    """Python's ints become bfloat16 first, of which long ones would lose digits."""
    for value in args:
        if isinstance(value, ArrayType) and value.form is Form.ARRAY:
            continue
        if isinstance(value, ArrayType) or (type(value) is int and abs(value) > EXACT_INTS):
            return f"{ufunc.__name__} of bfloat16 and such a number"
        if ufunc is np.power and type(value) in (float, complex):
            return "a power of bfloat16 in double precision"
    return None
