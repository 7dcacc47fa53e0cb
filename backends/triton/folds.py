"""How Triton kernels fold: one row per reduction of the loop IR."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Fold:
    """`inline` combines {a} and {b}; `function` is a jitted function of the prelude that does."""

    inline: str
    function: str


@dataclass(frozen=True, slots=True)
class Position:
    """`better`: whether {b} replaces {a}, seen earlier, as the best so far."""

    better: str
    function: str


COMBINE = {
    "add": Fold("{a} + {b}", "fold_add"),
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

def identity(op: str, dtype: np.dtype) -> str:
    """The neutral value of a fold, as Python source."""
    if op in ("minimum", "argmin"):
        return _extreme(dtype, largest=True)
    if op in ("maximum", "argmax"):
        return _extreme(dtype, largest=False)
    return {"add": "0", "multiply": "1", "logical_and": "1", "logical_or": "0",
            "bitwise_and": "-1", "bitwise_or": "0"}[op]


def _extreme(dtype: np.dtype, largest: bool) -> str:
    if dtype.kind == "f":
        return "float('inf')" if largest else "float('-inf')"
    if dtype == np.bool_:
        return str(int(largest))
    limits = np.iinfo(dtype)
    return str(limits.max if largest else limits.min)
