"""The functions that the Triton tests compile and run; each lowers to kernels without externs."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Program:
    """`symbolic`: the sizes of its arguments are unknown when it is compiled. With `right`: a call
    with `values` fails a check, and bails out."""

    function: Any
    values: tuple[Any, ...]
    symbolic: bool = False
    right: tuple[Any, ...] = ()  # arguments that are right, where `values` are wrong ones


rng = np.random.default_rng(7)


def f32(*shape: int) -> np.ndarray:
    return rng.normal(size=shape).astype(np.float32)


def pointwise(x: Any, y: Any) -> Any:
    return np.exp(-x * x) * y + np.float32(0.5)


def branches(x: Any, y: Any) -> Any:
    return np.where(x > y, np.sqrt(np.abs(x)), np.maximum(x, y) / np.float32(3))


def integers(i: Any, j: Any) -> Any:
    return (i // j) * 3 + (i % j) - (i << 2)


def mixed(x: Any, i: Any) -> Any:
    return (x * i).astype(np.float32) + np.float32(1)


def transposed(x: Any) -> Any:
    return x.T * np.float32(2) + np.float32(1)


def reversed_rows(x: Any) -> Any:
    return x[::-1, 1:] - x[:, :-1]


def broadcast(x: Any, y: Any) -> Any:
    return x[:, None] * y[None, :] - np.float32(1)


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def row_sums(x: Any) -> Any:
    return np.sum(x * x, axis=1)


def sums(x: Any) -> Any:
    return np.sum(x, axis=1), np.sum(x)


def row_positions(x: Any) -> Any:
    return np.argmax(x, axis=1), np.argmin(x, axis=1)


def layer_norm(x: Any) -> Any:
    centred = x - np.mean(x, axis=1, keepdims=True)
    spread = np.mean(centred * centred, axis=1, keepdims=True)
    return centred / np.sqrt(spread + np.float32(1e-5))


def column_maxima(x: Any) -> Any:
    return np.max(x, axis=0)


def comparisons(x: Any, y: Any) -> Any:
    return (x < y) & (x > np.float32(-1))


def centred(x: Any) -> Any:
    return x - np.sum(x, axis=(0, 1), keepdims=True)


def weighted_rows(x: Any, w: Any) -> Any:
    return np.sum(x * w[:, None], axis=1) + w, x * w[:, None] / np.max(x, axis=1, keepdims=True)


def gathered(x: Any, i: Any) -> Any:
    return x[i] * np.float32(2)


def gathered_rows(x: Any, i: Any) -> Any:
    return np.sum(x[i], axis=1)


def scaled(x: Any, s: Any) -> Any:
    return x * s + np.float32(1)


def folds(x: Any) -> Any:
    return (np.sum(x, axis=1), np.prod(x, axis=1), np.min(x, axis=1), np.max(x, axis=1),
            np.any(x, axis=1), np.all(x, axis=1), np.argmin(x, axis=1), np.argmax(x, axis=1))


def column_folds(x: Any) -> Any:
    return (np.sum(x, axis=0), np.prod(x, axis=0), np.min(x, axis=0), np.max(x, axis=0),
            np.any(x, axis=0), np.all(x, axis=0), np.argmin(x, axis=0), np.argmax(x, axis=0))


def casts(x: Any) -> Any:
    return tuple(x.astype(t) for t in ("f4", "f8", "i4", "i8", "u1", "?", "f2"))


def constants(x: Any) -> Any:
    return np.where(x > 0, -0.0, x), np.where(x > 0, np.inf, x), np.copysign(x, -0.0)


def outer_axes(x: Any) -> Any:
    return np.sum(x, axis=(0, 2)), np.max(x, axis=(0, 2))


def scans(x: Any) -> Any:
    return np.cumsum(x, axis=1), np.cumprod(x, axis=1), np.cumsum(x, axis=0) * x


def long_scans(x: Any) -> Any:
    return np.cumsum(x, axis=1), np.cumprod(x, axis=1), np.cumsum(x.T, axis=0) * x.T


def small(dtype: str, *shape: int) -> np.ndarray:
    """Whole numbers that every fold keeps exact, with zeros, ones and repeats."""
    drawn = rng.integers(0, 3, shape)
    less = rng.integers(0, 2, shape) if dtype[0] in "if" else 0
    return (drawn - less).astype(dtype)


def with_nan(n: int) -> np.ndarray:
    x = f32(n, 40)
    x[1, 3] = np.nan
    return x


LISTED: dict[str, Any] = {
    "pointwise": (pointwise, (f32(5000), f32(5000))),
    "short": (pointwise, (f32(3), f32(3))),
    "branches": (branches, (f32(100, 7), f32(100, 7))),
    "integers": (integers, (rng.integers(-50, 50, 300), rng.integers(1, 9, 300))),
    "mixed": (mixed, (f32(257), rng.integers(0, 9, 257).astype(np.int16))),
    "transposed": (transposed, (f32(30, 17),)),
    "reversed_rows": (reversed_rows, (f32(12, 9),)),
    "broadcast": (broadcast, (f32(33), f32(20))),
    "softmax": (softmax, (f32(6, 1000),)),
    "long_rows": (softmax, (f32(2, 9000),)),
    "row_sums": (row_sums, (f32(8, 100),)),
    "sums_of_negative_zeros": (sums, (-np.zeros((20, 300)),)),
    "sums_of_columns_of_negative_zeros": (lambda x: np.sum(x, axis=0), (-np.zeros((20, 30)),)),
    "sums_of_nothing": (sums, (f32(3, 0),)),
    "long_sums": (row_sums, (f32(2, 10_000),)),
    "row_positions": (row_positions, (f32(9, 50),)),
    "nan_positions": (row_positions, (with_nan(3),)),
    "long_positions": (row_positions, (f32(2, 6000),)),
    "layer_norm": (layer_norm, (f32(5, 64),)),
    "column_maxima": (column_maxima, (f32(20, 300),)),
    "comparisons": (comparisons, (f32(99), f32(99))),
    "float64": (pointwise, (rng.normal(size=400), rng.normal(size=400))),
}

DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
for _dtype in DTYPES:
    _x = (small(_dtype, 4, 37) != 0) if _dtype == "?" else small(_dtype, 4, 37)
    LISTED[f"folds_{_dtype}"] = (folds, (_x,))
    _many = np.tile(_x, (60, 1))
    LISTED[f"folds_of_short_rows_{_dtype}"] = (folds, (_many,))
    LISTED[f"folds_of_eight_{_dtype}"] = (folds, (_many[:, :8].copy(),))
    LISTED[f"column_folds_{_dtype}"] = (column_folds, (_x,))
    LISTED[f"casts_{_dtype}"] = (casts, (_x,))
LISTED |= {
    "centred": (centred, (f32(20, 30),)),
    "weighted_rows": (weighted_rows, (f32(7, 60), f32(7))),
    "gathered": (gathered, (f32(50), rng.integers(-50, 50, 300))),
    "gathered_rows": (gathered_rows, (f32(10, 40), rng.integers(0, 10, 7))),
    "scaled": (scaled, (f32(100), np.float32(2.5))),
    "constants": (constants, (np.array([0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf]),)),
    "one_element": (pointwise, (f32(1), f32(1))),
    "one_column": (row_sums, (f32(5, 1),)),
    "one_row": (softmax, (f32(1, 40),)),
    "half": (pointwise, (f32(90).astype("f2"), f32(90).astype("f2"))),
    "half_sums": (row_sums, (f32(3, 500).astype("f2"),)),
    "outer_axes": (outer_axes, (f32(6, 5, 40),)),
    "long_outer_axes": (outer_axes, (f32(2, 3, 5000),)),
    "narrow_columns": (column_folds, (f32(3000, 2),)),
    "nan_folds": (folds, (with_nan(3),)),
    "scans": (scans, (f32(5, 70),)),
    "scans_float64": (scans, (rng.normal(size=(4, 33)),)),
    "scans_int64": (scans, (rng.integers(-3, 4, (4, 33)),)),
    "long_scans": (long_scans, (f32(2, 9000),)),
    "short_rows": (softmax, (f32(301, 37),)),
    "short_rows_weighted": (weighted_rows, (f32(203, 20), f32(203))),
    "short_rows_gathered": (gathered_rows, (f32(300, 24), rng.integers(0, 300, 207))),
    "short_rows_normalised": (layer_norm, (f32(500, 16),)),
}

UNKNOWN = ("pointwise", "transposed", "broadcast", "softmax", "row_sums",
           "row_positions", "layer_norm", "column_maxima")

PROGRAMS = {name: Program(*listed) for name, listed in LISTED.items()} | {
    f"{name}_of_any_size": Program(*LISTED[name], symbolic=True) for name in UNKNOWN
}



def complex_arithmetic(x: Any, y: Any) -> Any:
    return x * y + 1j - y / x, np.absolute(x) * np.conjugate(y), np.where(x == y, x, -y), x < y


def complex_sums(x: Any, y: Any) -> Any:
    return np.sum(x * y, axis=1), np.sum(x, axis=0), np.sum(np.absolute(x), axis=1)


def c8(*shape: int) -> np.ndarray:
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype("c8")


def both(function: Any, *shape: int) -> dict[str, Program]:
    """In both precisions."""
    x, y = c8(*shape), c8(*shape)
    name = function.__name__
    wide = x.astype("c16"), y.astype("c16")
    return {name: Program(function, (x, y)), f"{name}_c16": Program(function, wide),
            f"{name}_of_any_size": Program(function, (x, y), symbolic=True)}


PROGRAMS |= both(complex_arithmetic, 37, 40) | both(complex_sums, 5, 70)
TWOS = np.full(300, 2)
ONE_ZERO = np.where(np.arange(300) == 299, 0, 2)
PROGRAMS |= {
    "out_of_bounds": Program(gathered, (f32(50), TWOS * 25), right=(f32(50), TWOS)),
    "zero_divisor": Program(integers, (TWOS, ONE_ZERO), right=(TWOS, TWOS)),
}
