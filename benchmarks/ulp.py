"""Largest errors of the compiled elementary functions, in units in the last place: docs/ulp.md.

    python benchmarks/ulp.py [samples]

The reference is NumPy in the next longer format (long double for float64, float64 for float32).
"""
from __future__ import annotations

import math
import sys
import unittest.mock
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from dynamo_lite.backends.llvm import backend
from dynamo_lite.backends.llvm.backend import compile_graph
from dynamo_lite.backends.llvm.builder.target import LEVELS, Target, host

from dynamo_lite.ir.graph import Graph
from dynamo_lite.ir.types import array

Sampler = Callable[[np.random.Generator, int], np.ndarray]
PAGE = Path(__file__).parent.parent / "docs" / "ulp.md"


def uniform(low: float, high: float) -> Sampler:
    return lambda rng, n: rng.uniform(low, high, n)


def logarithmic(low: float, high: float, signed: bool = True) -> Sampler:
    """Evenly many samples in every power of ten."""

    def sample(rng: np.random.Generator, n: int) -> np.ndarray:
        size = np.exp(rng.uniform(math.log(low), math.log(high), n))
        return size * rng.choice([-1, 1], n) if signed else size

    return sample


# function → the ranges that its arguments are drawn from, and how they are called in the table
DOMAINS: dict[Any, tuple[tuple[Sampler, ...], str]] = {
    np.exp: ((uniform(-87, 88),), "[-87, 88]"),
    np.exp2: ((uniform(-126, 127),), "[-126, 127]"),
    np.expm1: ((logarithmic(1e-9, 80),), "±[1e-9, 80]"),
    np.log: ((logarithmic(1e-37, 1e37, False),), "[1e-37, 1e37]"),
    np.log2: ((logarithmic(1e-37, 1e37, False),), "[1e-37, 1e37]"),
    np.log10: ((logarithmic(1e-37, 1e37, False),), "[1e-37, 1e37]"),
    np.log1p: ((logarithmic(1e-10, 1e30, False),), "[1e-10, 1e30]"),
    np.sin: ((logarithmic(1e-3, 1e9),), "±[1e-3, 1e9]"),
    np.cos: ((logarithmic(1e-3, 1e9),), "±[1e-3, 1e9]"),
    np.tan: ((logarithmic(1e-3, 1e9),), "±[1e-3, 1e9]"),
    np.sinh: ((logarithmic(1e-4, 80),), "±[1e-4, 80]"),
    np.cosh: ((uniform(-80, 80),), "[-80, 80]"),
    np.tanh: ((logarithmic(1e-6, 20),), "±[1e-6, 20]"),
    np.arcsin: ((uniform(-1, 1),), "[-1, 1]"),
    np.arccos: ((uniform(-1, 1),), "[-1, 1]"),
    np.arctan: ((logarithmic(1e-4, 1e6),), "±[1e-4, 1e6]"),
    np.arcsinh: ((logarithmic(1e-4, 1e20),), "±[1e-4, 1e20]"),
    np.arccosh: ((uniform(1, 100),), "[1, 100]"),
    np.arctanh: ((uniform(-0.9999, 0.9999),), "(-1, 1)"),
    np.cbrt: ((logarithmic(1e-30, 1e30),), "±[1e-30, 1e30]"),
    np.hypot: ((logarithmic(1e-10, 1e10),) * 2, "±[1e-10, 1e10]"),
    np.arctan2: ((logarithmic(1e-5, 1e5),) * 2, "±[1e-5, 1e5]"),
    np.power: ((logarithmic(1e-3, 1e3, False), uniform(-10, 10)), "[1e-3, 1e3], [-10, 10]"),
    np.logaddexp: ((uniform(0, 80),) * 2, "[0, 80]"),
    np.logaddexp2: ((uniform(0, 80),) * 2, "[0, 80]"),
}
HEADER = """# Accuracy of elementary functions

Largest errors found, in units in the last place, against the next longer format; NumPy's own
functions on the same samples beside them. Everything else that compiled code computes in floating
point is the correctly rounded IEEE operation. Sums and products have NumPy's order, and so its
bits: numbers along the innermost axis in memory are added pairwise, everything else one after the
other (columns of a matrix, products, the rows of several axes). There are two exceptions: where the
number of columns is a symbol and turns out to be 1, the column is added one after the other; and
`np.einsum` of floats adds as `np.sum` and `np.matmul` do.

All this is for `config.math = "inline"`, the default of `dl.compile`. With "numpy", the default of
whole-script mode, kernels call NumPy's own inner loops, and C's functions for Python's `math` and
`**` of numbers: every result then has the bits that it has in Python on this machine. The chain
`tanh(exp(-x * x) * y + 0.5) * x - y` of 1e5 float64 takes 0.36 of NumPy's time then instead of
0.22, of 1e6 0.77 instead of 0.47 (one thread).

sin, cos and tan of larger arguments than 2**30 are computed by NumPy itself.
Powers with a constant whole exponent from -16 to 16 are products: 5 and more, and -2 and less,
rounded once (0.502) where neither they nor what rounding loses is subnormal or infinite.
The sign of a NaN that an operation makes is not NumPy's, which has that of the C library or of its
vector loop (`np.inf % 1`, `np.arcsin(2)`); `np.signbit` and `np.copysign` show it.
The largest error on processors with AVX-512 and with AVX2, which have different formulas.
This page is written by `benchmarks/ulp.py` ({samples} samples per function).

| function | arguments | float32 bound | found | NumPy | float64 bound | found | NumPy |
|---|---|---|---|---|---|---|---|
"""


def compiled(function: Any, dtype: np.dtype, n: int) -> Any:
    """The function alone as a compiled graph."""
    graph, kind = Graph(), array(dtype, n)
    inputs = tuple(graph.placeholder(f"x{i}", kind) for i in range(function.nin))
    graph.output((graph.call_function(function, inputs, type=kind),))
    return compile_graph(graph, [])


def error(got: np.ndarray, exact: np.ndarray) -> float:
    """The largest distance in units of the last place of the result's format."""
    unit = np.spacing(np.abs(exact.astype(got.dtype))).astype(exact.dtype)
    return float(np.max(np.abs(got.astype(exact.dtype) - exact) / unit))


def measure(function: Any, dtype: np.dtype, samples: int) -> tuple[float, float]:
    """Our largest error and NumPy's."""
    rng = np.random.default_rng(7)
    longer = np.float64 if dtype == np.float32 else np.longdouble
    args = [sample(rng, samples).astype(dtype) for sample in DOMAINS[function][0]]
    with np.errstate(all="ignore"):
        exact = function(*(a.astype(longer) for a in args))
        (got,) = compiled(function, dtype, samples)(*args)
        return error(got, exact), error(function(*args), exact)


def bound(found: float) -> float:
    """What is promised: the next half above, with some room for arguments not sampled."""
    return math.ceil((found + 0.15) * 2) / 2


def levels() -> list[Target]:
    """The kinds of processor with fused multiplication that code for this one can be made for;
    they have different formulas."""
    here = host()
    return [
        Target(machine, here.system, cpu, width, fma)
        for machine, _, cpu, width, fma in LEVELS
        if machine == here.machine and width <= here.vector_bytes and fma
    ]


def measure_all(function: Any, dtype: np.dtype, samples: int) -> tuple[float, float]:
    """The same, the largest of all levels."""
    errors = []
    for target in levels():
        with unittest.mock.patch.object(backend, "host", lambda target=target: target):
            errors.append(measure(function, dtype, samples))
    return max(errors)


def row(function: Any, samples: int) -> str:
    cells = [f"`{function.__name__}`", DOMAINS[function][1]]
    for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
        ours, numpys = measure_all(function, dtype, samples)
        cells += [f"{bound(ours):.1f}", f"{ours:.2f}", f"{numpys:.2f}"]
    return "| " + " | ".join(cells) + " |"


def main(arguments: Sequence[str]) -> None:
    samples = int(arguments[0]) if arguments else 1_000_000
    rows = [row(function, samples) for function in DOMAINS]
    PAGE.write_text(HEADER.format(samples=f"{samples:,}") + "\n".join(rows) + "\n")
    print(PAGE.read_text())


if __name__ == "__main__":
    main(sys.argv[1:])
