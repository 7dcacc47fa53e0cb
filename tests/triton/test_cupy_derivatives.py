"""Derivatives of functions of CuPy arrays in host memory, with interpreted kernels."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.native import why_no_cuda

cp = pytest.importorskip("cupy")
pytest.importorskip("triton")

from dynamo_lite.backends.triton.backend import compile_for  # noqa: E402

from tests.triton.cupy_on_host import CuPyOnHost, host, on_host  # noqa: E402

pytestmark = pytest.mark.skipif(why_no_cuda() is None, reason="its own arrays are in its memory")
X = np.random.default_rng(0).normal(size=(5, 4))


def written(a):
    b = a.copy()
    b[1:] *= 2
    b[b > 0.5] = 0
    return (b * b).sum()


def loop(a):
    for _ in range(30):
        a = a * 0.9 + np.sin(a) * 0.1
    return a.sum()


def layer(a):
    h = np.maximum(a @ (a.T + 0.1), 0)
    normed = (h - h.mean(axis=1, keepdims=True)) / np.sqrt(h.var(axis=1, keepdims=True) + 1e-5)
    return normed.sum() + (h**2).mean()


@pytest.mark.parametrize("function", [
    written, loop, layer,
    lambda a: (np.tanh(a) ** 2).sum(),
    lambda a: np.log(np.exp(a - a.max(axis=1, keepdims=True)).sum(axis=1)).mean(),
    lambda a: np.where(a > 0, a, 0.1 * a).sum(),
    lambda a: (a[[0, 2, 2]] ** 2).sum(),
    lambda a: (np.cumsum(a, axis=1) ** 2).sum(),
    lambda a: (np.concatenate([a, a * 2]) ** 2).sum(),
    lambda a: np.prod(a, axis=1).sum(),
    lambda a: (np.sort(a, axis=1) ** 2)[:, :2].sum(),
    lambda a: (a.T.reshape(-1)[::2] ** 3).sum(),
    lambda a: np.einsum("ij,kj->ik", a, a).sum(),
    lambda a: np.linalg.solve(5 * (a.T @ a), a.T).sum(),
    lambda a: a.max() - a.min(axis=0).sum(),
    lambda a: np.abs(np.fft.fft(np.exp(1j * a) + a, axis=1)).sum(),
    lambda a: (np.stack([a, np.roll(a, 1, 0)]) ** 2).sum(),
])  # fmt: skip
def test_gradients_are_those_of_numpys_arrays(function):
    of_cupy = dl.compile(dl.value_and_grad(function),
                         backend=lambda graph, inputs: compile_for(graph, CuPyOnHost()))
    value, gradient = of_cupy(on_host(X))
    expected, slope = dl.value_and_grad(function)(X)
    assert type(gradient) is cp.ndarray and gradient.dtype == X.dtype
    np.testing.assert_allclose(host(value), expected, rtol=1e-10)
    np.testing.assert_allclose(host(gradient), slope, rtol=1e-9, atol=1e-12)


def test_what_is_no_array_of_numbers_is_refused():
    with pytest.raises(TypeError, match="got a str"):
        dl.grad(lambda a, b: a.sum(), argnums=1)(on_host(X), "text")
