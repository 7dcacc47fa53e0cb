"""Functions that multiply halves, and make something of each element of the product."""
from __future__ import annotations

from typing import Any

import numpy as np

RNG = np.random.default_rng(5)



def halves(*shape: int) -> np.ndarray:
    return (RNG.normal(size=shape) / 8).astype("f2")


X, W, BIAS = halves(2, 128, 192), halves(192, 256), halves(256)

FUSED: dict[str, tuple[Any, tuple[np.ndarray, ...]]] = {
    "one axis": (lambda x, w: np.tanh(x @ w) * 2, (X, W)),
    "bias": (lambda x, w, b: np.maximum(x @ w + b, 0), (X, W, BIAS)),
    "residual": (lambda x, w, y: y + x @ w, (X, W, halves(2, 128, 256))),
    "residual of rows": (lambda x, w, y: y + x @ w, (X, W, halves(2, 128, 1))),
    "transposed": (lambda x, w: np.exp(x.T @ w.T), (halves(128, 256), halves(128, 128))),
    "of parts": (lambda x, w: np.exp(x[:, :128] @ w), (halves(128, 256), halves(128, 128))),
    "used twice": (lambda x, w: (p := x @ w) * np.tanh(p), (X, W)),
}
