"""Functions of two matrices of bfloat16, which CuPy computes in single precision and rounds."""
from __future__ import annotations

from typing import Any

import cupy as cp
import numpy as np


def in_place(x: Any, y: Any) -> Any:
    x += y
    x *= 2
    return x + 1


def stored(x: Any, y: Any) -> Any:
    x[0] = y[1]
    x[1:, 2:] = y[1:, 2:]
    return x * 2


def looped(x: Any, y: Any) -> Any:
    for _ in range(3):
        x = x * y + 1
    return x


ELEMENTWISE = {
    "arithmetic": lambda x, y: (x + y * x, x - y, x / y, x * 2 + 1 - y, 1 / x),
    "floats": lambda x, y: (x * 0.5 + y, x + 1j, np.float32(2) * x, x + np.float64(1)),
    "bools": lambda x, y: x + (x > 0),
    "comparisons": lambda x, y: (x > y, x >= 1, x == x, np.isnan(x), np.signbit(y)),
    "parts": lambda x, y: (np.maximum(x, y), np.minimum(x, 0), abs(-x), np.sign(y), np.floor(x)),
    "powers": lambda x, y: (x**2, x**3, np.square(y)),
    "roots": lambda x, y: (np.sqrt(abs(x)), np.cbrt(y)),
    "casts": lambda x, y: (
        x.astype("f4") * y, x.astype("i4"), x.astype("f8") + 1, x.astype("?"), x.astype("c8"),
        (x.astype("f4") * 3).astype(x.dtype), (x.astype("f8") / 3).astype(x.dtype)),
    "views": lambda x, y: (x.T + 1, x[1:, ::2] * y[1:, ::2], x.reshape(-1), x[:, ::-1] - y),
    "moves": lambda x, y: (
        np.concatenate([x, y]), np.stack([x, y]), np.roll(x, 1, axis=1) + np.flip(y),
        np.take(x, 1, axis=0), np.zeros_like(x) + y, x.copy()),
    "in place": in_place,
    "looped": looped,
}
WRITTEN = {"stored": stored}
TRANSCENDENTAL = {
    "exp": lambda x, y: np.exp(x),
    "sin and cos": lambda x, y: (np.sin(x), np.cos(y)),
    "logarithms": lambda x, y: (np.log(abs(x)), np.log1p(abs(y))),
    "tanh": lambda x, y: np.tanh(x) / (1 + np.exp(-y)),
    "power": lambda x, y: (abs(x) ** y, np.hypot(x, y), np.arctan2(x, y)),
}
FOLDS = {
    "sums": lambda x, y: (x.sum(axis=1), x.sum(axis=0, keepdims=True), x.sum()),
    "means": lambda x, y: (x.mean(axis=0), y.mean()),
    "extrema": lambda x, y: (x.max(axis=1), y.min(), np.argmax(x, axis=1), y.argmin()),
    "products": lambda x, y: np.prod(x[:, :4], axis=1),
    "sums in single": lambda x, y: x.sum(axis=1, dtype="f4"),
    "softmax": lambda x, y: np.exp(x - x.max(axis=1, keepdims=True)),
}
CUPYS_OWN = {
    "where of bfloat16": lambda x, y: np.where(x > 0, x, y),
    "clip of bfloat16": lambda x, y: np.clip(x, 0, 1),
    "std of bfloat16": lambda x, y: x.std(),
    "cumsum of bfloat16": lambda x, y: np.cumsum(x),
    "remainder of bfloat16": lambda x, y: x % 2,
    "logical_and of bfloat16": lambda x, y: np.logical_and(x, y),
    "add of bfloat16 and such a number": lambda x, y: x + 1000,
    "a power of bfloat16 in double precision": lambda x, y: x**0.5,
    "add of bfloat16": lambda x, y: np.add(x, y, dtype="f4"),
    "sum that is rounded to bfloat16": lambda x, y: x.astype("f4").sum(dtype=x.dtype),
    "matmul of bfloat16 and these": lambda x, y: x[None] @ y.T[None],
    "float of bfloat16": lambda x, y: float(x[0, 0]),
    "asarray of bfloat16": lambda x, y: cp.asarray(x, dtype="f4"),
}
"""The reason why the graph breaks → what breaks it."""
