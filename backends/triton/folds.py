"""How Triton kernels fold: one row per reduction of the loop IR."""
from __future__ import annotations

import numpy as np

from ...base.records import dataclass
from .pairs import SUM_OF_PARTS
from .scalars import TYPES

SUMS = ("add", SUM_OF_PARTS)


@dataclass(frozen=True, slots=True)
class Fold:
    """`inline` combines {a} and {b}; `function` is a jitted function of the prelude that does.
    `row` and `rows` fold the lanes of a row, or those of several, given how many there are at most:
    for Triton's interpreter, which folds them in NumPy's order."""

    inline: str
    function: str
    row: str = ""
    rows: str = ""


@dataclass(frozen=True, slots=True)
class Position:
    """`better`: whether {b} replaces {a}, seen earlier, as the best so far."""

    better: str
    function: str


COMBINE = {
    "add": Fold("{a} + {b}", "fold_add", "row_sum", "sums_of_rows"),
    SUM_OF_PARTS: Fold("{a} + {b}", "fold_add", "row_sum_of_parts", "sums_of_parts_of_rows"),
    "multiply": Fold("{a} * {b}", "fold_multiply"),
    "minimum": Fold("least({a}, {b})", "least"),
    "maximum": Fold("greatest({a}, {b})", "greatest"),
    "logical_and": Fold("{a} & {b}", "fold_and"),
    "logical_or": Fold("{a} | {b}", "fold_or"),
    "bitwise_and": Fold("{a} & {b}", "fold_and"),
    "bitwise_or": Fold("{a} | {b}", "fold_or"),
}

POSITIONS = {
    "argmin": Position("(({b} < {a}) | (({b} != {b}) & ({a} == {a})))", "fold_argmin"),
    "argmax": Position("(({b} > {a}) | (({b} != {b}) & ({a} == {a})))", "fold_argmax"),
}


def accumulator_type(op: str, dtype: np.dtype) -> str:
    """The register type that a fold runs in: half precision is summed in single precision."""
    half = dtype == np.float16 and op in ("add", "multiply")
    return TYPES[np.dtype(np.float32) if half else dtype].register


def neutral(op: str, dtype: np.dtype, shape: str) -> str:
    """Registers that a fold begins with. A sum of floats begins with -0.0, which changes none."""
    register = accumulator_type(op, dtype)
    if op not in SUMS or dtype.kind != "f":
        return f"tl.full({shape}, {identity(op, dtype)}, {register})"
    bits = 8 * max(dtype.itemsize, 4)
    return f"tl.full({shape}, {-(2 ** (bits - 1))}, tl.int{bits}).to({register}, bitcast=True)"


def identity(op: str, dtype: np.dtype) -> str:
    """The neutral value of a fold, as Python source."""
    if op in ("minimum", "argmin"):
        return _extreme(dtype, largest=True)
    if op in ("maximum", "argmax"):
        return _extreme(dtype, largest=False)
    if op == "bitwise_and":
        return "-1" if dtype.kind == "i" else _extreme(dtype, largest=True)
    return "1" if op in ("multiply", "logical_and") else "0"


def _extreme(dtype: np.dtype, largest: bool) -> str:
    if dtype.kind == "f":
        return "float('inf')" if largest else "float('-inf')"
    if dtype == np.bool_:
        return str(int(largest))
    limits = np.iinfo(dtype)
    return str(limits.max if largest else limits.min)
