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
from ..row import FOREIGN_ROWS, ROWS, Effect, Kind, Op
from ..rules.pointwise import resolve
from ..rules.values import as_type
from ..tree import leaves, map_leaves
from ..types import ArrayType, Form, contiguous_strides

NUMPY = "numpy"
ARRAY_CLASSES = {("cupy", "ndarray"): "cupy"}
"""Module and name of an array class → the library, which need not be imported to recognise it."""

CONVERSIONS = (bool, int, float, complex)
"""What makes a number of Python of an array's one element: the program waits for it."""
ALIKE = (np.nonzero,)
"""Functions whose results are laid out as NumPy's are."""
FOLD_OPTIONS = frozenset({"axis", "dtype", "out", "keepdims", "ddof"})


def library_of(kind: type) -> str | None:
    """The library whose arrays have this very class, or None."""
    if kind is np.ndarray:
        return NUMPY
    return ARRAY_CLASSES.get((kind.__module__, kind.__qualname__))


def array_class(library: str) -> type:
    """The class of a library's arrays; one has been seen, so the library is loaded."""
    kind: type = sys.modules[library].ndarray
    return kind


def byte_bounds(array: Any) -> tuple[int, int]:
    """The addresses of an array's first byte and of the one behind its last."""
    if isinstance(array, np.ndarray):
        return np.lib.array_utils.byte_bounds(array)
    begin = end = array.data.ptr
    if array.size:
        reach = [(size - 1) * stride for size, stride in zip(array.shape, array.strides)]
        begin += sum(step for step in reach if step < 0)
        end += sum(step for step in reach if step > 0) + array.itemsize
    return begin, end


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
    if row.target in CONVERSIONS:
        return result
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
        if is_view or row.target in ALIKE:
            return replace(kind, library=library)
        strides = contiguous_strides(kind.shape, kind.dtype.itemsize)
        return replace(kind, form=Form.ARRAY, strides=strides, library=library)

    return map_leaves(moved, result)


def take_creation(library: str, function: Any, counterpart: Any) -> bool:
    """Make a row for a function of a library that makes arrays of numbers, as NumPy's counterpart
    does; False where that is no such function."""
    row = ROWS.get(counterpart)
    if row is None or row.kind is not Kind.CREATION:
        return False
    if function not in FOREIGN_ROWS:
        lowering = row.lowering if row.lowering in SAME_BITS else None
        FOREIGN_ROWS[function] = replace(
            row, target=function, infer=_made_in(library, row.infer), lowering=lowering,
            handler=None, itself=None, strided_view=None)
    return True


def maker_in(library: str, function: Any) -> Any:
    """A library's function that makes arrays of numbers as this one of NumPy's does; the same
    where it does something else."""
    if library == NUMPY:
        return function
    theirs = getattr(sys.modules[library], getattr(function, "__name__", ""), None)
    return theirs if theirs is not None and take_creation(library, theirs, function) else function


SAME_BITS = frozenset({"filled", "empty", "full", "eye", "tri"})
"""Lowerings that say nothing of how numbers are computed; others are the library's own business."""


def _made_in(library: str, rule: Any) -> Any:
    def infer(*args: Any, facts: Any, **kwargs: Any) -> Any:
        if any(isinstance(leaf, (np.ndarray, ArrayType)) and as_type(leaf).form is Form.ARRAY
               for leaf in leaves((args, kwargs))):
            raise Unsupported(f"an array of {library} made of one of another library")
        return map_leaves(
            lambda kind: replace(kind, library=library) if isinstance(kind, ArrayType) else kind,
            rule(*args, facts=facts, **kwargs))

    return infer


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
    if loop not in _loops(ufunc.__name__, sys.modules.get("ml_dtypes")):
        return f"{ufunc.__name__} has no loop {', '.join(map(str, loop))}"
    return None


@lru_cache(None)
def _loops(name: str, ml_dtypes: Any) -> frozenset[tuple[np.dtype, ...]]:
    """CuPy's letter "E" is the bfloat16 of that package, where it is imported."""
    types = getattr(getattr(sys.modules["cupy"], name, None), "types", ())
    loops = (text.replace("->", "") for text in types)
    known = {letter: np.dtype(letter) for letter in np.typecodes["All"]}
    if ml_dtypes is not None:
        known["E"] = np.dtype(ml_dtypes.bfloat16)
    return frozenset(
        tuple(map(known.__getitem__, loop)) for loop in loops if known.keys() >= set(loop))
