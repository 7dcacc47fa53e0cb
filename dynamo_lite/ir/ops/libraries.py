"""Arrays of other libraries: what differs when CuPy, rather than NumPy, does a call.

The graph names NumPy's functions for both, and `ArrayType.library` tells whose arrays they take.
CuPy has no scalars (a full reduction gives a 0-d array), lays results out in C order, and gives a
view where NumPy gives one element. Where a call would differ in another way it is Unsupported.
"""
from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from ...errors import Unsupported
from .. import core
from ..row import Effect, Kind, Op
from ..rules.pointwise import resolve
from ..rules.values import as_type
from ..tree import leaves, map_leaves
from ..types import ArrayType, Form, contiguous_strides

NUMPY = "numpy"
ARRAY_CLASSES = {("cupy", "ndarray"): "cupy"}
"""Module and name of an array class → the library, which need not be imported to recognise it."""

FOLD_OPTIONS = frozenset({"axis", "dtype", "out", "keepdims"})


def library_of(kind: type) -> str | None:
    """The library whose arrays have this very class, or None."""
    if kind is np.ndarray:
        return NUMPY
    return ARRAY_CLASSES.get((kind.__module__, kind.__qualname__))


def array_class(library: str) -> type:
    """The class of a library's arrays; one has been seen, so the library is loaded."""
    kind: type = sys.modules[library].ndarray
    return kind


def library_among(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The one library of all the arrays in a call; Unsupported when there are several."""
    found = NUMPY
    for leaf in leaves((args, kwargs)):
        if isinstance(leaf, ArrayType) and leaf.library != NUMPY:
            found = leaf.library
    if found != NUMPY:
        for leaf in leaves((args, kwargs)):
            is_array = isinstance(leaf, ArrayType) and leaf.form is Form.ARRAY
            if isinstance(leaf, np.ndarray) or (is_array and leaf.library != found):
                raise Unsupported(f"arrays of {found} and of another library in one call")
    return found


def result_in(
    library: str, row: Op, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, facts: Any
) -> Any:
    """The type of a call in `library`, given its type in NumPy."""
    if (why := why_not_alike(row, args, kwargs)) is not None:
        raise Unsupported(f"in {library}, {why}")
    is_view = row.kind is Kind.WRITE or "out" in kwargs or row.target is core.update
    if row.strided_view is not None and not is_view:
        is_view = row.strided_view(*args, facts=facts, **kwargs) is not None

    def moved(kind: Any) -> Any:
        if not isinstance(kind, ArrayType):
            return kind
        if kind.form is Form.PYTHON:
            raise Unsupported(f"a Python number from an array of {library}")
        if kind.form is Form.SCALAR and row.target is operator.getitem:
            raise Unsupported(f"one element of an array of {library}, which is a view")
        if is_view:
            return replace(kind, library=library)
        strides = contiguous_strides(kind.shape, kind.dtype.itemsize)
        return replace(kind, form=Form.ARRAY, strides=strides, library=library)

    return map_leaves(moved, result)


def why_not_alike(row: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Why a call may do something else than in NumPy, or None."""
    if row.effect in (Effect.RANDOM, Effect.STATE):
        return "random numbers are others"
    if row.kind in (Kind.REDUCTION, Kind.SCAN) and (rest := set(kwargs) - FOLD_OPTIONS):
        return f"{row.name} takes no {', '.join(sorted(rest))}"
    if row.keeps_order and not all(
        leaf.is_c_contiguous for leaf in leaves(args) if isinstance(leaf, ArrayType)
    ):
        return f"{row.name} may lay its result out differently"
    if isinstance(row.target, np.ufunc):
        return _why_not_ufunc(row.target, args, kwargs)
    return None


def _why_not_ufunc(
    ufunc: np.ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str | None:
    if any(isinstance(value, (tuple, list)) for value in args):
        return f"{ufunc.__name__} takes no sequences"
    if set(kwargs) - {"out", "dtype"}:
        return f"{ufunc.__name__} with {', '.join(sorted(kwargs))}"
    if "cupy" not in sys.modules or ufunc.signature is not None:
        return None
    operands = [as_type(value) for value in args[: ufunc.nin]]
    return _why_no_loop(ufunc, tuple(operands), kwargs.get("dtype"))


def _why_no_loop(ufunc: np.ufunc, operands: Sequence[ArrayType], dtype: Any) -> str | None:
    """CuPy's own table must have the loop that NumPy would run."""
    outs: list[ArrayType | None] = [None] * ufunc.nout
    signature = None if dtype is None else (None,) * ufunc.nin + (np.dtype(dtype),) * ufunc.nout
    loop = resolve(ufunc, operands, outs, "same_kind", signature)
    if loop not in _loops(ufunc.__name__):
        return f"{ufunc.__name__} has no loop {', '.join(map(str, loop))}"
    return None


@lru_cache(None)
def _loops(name: str) -> frozenset[tuple[np.dtype, ...]]:
    types = getattr(getattr(sys.modules["cupy"], name, None), "types", ())
    return frozenset(
        tuple(np.dtype(letter) for letter in text.replace("->", "")) for text in types
    )
