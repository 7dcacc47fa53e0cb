"""One program per pointwise row and dtype, over pairs of awkward values."""
from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from dynamo_lite.backends.triton.kernels.pairs import FORMULAS

from dynamo_lite.ir.row import ROWS, Kind, Op

from .programs import DTYPES, Program

FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 3.0, 1e-4, 60000.0, np.inf, -np.inf, np.nan, 7.25)
INTEGERS = (0, 1, -1, 2, 3, -7, 5, 13, 40, 63)


def values(dtype: np.dtype) -> np.ndarray:
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind == "f":
        return np.array(FLOATS, dtype)
    if dtype.kind == "c":
        return complex_numbers(dtype)
    limits = np.iinfo(dtype)
    inside = [n for n in INTEGERS if limits.min <= n <= limits.max]
    return np.array([*inside, limits.min, limits.max], dtype)


def complex_numbers(dtype: np.dtype) -> np.ndarray:
    """Small and large ones, with zeros, infinities and NaNs for parts."""
    parts = np.array([0.0, -0.0, 1.0, -2.5, 1e-4, 300.0, np.inf, -np.inf, np.nan])
    made = np.empty((parts.size, parts.size), dtype)
    made.real, made.imag = parts[:, None], parts
    return made.ravel()


def operands(row: Op, dtype: np.dtype) -> tuple[np.ndarray, ...]:
    """All pairs (or single values) that the call is not abandoned for."""
    found = itertools.product(values(dtype), repeat=row.target.nin)
    keep = [v for v in found if dtype.kind in "fc" or not _is_checked(row, v)]
    return tuple(np.array(column, dtype) for column in zip(*keep))


DIVISIONS = {"zero divisor", "zero reciprocal"}


def _is_checked(row: Op, given: tuple[Any, ...]) -> bool:
    if "negative power" in row.checks:
        return bool(given[-1] < 0)
    return not DIVISIONS.isdisjoint(row.checks) and (not given[-1] or int(given[-1]) == -1)


def has_loop(row: Op, arrays: tuple[np.ndarray, ...]) -> bool:
    try:
        with np.errstate(all="ignore"):
            row.target(*arrays)
    except (TypeError, ValueError):
        return False
    return True


def program(row: Op) -> Any:
    return lambda *arrays: row.target(*arrays)


POINTWISE = [
    row for row in ROWS.values()
    if row.kind is Kind.POINTWISE and isinstance(row.target, np.ufunc) and row.target.nout == 1
    and (row.triton is not None or row.name in FORMULAS)
]  # fmt: skip


def dtypes_of(row: Op) -> tuple[Any, ...]:
    """Those that its templates or formulas are for."""
    real = DTYPES if row.triton is not None else ()
    return (*real, *(("c8", "c16") if row.name in FORMULAS else ()))


ROW_PROGRAMS: dict[str, Program] = {
    f"{row.name} {dtype}": Program(program(row), arrays)
    for row in POINTWISE
    for dtype in dtypes_of(row)
    if (row.name, dtype) != ("reciprocal", "?")
    if has_loop(row, arrays := operands(row, np.dtype(dtype)))
}
