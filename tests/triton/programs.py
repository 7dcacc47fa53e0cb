"""The functions that the Triton tests compile and run; each lowers to kernels without externs."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Program:
    """`symbolic`: the sizes of its arguments are unknown when it is compiled."""

    function: Any
    values: tuple[Any, ...]
    symbolic: bool = False


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
    "long_sums": (row_sums, (f32(2, 10_000),)),
    "row_positions": (row_positions, (f32(9, 50),)),
    "nan_positions": (row_positions, (with_nan(3),)),
    "long_positions": (row_positions, (f32(2, 6000),)),
    "layer_norm": (layer_norm, (f32(5, 64),)),
    "column_maxima": (column_maxima, (f32(20, 300),)),
    "comparisons": (comparisons, (f32(99), f32(99))),
    "float64": (pointwise, (rng.normal(size=400), rng.normal(size=400))),
}

UNKNOWN = ("pointwise", "transposed", "broadcast", "softmax", "row_sums",
           "row_positions", "layer_norm", "column_maxima")

PROGRAMS = {name: Program(*listed) for name, listed in LISTED.items()} | {
    f"{name}_of_any_size": Program(*LISTED[name], symbolic=True) for name in UNKNOWN
}
