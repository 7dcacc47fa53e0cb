"""How Triton kernels fold: one row per reduction of the loop IR."""
from __future__ import annotations

import numpy as np

from ....base.records import dataclass
from ...loop_ir.loops import Reduce
from .pairs import SUM_OF_PARTS
from .scalars import TYPES

SUMS = ("add", SUM_OF_PARTS)
IN_TURN, ROWS, PARTS_OF_ROWS = 0, 1, 2
"""Orders of folds: one after the other; rows as NumPy adds rows, and those one after the other; the
same with rows of complex numbers, of which these are the real or the imaginary parts."""


@dataclass(frozen=True, slots=True)
class Fold:
    """`inline` combines {a} and {b}; `function` is a jitted function of the prelude that does.
    `row` and `rows` fold the lanes of a row, or those of several, and `lane` ends a fold of each
    lane by itself, given the length of a row and an order, which Triton's interpreter keeps."""

    inline: str
    function: str
    row: str = ""
    rows: str = ""
    lane: str = ""


@dataclass(frozen=True, slots=True)
class Position:
    """`better`: whether {b} replaces {a}, seen earlier, as the best so far."""

    better: str
    function: str


SUM = Fold("fold_add({a}, {b})", "fold_add", "row_sum", "sums_of_rows", "lane_sum")

COMBINE = {
    "add": SUM,
    SUM_OF_PARTS: SUM,
    "multiply": Fold("fold_multiply({a}, {b})", "fold_multiply", "row_product", "products_of_rows",
                     "lane_product"),
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


def order_of(expr: Reduce) -> int:
    """In which order NumPy folds, as functions of the prelude are told."""
    if expr.row == 0:
        return IN_TURN
    return PARTS_OF_ROWS if expr.op == SUM_OF_PARTS else ROWS


def accumulator_type(op: str, dtype: np.dtype) -> str:
    """The register type that a fold runs in: halves are folded in single precision."""
    half = dtype == np.float16 and op in ("add", "multiply", "minimum", "maximum")
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
