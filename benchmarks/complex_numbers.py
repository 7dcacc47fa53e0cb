"""Complex numbers: the Mandelbrot set, and a chain of operations."""
from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

import dynamo_lite as dl
from dynamo_lite.native import set_num_threads

from .measure import Figure, interleave


def mandelbrot(c):
    z = np.zeros_like(c)
    rounds = np.zeros(c.shape, np.int64)
    for _ in range(30):
        z = z * z + c
        inside = z.real**2 + z.imag**2 <= 4
        rounds += inside
        z = np.where(inside, z, 2)
    return rounds


def mixed(z, w):
    """A signal, shifted, its power, and where it is loud another phase."""
    shifted = z * w + 0.5j
    power = (shifted * shifted.conj()).real
    return np.where(np.abs(shifted) > 1, shifted * 1j, z) / (power + 1)


def peers(function: Callable[..., Any], *arrays: np.ndarray) -> dict[str, Callable[[], Any]]:
    """The same function under the compilers that are installed here, which round differently."""
    found: dict[str, Callable[[], Any]] = {}
    if importlib.util.find_spec("numba"):
        import numba

        jitted = numba.njit(function)
        found["numba"] = lambda: jitted(*arrays)
    if importlib.util.find_spec("jax"):
        import jax

        jax.config.update("jax_enable_x64", True)
        numpy = {"np": jax.numpy}
        source = type(function)(function.__code__, numpy, function.__name__)
        traced = jax.jit(source)
        found["jax"] = lambda: np.asarray(traced(*arrays))
    return found


def measured(title: str, function: Callable[..., Any], *arrays: np.ndarray) -> list[Figure]:
    compiled = dl.compile(function)
    expected = function(*arrays)
    assert compiled(*arrays).tobytes() == expected.tobytes()
    others = peers(function, *arrays)
    for name, other in others.items():
        assert np.isclose(other(), expected, rtol=1e-6).mean() > 0.99, name
    figures = []
    for threads in (1, 2):
        set_num_threads(threads)
        times = interleave({"numpy": lambda: function(*arrays),
                            "compiled": lambda: compiled(*arrays), **others}, rounds=7)
        ratio = times["numpy"] / times["compiled"]
        figures.append(Figure(
            f"{title}, {threads} thread(s)", f"{ratio:.1f}x NumPy", ">= 3x", ratio >= 3,
            ", ".join(f"{k} {v * 1e3:.1f} ms" for k, v in times.items())))
    return figures


def complex_numbers() -> list[Figure]:
    x, y = np.linspace(-2, 1, 1000), np.linspace(-1.5, 1.5, 1000)
    rng = np.random.default_rng(0)
    z, w = rng.standard_normal((2, 2, 1_000_000))
    return [
        *measured("Mandelbrot set, 30 steps, 1000 x 1000 complex128", mandelbrot,
                  x + 1j * y[:, None]),
        *measured("7-op chain, 1e6 complex128", mixed, z[0] + 1j * z[1], w[0] + 1j * w[1]),
    ]


FIGURES = (complex_numbers,)
