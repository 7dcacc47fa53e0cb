"""Functions whose gradients are compared with JAX's: expressions that NumPy and `jax.numpy` both
read, at points with zeros, ties, kinks, NaN and infinity as well."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

RNG = np.random.default_rng(5)
NAN, INF = float("nan"), float("inf")
INPUTS: dict[str, Any] = {
    "v": RNG.standard_normal(7), "p": RNG.uniform(0.2, 1.5, 7), "u": RNG.uniform(-0.9, 0.9, 7),
    "m": RNG.standard_normal((4, 3)), "s": RNG.standard_normal((4, 4)) + 3 * np.eye(4),
    "zero": np.array([2.0, 0.0, 3.0]), "zeros": np.array([2.0, 0.0, 3.0, 0.0, 1.5]),
    "ties": np.array([1.0, 3.0, 3.0, -1.0]), "kinks": np.array([0.0, -1.0, 1.0, 0.5, 2.0]),
    "odd": np.array([1.0, NAN, 2.0]), "large": np.array([1.0, INF, -INF]), "o": np.zeros(4),
    "rows": np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0], [4.0, 5.0, 6.0]]), "none": np.zeros((0, 3)),
}
WEIGHTED = "({} * np.cos(np.arange({}.size).reshape({}.shape) + 1)).sum()"
"""Elements count differently, so that their places matter."""

TEXTS: dict[str, str] = {
    "v": """
np.sin(x) * x
np.exp(-x * x)
np.tanh(x) ** 3
1 / (1 + np.exp(-x))
np.logaddexp(x, 0.3)
np.arctan2(x, 2 + x[::-1])
np.hypot(x, 1.5)
np.sinh(x) / np.cosh(x) + np.expm1(x)
np.arcsinh(x) + np.cbrt(x)
np.cumsum(np.sin(x))
np.diff(x) ** 2
np.convolve(x, np.array([1.0, -2.0, 0.5]))
np.interp(x, np.linspace(-3, 3, 9), np.sin(np.linspace(-3, 3, 9)))
np.fft.fft(x).real ** 2
np.abs(np.fft.rfft(x))
np.sort(x) * np.arange(7)
np.outer(x, np.sin(x))
np.concatenate([x, x[::-1] * x])
np.stack([x, x ** 2]).T
np.roll(x, 2) * x
np.pad(x, 2, mode="reflect")
np.where(x > 0, x ** 2, np.sin(x))
np.repeat(x, 2) ** 2
np.tile(x, 3) ** 2
np.flip(x) * np.exp(x)
np.maximum(x, x[::-1])
np.std(x)
np.var(x, ddof=1)
np.median(x)
np.quantile(x, 0.3)
np.linalg.norm(x)
np.linalg.norm(x, 3)
x[np.array([0, 2, 2, 5])] ** 2
np.take(x, np.array([1, 1, 3]))
np.polyval(np.array([1.0, -2.0, 3.0]), x)
np.trapezoid(x ** 2)
np.sinc(x)
np.clip(x, -0.5, 0.5)
np.kron(x, x)
np.vander(x, 4)
""",
    "p": """
np.log(x)
np.sqrt(x) / x
x ** x
np.power(x, 2.5)
np.log1p(x) + np.log2(x) + np.log10(x)
np.prod(x)
np.cumprod(x)
np.arccosh(1 + x)
np.exp2(x) - np.reciprocal(x)
""",
    "u": """
np.arcsin(x) + np.arccos(x)
np.arctanh(x)
np.tan(x)
""",
    "m": """
x.T @ x
np.einsum("ij,kj->ik", x, np.sin(x))
np.tensordot(x, x, 2)
x / np.linalg.norm(x, axis=1, keepdims=True)
np.exp(x - x.max(axis=1, keepdims=True)) / np.exp(x).sum(axis=1, keepdims=True)
np.log(np.exp(x).sum(axis=0))
(x - x.mean(axis=0)) / x.std(axis=0)
np.swapaxes(x, 0, 1)[1:] ** 2
np.cov(x.T)
np.linalg.svd(x, compute_uv=False)
np.linalg.pinv(x)
np.abs(np.linalg.qr(x)[1])
np.broadcast_to(x[0], (5, 3)) ** 2
np.triu(x) * x
np.moveaxis(x[None] * x[:, None], 0, -1)
x[x[:, 0].argsort()] ** 2
np.max(x, axis=0) - np.min(x, axis=1).sum()
np.cross(x, x[::-1])
np.gradient(x, axis=0) ** 2
""",
    "s": """
np.linalg.inv(x)
np.linalg.det(x)
np.linalg.slogdet(x)[1]
np.linalg.solve(x, np.sin(x))
np.linalg.cholesky(x @ x.T + np.eye(4))
np.linalg.eigvalsh(x + x.T)
np.linalg.eigh(x + x.T)[1] ** 2
np.linalg.matrix_power(x, 3)
np.trace(x @ x)
np.diag(x) ** 2
np.fft.fft2(x).imag
np.tril(x) @ x
""",
    "zero": "np.prod(x)\nnp.cumprod(x)\nnp.prod(x * x)",
    "zeros": "np.prod(x)\nnp.cumprod(x)\nnp.cumprod(x[::-1])",
    "rows": "np.prod(x, axis=0)\nnp.prod(x, axis=1)\nnp.cumprod(x, axis=0)\nnp.cumprod(x, axis=1)",
    "ties": "np.max(x)\nnp.min(-x)\nnp.sort(x)\nnp.minimum(x, 3.0)\nx.max() * x",
    "kinks": """
np.abs(x)
np.maximum(x, 0.0)
np.clip(x, 0.0, 1.0)
np.where(x > 0, np.sqrt(np.abs(x)), 0.0)
np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0.0)
np.sign(x) * x
x ** 2.0
x ** 3
np.floor(x) + x
""",
    "odd": """
np.exp(x)
np.maximum(x, 1.5)
np.where(np.isnan(x), 0.0, x * x)
np.nansum(x)
np.sum(x * x)
""",
    "large": "np.tanh(x)\nnp.exp(-x)\nx * x\n1 / x",
    "o": "np.linalg.norm(x)\nnp.sqrt(x)\nnp.sqrt((x * x).sum())",
    "none": "x.sum(axis=0)\nnp.sin(x)\nnp.prod(x)",
}


def function(text: str, module: Any) -> Callable[[Any], Any]:
    """A weighted sum of an expression's elements, with `np` as the module that is given."""
    weighted = WEIGHTED.replace("{}", "y")
    found: Callable[[Any], Any] = eval(f"lambda x: (lambda y: {weighted})({text})", {"np": module})
    return found


def cases() -> list[tuple[str, str]]:
    """The names of the points and the expressions."""
    return [(point, line) for point, text in TEXTS.items() for line in text.strip().splitlines()]
